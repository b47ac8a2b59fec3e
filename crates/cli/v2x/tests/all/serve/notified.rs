//! Notifications of the service to systemd.

use std::os::unix::net::UnixDatagram;

use super::service::{PATIENCE, Service, command};
use super::{configured, log_of};

#[test]
fn systemd_learns_of_the_start_the_end_and_that_the_engine_works() {
    let world = configured("");
    let systemd = UnixDatagram::bind(world.path("notify")).unwrap();
    systemd.set_read_timeout(Some(PATIENCE)).unwrap();
    let until = |state: &str| {
        let mut buffer = [0; 4096];
        loop {
            let length = systemd.recv(&mut buffer).unwrap_or_else(|error| {
                panic!("{state}: {error}: {}", log_of(&world));
            });
            let states = String::from_utf8_lossy(&buffer[..length]);
            if states.lines().any(|one| one == state) {
                return;
            }
        }
    };
    let mut watched = command(&world);
    watched.env("NOTIFY_SOCKET", world.path("notify"));
    watched.env("WATCHDOG_USEC", "400000");
    let mut service = Service::run(&world, &mut watched, 1);
    until("READY=1");
    until("WATCHDOG=1");
    until("WATCHDOG=1");
    service.signal("TERM");
    until("STOPPING=1");
    assert_eq!(service.end(), Some(0));
}
