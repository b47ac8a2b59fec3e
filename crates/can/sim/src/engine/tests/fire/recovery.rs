//! The streams are back on schedule after the interference, and a node after bus off.

use super::{BACK, END, ON_SCHEDULE, run, target, under_fire};
use crate::clock::Time;
use crate::engine::tests::recording::Recording;
use crate::engine::tests::seeds;
use crate::interferer::BusOffAttack;

#[test]
fn when_it_is_over_every_stream_is_back_on_schedule_within_the_bound() {
    let calm: Vec<Recording> = (0..seeds().div_ceil(10))
        .map(|seed| run(seed, None))
        .collect();
    under_fire(|name, seed, recording| {
        let expected = late_frames(&calm[seed as usize]);
        let found = late_frames(recording);
        assert_eq!(
            found.len(),
            expected.len(),
            "{name}, seed {seed}: frames are missing"
        );
        for ((key, sent), (expected_key, expected_sent)) in found.iter().zip(&expected) {
            assert_eq!(key, expected_key, "{name}, seed {seed}");
            let early = expected_sent.since(*sent);
            let late = sent.since(*expected_sent);
            assert!(
                early.max(late) <= ON_SCHEDULE,
                "{name}, seed {seed}: {late:?} late"
            );
        }
    });
}

/// The frames queued after the bound and well before the end, by identifier and content.
fn late_frames(recording: &Recording) -> Vec<((u32, Vec<u8>), Time)> {
    let last = Time::from_nanos(END.as_picos() / 1_000 - 10_000_000);
    let mut frames: Vec<_> = recording
        .deliveries
        .values()
        .filter(|delivery| {
            delivery
                .queued
                .is_some_and(|queued| queued >= BACK && queued < last)
        })
        .map(|delivery| {
            let key = (delivery.frame.id().raw(), delivery.frame.data().to_vec());
            (
                key,
                delivery.sent.first().map_or(Time::NEVER, |&(_, sent)| sent),
            )
        })
        .collect();
    frames.sort();
    frames
}

#[test]
fn the_bus_off_attack_takes_its_target_off_in_thirty_two_frames_and_it_comes_back() {
    let recording = run(1, Some(Box::new(BusOffAttack::until_off(target()))));
    let off: Vec<_> = recording
        .states
        .iter()
        .filter(|&&(_, _, state)| state == "bus-off")
        .collect();
    assert_eq!(off.len(), 1);
    let &&(at, ecu, _) = &off[0];
    assert_eq!(ecu, 0, "the sender of 0x100");
    assert_eq!(recording.strikes, 32, "one strike a frame, TEC 8 to 256");
    let back = recording
        .states
        .iter()
        .find(|&&(time, who, state)| who == 0 && time > at && state == "error-active")
        .expect("it never recovered");
    // 1,408 bit times on an idle bus are 2.8 ms; the other ECUs' frames make it longer.
    let took = back.0.since(at).get();
    assert!((2_816_000_000..35_000_000_000).contains(&took), "{took} ps");
}
