//! Recordings that cannot be written.

use std::fs;

use super::service::Service;
use super::{configured, log_of};

#[test]
fn a_folder_that_is_missing_is_logged_at_the_start_and_health_is_degraded_until_it_is_there() {
    let world =
        configured("[[recording]]\ndirectory = \"r\"\nretry = \"10ms\"\nflush = \"10ms\"\n");
    let mut service = Service::start(&world);
    service.until_metric("waywarden_recordings_failing 1");
    let health = service.get("/health");
    for expected in ["\"status\":\"degraded\"", "\"recordingFailing\":true"] {
        assert!(health.contains(expected), "{health}");
    }
    fs::create_dir(world.path("r")).unwrap();
    service.until_metric("waywarden_recordings_failing 0");
    let health = service.get("/health");
    assert!(health.contains("\"status\":\"ok\""), "{health}");
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
    let log = log_of(&world);
    let lines = log.lines().filter(|line| line.contains("the recording "));
    let lines: Vec<&str> = lines.collect();
    let [stopped, goes_on] = lines[..] else {
        panic!("{log}");
    };
    assert!(stopped.contains("the recording stopped"), "{stopped}");
    assert!(stopped.contains("No such file or directory"), "{stopped}");
    assert!(goes_on.contains("the recording goes on"), "{goes_on}");
}

#[test]
fn a_series_without_a_number_left_does_not_hold_up_the_end() {
    let world = configured("[[recording]]\ndirectory = \"r\"\n");
    fs::create_dir(world.path("r")).unwrap();
    let last = "r/verdicts-18446744073709551615.jsonl";
    world.write(last, "");
    let mut service = Service::start(&world);
    service.post("/verify", "{\"message\":\"AA==\"}");
    service.until_metric("waywarden_recordings_failing 1");
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
    assert!(log_of(&world).contains(last), "{}", log_of(&world));
}
