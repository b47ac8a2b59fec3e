//! `--check-config` finds what a start would refuse, and changes nothing.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use super::configured;
use crate::support::World;

const CHECK: &str = "serve s.toml --check-config";

/// The table of leap seconds that the IERS published in July 2025. It expired on 2026-06-28.
pub(super) const EXPIRED: &str = "\
#$ 3960835200\n#@ 3991593600\n
2272060800 10\n2287785600 11\n2303683200 12\n2335219200 13\n2366755200 14\n2398291200 15
2429913600 16\n2461449600 17\n2492985600 18\n2524521600 19\n2571782400 20\n2603318400 21
2634854400 22\n2698012800 23\n2776982400 24\n2840140800 25\n2871676800 26\n2918937600 27
2950473600 28\n2982009600 29\n3029443200 30\n3076704000 31\n3124137600 32\n3345062400 33
3439756800 34\n3550089600 35\n3644697600 36\n3692217600 37
#h 49db2447 571e5e1b 2f002a53 9c8da8e4 39b8e49e\n";

/// Every path in a world.
fn paths(world: &World) -> BTreeSet<PathBuf> {
    let mut open = vec![world.path("")];
    let mut found = BTreeSet::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
            }
            found.insert(path);
        }
    }
    found
}

#[test]
fn a_check_makes_and_removes_no_file() {
    let world = configured(
        "[sockets]\nstream = \"s.sock\"\ndatagram = \"d.sock\"\ntcp = \"127.0.0.1:0\"\n\
         [[recording]]\ndirectory = \"recordings\"\n",
    );
    fs::create_dir(world.path("recordings")).unwrap();
    // What a killed service leaves.
    drop(UnixListener::bind(world.path("s.sock")).unwrap());
    let before = paths(&world);
    let printed = world.works(CHECK);
    assert!(
        printed.contains("recording: recordings/verdicts"),
        "{printed}"
    );
    assert_eq!(paths(&world), before);
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let world = configured(
        "[sockets]\nstream = \"no/s.sock\"\ndatagram = \"s.toml/d.sock\"\n\
         [[recording]]\ndirectory = \"none\"\n[[recording]]\ndirectory = \"s.toml\"\n",
    );
    // All of them at once.
    world.refused(
        CHECK,
        &[
            "[sockets] socket no/s.sock: the folder does not exist",
            "[sockets] socket s.toml/d.sock: Not a directory",
            "[[recording]] directory none: No such file",
            "[[recording]] directory s.toml: not a directory",
        ],
    );
    assert!(!world.path("none").exists());
}

#[test]
fn an_address_in_use_is_refused_and_a_free_one_is_released() {
    let [tcp, http] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = [&tcp, &http].map(|one| one.local_addr().unwrap());
    let world = configured(&format!("[sockets]\ntcp = \"{}\"\n", addresses[0]));
    super::change(&world, "127.0.0.1:0", &addresses[1].to_string());
    world.refused(
        CHECK,
        &[
            &format!(
                "[sockets] TCP address {}: Address already in use",
                addresses[0]
            ),
            &format!("[http] address {}: Address already in use", addresses[1]),
        ],
    );
    drop((tcp, http));
    world.works(CHECK);
    world.works(CHECK);
}

#[test]
fn one_address_for_two_sockets_is_refused() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let world = configured(&format!("[sockets]\ntcp = \"{address}\"\n"));
    super::change(&world, "127.0.0.1:0", &address.to_string());
    let reason = format!("[http] address {address}: Address already in use");
    world.refused(CHECK, &[&reason]);
}

#[test]
fn a_socket_of_a_live_process_and_a_file_that_is_none_are_refused() {
    let world = configured("[sockets]\nstream = \"s.sock\"\ndatagram = \"p/pki.toml\"\n");
    let _live = UnixListener::bind(world.path("s.sock")).unwrap();
    let reasons = [
        "socket s.sock: another process serves it",
        "socket p/pki.toml: the file is not a socket",
    ];
    world.refused(CHECK, &reasons);
}

#[test]
fn recordings_are_checked_as_the_user_that_the_service_becomes() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: needs root");
        return;
    }
    let world = configured(
        "[service]\nuser = \"65534\"\ngroup = \"65534\"\n[[recording]]\ndirectory = \"r\"\n",
    );
    let open = |name: &str, mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(world.path(name), mode).unwrap();
    };
    super::give(&world, "p", 65534);
    fs::create_dir(world.path("r")).unwrap();
    open("r", 0o755);
    world.refused(CHECK, &["[[recording]] directory r: Permission denied"]);
    open("r", 0o777);
    world.works(CHECK);
}

#[test]
fn a_table_of_leap_seconds_that_has_expired_is_noted() {
    let world = configured("[time]\nleap_seconds = \"leap\"\n");
    world.write("leap", EXPIRED);
    let printed = world.works(CHECK);
    let note = "note: [time] leap_seconds: the table expired at 2026-06-28T00:00:00";
    assert!(printed.contains(note), "{printed}");
}

#[test]
fn file_of_used_pseudonyms_is_checked_and_not_made() {
    let configured = |used: &str| {
        configured(&format!(
            "[sockets]\nstream = \"s.sock\"\n[pseudonyms]\nused = \"{used}\"\n"
        ))
    };
    let world = configured("used.json");
    let before = paths(&world);
    world.works(CHECK);
    assert_eq!(paths(&world), before);
    world.write("used.json", "{}");
    let refused = world.run(CHECK);
    assert_eq!(refused.code, Some(2));
    let complaint = refused.complaint;
    assert!(complaint.contains("[pseudonyms] used: "), "{complaint}");
    assert!(complaint.contains("not the list"), "{complaint}");
    let refused = configured("missing/used.json").run(CHECK);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.complaint.contains("No such file"),
        "{}",
        refused.complaint
    );
}
