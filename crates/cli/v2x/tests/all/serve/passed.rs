//! Sockets that systemd has opened and passes.

use std::fs;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use super::client::Client;
use super::service::Service;
use super::{change, log_of, with_socket};
use crate::support::World;

/// Serves `s.toml` as systemd does it that passes two sockets of these names: descriptors 3 and 4.
fn passing(world: &World, names: &str, first: OwnedFd, second: OwnedFd) -> Command {
    let mut shell = Command::new("sh");
    let serve = "LISTEN_PID=$$ exec \"$0\" serve s.toml 3<&0 4<&2 </dev/null 2>log";
    shell
        .current_dir(world.path(""))
        .args(["-c", serve])
        .arg(crate::support::PROGRAM)
        .envs([("LISTEN_FDS", "2"), ("LISTEN_FDNAMES", names)])
        .stdin(Stdio::from(first))
        .stdout(Stdio::piped())
        .stderr(Stdio::from(second));
    shell
}

/// A world whose sockets `s.sock` and HTTP systemd opens, and these sockets.
fn opened() -> (World, UnixListener, TcpListener) {
    let world = with_socket();
    let http = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = http.local_addr().unwrap();
    let sections = format!("[http]\naddress = \"{address}\"\n[sockets]\nsystemd = true\n");
    change(&world, "[sockets]\n", &sections);
    let stream = UnixListener::bind(world.path("s.sock")).unwrap();
    (world, stream, http)
}

#[test]
fn sockets_that_systemd_passes_are_served_and_their_files_stay() {
    let (world, stream, http) = opened();
    // systemd has the addresses: the check does not try them.
    world.works("serve s.toml --check-config");
    let (kept, address) = (stream.try_clone().unwrap(), http.local_addr().unwrap());
    let mut command = passing(&world, "stream:http", stream.into(), http.into());
    let mut service = Service::run(&world, &mut command, 2);
    drop(command);
    let expected = ["s.sock".to_owned(), format!("http://{address}")];
    assert_eq!(service.addresses(), expected);
    let verified = Client::connect(&world).sign_and_verify();
    assert_eq!(verified["result"], "success", "{verified}");
    assert!(service.get("/health").contains("\"status\":\"ok\""));
    assert_eq!(service.end(), Some(0), "{}", log_of(&world));
    // The socket is systemd's: clients wait for the next start.
    assert!(world.path("s.sock").exists());
    let _waiting = Client::connect(&world);
    drop(kept);
}

#[test]
fn a_name_that_is_missing_or_of_another_kind_is_refused() {
    for (names, expected) in [
        (
            "stream:web",
            "[http] socket \"http\" of systemd: systemd does not pass it",
        ),
        (
            "http:stream",
            "[sockets] socket \"stream\" of systemd: fd 4 is not a valid unix",
        ),
    ] {
        let (world, stream, http) = opened();
        let mut command = passing(&world, names, stream.into(), http.into());
        assert_eq!(command.status().unwrap().code(), Some(2), "{names}");
        let log = log_of(&world);
        assert!(log.contains(expected), "{names}: {log}");
    }
    // Without systemd nothing is passed.
    let (world, ..) = opened();
    let reason = "socket \"stream\" of systemd: systemd does not pass it";
    world.refused("serve s.toml", &[reason]);
}

#[test]
fn a_socket_that_the_configuration_does_not_have_is_refused() {
    let (world, stream, http) = opened();
    let text = fs::read_to_string(world.path("s.toml")).unwrap();
    let lines = text.lines();
    let lines = lines.filter(|line| *line != "[http]" && !line.starts_with("address"));
    world.write("s.toml", lines.collect::<Vec<_>>().join("\n"));
    let mut command = passing(&world, "stream:http", stream.into(), http.into());
    assert_eq!(command.status().unwrap().code(), Some(2));
    let log = log_of(&world);
    let expected = "socket \"http\" of systemd: systemd passes it, and no key of this name";
    assert!(log.contains(expected), "{log}");
}
