//! `waywarden pki revoke` and `pki crl`: what they revoke, `verify --crl` refuses.

use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::World;

/// An American PKI with two cars, and a message of each.
fn world() -> World {
    let world = World::new();
    world.works("pki init p --no-passphrase --us");
    for car in ["one", "two"] {
        world.works(&format!("pki issue p --name {car}"));
        world.write("payload", "hello");
        world.works(&format!(
            "sign @payload --pki @p --as {car} --psid BSM --signer chain -o @{car}.hex"
        ));
    }
    world
}

const REVOKED: &str = "spduCertificateChainCertificateRevoked";

#[test]
fn revoked_station_is_refused_and_the_other_one_passes() {
    let world = world();
    world.works("pki crl p -o none.oer");
    world.works("verify @one.hex @two.hex --trust @p/trust --crl @none.oer");
    world.works("pki revoke p one");
    world.works("pki crl p -o list.oer");
    world.works("verify @two.hex --trust @p/trust --crl @list.oer");
    let refused = world.run("verify @one.hex --trust @p/trust --crl @list.oer");
    assert_eq!(refused.code, Some(1), "{}", refused.out);
    assert!(refused.out.contains(REVOKED), "{}", refused.out);
    let shown = world.run("pki show p").out;
    assert_eq!(shown.matches("  revoked 2").count(), 1, "{shown}");
    // Again it changes nothing, and a delta list has what is new alone.
    world.works("pki revoke p one");
    let delta = world.run("pki crl p -o delta.oer --delta");
    assert_eq!(delta.code, Some(0), "{}", delta.complaint);
}

/// Waits for the next second: lists are dated in seconds.
fn next_second() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    sleep(Duration::from_millis(1_005) - Duration::from_nanos(now.subsec_nanos().into()));
}

#[test]
fn delta_lists_revoke_in_any_order_and_gaps_are_reported() {
    let world = world();
    world.works("pki crl p -o full.oer");
    world.works("pki revoke p one");
    next_second();
    world.works("pki crl p -o d1.oer --delta");
    next_second();
    world.works("pki revoke p two");
    world.works("pki crl p -o d2.oer --delta");
    let verify = |lists: &[&str]| {
        let lists = lists.iter().map(|list| format!(" --crl @{list}.oer"));
        let lists: String = lists.collect();
        world.run(&format!("verify @one.hex @two.hex --trust @p/trust{lists}"))
    };
    let orders = [
        ["full", "d1", "d2"],
        ["full", "d2", "d1"],
        ["d1", "full", "d2"],
        ["d1", "d2", "full"],
        ["d2", "full", "d1"],
        ["d2", "d1", "full"],
    ];
    for order in orders {
        let verified = verify(&order);
        let (refused, notes) = (verified.out.matches(REVOKED).count(), &verified.complaint);
        assert_eq!((verified.code, refused), (Some(1), 2), "{order:?}: {notes}");
        assert!(!notes.contains("missing"), "{order:?}: {notes}");
        assert_eq!(
            notes.matches("revokes 1 certificates").count(),
            2,
            "{notes}"
        );
    }
    for (lists, gap) in [
        (
            &["full", "d2"][..],
            "1 list is missing by hash, from crlSerial 2 on",
        ),
        (&["d2"], "delta lists by hash and no full one"),
    ] {
        let verified = verify(lists);
        assert_eq!(verified.out.matches(REVOKED).count(), 1, "{lists:?}");
        assert!(verified.complaint.contains(gap), "{}", verified.complaint);
    }
}

#[test]
fn authority_in_a_file_takes_its_stations_with_it() {
    let world = world();
    let id = world.indexed("p", "pca", "certificate");
    world.works(&format!("pki revoke p {}", id[0]));
    world.works("pki crl p -o list.oer");
    let refused = world.run("verify @one.hex @two.hex --trust @p/trust --crl @list.oer");
    assert_eq!(refused.code, Some(1), "{}", refused.out);
    assert!(refused.out.contains(REVOKED), "{}", refused.out);
}

#[test]
fn what_names_no_craca_is_not_revoked() {
    let world = world();
    let root = world.run("pki revoke p one root");
    assert_eq!(root.code, Some(2));
    assert!(
        root.complaint.contains("cracaId: root names no CRACA"),
        "{}",
        root.complaint
    );
    assert!(
        !world.run("pki show p").out.contains("  revoked 2"),
        "none was revoked"
    );
    let unknown = world.run("pki revoke p three");
    assert!(
        unknown.complaint.contains("no certificate of \"three\""),
        "{}",
        unknown.complaint
    );
}

#[test]
fn seeds_in_a_file_become_a_list_by_linkage_values() {
    let world = world();
    let seeds = "i_rev = 130\n[[holder]]\nseeds = [\n\
        { la = \"8e09\", seed = \"4840ed221502d9ab6786bf68fba9f210\" },\n\
        { la = \"59ce\", seed = \"6b71a7eb5755f16e89981d2189a6daea\" },\n]\n\
        j_max = 20\ni_max = 260\n\
        [[group]]\nseeds = [{ la = \"8e09\", seed = \"cc4db977f595ad233f0f4e65408d9a9c\" }]\n\
        i_max = 200\n";
    world.write("seeds.toml", seeds);
    world.works("pki crl p --seeds seeds.toml -o linked.oer");
    let verified = world.run("verify @one.hex --trust @p/trust --crl @linked.oer");
    assert_eq!(verified.code, Some(0), "{}", verified.complaint);
    let reported = "revokes 1 holders and 1 groups from period 130 on";
    assert!(
        verified.complaint.contains(reported),
        "{}",
        verified.complaint
    );
    world.write("wrong.toml", seeds.replace("f210", "f2"));
    let wrong = world.run("pki crl p --seeds wrong.toml -o wrong.oer");
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.complaint.contains("give 32 hexadecimal digits"),
        "{}",
        wrong.complaint
    );
    assert!(
        wrong.complaint.contains("wrong.toml"),
        "{}",
        wrong.complaint
    );
    world.write(
        "none.toml",
        "i_rev = 1\n[[holder]]\nseeds = []\nj_max = 1\ni_max = 2\n",
    );
    let none = world.run("pki crl p --seeds none.toml -o wrong.oer");
    assert!(
        none.complaint.contains("has one seed, or two"),
        "{}",
        none.complaint
    );
}
