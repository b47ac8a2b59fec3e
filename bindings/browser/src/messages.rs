//! Pasted V2X messages and certificates, by the library calls of `waywarden inspect` and
//! `waywarden verify`.

use std::io::Cursor;

use serde::{Deserialize, Serialize};
use waywarden_v2x_input::certificates::{FoundCertificates, SignerKeys};
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::records;
use waywarden_v2x_input::time::{At, parse_at, parse_time};
use waywarden_v2x_input::unread::UnreadFile;
use waywarden_v2x_inspect::Inspection;
use waywarden_v2x_receiver::{Receiver, ReceiverSettings, Reception, Verdict};
use waywarden_v2x_security::Capacity;

use crate::answer::{self, Answer, Fault, Faults, json};

/// Most bytes that are pasted into one field.
const PASTED_MAX: usize = 4 << 20;

/// Most records that are looked at.
const RECORDS_MAX: usize = 10_000;

/// Most warnings about trust that are told.
const WARNINGS_MAX: usize = 30;

/// Options of a verification, as JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    /// Time at which messages are judged: a time, or "generation".
    at: String,
    /// This moment: the module has no clock. It stands where a message has no generation time.
    now: String,
    /// True if messages pass that deviate from ETSI TS 103 097.
    #[serde(default)]
    lenient: bool,
}

/// A record with its tree of fields as text.
#[derive(Serialize)]
struct Inspected {
    #[serde(flatten)]
    inspection: Inspection,
    /// Human-readable: what `waywarden inspect` prints.
    tree_text: String,
}

/// Verdicts on records, with what is trusted.
#[derive(Serialize)]
struct Verified {
    verdicts: Vec<Verdict>,
    /// Number of certificates that are trusted by themselves.
    anchors: usize,
    /// Certificates that are not taken, each with the reason, and lines that cannot be read.
    warnings: Vec<String>,
}

/// Shows the fields of pasted messages and certificates: lines of hexadecimal digits or base64, or
/// another text that `waywarden inspect` reads.
///
/// The one part is a JSON array, an object for each: the row of `waywarden inspect --format json`,
/// and in `tree_text` what the command prints for people. Of a message of ETSI ITS or SAE J2735 the
/// row's `payload` has `kind`, `release`, `standard`, `remark` and `value`.
#[must_use]
pub fn inspect(pasted: &str) -> Answer {
    Answer::of(records_of("pasted", pasted).and_then(|(records, unread)| {
        let mut rows = Vec::new();
        for record in &records {
            let inspection = Inspection::new(record, None, &[]).map_err(|why| Faults::new(&why))?;
            rows.extend(inspection);
        }
        rows.extend(unread.iter().map(Inspection::unread));
        let rows = rows.into_iter().map(|inspection| {
            let mut tree = Vec::new();
            // Writing to memory does not fail.
            let _ = inspection.print(&mut tree);
            Inspected {
                inspection,
                tree_text: String::from_utf8_lossy(&tree).into_owned(),
            }
        });
        Ok([json(&rows.collect::<Vec<_>>())])
    }))
}

/// Verifies pasted messages and certificates against pasted certificates that are trusted.
/// `options` is a JSON object: `at` and `now` (times such as 2026-03-01T12:00:00Z; `at` also
/// "generation"), `lenient` (flag).
///
/// The one part is a JSON object: `verdicts`, each a row of `waywarden verify --format json`;
/// `anchors`, the number of trust anchors; `warnings`.
#[must_use]
pub fn verify(pasted: &str, trusted: &str, options: &str) -> Answer {
    Answer::of(verified(pasted, trusted, options).map(|verified| [json(&verified)]))
}

fn verified(pasted: &str, trusted: &str, options: &str) -> Result<Verified, Faults> {
    let options: Options = answer::options("the verification", options)?;
    let now = parse_time(&options.now).map_err(|why| Faults::new(&why))?;
    let at = parse_at(&options.at).map_err(|why| Faults::new(&format_args!("time: give {why}")))?;
    let at_generation = match at {
        At::Generation => true,
        At::Time(_) => false,
        At::Now | At::Capture => {
            return Err(Faults::new(
                &"time: the page gives a time or \"generation\"",
            ));
        }
    };
    let fixed = match at {
        At::Time(time) => time,
        _ => now,
    };
    let (records, unread) = records_of("pasted", pasted)?;
    let settings = ReceiverSettings {
        capacity: Capacity {
            table_bytes: 0,
            ..Capacity::DEFAULT
        },
        is_lenient: options.lenient,
        at: At::Time(fixed),
        threads: 1,
        ..ReceiverSettings::default()
    };
    let receiver = trusting(&settings, trusted)?;
    // Knows nothing, and says when a message was made.
    let reader = trusting(&settings, "")?;
    let verdicts = records.iter().filter_map(|record| {
        let made = || reader.verify(record, &Reception::default())?.generated;
        let time = at_generation.then(made).flatten().unwrap_or(fixed);
        receiver.verify(
            record,
            &Reception {
                at: Some(At::Time(time)),
                ..Reception::default()
            },
        )
    });
    let verdicts = verdicts.collect();
    let mut warnings: Vec<String> = unread.iter().map(ToString::to_string).collect();
    warnings.extend(receiver.rules().trust.warnings(WARNINGS_MAX));
    Ok(Verified {
        verdicts,
        anchors: receiver.rules().trust.anchors,
        warnings,
    })
}

/// Makes a receiver that trusts pasted certificates.
fn trusting(settings: &ReceiverSettings, trusted: &str) -> Result<Receiver, Faults> {
    let mut verifier = settings.verifier();
    let mut found = FoundCertificates::default();
    if !trusted.trim().is_empty() {
        let (certificates, unread) = records_of("trust", trusted)?;
        if let Some(unread) = unread.first() {
            return Err(Faults::new(unread));
        }
        for one in &certificates {
            found
                .add(&one.place, &one.bytes)
                .map_err(|why| Faults::new(&why))?;
        }
    }
    let trust = found.install(&mut verifier);
    Ok(Receiver::new(
        settings,
        verifier,
        trust,
        SignerKeys::default(),
    ))
}

/// Records of a text, and the lines of it that cannot be read.
fn records_of(name: &str, text: &str) -> Result<(Vec<InputRecord>, Vec<UnreadFile>), Faults> {
    if text.len() > PASTED_MAX {
        return Err(Faults::new(&format_args!(
            "{name}: longer than {PASTED_MAX} bytes; use `waywarden verify` for files"
        )));
    }
    let mut found = Vec::new();
    let input = Box::new(Cursor::new(text.as_bytes().to_vec()));
    let read = records::read::<Stop>(name, input, |record| {
        if found.len() == RECORDS_MAX {
            return Err(Stop::TooMany);
        }
        found.push(record);
        Ok(())
    });
    match read {
        Ok(file) => Ok((found, file.wrong)),
        Err(Stop::Unread(unread)) => Err(Fault::new(None, &unread).into()),
        Err(Stop::TooMany) => Err(Faults::new(&format_args!(
            "{name}: more than {RECORDS_MAX} messages; use `waywarden verify` for files"
        ))),
    }
}

enum Stop {
    Unread(Box<UnreadFile>),
    TooMany,
}

impl From<UnreadFile> for Stop {
    fn from(unread: UnreadFile) -> Self {
        Self::Unread(Box::new(unread))
    }
}
