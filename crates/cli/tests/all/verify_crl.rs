//! `waywarden verify --crl`: what a list revokes is revoked wherever the command verifies, and no
//! list in a file is passed over in silence.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{HashBasedRevocationInfo, HashedId10, Time32};

use crate::support::waywarden;
use crate::world::{Holder, ISSUER_IS_CRACA, Message, NOW, Spec, now, signed_crl};

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

/// A file with two lists, the second of which is damaged: that is told.
#[test]
fn a_damaged_second_list_of_a_file_is_told() {
    let folder = Folder::new();
    let mut damaged = folder.list(NOW - 50, true);
    let end = damaged.len() - 1;
    damaged[end] ^= 1;
    let lists = lines(&[folder.list(NOW - 60, false), damaged]);
    let lists = folder.write("lists.hex", &lists);
    let message = folder.write("message.oer", &Message::new().sign(&folder.station));
    let output = folder.verify(&message, &lists);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
}

/// A file with two lists: both are told.
#[test]
fn each_list_of_a_file_is_told() {
    let folder = Folder::new();
    let lists = lines(&[folder.list(NOW - 60, false), folder.list(NOW - 50, true)]);
    let lists = folder.write("lists.hex", &lists);
    let message = folder.write("message.oer", &Message::new().sign(&folder.station));
    let output = folder.verify(&message, &lists);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.matches("revokes 1 certificates").count(), 2, "{text}");
}
