//! Authorities that are renewed: after a restart, on SIGHUP, and under load.

use std::fs;

use super::{Server, enrol, log_of, registered};
use crate::support::World;

#[test]
fn renewed_authorities_go_on_after_a_restart() {
    let world = registered();
    let server = Server::start(&world, "p");
    world.works(&enrol(&server, "car", "--tickets 1"));
    server.kill();
    world.works("pki renew p ea");
    let server = Server::start(&world, "p");
    // A credential of the one before is not taken, so the station gets another one.
    let out = world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(out.matches("car-credential: ").count(), 1, "{out}");
    server.kill();
    world.works("pki renew p aa");
    let server = Server::start(&world, "p");
    let out = world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(out.matches("car-credential: ").count(), 0, "{out}");
    assert_eq!(out.matches("authorization authority").count(), 1, "{out}");
    world.write("payloads", "0a0b\n");
    world.works("sign @payloads --lines --pki @car --as car --psid CAM -o @signed");
    let out = world.works("verify @signed --trust @p/trust --at generation");
    assert!(out.contains("1 accepted"), "{out}");
}

/// The HashedId8 of who issued the newest ticket of the car.
fn issuer(world: &World) -> String {
    world.newest("car", "car", "issuer").replace("car/", "p/")
}

#[test]
fn renewed_authorities_are_taken_on_sighup() {
    let world = registered();
    let server = Server::start(&world, "p");
    world.works(&enrol(&server, "car", "--tickets 1"));
    let first = world.newest("p", "aa", "id");
    for name in ["ea", "aa"] {
        world.works(&format!("pki renew p {name}"));
    }
    // Not before it is ordered to.
    world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(issuer(&world), first);
    let second = world.newest("p", "aa", "id");
    server.reload(&world, second.trim_start_matches("p/"));
    let out = world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(out.matches("car-credential: ").count(), 1, "{out}");
    assert_eq!(issuer(&world), second);
    // A file that cannot be read is named, and what was there before is served.
    world.works("pki renew p aa");
    let broken = world.newest("p", "aa", "certificate");
    let bytes = fs::read(world.path(&broken)).unwrap();
    world.write(&broken, "no certificate");
    server.reload(&world, &format!("not reloaded: {broken}: "));
    world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(issuer(&world), second);
    world.write(&broken, bytes);
    let key = world.newest("p", "aa", "key");
    let bytes = fs::read(world.path(&key)).unwrap();
    world.write(&key, "no key");
    server.reload(&world, &format!("not reloaded: {key}: "));
    world.write(&key, bytes);
    server.reload(&world, " reloaded: ");
    world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(issuer(&world), world.newest("p", "aa", "id"));
    assert_eq!(server.terminate(), (Some(0), "ended\n".to_owned()));
}

#[test]
fn stations_that_ask_while_authorities_are_renewed_are_all_answered() {
    let world = registered();
    let server = Server::start(&world, "p");
    world.works(&enrol(&server, "car", ""));
    let words = enrol(&server, "car", "--renew --tickets 3");
    std::thread::scope(|scope| {
        let station = scope.spawn(|| {
            for _ in 0..4 {
                world.works(&words);
            }
        });
        for name in ["ea", "aa", "ea"] {
            world.works(&format!("pki renew p {name}"));
            server.reload(&world, " reloaded: ");
        }
        station.join().unwrap();
    });
    assert_eq!(world.indexed("car", "car", "id").len(), 12);
}

#[test]
fn the_passphrase_is_kept_for_a_reload() {
    let world = World::new();
    world.write("secret", "open sesame\n");
    world.works("pki init p --passphrase-file secret");
    let server = Server::start(&world, "p --passphrase-file secret");
    world.works("pki renew p ea --passphrase-file secret");
    fs::remove_file(world.path("secret")).unwrap();
    let newest = world.newest("p", "ea", "id");
    server.reload(&world, newest.trim_start_matches("p/"));
    assert!(!log_of(&world).contains("sesame"));
}
