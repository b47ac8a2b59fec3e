//! `waywarden verify` with any number of threads: the answer is that of one, byte by byte, and the
//! verdicts are those of a verifier that takes the messages one by one.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use waywarden_testkit::{Random, first_seed, seeds};
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::profile::AcceptedNonceForm;
use waywarden_v2x_security::{MessageSource, Profiles, Reason, ReceptionContext, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateType, Time64};

use crate::support::{corpus, waywarden};

fn verify(words: &[&str]) -> Output {
    let mut command = waywarden();
    command.arg("verify").args(words);
    command.output().unwrap()
}

/// Authorities and stations under them.
struct Signers {
    root: Holder,
    authorities: [Holder; 2],
    stations: Vec<(Holder, usize)>,
    /// Under a root of its own.
    stranger: Holder,
}

impl Signers {
    fn new() -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authorities = [(2, false), (3, true)].map(|(seed, implicit)| {
            let spec = Spec {
                implicit,
                ..Spec::authority(seed)
            };
            Holder::issue(&spec, Some(&root))
        });
        let station = |number: usize| {
            let spec = Spec {
                implicit: number % 3 == 1,
                ..Spec::station(10 + number as u8)
            };
            let above = number % 2;
            (Holder::issue(&spec, Some(&authorities[above])), above)
        };
        let stations = (0..20).map(station).collect();
        let other = Holder::issue(&Spec::authority(4), None);
        Self {
            root,
            authorities,
            stations,
            stranger: Holder::issue(&Spec::station(5), Some(&other)),
        }
    }

    /// A message, or a certificate: who says what, when, and how it names its signer, are drawn.
    fn record(&self, random: &mut Random) -> Vec<u8> {
        let (station, above) = &self.stations[random.index(self.stations.len())];
        if random.once_in(40) {
            let certificates = [&self.root, &self.authorities[0], station, &self.stranger];
            return certificates[random.index(4)].certificate.clone();
        }
        let authority = &self.authorities[*above];
        let minutes = [0, 0, 0, 0, 0, 0, 30, 3_000][random.index(8)];
        let message = MessageContents {
            made: Some(Time64(
                now().0 - minutes * 60_000_000 - random.below(1 << 20),
            )),
            named: match random.index(8) {
                0 => Named::Certificates(&[authority]),
                1 => Named::Certificates(&[]),
                _ => Named::Digest,
            },
            ..MessageContents::new()
        };
        match random.once_in(20) {
            true => message.sign(&self.stranger),
            false => message.sign(station),
        }
    }

    /// Records, some of them copies, in another form, damaged or cut short.
    fn mixture(&self, random: &mut Random, count: usize) -> Vec<Vec<u8>> {
        let mut records: Vec<Vec<u8>> = Vec::new();
        while records.len() < count {
            let mut record = match records.len() {
                0 => self.record(random),
                length if random.once_in(5) => records[random.index(length)].clone(),
                _ => self.record(random),
            };
            match random.index(16) {
                0 => {
                    let bit = random.index(record.len() * 8);
                    record[bit / 8] ^= 1 << (bit % 8);
                }
                1 => record.truncate(1 + random.index(record.len())),
                // The octet that says in which form the signature is.
                2 if record.len() > 65 => {
                    let at = record.len() - 65;
                    record[at] = [0x80, 0x82, 0x83][random.index(3)];
                }
                _ => {}
            }
            records.push(record);
        }
        records
    }

    /// Writes those who are trusted to a folder, and returns a verifier that trusts them.
    fn trust(&self, folder: &Path, knows_authority: bool) -> Verifier {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("root.oer"), &self.root.certificate).unwrap();
        let profiles = Profiles::default().with_nonce_form(AcceptedNonceForm::Any);
        let mut verifier = Verifier::default().with_profiles(profiles);
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        if knows_authority {
            let certificate = &self.authorities[0].certificate;
            fs::write(folder.join("authority.oer"), certificate).unwrap();
            verifier.add_certificate(certificate).unwrap();
        }
        verifier
    }
}

/// Verdict, whether it is accepted, and whether its signatures are valid, if they can be verified.
type Expected = (&'static str, bool, Option<bool>);

/// Returns the verdict of a verifier alone on a record; `None` if it is no message and no
/// certificate.
fn alone(verifier: &mut Verifier, record: &[u8]) -> Option<Expected> {
    if let Ok(certificate) = parse::<Certificate<'_>>(record) {
        let is_explicit = certificate.kind == CertificateType::Explicit;
        let is_valid = verifier.verify_certificate(record).is_ok();
        return (is_explicit && is_valid).then_some(("success", true, Some(true)));
    }
    waywarden_v2x_wire::detect::detect(record).ok()?;
    let context = ReceptionContext {
        source: MessageSource::File,
        ..ReceptionContext::at(now())
    };
    Some(match verifier.verify(record, &context) {
        Ok(_) => ("success", true, Some(true)),
        Err(refusal) => {
            let signatures = verifier.verify_signatures(record, &context);
            let are_valid = match signatures.map_err(|refusal| refusal.reason) {
                Ok(()) => Some(true),
                Err(Reason::Signature(_)) => Some(false),
                Err(_) => None,
            };
            (refusal.code.name(), false, are_valid)
        }
    })
}

#[test]
fn any_mixture_is_verified_as_one_by_one_whatever_the_number_of_threads() {
    let signers = Signers::new();
    let folder = tempfile::tempdir().unwrap();
    let mut counts = [0; 3];
    let first = first_seed(0);
    println!("WAYWARDEN_SEED={first}");
    for seed in first..first + seeds(3) {
        let mut random = Random::new(seed);
        let trust = folder.path().join(format!("trust{seed}"));
        let mut verifier = signers.trust(&trust, random.once_in(2));
        let records = signers.mixture(&mut random, 1_500);
        let mut lines = String::new();
        for record in &records {
            for byte in record {
                write!(lines, "{byte:02x}").unwrap();
            }
            lines.push('\n');
        }
        let messages = folder.path().join("messages.hex");
        fs::write(&messages, lines).unwrap();
        let (messages, trust) = (messages.display().to_string(), trust.display().to_string());
        let now = now().0.to_string();
        let words = [
            &messages[..],
            "--trust",
            &trust,
            "--at",
            &now,
            "--nonce-form",
            "any",
        ];
        for format in ["json", "csv", "table"] {
            let words = [&words[..], &["--format", format]].concat();
            let one = verify(&[&words[..], &["--jobs", "1"]].concat());
            for jobs in ["2", "5"] {
                let more = verify(&[&words[..], &["--jobs", jobs]].concat());
                assert_eq!(more, one, "seed {seed}, {jobs} jobs, {format}");
            }
        }
        let output = verify(&[&words[..], &["--format", "json", "--jobs", "3"]].concat());
        let all: Value = serde_json::from_slice(&output.stdout).unwrap();
        let judged = all["messages"].as_array().unwrap();
        assert_eq!(judged.len(), records.len());
        for (at, (record, judged)) in records.iter().zip(judged).enumerate() {
            let Some(expected) = alone(&mut verifier, record) else {
                assert_eq!(judged["accepted"], false, "seed {seed}, record {at}");
                continue;
            };
            let (verdict, accepted, are_valid) = expected;
            let figures = ["verdict", "accepted", "signature_valid"].map(|name| &judged[name]);
            let expected: [Value; 3] = [verdict.into(), accepted.into(), are_valid.into()];
            assert_eq!(figures, expected.each_ref(), "seed {seed}, record {at}");
            counts[usize::from(accepted) + usize::from(are_valid == Some(true))] += 1;
        }
    }
    println!("{counts:?}: refused, refused and whole, accepted");
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

/// Real messages, several times over, by keys that are known otherwise; captures and lists too.
#[test]
fn real_files_are_verified_alike_by_any_number_of_threads() {
    let Some(folder) = corpus("v2x/us_field") else {
        return;
    };
    let messages = folder.join("signed.hex").display().to_string();
    let keys = folder
        .join("us_field_recovered_keys.json")
        .display()
        .to_string();
    let twice = [&messages[..], &messages, "examples/v2x/messages.hex"];
    let rest = [
        "--signer-keys",
        &keys,
        "--trust",
        "examples/v2x/trust",
        "--at",
        "generation",
    ];
    let words = [&twice[..], &rest].concat();
    for format in ["json", "jsonl", "csv", "table"] {
        let words = [&words[..], &["--format", format]].concat();
        let one = verify(&[&words[..], &["--jobs", "1"]].concat());
        for jobs in [
            &["--jobs", "4"][..],
            &["--jobs", "3", "--table-memory", "0"],
            &[],
        ] {
            assert_eq!(
                verify(&[&words[..], jobs].concat()),
                one,
                "{jobs:?}, {format}"
            );
        }
        if format == "json" {
            let all: Value = serde_json::from_slice(&one.stdout).unwrap();
            let figures = ["inputs", "signature_valid", "accepted"].map(|name| &all[name]);
            assert_eq!(figures, [1_690, 1_690, 4].map(Value::from).each_ref());
        }
    }
}

/// Each line is a value of its own; the last one has what the document has behind the messages.
#[test]
fn json_lines_have_what_the_document_has() {
    let words = [
        "examples/v2x/messages.hex",
        "examples/v2x/altered.hex",
        "nowhere.hex",
    ];
    let trust = [
        "--trust",
        "examples/v2x/trust",
        "--at",
        "generation",
        "--format",
    ];
    let document = verify(&[&words[..], &trust, &["json"]].concat());
    let mut all: Value = serde_json::from_slice(&document.stdout).unwrap();
    let messages = all.as_object_mut().unwrap().remove("messages").unwrap();
    for name in ["schema", "tool_version"] {
        assert!(all.as_object_mut().unwrap().remove(name).is_some());
    }
    let lines = verify(&[&words[..], &trust, &["jsonl"]].concat());
    assert_eq!(
        (lines.status, &lines.stderr),
        (document.status, &document.stderr)
    );
    let lines = String::from_utf8(lines.stdout).unwrap();
    let mut lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.pop().unwrap()["totals"], all);
    assert_eq!(lines, *messages.as_array().unwrap());
}

#[test]
fn a_wrong_number_of_threads_is_refused() {
    for jobs in ["0", "-1", "2000", "many"] {
        let output = verify(&["examples/v2x/messages.hex", "--jobs", jobs]);
        assert_eq!(output.status.code(), Some(2), "{jobs}");
    }
}
