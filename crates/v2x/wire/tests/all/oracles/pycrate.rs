//! pycrate, an independent compiler of the standard's ASN.1 \[2017, and the additions to headers\]:
//! it reads what we write, sees the same values under the same names, and writes the same bytes.
//!
//! It knows no revocation lists, and nothing of 2022 but the additions to headers. Extension
//! additions that it does not know it reads over, and cannot write (0.8.1: an exception). Signed
//! data in signed data it reads, and writes with parts of the inner one in place of the outer one's
//! (0.8.1: a recursive type is one object there, and has one value): what it writes of that is not
//! compared.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use waywarden_testkit::{hex_of, python_with, seeds};
use waywarden_v2x_wire::coer::{CoerDecode, LeafValue, Unknown, Visitor, parse_with};
use waywarden_v2x_wire::etsi102941::{EtsiTs102941Data, InnerEcRequest};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Ieee1609Dot2Data};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    FullIeeeTbsCtl, ScmsPdu, ScmsSsp, SignedCertificateRequest,
};

use crate::support::maker::{Maker, Scope};
use crate::support::{etsi_certificates, field_messages, written};

const SCOPE: Scope = Scope {
    of_2022: false,
    unknown_additions: false,
    unknown_alternatives: false,
    any_extension: false,
    contributed: true,
    long_names: true,
    byte_additions: true,
    plain_requested: false,
};

/// Number of values of each type and scope in the quick run, which is slow. `make soak` asks for
/// 10,000.
const FEW: u64 = 150;

/// The name of what we do not know.
const UNKNOWN: &str = "unknown";

/// Names each leaf by its way from the root, as the oracle does.
#[derive(Default)]
struct Leaves {
    /// Of each part that is open: its name and how many parts it had so far.
    path: Vec<(String, usize)>,
    /// True if a value came since the last part began.
    has_value: bool,
    lines: Vec<String>,
}

impl Leaves {
    fn path(&self) -> String {
        let names: Vec<&str> = self.path.iter().map(|(name, _)| name.as_str()).collect();
        names[1..].join("/")
    }
}

impl Visitor for Leaves {
    fn enter(&mut self, field: &'static str, of_type: &'static str, _: usize) {
        let name = match (field, self.path.last_mut()) {
            _ if of_type == Unknown::NAME => UNKNOWN.to_owned(),
            ("", Some((_, parts))) => parts.to_string(),
            _ => field.to_owned(),
        };
        if let Some((_, parts)) = self.path.last_mut() {
            *parts += 1;
        }
        self.path.push((name, 0));
        self.has_value = false;
    }

    fn value(&mut self, value: LeafValue<'_>) {
        let text = match value {
            LeafValue::Unsigned(number) => number.to_string(),
            LeafValue::Signed(number) => number.to_string(),
            LeafValue::Octets(octets) => hex_of(octets),
            LeafValue::Text(text) => hex_of(text.as_bytes()),
            LeafValue::Name(name) => name.to_owned(),
            LeafValue::Absent => return,
        };
        self.lines.push(format!("{}={text}", self.path()));
        self.has_value = true;
    }

    fn leave(&mut self, _: usize) {
        let (_, parts) = self.path[self.path.len() - 1];
        if parts == 0 && !self.has_value {
            self.lines.push(format!("{}=", self.path()));
        }
        self.path.pop();
    }
}

/// Returns the leaves in order of their names, without the contributions to headers, which are open
/// types that the oracle reads and we do not, and without unknown additions.
fn leaves<'a, T: CoerDecode<'a>>(bytes: &'a [u8]) -> String {
    let mut leaves = Leaves::default();
    parse_with::<T, _>(bytes, &mut leaves).unwrap();
    let mut lines = leaves.lines;
    lines.retain(|line| {
        // The value of a response code may have the word in it.
        let path = line.split('=').next().unwrap_or_default();
        !path.contains("contributedExtensions") && !path.contains(UNKNOWN)
    });
    lines.sort();
    lines.join(" ")
}

/// Tells the oracle the type and the bytes of each; it answers with the bytes that it writes, where
/// the type has no question mark, and the leaves that it read.
fn compare(interpreter: &Path, questions: &[(&str, &[u8])]) {
    let mut asked = String::new();
    for (of_type, bytes) in questions {
        writeln!(asked, "{of_type} {}", hex_of(bytes)).unwrap();
    }
    // Through a file: a pipe could fill on both sides.
    let name = format!("waywarden-pycrate-{}-{:p}", std::process::id(), &asked);
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, asked).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/oracles/pycrate_oracle.py");
    let output = Command::new(interpreter)
        .arg(script)
        .stdin(Stdio::from(std::fs::File::open(&file).unwrap()))
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), questions.len());
    for ((of_type, bytes), answer) in questions.iter().zip(answers.lines()) {
        let (again, their_leaves) = answer.split_once(' ').unwrap();
        if again != "-" {
            assert_eq!(again, hex_of(bytes), "{of_type}, as pycrate writes it");
        }
        let leaves = match of_type.trim_end_matches('?') {
            "data" => leaves::<Ieee1609Dot2Data<'_>>(bytes),
            "EtsiTs102941Data" => leaves::<EtsiTs102941Data<'_>>(bytes),
            "InnerEcRequest" => leaves::<InnerEcRequest<'_>>(bytes),
            "certificate" => leaves::<Certificate<'_>>(bytes),
            "scms" => leaves::<ScmsPdu<'_>>(bytes),
            "request" => leaves::<SignedCertificateRequest<'_>>(bytes),
            "list" => leaves::<FullIeeeTbsCtl<'_>>(bytes),
            "role" => leaves::<ScmsSsp<'_>>(bytes),
            other => panic!("{other}"),
        };
        let (ours, theirs) = (leaves.split(' '), their_leaves.split(' '));
        for (ours, theirs) in ours.zip(theirs) {
            assert_eq!(ours, theirs, "in {of_type} {}", hex_of(bytes));
        }
        assert_eq!(leaves.len(), their_leaves.len(), "{}", hex_of(bytes));
    }
    println!("{} values", questions.len());
}

#[test]
fn reads_what_we_write_under_the_same_names() {
    let Some(interpreter) = python_with("pycrate_asn1dir") else {
        return;
    };
    let unknown_additions = Scope {
        unknown_additions: true,
        ..SCOPE
    };
    let count = seeds(FEW);
    let values: Vec<(&str, Vec<u8>)> = (0..count)
        .flat_map(|seed| {
            let mut maker = Maker::new(seed, SCOPE);
            let (data, certificate) = (written(&maker.data()), written(&maker.certificate()));
            let mut maker = Maker::new(seed, unknown_additions);
            let (more, other) = (written(&maker.data()), written(&maker.certificate()));
            [
                ("data", data),
                ("certificate", certificate),
                ("data?", more),
                ("certificate?", other),
            ]
        })
        .collect();
    let questions = values.iter().map(|(of_type, bytes)| {
        let is_recursive = of_type.starts_with("data")
            && leaves::<Ieee1609Dot2Data<'_>>(bytes).contains("data/content/signedData");
        (
            if is_recursive { "data?" } else { of_type },
            bytes.as_slice(),
        )
    });
    let questions: Vec<_> = questions.collect();
    let compared = questions
        .iter()
        .filter(|(of_type, _)| !of_type.ends_with('?'));
    println!("{} of them as it writes them", compared.count());
    compare(&interpreter, &questions);
}

/// ETSI's messages: their shapes are a module beside the oracle, which it compiles.
#[test]
fn reads_and_writes_pki_messages_under_the_same_names() {
    let Some(interpreter) = python_with("pycrate_asn1dir") else {
        return;
    };
    let values: Vec<(&str, Vec<u8>)> = (0..seeds(FEW))
        .flat_map(|seed| {
            let mut maker = Maker::new(seed, SCOPE);
            [
                ("EtsiTs102941Data", written(&maker.pki_message())),
                ("InnerEcRequest", written(&maker.enrolment_request())),
            ]
        })
        .collect();
    let questions = values.iter().map(|(of_type, bytes)| {
        let is_recursive = *of_type == "EtsiTs102941Data"
            && leaves::<EtsiTs102941Data<'_>>(bytes).contains("payload/data/content/signedData");
        (
            if is_recursive {
                "EtsiTs102941Data?"
            } else {
                of_type
            },
            bytes.as_slice(),
        )
    });
    compare(&interpreter, &questions.collect::<Vec<_>>());
}

/// IEEE 1609.2.1: pycrate compiles our transcription of its shapes, which stands beside the oracle.
#[test]
fn reads_and_writes_messages_of_a_public_key_infrastructure_as_we_do() {
    let Some(interpreter) = python_with("pycrate_asn1dir") else {
        return;
    };
    let values: Vec<(&str, Vec<u8>)> = (0..seeds(FEW))
        .flat_map(|seed| {
            let mut maker = Maker::new(seed, SCOPE);
            let (scms, request) = (written(&maker.scms()), written(&maker.signed_request()));
            let scms_leaves = leaves::<ScmsPdu<'_>>(&scms);
            let request_leaves = leaves::<SignedCertificateRequest<'_>>(&request);
            let is_recursive = |leaves: &str| leaves.contains("data/content/signedData");
            [
                match is_recursive(&scms_leaves) {
                    true => ("scms?", scms),
                    false => ("scms", scms),
                },
                match is_recursive(&request_leaves) {
                    true => ("request?", request),
                    false => ("request", request),
                },
                ("list", written(&maker.trust_list())),
                ("role", written(&maker.role())),
            ]
        })
        .collect();
    let questions: Vec<_> = values
        .iter()
        .map(|(of_type, bytes)| (*of_type, &bytes[..]))
        .collect();
    compare(&interpreter, &questions);
}

#[test]
fn sees_in_real_data_what_we_see() {
    let Some(interpreter) = python_with("pycrate_asn1dir") else {
        return;
    };
    let (Some(certificates), Some(messages)) = (etsi_certificates(), field_messages()) else {
        return;
    };
    let certificates = certificates.iter().map(|(_, bytes)| ("certificate", bytes));
    let messages = messages.iter().map(|(_, bytes)| ("data", bytes));
    let questions: Vec<_> = certificates
        .chain(messages.step_by(4))
        .map(|(of_type, bytes)| (of_type, bytes.as_slice()))
        .collect();
    compare(&interpreter, &questions);
}
