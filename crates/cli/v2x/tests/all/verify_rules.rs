//! `waywarden verify`: message profiles and `--lenient`, revocation lists with `--crl`, and what is
//! not supported.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use waywarden_testkit::workspace;
use waywarden_testkit_v2x::world::{
    Holder, ISSUER_IS_CRACA, MessageContents, NOW, Spec, now, signed_crl,
};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Elevation, HashBasedRevocationInfo, Latitude, Longitude, ThreeDLocation, Time32, Time64,
};

use crate::support::World;
use crate::support::{json, waywarden};

/// A folder with a root in `trust/`, and files beside it.
struct Folder {
    folder: tempfile::TempDir,
    root: Holder,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Holder::issue(&Spec::authority(1), None);
        fs::create_dir(folder.path().join("trust")).unwrap();
        fs::write(folder.path().join("trust/root.oer"), &root.certificate).unwrap();
        Self { folder, root }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn verify(&self, path: &Path, options: &[&str]) -> Value {
        let mut command = waywarden();
        command.arg("verify").arg(path).args(options);
        command.arg("--trust").arg(self.folder.path().join("trust"));
        command.args(["--at", &now().0.to_string(), "--format", "json"]);
        json(&mut command)
    }

    /// The verdict on the only message of a file, and the field that it names.
    fn verdict(&self, path: &Path, options: &[&str]) -> (String, String) {
        let document = self.verify(path, options);
        let message = &document["messages"][0];
        let text = |name: &str| message[name].as_str().unwrap_or("").to_owned();
        (text("verdict"), text("field"))
    }
}

fn refused(verdict: &str, field: &str) -> (String, String) {
    (verdict.to_owned(), field.to_owned())
}

#[test]
fn message_profiles_hold_unless_lenient() {
    let folder = Folder::new();
    let station = Holder::issue(&Spec::station(3), Some(&folder.root));
    let place = Some(ThreeDLocation {
        latitude: Latitude(435_551_000),
        longitude: Longitude(103_036_000),
        elevation: Elevation(4_100),
    });
    let expires = Some(Time64(now().0 + 1_000_000));
    let cam = MessageContents {
        psid: 36,
        ..MessageContents::new()
    };
    let sound = folder.write("sound.oer", &cam.sign(&station));
    let placed = MessageContents { place, ..cam };
    let placed = folder.write("placed.oer", &placed.sign(&station));
    let expiring = MessageContents { expires, ..cam };
    let expiring = folder.write("expiring.oer", &expiring.sign(&station));
    let denm = MessageContents { psid: 37, ..cam };
    let denm = folder.write("denm.oer", &denm.sign(&station));
    let success = refused("success", "");
    assert_eq!(folder.verdict(&sound, &[]), success);
    let invalid = "spduParsingInvalidInput";
    assert_eq!(
        folder.verdict(&placed, &[]),
        refused(invalid, "generationLocation")
    );
    assert_eq!(
        folder.verdict(&expiring, &[]),
        refused(invalid, "expiryTime")
    );
    let missing = refused(
        "spduParsingGenerationLocationNotAvailable",
        "generationLocation",
    );
    assert_eq!(folder.verdict(&denm, &[]), missing);
    for path in [&sound, &placed, &expiring, &denm] {
        assert_eq!(folder.verdict(path, &["--lenient"]), success, "{path:?}");
    }
}

#[test]
fn a_revocation_list_revokes_before_messages_are_verified() {
    let folder = Folder::new();
    let [.., a, b, c] = folder.root.id().0;
    let revocable = |seed| Spec {
        craca: [a, b, c],
        ..Spec::station(seed)
    };
    let [station, other] = [3, 4].map(|seed| Holder::issue(&revocable(seed), Some(&folder.root)));
    let signer = |ssp| {
        let spec = Spec {
            app: ssp,
            ..Spec::station(5)
        };
        Holder::issue(&spec, Some(&folder.root))
    };
    let id = certificate_digest(&parse(&station.certificate).unwrap()).unwrap();
    let entries = [HashBasedRevocationInfo {
        id: id.id_10(),
        expiry: Time32(NOW + 100_000),
        unknown: Default::default(),
    }];
    let list =
        |signer: &Holder| signed_crl(signer, (NOW - 60, NOW + 60), folder.root.id(), &entries);
    let entitled = folder.write("list.oer", &list(&signer(&[(256, Some(ISSUER_IS_CRACA))])));
    let forged = folder.write("forged.oer", &list(&signer(&[(256, None)])));
    let message = folder.write("message.oer", &MessageContents::new().sign(&station));
    let sound = folder.write("sound.oer", &MessageContents::new().sign(&other));
    let crl = |path: &Path| ["--crl".to_owned(), path.display().to_string()];
    let with = crl(&entitled);
    let with: Vec<&str> = with.iter().map(String::as_str).collect();
    assert_eq!(folder.verdict(&message, &[]).0, "success");
    let revoked = folder.verdict(&message, &with);
    assert_eq!(
        revoked,
        refused("spduCertificateChainCertificateRevoked", "cracaId")
    );
    assert_eq!(folder.verdict(&sound, &with).0, "success");
    let note = folder.verify(&sound, &with)["warnings"][0].to_string();
    assert!(note.contains("revokes 1 certificates of CRACA"), "{note}");
    // A list that its signer may not make ends the command.
    let mut command = waywarden();
    command.arg("verify").arg(&sound).args(crl(&forged));
    command
        .arg("--trust")
        .arg(folder.folder.path().join("trust"));
    command.args(["--at", &now().0.to_string()]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("forged.oer: spduConsistencyUnauthorizedPSID"),
        "{text}"
    );
    assert!(text.contains("nothing was verified"), "{text}");
}

#[test]
fn what_is_not_supported_is_named() {
    let folder = Folder::new();
    let station = Holder::issue(&Spec::station(3), Some(&folder.root));
    let name = "spduParsingUnsupportedCriticalInformationField";
    // The tag of the verification key, before the compressed point at the end of toBeSigned.
    let mut certificate = station.certificate.clone();
    let at = certificate.len() - (2 + 32 + 32) - 33 - 1;
    assert_eq!(certificate[at], 0x80);
    certificate[at] = 0x85;
    let path = folder.write("certificate.oer", &certificate);
    let document = folder.verify(&path, &[]);
    let message = &document["messages"][0];
    assert_eq!(message["verdict"], name, "{message}");
    assert_eq!(message["kind"], "certificate");
    let reason = message["reason"].as_str().unwrap();
    assert!(reason.contains("post-quantum"), "{reason}");
    // The signature of a message.
    let mut message = MessageContents::new().sign(&station);
    let at = message.len() - 66;
    assert_eq!(message[at], 0x80);
    message[at] = 0x85;
    let path = folder.write("message.oer", &message);
    let document = folder.verify(&path, &[]);
    let message = &document["messages"][0];
    assert_eq!(message["verdict"], name, "{message}");
    let reason = message["reason"].as_str().unwrap();
    assert!(reason.contains("post-quantum"), "{reason}");
}

/// A DENM about roadworks (cause 3) in Munich, without a packet around it.
const ROADWORKS: &str = "02010000000780000000040004800000000020000000000d2560890723006700000\
                         000000000000f000600";

#[test]
fn payload_against_its_certificate_is_not_accepted_and_keeps_its_verdict() {
    let world = World::new();
    world.works("pki init @p --no-passphrase");
    world.write("denm.hex", format!("{ROADWORKS}\n"));
    let munich = "--region circle:48.137,11.575,5000";
    for (name, permissions, fault) in [
        ("all", "01ffffff", None),
        ("none", "01000000", Some("cause 3, roadworks")),
    ] {
        let issue = format!("pki issue @p --name {name} --psid DENM:{permissions} {munich}");
        world.works(&issue);
        let sign = format!("sign denm.hex --lines --pki p --as {name} --psid DENM");
        let place = "--location 48.137,11.575,500";
        world.works(&format!("{sign} {place} -o {name}.hex"));
        let verify = format!("verify {name}.hex --trust p/trust");
        let ended = world.run(&format!("{verify} --format jsonl"));
        assert_eq!(
            ended.code,
            Some(i32::from(fault.is_some())),
            "{name}: {}",
            ended.out
        );
        assert!(
            ended.out.contains("\"verdict\":\"success\""),
            "{}",
            ended.out
        );
        assert!(
            ended.out.contains(fault.unwrap_or("\"failures\":[]")),
            "{}",
            ended.out
        );
        // Every form gives the reason.
        for more in [
            "--format csv",
            "--policy fifo --capacity 9 --rate 9 --format csv",
        ] {
            let table = world.run(&format!("{verify} {more}")).out;
            assert_eq!(
                fault.is_some_and(|one| table.contains(one)),
                fault.is_some(),
                "{table}"
            );
        }
        world.works(&format!("{verify} --no-payload-check"));
    }
    // Without a packet around it, `inspect` does not read the DENM itself.
    let shown = world.run("inspect none.hex").out;
    assert!(
        shown.contains("01000000 (no permission beyond the basic message)"),
        "{shown}"
    );
    let shown = world.run("inspect all.hex").out;
    assert!(
        shown.contains("(trafficCondition, accident, roadworks,"),
        "{shown}"
    );
}

#[test]
fn what_is_not_signed_is_named_with_its_command() {
    let world = World::new();
    let folder = workspace().join("examples/v2x/scms");
    for (name, expected) in [
        ("ctl", "a trust list of electors (CTL) in unsecured data"),
        ("ccf", "a chain file (CCF) in unsecured data"),
        (
            "composite-crl",
            "a composite revocation list in unsecured data",
        ),
    ] {
        let list = fs::read(folder.join(format!("{name}.oer"))).unwrap();
        world.write("list.oer", &list);
        let shown = world.run("verify list.oer --format jsonl").out;
        assert!(shown.contains(expected), "{shown}");
        assert!(
            shown.contains("`waywarden pki check-list` checks it"),
            "{shown}"
        );
        // Without the SPDU: behind version, kind and length.
        let alone = &list[5..];
        assert_eq!(alone[0], 2, "{name}");
        world.write("alone.oer", alone);
        let shown = world.run("verify alone.oer --format jsonl").out;
        assert!(
            shown.contains("`waywarden pki check-list` checks it"),
            "{shown}"
        );
    }
    for (digits, expected) in [
        ("03800568656c6c6f", "not signed data: unsecured data\""),
        (
            "0380060014032010aa",
            "not signed data: J2735-MessageFrame in unsecured data",
        ),
    ] {
        world.write("message.hex", format!("{digits}\n"));
        let shown = world.run("verify message.hex --format jsonl").out;
        assert!(shown.contains(expected), "{shown}");
    }
}
