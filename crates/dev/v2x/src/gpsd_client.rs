//! A client of gpsd for tests, and a way to wait for it.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use waywarden_v2x_security::time::LeapSeconds;
use waywarden_v2x_time::ClockEvent;
use waywarden_v2x_time::clock::ClockSettings;
use waywarden_v2x_time::gpsd::{Gpsd, GpsdSettings};

/// Events of a client, by name.
pub type EventNames = Arc<Mutex<Vec<&'static str>>>;

/// Starts a client that bears a machine under load: late fixes are no jumps.
pub fn client(port: u16, max_silence: Duration, recovery: u32) -> (Gpsd, EventNames) {
    let settings = GpsdSettings {
        port,
        max_silence,
        clock: ClockSettings {
            max_age: Duration::from_secs(60),
            max_time_step: Duration::from_secs(60),
            max_system_difference: None,
            recovery,
            ..ClockSettings::default()
        },
        ..GpsdSettings::default()
    };
    let names = EventNames::default();
    let of_thread = Arc::clone(&names);
    let observe = move |event: &ClockEvent| of_thread.lock().unwrap().push(event.name());
    let gpsd = Gpsd::start(settings, LeapSeconds::built_in(), observe).unwrap();
    (gpsd, names)
}

/// Waits for a condition, generously.
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{what}: timed out"
        );
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the system time in microseconds since 1970.
pub fn system_unix() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_micros() as i64
}
