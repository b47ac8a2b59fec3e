//! Messages cut short and random bytes.

use waywarden_testkit_v2x::world::now;
use waywarden_v2x_security::{ReceptionContext, ResultCode};

use super::{World, hundred};

#[test]
fn no_message_cut_short_is_accepted() {
    let world = World::new();
    let at = ReceptionContext::at(now());
    for message in hundred(&world).iter().take(10) {
        let verifier = world.verifier();
        for length in 0..message.len() {
            let refusal = verifier.prepare(&message[..length], &at).unwrap_err();
            assert_eq!(refusal.code, ResultCode::ParsingInvalidInput);
        }
    }
}

/// Random changes of many bytes, and random bytes: nothing panics and nothing is accepted.
#[test]
fn fuzz() {
    let world = World::new();
    let at = ReceptionContext::at(now());
    let seed = std::env::var("WAYWARDEN_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let mut state: u64 = seed.unwrap_or(0x5eed);
    println!("WAYWARDEN_SEED={state}");
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let rounds = std::env::var("WAYWARDEN_SEEDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let messages = hundred(&world);
    let verifier = world.verifier();
    for _ in 0..rounds.unwrap_or(2_000_u32) {
        let mut bytes = messages[next() as usize % messages.len()].clone();
        for _ in 0..1 + next() % 6 {
            let place = next() as usize % bytes.len();
            match next() % 3 {
                0 => bytes[place] = next() as u8,
                1 => bytes.truncate(place.max(1)),
                _ => bytes.insert(place, next() as u8),
            }
        }
        let _ = verifier.prepare(&bytes, &at);
        let _ = verifier.verify_certificate(&bytes);
        let _ = verifier.verify_signatures(&bytes, &at);
    }
}
