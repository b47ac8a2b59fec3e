//! Checks of signed, encrypted and issued data by pycrate and python cryptography, and checks of
//! theirs by us; for P-384, which pycrate does not know, rasn reads.

mod certificates;
mod encryption;
mod p384;
mod signatures;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use waywarden_ecverify::Curve;
use waywarden_testkit::{bytes_of, hex_of, output_of, python_with};
use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::Contents;
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Psid};

use crate::support::{START, Store};

/// An application without a profile.
const PSID: Psid = Psid(0x20_4097);

/// The oracle, where it is installed.
pub(crate) struct Oracle {
    interpreter: PathBuf,
    script: &'static str,
    questions: Vec<String>,
}

impl Oracle {
    fn find() -> Option<Self> {
        Self::of_script("oracle.py")
    }

    /// Returns the oracle that runs this script.
    pub(crate) fn of_script(script: &'static str) -> Option<Self> {
        let interpreter = python_with("pycrate_asn1dir, cryptography")?;
        Some(Self {
            interpreter,
            script,
            questions: Vec::new(),
        })
    }

    pub(crate) fn ask(&mut self, words: &[&str]) {
        self.questions.push(words.join(" "));
    }

    /// Returns an answer to each question: what was found, or why nothing was.
    pub(crate) fn answers(&self) -> Vec<Result<Vec<Vec<u8>>, String>> {
        // Through a file: a pipe could fill on both sides.
        let name = format!("waywarden-signed-{}-{self:p}", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, self.questions.join("\n")).unwrap();
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/oracles");
        let script = scripts.join(self.script);
        let mut command = Command::new(&self.interpreter);
        command.arg(script).stdin(File::open(&file).unwrap());
        let output = output_of(&mut command);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(output.lines().count(), self.questions.len());
        println!("{} questions", self.questions.len());
        output.lines().map(answer).collect()
    }
}

fn answer(line: &str) -> Result<Vec<Vec<u8>>, String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "ok" => Ok(rest.split_whitespace().map(octets).collect()),
        _ => Err(rest.to_owned()),
    }
}

/// Reads what the oracle writes; it has a hyphen for no octet.
fn octets(text: &str) -> Vec<u8> {
    bytes_of(text.trim_start_matches('-'))
}

fn text(octets: &[u8]) -> String {
    match octets {
        [] => "-".to_owned(),
        octets => hex_of(octets),
    }
}

/// A chain as the oracle takes it: the root first.
pub(crate) fn chain(credential: &Credential) -> String {
    let chain = credential.certificate().chain();
    let mut chain: Vec<String> = chain.map(|one| hex_of(one.bytes())).collect();
    chain.reverse();
    chain.join(",")
}

/// Returns the oracle's name for a curve.
pub(crate) fn name(curve: Curve) -> &'static str {
    match curve {
        Curve::P256 => "NistP256",
        Curve::BrainpoolP256r1 => "BrainpoolP256r1",
        Curve::P384 => "NistP384",
        Curve::BrainpoolP384r1 => "BrainpoolP384r1",
    }
}

pub(crate) fn private(store: &Store, key: KeyHandle) -> String {
    let key = store.export(key).unwrap();
    format!("{}:{}", name(key.curve()), hex_of(key.as_bytes()))
}

fn contents() -> Contents {
    Contents::new(START, Duration::Hours(24)).permitting(PSID, &[1, 0x80])
}
