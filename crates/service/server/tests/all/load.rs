//! A short load: every message of some vehicles is verified and answered once. `make soak` has the
//! long one, with its times.

use std::time::{Duration, Instant};

use waywarden_v2x_wire::ieee1609dot2::{Duration as Validity, Time64};

use crate::{client, figures, process, traffic};

/// Time for signing before the clock starts, and time over which the messages are due.
const READY: Duration = Duration::from_secs(2);
const LASTS: Duration = Duration::from_millis(500);
const VEHICLES: usize = 20;

#[test]
fn load_of_twenty_vehicles_is_verified_and_answered_once() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("service.socket");
    let of_thread = socket.clone();
    // It ends with the process.
    std::thread::spawn(move || process::serve(&of_thread, 1));
    let mut world = process::world();
    world.vehicle(Validity::Years(1));
    let (begun, now) = (Instant::now(), process::HostClock::now());
    let start = Time64(now.0 + READY.as_micros() as u64);
    let messages = traffic::messages(&mut world, VEHICLES, LASTS, start);
    while !socket.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let outcome = client::run(&socket, &messages, begun + READY);
    println!("{}", figures::percentiles(&outcome.latencies));
    assert_eq!(outcome.latencies.len(), messages.len());
    assert_eq!(outcome.accepted, messages.len(), "{:?}", outcome.others);
}
