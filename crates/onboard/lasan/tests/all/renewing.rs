//! Short-lived keys of streams on slow boards: no ECU is ever without one.

use waywarden_lasan::{AuthenticationSuite, Credentials, EcdheEcdsa, FourQSchnorrQ, LasanProfile};
use waywarden_work::Duration;

use crate::network::{Fleet, NetworkConfig};

/// Three ECUs of the board send to each other for some lives of their keys; each ECU that may send
/// has a key, and its receivers have that key or a newer one.
fn never_without<S: AuthenticationSuite>(
    board: &'static str,
    profile: LasanProfile,
    millis: [u64; 3],
) {
    let [begun, answer, registering] = millis;
    let mut network_config = NetworkConfig::new(profile, Credentials::Certificates, 3).all_send();
    network_config.board = board;
    network_config.timing.authentication = Duration::from_millis(begun);
    network_config.timing.answer = Duration::from_millis(answer);
    let least = network_config
        .timing
        .least_stream_key(Duration::from_millis(registering));
    network_config.timing.stream_key = least;
    let mut fleet = Fleet::<S>::new(&network_config);
    fleet.run(begun);
    assert!((1..=3).all(|ecu| fleet.is_authenticated(ecu)), "{board}");
    let life = least.as_nanos() / 1_000_000;
    let mut keys = 0;
    for now in begun..begun + 12 * life {
        fleet.run(now);
        for sender in 1..=3 {
            let own = fleet.stream_key(sender, sender);
            let (own, _) = own.unwrap_or_else(|| panic!("{board}: {sender} has no key at {now}"));
            for receiver in (1..=3).filter(|&one| one != sender) {
                let other = fleet.stream_key(receiver, sender);
                assert!(
                    other.is_some_and(|(other, _)| other >= own),
                    "{board}: {receiver} has not {sender}'s key {own} at {now}, of {life} ms"
                );
            }
            keys = keys.max(own & 0xFFFF);
        }
    }
    println!(
        "{} {profile:?} on {board}: keys of {life} ms, {keys} of a stream",
        S::NAME
    );
    assert!(keys > 10, "{keys}");
}

#[test]
fn receivers_have_the_next_key_before_the_sender_uses_it() {
    never_without::<EcdheEcdsa>("tc297", LasanProfile::Hardened, [1_500, 20, 10]);
    never_without::<EcdheEcdsa>("m3", LasanProfile::Hardened, [9_000, 40, 10]);
    never_without::<FourQSchnorrQ>("tc297", LasanProfile::Compact, [600, 20, 10]);
}
