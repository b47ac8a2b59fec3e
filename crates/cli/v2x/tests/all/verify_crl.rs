//! `waywarden verify --crl`: what a list revokes is revoked wherever the command verifies, and no
//! list in a file is passed over in silence.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use waywarden_testkit_v2x::linked_lists::{List, Revoked};
use waywarden_testkit_v2x::world::{
    Holder, ISSUER_IS_CRACA, MessageContents, NOW, Spec, now, signed_crl,
};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    HashBasedRevocationInfo, HashedId10, LaId, LinkageData, LinkageSeed, Time32,
};

use crate::support::waywarden;

struct Folder {
    folder: tempfile::TempDir,
    root: Holder,
    signer: Holder,
    station: Holder,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Holder::issue(&Spec::authority(1), None);
        fs::create_dir(folder.path().join("trust")).unwrap();
        fs::write(folder.path().join("trust/root.oer"), &root.certificate).unwrap();
        let [.., a, b, c] = root.id().0;
        let revocable = Spec {
            craca: [a, b, c],
            ..Spec::station(3)
        };
        let entitled = Spec {
            app: &[(256, Some(ISSUER_IS_CRACA))],
            ..Spec::station(5)
        };
        Self {
            station: Holder::issue(&revocable, Some(&root)),
            signer: Holder::issue(&entitled, Some(&root)),
            folder,
            root,
        }
    }

    /// A list made at this time that revokes the station or another certificate.
    fn list(&self, issued: u32, is_station: bool) -> Vec<u8> {
        let id = certificate_digest(&parse(&self.station.certificate).unwrap()).unwrap();
        let entries = [HashBasedRevocationInfo {
            id: match is_station {
                true => id.id_10(),
                false => HashedId10([9; 10]),
            },
            expiry: Time32(NOW + 100_000),
            unknown: Default::default(),
        }];
        signed_crl(&self.signer, (issued, NOW + 60), self.root.id(), &entries)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn verify(&self, path: &Path, crl: &Path) -> Output {
        let mut command = waywarden();
        command.arg("verify").arg(path).arg("--crl").arg(crl);
        command.arg("--trust").arg(self.folder.path().join("trust"));
        command.args(["--at", &now().0.to_string(), "--format", "json"]);
        command.output().unwrap()
    }
}

fn lines(lists: &[Vec<u8>]) -> Vec<u8> {
    let digits = |list: &Vec<u8>| -> String { list.iter().map(|b| format!("{b:02x}")).collect() };
    let lines: Vec<String> = lists.iter().map(digits).collect();
    lines.join("\n").into_bytes()
}

/// A certificate that is on the list is not accepted by itself either.
#[test]
fn a_revoked_certificate_is_refused_by_itself() {
    let folder = Folder::new();
    let list = folder.write("list.oer", &folder.list(NOW - 60, true));
    let certificate = folder.write("station.oer", &folder.station.certificate);
    let output = folder.verify(&certificate, &list);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("spduCertificateChainCertificateRevoked"),
        "exit code {:?}: {text}",
        output.status.code()
    );
}

/// A file with two lists, the second of which is damaged: that is reported.
#[test]
fn a_damaged_second_list_of_a_file_is_reported() {
    let folder = Folder::new();
    let mut damaged = folder.list(NOW - 50, true);
    let end = damaged.len() - 1;
    damaged[end] ^= 1;
    let lists = lines(&[folder.list(NOW - 60, false), damaged]);
    let lists = folder.write("lists.hex", &lists);
    let message = folder.write("message.oer", &MessageContents::new().sign(&folder.station));
    let output = folder.verify(&message, &lists);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
}

/// A file with two lists: both are reported.
#[test]
fn each_list_of_a_file_is_reported() {
    let folder = Folder::new();
    let lists = lines(&[folder.list(NOW - 60, false), folder.list(NOW - 50, true)]);
    let lists = folder.write("lists.hex", &lists);
    let message = folder.write("message.oer", &MessageContents::new().sign(&folder.station));
    let output = folder.verify(&message, &lists);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.matches("revokes 1 certificates").count(), 2, "{text}");
}

/// A holder whose seeds are all this byte, and the certificate that it has in a period.
fn revoked(byte: u8) -> Revoked {
    Revoked {
        authorities: (LaId([1; 2]), LaId([2; 2])),
        first: LinkageSeed([byte; 16]),
        second: Some(LinkageSeed([byte + 1; 16])),
        j_max: Some(20),
        i_max: u16::MAX,
    }
}

impl Folder {
    /// Messages under these linkage values, one a line.
    fn said(&self, linkages: &[LinkageData]) -> PathBuf {
        let [.., a, b, c] = self.root.id().0;
        let messages: Vec<Vec<u8>> = (20..)
            .zip(linkages)
            .map(|(seed, &linkage)| {
                let spec = Spec {
                    craca: [a, b, c],
                    linkage: Some(linkage),
                    ..Spec::station(seed)
                };
                MessageContents::new().sign(&Holder::issue(&spec, Some(&self.root)))
            })
            .collect();
        self.write("said.hex", &lines(&messages))
    }
}

fn verdicts(output: &Output) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = report["messages"]
        .as_array()
        .unwrap_or_else(|| panic!("{report}"));
    let verdict = |one: &serde_json::Value| one["verdict"].as_str().unwrap().to_owned();
    results.iter().map(verdict).collect()
}

/// Each period is expanded when the first certificate of it comes, and said how long that took.
#[test]
fn lists_by_linkage_values_are_expanded_for_the_periods_that_come() {
    let folder = Folder::new();
    let (one, other) = (revoked(3), revoked(5));
    let list = List::full(folder.root.id(), 100, vec![one]).sign(&folder.signer);
    let list = folder.write("list.oer", &list);
    let said = folder.said(&[
        one.linkage(100, 130, 7),
        other.linkage(100, 130, 7),
        one.linkage(100, 131, 20),
        one.linkage(100, 131, 21),
    ]);
    let output = folder.verify(&said, &list);
    let (revoked, success) = ("spduCertificateChainCertificateRevoked", "success");
    assert_eq!(verdicts(&output), [revoked, success, revoked, success]);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(
        notes.contains("revokes 1 holders and 0 groups from period 100 on"),
        "{notes}"
    );
    let expanded = "42 linkage values expanded for period 130 and 1 more in ";
    assert!(notes.contains(expanded), "{notes}");
}

/// A list that is too much work for a period refuses the certificates that it could revoke.
#[test]
fn list_that_takes_too_many_hashes_is_reported() {
    let folder = Folder::new();
    let many = (0..1_025).map(|_| revoked(3)).collect();
    let list = List::full(folder.root.id(), 0, many).sign(&folder.signer);
    let list = folder.write("list.oer", &list);
    let said = folder.said(&[LinkageData {
        period: waywarden_v2x_wire::ieee1609dot2::IValue(u16::MAX),
        ..revoked(5).linkage(0, 0, 1)
    }]);
    let output = folder.verify(&said, &list);
    assert_eq!(verdicts(&output), ["spduCertificateChainOverdueCRL"]);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(
        notes.contains("expanding it takes 134346750 hashes"),
        "{notes}"
    );
}
