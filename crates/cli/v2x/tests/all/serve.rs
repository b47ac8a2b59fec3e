//! `waywarden serve`: what it refuses, how it reloads, and how it ends.

mod checked;
mod client;
mod counted;
mod noted;
mod notified;
mod passed;
mod payload;
mod recorded;
mod reloaded;
mod restarted;
mod service;
mod stations;
mod tokenless;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use self::client::Client;
use self::service::{Service, command};
use crate::support::World;

/// A PKI with a car in folder `p`, and a configuration with more sections.
fn configured(sections: &str) -> World {
    let world = World::new();
    world.works("pki init @p --no-passphrase");
    world.works("pki issue @p --name car");
    let text = format!(
        "[http]\naddress = \"127.0.0.1:0\"\n\
         [trust]\nfolder = \"p/trust\"\n\
         [[signer]]\nname = \"car\"\npki = \"p\"\nas = \"car\"\n{sections}"
    );
    world.write("s.toml", text);
    world
}

fn closed(world: &World, name: &str, text: &str, mode: u32) {
    world.write(name, text);
    fs::set_permissions(world.path(name), Permissions::from_mode(mode)).unwrap();
}

fn log_of(world: &World) -> String {
    fs::read_to_string(world.path("log")).unwrap()
}

#[test]
fn a_good_configuration_is_printed_and_nothing_is_served() {
    let world = configured("[[access]]\nuid = 7\nsign = [\"CAM\"]\n");
    let out = world.works("serve s.toml --check-config");
    for expected in [
        "HTTP: http://127.0.0.1:0",
        "user 7: sign CAM",
        "signers: car (",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
}

#[test]
fn each_broken_file_is_named() {
    let cases = [
        ("[sokets]\n", "s.toml:9: unknown field `sokets`"),
        (
            "[[signer]]\nname = \"b\"\npki = \"p\"\nas = \"no-such-name\"\n",
            "[[signer]] \"b\": ",
        ),
        ("psids = [32]\n", "does not permit PSID 32"),
        (
            "[[decryption]]\nname = \"d\"\npki = \"p\"\nas = \"car\"\n",
            "[[decryption]] \"d\": ",
        ),
        (
            "[[access]]\ntoken_file = \"t\"\ndecrypt = true\n",
            "t: has a secret, and its mode 0644",
        ),
        (
            "[[access]]\nuser = \"no-such-user\"\ndecrypt = true\n",
            "user \"no-such-user\": is not",
        ),
        (
            "[service]\nuser = \"no-such-user\"\n",
            "user \"no-such-user\": is not",
        ),
    ];
    for (sections, expected) in cases {
        let world = configured(sections);
        closed(&world, "t", "0123456789abcdef\n", 0o644);
        let ended = world.run("serve s.toml --check-config");
        assert_eq!(ended.code, Some(2), "{sections}: {}", ended.out);
        assert!(
            ended.complaint.contains(expected),
            "{sections}: {}",
            ended.complaint
        );
    }
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let world = configured("");
    let mut open = vec![world.path("p")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "p8") {
                fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
            }
        }
    }
    let ended = world.run("serve s.toml --check-config");
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.complaint.contains("its mode 0644 lets others"),
        "{}",
        ended.complaint
    );
}

#[test]
fn a_broken_trust_store_is_reported_at_a_reload_and_the_old_one_stays() {
    let world = configured("");
    let mut service = Service::start(&world);
    service.until_metric("waywarden_time_trusted 1");
    let health = service.get("/health");
    assert!(health.contains("\"status\":\"ok\""), "{health}");
    let trust = world.path("p/trust");
    let aside = world.path("aside");
    fs::rename(&trust, &aside).unwrap();
    fs::create_dir(&trust).unwrap();
    service.signal("HUP");
    service.until_metric("waywarden_reloads_total{outcome=\"failure\"} 1");
    assert_eq!(service.get("/health").lines().last(), health.lines().last());
    fs::remove_dir(&trust).unwrap();
    fs::rename(&aside, &trust).unwrap();
    service.signal("HUP");
    service.until_metric("waywarden_reloads_total{outcome=\"success\"} 1");
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
    let log = log_of(&world);
    for expected in [
        "not reloaded: all stays as it was",
        "p/trust: ",
        "ready",
        "ended",
    ] {
        assert!(log.contains(expected), "{expected}: {log}");
    }
}

#[test]
fn a_closed_log_does_not_end_the_service() {
    let world = configured("[log]\nlevel = \"trace\"\nformat = \"json\"\n");
    let mut closed = command(&world);
    closed.stderr(Stdio::piped());
    let mut service = Service::run(&world, &mut closed, 1);
    service.signal("HUP");
    service.until_metric("waywarden_reloads_total{outcome=\"success\"} 1");
    assert_eq!(service.end(), Some(0));
}

#[test]
fn a_full_standard_output_does_not_keep_the_service_from_starting() {
    let world = with_socket();
    let mut full = command(&world);
    full.stdout(fs::File::create("/dev/full").unwrap());
    let mut child = full.spawn().unwrap();
    while !log_of(&world).contains("ready") {
        assert!(child.try_wait().unwrap().is_none(), "{}", log_of(&world));
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut client = Client::connect(&world);
    assert_eq!(client.sign_and_verify()["result"], "success");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(log_of(&world).contains("standard output cannot be written"));
}

#[test]
fn signals_without_a_meaning_are_ignored_and_quit_ends_the_service() {
    let world = with_socket();
    let mut service = Service::start(&world);
    for (count, name) in (1..).zip(["USR1", "USR2", "ALRM"]) {
        service.signal(name);
        while log_of(&world).matches("signal that has no meaning").count() < count {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let verified = Client::connect(&world).sign_and_verify();
    assert_eq!(verified["result"], "success", "{verified}");
    service.signal("QUIT");
    assert_eq!(service.ended(), Some(0), "{}", log_of(&world));
    assert!(!world.path("s.sock").exists());
}

#[test]
fn root_is_given_up_before_threads_start() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: needs root");
        return;
    }
    let world = configured("[service]\nuser = \"65534\"\ngroup = \"65533\"\n");
    give(&world, "p", 65534);
    let mut service = Service::start(&world);
    let tasks = format!("/proc/{}/task", service.id());
    for task in fs::read_dir(tasks).unwrap() {
        let status = fs::read_to_string(task.unwrap().path().join("status")).unwrap();
        for line in [
            "Uid:\t65534\t65534\t65534\t65534",
            "Gid:\t65533\t65533\t65533\t65533",
            "Groups:\t65533 ",
            "CapEff:\t0000000000000000",
            "NoNewPrivs:\t1",
        ] {
            assert!(status.lines().any(|one| one == line), "{line}: {status}");
        }
    }
    assert_eq!(service.end(), Some(0));
}

/// Gives a file or folder and all that is in it to a user, who can then get there.
fn give(world: &World, name: &str, uid: u32) {
    fs::set_permissions(world.path(""), Permissions::from_mode(0o755)).unwrap();
    let mut chown = Command::new("chown");
    let chown = chown.args(["-R", &uid.to_string()]).arg(world.path(name));
    assert!(chown.status().unwrap().success());
}

#[test]
fn what_only_root_can_read_is_refused_before_root_is_given_up() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: needs root");
        return;
    }
    let world = configured("[service]\nuser = \"65534\"\ngroup = \"65533\"\n");
    fs::set_permissions(world.path(""), Permissions::from_mode(0o755)).unwrap();
    for command in ["serve s.toml --check-config", "serve s.toml"] {
        let reason = "[service] user: 65534 has to read this at reloads; chgrp it";
        world.refused(command, &[reason, "Permission denied"]);
    }
    give(&world, "p", 65534);
    world.works("serve s.toml --check-config");
    let mut service = Service::start(&world);
    service.signal("HUP");
    service.until_metric("waywarden_reloads_total{outcome=\"success\"} 1");
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
}

/// A configuration with a socket at `s.sock`, where this user may have CAMs signed.
fn with_socket() -> World {
    let uid = rustix::process::geteuid().as_raw();
    let world = configured(&format!(
        "[sockets]\nstream = \"s.sock\"\n[[access]]\nuid = {uid}\nsign = [\"CAM\"]\n"
    ));
    change(&world, "[http]\naddress = \"127.0.0.1:0\"\n", "");
    world
}

/// Changes the configuration.
fn change(world: &World, from: &str, to: &str) {
    let text = fs::read_to_string(world.path("s.toml")).unwrap();
    assert!(text.contains(from), "{from}: {text}");
    world.write("s.toml", text.replace(from, to));
}

#[test]
fn a_client_signs_what_it_is_granted_and_verifies_it_over_a_socket() {
    let world = with_socket();
    let mut service = Service::start(&world);
    assert_eq!(service.addresses(), ["s.sock"]);
    let mut client = Client::connect(&world);
    let verified = client.sign_and_verify();
    assert_eq!(verified["result"], "success", "{verified}");
    assert_eq!(client.sign(37)["status"], "psidNotAuthorized");
    assert_eq!(service.end(), Some(0));
    assert!(!world.path("s.sock").exists());
}

#[test]
fn a_killed_service_starts_again_at_its_socket_and_uses_no_dropped_certificate() {
    let world = with_socket();
    world.works("pki issue @p --name van");
    let service = Service::start(&world);
    let car = Client::connect(&world).sign_and_verify();
    assert_eq!(car["result"], "success", "{car}");
    // SIGKILL: the socket's file stays.
    drop(service);
    assert!(world.path("s.sock").exists());
    change(&world, "as = \"car\"", "as = \"van\"");
    let mut service = Service::start(&world);
    let van = Client::connect(&world).sign_and_verify();
    assert_eq!(van["result"], "success", "{van}");
    assert_ne!(van["signer"], car["signer"]);
    assert_eq!(service.end(), Some(0));
}
