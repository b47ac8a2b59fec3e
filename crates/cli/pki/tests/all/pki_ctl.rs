//! `waywarden pki ctl`, and `pki revoke` and `pki crl` of a European PKI: receivers take the lists.

use std::fs;

use serde_json::Value;

use crate::support::{World, snapshot};

const REVOKED: &str = "spduCertificateChainCertificateRevoked";

/// A European PKI with a car, and a message of the car.
fn world() -> World {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    world.works("pki issue p --name car");
    world.write("payload", "hello");
    world.works("sign @payload --pki @p --as car --psid CAM -o @said.hex");
    world
}

/// The HashedId8 of the newest certificate of a name.
fn id(world: &World, name: &str) -> String {
    world.newest("p", name, "id").replace("p/", "")
}

/// Returns the path that a list is served from.
fn served(world: &World, ending: &str) -> String {
    format!("p/trust/{}.{ending}", id(world, "root"))
}

/// Imports lists into the store of a receiver that approves the root.
fn import(world: &World, lists: &str) -> String {
    let root = world.newest("p", "root", "certificate");
    let anchor = id(world, "root");
    world.works(&format!(
        "pki trust import t {root} {lists} --trust-anchor {anchor}"
    ))
}

/// Returns the entry of a certificate in the receiver's store.
fn shown(world: &World, id: &str) -> Value {
    let report = world.works("pki trust show t --format json");
    let report: Value = serde_json::from_str(&report).unwrap();
    let all = report["certificates"].as_array().unwrap().clone();
    let found = all.into_iter().find(|one| one["id"] == id);
    found.unwrap_or_else(|| panic!("{id}: {report}"))
}

fn accepted(world: &World, trust: &str) {
    world.works(&format!(
        "verify @said.hex --trust @{trust} --at generation"
    ));
}

#[test]
fn receivers_take_the_list_of_a_root() {
    let world = world();
    world.refused(
        "pki ctl p",
        &["where is it reached? Give --url or --aa-url"],
    );
    world.refused("pki ctl p --url pki.example", &["give a URL such as"]);
    assert!(!world.path(&served(&world, "ctl")).exists());
    world.works("pki ctl p --url http://pki.example:8102/ -o root.ctl");
    let list = fs::read(world.path("root.ctl")).unwrap();
    assert_eq!(fs::read(world.path(&served(&world, "ctl"))).unwrap(), list);
    let out = import(&world, "root.ctl");
    assert!(out.contains("ctlSequence 1: 2 certificates added"), "{out}");
    for (name, path) in [("ea", "enrolment"), ("aa", "authorization")] {
        let one = shown(&world, &id(&world, name));
        assert_eq!(one["state"], "trusted");
        let url = format!("http://pki.example:8102/{path}");
        assert!(one.to_string().contains(&format!("{url:?}")), "{one}");
    }
    let report = world.works("pki trust show t --format json");
    let report: Value = serde_json::from_str(&report).unwrap();
    let centres = &report["lists"][0]["distribution_centres"];
    assert_eq!(*centres, serde_json::json!(["http://pki.example:8102/"]));
    accepted(&world, "t");
    // A list beside the certificates is no certificate, and is passed over.
    let beside = world.run("verify @said.hex --trust @p/trust --at generation");
    assert_eq!((beside.code, beside.complaint.as_str()), (Some(0), ""));
    // A renewed authority comes to the one before, where that one was reached. Stations enrol with
    // the newest one.
    let (old_ea, old_aa) = (id(&world, "ea"), id(&world, "aa"));
    world.works("pki renew p ea");
    world.works("pki renew p aa");
    world.works("pki ctl p --aa-url https://aa.example -o next.ctl");
    let out = import(&world, "next.ctl");
    assert!(
        out.contains("ctlSequence 2: 2 certificates added, 0 removed"),
        "{out}"
    );
    let point = |id: &str| shown(&world, id)["access_point"].clone();
    assert_eq!(
        point(&id(&world, "ea")),
        "http://pki.example:8102/enrolment"
    );
    assert_eq!(point(&old_ea), Value::Null);
    assert_eq!(point(&old_aa), "https://aa.example/authorization");
    accepted(&world, "t");
}

/// Lists of one command, the newest first.
#[test]
fn lists_of_one_command_are_taken_in_any_order() {
    let world = world();
    let aa = id(&world, "aa");
    world.works("pki crl p -o first.crl");
    world.works("pki revoke p aa");
    world.works("pki crl p -o second.crl");
    let out = import(&world, "second.crl first.crl");
    assert!(out.contains("1 certificates added, 0 removed"), "{out}");
    assert_eq!(shown(&world, &aa)["state"], "revoked");
    let root = world.newest("p", "root", "certificate");
    let late = world.run(&format!("pki trust import t {root} first.crl"));
    assert_eq!(late.code, Some(2), "{}", late.complaint);
    assert!(
        late.complaint.contains("older than the list"),
        "{}",
        late.complaint
    );
}

#[test]
fn deletions_and_changes_follow_the_list_before() {
    let world = world();
    world.works("pki ctl p --url http://pki.example -o one.ctl");
    import(&world, "one.ctl");
    world.works("pki issue p --name aa2 --issuer root --authority --issues CAM");
    world.works("pki ctl p --delta two.ctl");
    let out = import(&world, "two.ctl");
    assert!(
        out.contains("ctlSequence 2: 1 certificates added, 0 removed"),
        "{out}"
    );
    let before = snapshot(&world.path("p"));
    for (name, why) in [
        ("root", "on no list"),
        ("car", "authorization ticket is no"),
        ("nobody", "no certificate of"),
    ] {
        world.refused(&format!("pki ctl p --delete {name}"), &[why]);
    }
    assert_eq!(snapshot(&world.path("p")), before);
    let aa = id(&world, "aa");
    world.works(&format!(
        "pki ctl p --delete {aa} --delta three.ctl -o three-full.ctl"
    ));
    let out = import(&world, "three.ctl three-full.ctl");
    assert!(
        out.contains("ctlSequence 3: 0 certificates added, 1 removed"),
        "{out}"
    );
    assert_eq!(shown(&world, &aa)["state"], "withdrawn");
    let refused = world.run("verify @said.hex --trust @t --at generation");
    assert_eq!(refused.code, Some(1), "{}", refused.out);
    assert!(refused.out.contains("0 accepted"), "{}", refused.out);
    // It stays off until it is put on the list again.
    world.works("pki ctl p -o four.ctl");
    let out = import(&world, "four.ctl");
    assert!(
        out.contains("ctlSequence 4: 0 certificates added, 0 removed"),
        "{out}"
    );
    world.works("pki ctl p --add aa --delta five.ctl");
    import(&world, "five.ctl");
    assert_eq!(shown(&world, &aa)["state"], "trusted");
    accepted(&world, "t");
    // Without the list before there are no changes, and a full list needs its URLs.
    fs::remove_file(world.path(&served(&world, "ctl"))).unwrap();
    let delta = "pki ctl p --url http://pki.example --delta six.ctl";
    world.refused(delta, &["the list before is not there"]);
    assert!(!world.path("six.ctl").exists());
    world.works("pki ctl p --url http://pki.example -o six.ctl");
    assert!(import(&world, "six.ctl").contains("ctlSequence 6: 0 certificates"));
}

#[test]
fn revoked_authorities_are_on_the_revocation_list_of_the_root() {
    let world = world();
    world.works("pki ctl p --url http://pki.example -o one.ctl");
    world.works("pki crl p -o none.crl");
    let out = import(&world, "one.ctl none.crl");
    assert!(out.contains("0 certificates added, 0 removed"), "{out}");
    for name in ["car", "root"] {
        let why = [
            name,
            "no authority right below the root",
            "pki register --block",
        ];
        world.refused(&format!("pki revoke p aa {name}"), &why);
    }
    world.refused(
        "pki crl p -o x.crl --delta",
        &["--delta: p was not made with --us", "is full"],
    );
    world.refused(
        "pki crl p -o x.crl --seeds s",
        &["--seeds: p was not made with --us"],
    );
    accepted(&world, "t");
    world.works("pki revoke p aa");
    // Within the same second as the list before, which receivers would refuse.
    world.works("pki crl p -o some.crl");
    let list = fs::read(world.path("some.crl")).unwrap();
    assert_eq!(fs::read(world.path(&served(&world, "crl"))).unwrap(), list);
    let out = import(&world, "some.crl");
    assert!(out.contains("1 certificates added, 0 removed"), "{out}");
    assert_eq!(shown(&world, &id(&world, "aa"))["state"], "revoked");
    let refused = world.run("verify @said.hex --trust @t --at generation");
    assert_eq!(refused.code, Some(1), "{}", refused.out);
    assert!(refused.out.contains(REVOKED), "{}", refused.out);
    // The trust list has it no more, and it is not served.
    world.works("pki ctl p -o two.ctl");
    let out = import(&world, "two.ctl");
    assert!(
        out.contains("ctlSequence 2: 0 certificates added, 1 removed"),
        "{out}"
    );
    world.refused(
        "pki serve p",
        &["no authorization authority that is not revoked"],
    );
    world.works("pki init u --us --no-passphrase");
    world.refused(
        "pki ctl u --url http://pki.example",
        &["was made with --us"],
    );
}

#[test]
#[cfg(unix)]
fn lists_are_served_as_they_are_made() {
    use waywarden_v2x_pki_service::client::{ClientLimits, PkiClient};

    let world = world();
    let server = crate::pki_serve::Server::start(&world, "p");
    let client = PkiClient::new(&server.url, ClientLimits::default()).unwrap();
    world.works(&format!("pki ctl p --url {}", server.url));
    world.works("pki crl p -o root.crl");
    let root = id(&world, "root").to_uppercase();
    for ending in ["ctl", "crl"] {
        let list = client.get(&format!("/get{ending}/{root}")).unwrap();
        world.write(&format!("got.{ending}"), list);
    }
    let out = import(&world, "got.ctl got.crl");
    assert!(out.contains("ctlSequence 1: 2 certificates added"), "{out}");
}
