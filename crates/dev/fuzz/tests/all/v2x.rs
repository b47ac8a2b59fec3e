//! Any bytes into the readers of V2X: no panic, bounded memory, nothing lost in silence. The laws
//! stand in `waywarden_fuzz::{messages, v2x}`; here the bytes come from seeds.

use waywarden_fuzz::{Seen, messages, v2x};
use waywarden_testkit::{cases, each_random_bytes};

use crate::heap::most_held;

/// Runs of each test, in the quick run.
const FEW: usize = 1_500;

/// The most heap of one run: buffers of readers, and the rows that a `*` of a dump stands for.
const HEAP_MAX: usize = 8 << 20;

/// Runs over seeds; each of the events has to come.
fn over_seeds(entry: fn(&[u8]) -> (Seen, usize), events: &[&str]) {
    let (mut all, mut most) = (Seen::default(), 0);
    each_random_bytes(FEW, entry, |(seen, held)| {
        assert!(held <= HEAP_MAX, "{held} bytes of heap");
        most = most.max(held);
        all.add(&seen);
    });
    println!("{all:?}, {most} bytes of heap");
    for event in events {
        assert!(cases(FEW) < FEW || all.count(event) > 0, "never {event}");
    }
}

#[test]
fn links_and_detection_withstand_any_bytes() {
    over_seeds(
        |bytes| most_held(|| v2x::links(bytes)),
        &["found", "clear", "refused"],
    );
}

#[test]
fn text_withstands_any_bytes() {
    over_seeds(
        |bytes| most_held(|| v2x::text(bytes)),
        &["found", "unread", "wrong"],
    );
}

#[test]
fn tracks_withstand_any_bytes() {
    over_seeds(
        |bytes| most_held(|| v2x::tracks(bytes)),
        &["read", "faults", "refused"],
    );
}

#[test]
fn payload_checks_withstand_any_bytes() {
    over_seeds(
        |bytes| most_held(|| v2x::payload(bytes)),
        &["passed", "failed", "not-checked"],
    );
}

#[test]
fn messages_by_layouts_withstand_any_bytes() {
    over_seeds(
        |bytes| most_held(|| messages::layouts(bytes)),
        &["read", "refused"],
    );
}

#[test]
fn messages_in_json_withstand_any_text() {
    over_seeds(
        |bytes| most_held(|| messages::json_text(bytes)),
        &["written", "refused", "no JSON"],
    );
}

#[test]
fn no_bytes_and_few_bytes_do_nothing_bad() {
    for length in 0..64 {
        for fill in [0, 1, 0x7F, 0xFF] {
            let bytes = vec![fill; length];
            let readers = [v2x::links, v2x::text, v2x::tracks, v2x::payload];
            for entry in [&readers[..], &[messages::layouts, messages::json_text]].concat() {
                entry(&bytes);
            }
        }
    }
}
