//! Certificates against their profiles, and requests that the issuer does not cover.

use std::fs;

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi103097::{CertificateRole, check_certificate};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateType};

use crate::support::{World, snapshot};
use crate::support::{waywarden, workspace};

#[test]
fn european_certificates_deviate_nowhere_from_their_profile() {
    for curve in ["p256", "p384", "brainpool-p256r1", "brainpool-p384r1"] {
        let world = World::new();
        world.works(&format!("pki init p --no-passphrase --curve {curve}"));
        world.works("pki enrol p --name credential");
        world.works("pki issue p --name car --encryption-key");
        world.works("pki issue p --name aa2 --issuer root --authority --issues CAM");
        for (name, role) in [
            ("root", CertificateRole::RootCa),
            ("ea", CertificateRole::SubordinateCa),
            ("aa", CertificateRole::SubordinateCa),
            ("aa2", CertificateRole::SubordinateCa),
            ("credential", CertificateRole::EnrolmentCredential),
            ("car", CertificateRole::AuthorizationTicket),
        ] {
            let bytes = fs::read(world.path(&world.newest("p", name, "certificate"))).unwrap();
            let certificate: Certificate<'_> = parse(&bytes).unwrap();
            let mut deviations = Vec::new();
            check_certificate(&certificate, role, &mut |one| {
                deviations.push(one.to_string());
            });
            assert_eq!(deviations, [""; 0], "{curve} {name}");
        }
        // Receivers take each of them, and `inspect` reads them.
        for name in ["ea", "aa", "aa2", "credential", "car"] {
            let file = world.newest("p", name, "certificate");
            world.works(&format!("verify @{file} --trust @p/trust"));
            world.works(&format!("inspect @{file}"));
        }
    }
}

#[test]
fn american_certificates_are_implicit_and_the_example_profile_works() {
    let world = World::new();
    world.works("pki init u --us --no-passphrase");
    // More than the keys that the command keeps in memory at once.
    world.works("pki issue u --name car --count 40");
    world.works("pki issue u --name unit --explicit --encryption-key --count 40");
    world.works("pki enrol u --name credential");
    let kinds = |name: &str| -> Vec<CertificateType> {
        let files = world.indexed("u", name, "certificate").into_iter();
        let kinds = files.map(|file| {
            let bytes = fs::read(world.path(&file)).unwrap();
            parse::<Certificate<'_>>(&bytes).unwrap().kind
        });
        kinds.collect()
    };
    assert_eq!(kinds("car"), [CertificateType::Implicit; 40]);
    assert_eq!(kinds("unit"), [CertificateType::Explicit; 40]);
    let example = workspace().join("examples/v2x/pki.toml");
    let shown = world.works(&format!(
        "pki init e --no-passphrase --profile {}",
        example.display()
    ));
    assert!(
        shown.contains("roadside: authorization authority"),
        "{shown}"
    );
    let profile = format!("--profile {}", example.display());
    let shown = world.works(&format!("pki issue e --name car {profile} --validity 24h"));
    assert!(shown.contains("CAM:010000 DENM:01ffffff"), "{shown}");
    let issuer = &world.newest("e", "cars", "id")[2..];
    assert_eq!(&world.newest("e", "car", "issuer")[2..], issuer);
    let place = "circle:48.137,11.575,1000";
    world.works(&format!(
        "pki issue e --name light --issuer roadside --psid SPATEM --region {place}"
    ));
}

#[test]
fn what_the_issuer_does_not_cover_is_refused_by_file_and_field_and_nothing_is_written() {
    let world = World::new();
    world.works(
        "pki init p --no-passphrase --region circle:48,11,50000 --start 2026-01-01T00:00:00Z",
    );
    world.works("pki issue p --name car --start 2026-02-01T00:00:00Z");
    let before = snapshot(&world.path("p"));
    let issuer = world.newest("p", "aa", "certificate");
    let start = "--start 2026-02-01T00:00:00Z";
    for (arguments, field) in [
        ("--psid SCR", "appPermissions"),
        ("--psid CAM:01FFFF", "appPermissions"),
        ("--psid CAM:020000", "appPermissions"),
        ("--validity 50y", "validityPeriod"),
        ("--start 2025-12-31T00:00:00Z", "validityPeriod"),
        ("--region circle:52,13,100", "region"),
        ("--region circle:48,11,60000", "region"),
        ("--authority", "appPermissions"),
    ] {
        let start = if arguments.contains("--start") {
            ""
        } else {
            start
        };
        let words = format!("pki issue p --name other {start} {arguments}");
        world.refused(&words, &[&issuer, field, "nothing was written"]);
    }
    let car = world.newest("p", "car", "certificate");
    world.refused(
        "pki issue p --name x --issuer car",
        &[&car, "certIssuePermissions"],
    );
    world.refused(
        "pki issue p --name x --issuer nemo",
        &["no certificate of \"nemo\"", "root, ea, aa, car"],
    );
    world.refused(
        "pki issue p --name aa",
        &["is the name of authorization authority"],
    );
    world.refused("pki renew p root", &["a root cannot be renewed"]);
    assert_eq!(snapshot(&world.path("p")), before);
}

#[test]
fn what_is_there_stays_and_foreign_indexes_name_nothing_outside() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let before = snapshot(&world.path("p"));
    world.refused("pki init p --no-passphrase", &["is there and not empty"]);
    assert_eq!(snapshot(&world.path("p")), before);
    world.refused("pki show nothing", &["nothing"]);
    world.refused("pki issue nothing --name x", &["no PKI", "pki init"]);
    world.refused(
        "pki init q --no-passphrase --passphrase-fd 3",
        &["cannot be used with"],
    );
    for name in ["../x", "a/b", "", "0123456789abcdef", ".x"] {
        let mut command = waywarden();
        command.current_dir(world.path(""));
        let name = format!("--name={name}");
        let output = command.args(["pki", "issue", "p", &name]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
    let index = fs::read_to_string(world.path("p/pki.toml")).unwrap();
    world.write("p/pki.toml", index.replace("keys/", "../keys/"));
    world.refused("pki issue p --name x", &["p/pki.toml", "not a path below"]);
    world.write("p/pki.toml", index.replace("version = 1", "version = 2"));
    world.refused("pki show p", &["version 2"]);
    world.write("p/pki.toml", "x");
    world.refused("pki show p", &["p/pki.toml"]);
}
