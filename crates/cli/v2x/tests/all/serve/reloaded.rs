//! A file that is damaged changes nothing at a reload, and is refused at a start.

use std::fs::{self, File};
use std::process::Command;

use super::service::Service;
use super::{change, configured, log_of};
use crate::support::World;

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

/// Puts a pipe without a writer in the place of a file.
fn pipe(world: &World, name: &str) {
    let path = world.path(name);
    let _ = fs::remove_file(&path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for() {
    let world = configured(
        "[time]\nleap_seconds = \"leap\"\n\
         [[signer]]\nname = \"f\"\ncertificate = \"c.oer\"\nkey = \"c.p8\"\n\
         chain = [\"aa.oer\", \"root.oer\"]\n",
    );
    world.write("leap", super::checked::EXPIRED);
    for (name, field, to) in [
        ("car", "certificate", "c.oer"),
        ("car", "key", "c.p8"),
        ("aa", "certificate", "aa.oer"),
        ("root", "certificate", "root.oer"),
    ] {
        fs::copy(world.path(&world.newest("p", name, field)), world.path(to)).unwrap();
    }
    let mut service = Service::start(&world);
    for (failures, name) in (1..).zip(["leap", "c.oer", "c.p8", "aa.oer"]) {
        let whole = fs::read(world.path(name)).unwrap();
        pipe(&world, name);
        world.refused(CHECK, &[&format!("{name}: is no regular file")]);
        service.signal("HUP");
        let metric = format!("waywarden_reloads_total{{outcome=\"failure\"}} {failures}");
        service.until_metric(&metric);
        fs::remove_file(world.path(name)).unwrap();
        world.write(name, whole);
        if name == "c.p8" {
            super::closed(&world, name, "", 0o600);
            fs::copy(
                world.path(&world.newest("p", "car", "key")),
                world.path(name),
            )
            .unwrap();
        }
    }
    service.signal("HUP");
    service.until_metric("waywarden_reloads_total{outcome=\"success\"} 1");
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
    pipe(&world, "s.toml");
    world.refused(CHECK, &["s.toml: is no regular file"]);
}

#[test]
fn a_reload_that_hangs_does_not_hold_up_the_end() {
    let world = configured("");
    let mut service = Service::start(&world);
    service.until_metric("waywarden_time_trusted 1");
    // A command was interrupted at the PKI, and another one has its lock.
    fs::create_dir(world.path("p/.commit")).unwrap();
    let lock = File::open(world.path("p")).unwrap();
    lock.lock().unwrap();
    service.signal("HUP");
    while !log_of(&world).contains("waiting for another command") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // What it does beside reloads goes on.
    service.until_metric("waywarden_time_trusted 1");
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
    assert!(!log_of(&world).contains("reloaded"), "{}", log_of(&world));
}
