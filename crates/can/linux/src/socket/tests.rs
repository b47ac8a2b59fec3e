//! The machine's clock and waiting, which need no CAN; the sockets are tested in `tests/vcan.rs`.

use super::*;

#[test]
fn waiting_without_links_lasts_as_long_as_asked() {
    let mut host = SystemHost::new();
    let mut late_ns = Vec::new();
    for round in 0..100 {
        let asked = Duration::from_micros(round * 17);
        let from = host.now();
        host.wait(&[], Some(asked)).unwrap();
        let waited = host.now().since(from);
        assert!(waited >= asked, "round {round}: {waited} for {asked}");
        late_ns.push((waited - asked).as_nanos());
    }
    late_ns.sort_unstable();
    let median = Duration::from_nanos(late_ns[50]);
    let most = Duration::from_nanos(late_ns[99]);
    println!("late by {median} (median), {most} (most)");
}

#[test]
fn the_clock_starts_at_the_boot() {
    let host = SystemHost::new();
    assert!(host.now() < Instant::ZERO + Duration::from_millis(60_000));
}
