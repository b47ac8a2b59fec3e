//! A file that is damaged changes nothing at a reload, and is refused at a start.

use std::fs;

use super::service::Service;
use super::{change, configured, log_of};
use crate::pki::World;

const CHECK: &str = "serve s.toml --check-config";

/// A service whose trust is a folder `t` with a root and an authority below it.
fn with_folder() -> World {
    let world = configured("");
    fs::create_dir(world.path("t")).unwrap();
    for (name, file) in [("root", "ROOT.oer"), ("aa", "AA.oer")] {
        let certificate = world.path(&world.newest("p", name, "certificate"));
        fs::copy(certificate, world.path("t").join(file)).unwrap();
    }
    change(&world, "folder = \"p/trust\"", "folder = \"t\"");
    world
}

/// Cuts a file in half, and returns what it was.
fn cut(world: &World, name: &str) -> Vec<u8> {
    let whole = fs::read(world.path(name)).unwrap();
    world.write(name, &whole[..whole.len() / 2]);
    whole
}

#[test]
fn a_damaged_certificate_of_the_trust_folder_changes_nothing_at_a_reload() {
    let world = with_folder();
    let mut service = Service::start(&world);
    service.until_metric("waywarden_time_trusted 1");
    let health = service.get("/health");
    assert!(health.contains("2 trusted certificates"), "{health}");
    for (failures, name) in (1..).zip(["t/ROOT.oer", "t/AA.oer"]) {
        let whole = cut(&world, name);
        service.signal("HUP");
        let metric = format!("waywarden_reloads_total{{outcome=\"failure\"}} {failures}");
        service.until_metric(&metric);
        let now = service.get("/health");
        assert_eq!(now.lines().last(), health.lines().last(), "{name}");
        world.write(name, whole);
    }
    service.signal("HUP");
    service.until_metric("waywarden_reloads_total{outcome=\"success\"} 1");
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
    let log = log_of(&world);
    for name in ["t/ROOT.oer", "t/AA.oer"] {
        let expected = format!("[trust] folder: {name} is no certificate");
        assert!(log.contains(&expected), "{expected}: {log}");
    }
}

#[test]
fn a_damaged_or_refused_trust_anchor_is_refused_at_the_start() {
    let world = with_folder();
    let reason = "[trust] folder: t/ROOT.oer is no certificate";
    let mut whole = cut(&world, "t/ROOT.oer");
    for command in [CHECK, "serve s.toml"] {
        world.refused(command, &[reason]);
    }
    // The signature of a certificate is at its end.
    *whole.last_mut().unwrap() ^= 1;
    world.write("t/ROOT.oer", whole);
    let reason = "[trust] folder: t/ROOT.oer is not taken";
    for command in [CHECK, "serve s.toml"] {
        world.refused(command, &[reason]);
    }
    fs::remove_file(world.path("t/ROOT.oer")).unwrap();
    fs::create_dir(world.path("t/ROOT.oer")).unwrap();
    world.refused(CHECK, &["[trust] folder: t/ROOT.oer is no regular file"]);
}

#[test]
fn a_service_without_a_trust_anchor_says_so_and_is_degraded() {
    let world = with_folder();
    fs::remove_file(world.path("t/ROOT.oer")).unwrap();
    let printed = world.works(CHECK);
    let note = "note: [trust] folder: it has no trust anchor";
    assert!(printed.contains(note), "{printed}");
    let mut service = Service::start(&world);
    service.until_metric("waywarden_time_trusted 1");
    let health = service.get("/health");
    for expected in ["\"status\":\"degraded\"", "\"trustAnchorMissing\":true"] {
        assert!(health.contains(expected), "{health}");
    }
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
}
