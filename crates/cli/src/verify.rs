//! `waywarden verify`: messages and certificates, and why each that is refused is.

mod judge;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use waywarden_v2x_security::profile::NonceForm;
use waywarden_v2x_security::{Profiles, Verifier};

use self::judge::{Judge, Judgement};
pub(crate) use self::judge::{envelope, foreign};
use crate::exit::{Answer, Failure};
use crate::table::{Format, Rows, print_json};
use crate::terminal::plain;
use crate::v2x::certificates::{Trust, known_keys};
use crate::v2x::records;
use crate::v2x::time::{At, parse_at};
use crate::v2x::unread::Unread;

/// So many messages are told of one by one, if they are not asked for in JSON or CSV.
const TOLD: usize = 30;

/// Verify V2X messages and certificates (IEEE 1609.2, ETSI TS 103 097), and say why each is
/// refused.
///
/// A file has one message or certificate in its bytes, or lines of hexadecimal digits, or is a
/// capture (pcap, pcapng); each may be compressed with gzip, and is unpacked to 1 GiB at the most.
/// In captures and elsewhere WAVE short
/// messages and GeoNetworking packets are opened; frames of other traffic are passed over and
/// counted. A packet that is broken is told, and those after it are read.
///
/// Exit code 0 if all are accepted, 1 if one is not, 2 if a file cannot be read, or not to its end,
/// or has nothing to verify: what was read of it is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// Files with messages and certificates; `-` is standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A folder with certificates: those that issued themselves are trusted, authorities are
    /// found in it.
    #[arg(long, value_name = "DIR")]
    trust: Option<PathBuf>,
    /// Keys of signers whose issuers are not known (JSON), on P-256, P-384, brainpoolP256r1 or
    /// brainpoolP384r1: signatures are held against them, and nothing is accepted for that.
    #[arg(long, value_name = "FILE")]
    signer_keys: Option<PathBuf>,
    /// When messages are judged: a time (2026-03-01T12:00:00Z, or a number of microseconds since
    /// 2004, TAI), `now`, `capture` (when each was captured) or `generation` (when each says that
    /// it was made). What does not say so is judged now, which is noted.
    #[arg(long, value_name = "TIME", default_value = "now", value_parser = parse_at)]
    at: At,
    /// In which form a message has to give the r of its signature. A point, which can be told from
    /// every other, lets no bit of a message be changed; where any form will do, the same signature
    /// has two, and a message in the second is a replay of it in the first. Without the option each
    /// application's profile says: a point, but any form in Europe's (as ETSI TS 103 097 has it)
    /// and of revocation lists.
    #[arg(long, value_enum, value_name = "FORM")]
    nonce_form: Option<Form>,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// In which form r comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Any that can be verified.
    Any,
    /// A point: compressed, or with both coordinates.
    Point,
    /// The x-coordinate alone.
    XOnly,
}

/// What came out.
#[derive(Debug, Default, Serialize)]
struct Summary {
    inputs: usize,
    /// Frames of other traffic, which are no inputs.
    passed_over: usize,
    parsed: usize,
    signature_valid: usize,
    accepted: usize,
    verdicts: BTreeMap<&'static str, usize>,
    messages: Vec<Judgement>,
    /// What could not be read, by file, place, what is wrong and what can be done.
    errors: Vec<Unread>,
    /// What has to be known of how it was judged.
    warnings: Vec<String>,
}

impl Verify {
    /// Runs the command.
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut summary = Summary::default();
        let mut answer = self.run(&mut summary);
        if let Err(failure) = &answer
            && summary.errors.is_empty()
        {
            summary.errors = failure
                .lines()
                .iter()
                .map(|line| Unread::all(line))
                .collect();
        }
        for warning in &summary.warnings {
            eprintln!("note: {}", plain(warning));
        }
        if summary.inputs > 0 || self.format == Format::Json {
            // That nobody reads it is told rather than what could not be read.
            if let Err(failure) = self.print(&summary) {
                answer = Err(failure);
            }
        }
        answer
    }

    fn run(&self, summary: &mut Summary) -> Result<Answer, Failure> {
        let mut judge = self.judge(&mut summary.warnings)?;
        for path in &self.files {
            let read = records::each::<Unread>(path, |record| {
                // For people only the first ones are told.
                let is_told = self.format != Format::Table || summary.messages.len() <= TOLD;
                match judge.judge(&record) {
                    Some(judgement) => summary.take(judgement, is_told),
                    None => summary.passed_over += 1,
                }
                Ok(())
            });
            // What stands before the place where a file ends is told, and the other files are read.
            match read {
                Ok(note) => summary.warnings.extend(note),
                Err(unread) => summary.errors.push(unread),
            }
        }
        summary.warnings.extend(self.undated(judge.undated));
        if summary.inputs == 0 && summary.errors.is_empty() {
            return Err(Failure::new(format_args!(
                "the files have no message and no certificate{}",
                passed_over(summary.passed_over)
            )));
        }
        let failures = summary.errors.iter().map(ToString::to_string);
        Failure::if_any(failures.map(Failure::new).collect())?;
        Ok(match summary.accepted == summary.inputs {
            true => Answer::Yes,
            false => Answer::No,
        })
    }

    /// Says of what was judged at this moment that it was.
    fn undated(&self, count: usize) -> Option<String> {
        let what = match self.at {
            At::Capture => "captured",
            At::Generation => "made",
            At::Now | At::Time(_) => return None,
        };
        let are = match count {
            0 => return None,
            1 => "1 message does not say when it was".to_owned(),
            more => format!("{more} messages do not say when they were"),
        };
        Some(format!(
            "--at: {are} {what}, and judged at this moment instead; give a time"
        ))
    }

    /// Reads who is trusted.
    fn judge(&self, warnings: &mut Vec<String>) -> Result<Judge, Failure> {
        let mut profiles = Profiles::default();
        if let Some(form) = self.nonce_form {
            profiles = profiles.with_nonce_form(match form {
                Form::Any => NonceForm::Any,
                Form::Point => NonceForm::Point,
                Form::XOnly => NonceForm::XOnly,
            });
        }
        let mut verifier = Verifier::default().with_profiles(profiles);
        let trust = self.trust.as_deref();
        let trust = trust
            .map(|folder| Trust::load(folder, &mut verifier))
            .transpose()?
            .unwrap_or_default();
        let keys = self.signer_keys.as_deref().map(known_keys).transpose()?;
        warnings.extend(trust.warnings(TOLD));
        Ok(Judge {
            verifier,
            trust,
            keys: keys.unwrap_or_default(),
            at: self.at,
            undated: 0,
        })
    }

    fn print(&self, summary: &Summary) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        match self.format {
            Format::Json => print_json(&mut out, summary)?,
            Format::Csv => {
                rows(&summary.messages).print_csv(&mut out)?;
                if let Some(words) = passed_over(summary.passed_over).strip_prefix("; ") {
                    eprintln!("note: {words}");
                }
            }
            Format::Table => {
                if summary.inputs <= TOLD {
                    rows(&summary.messages).print(&mut out)?;
                } else {
                    counts(summary).print(&mut out)?;
                    let json = "each by itself: --format json";
                    writeln!(out, "\n{} inputs; {json}", summary.inputs)?;
                }
                writeln!(out, "\n{}", summary.words())?;
            }
        }
        Ok(())
    }
}

impl Summary {
    fn take(&mut self, judgement: Judgement, is_told: bool) {
        self.inputs += 1;
        self.parsed += usize::from(judgement.parsed);
        self.signature_valid += usize::from(judgement.signature_valid);
        self.accepted += usize::from(judgement.accepted);
        *self.verdicts.entry(judgement.verdict).or_default() += 1;
        if is_told {
            self.messages.push(judgement);
        }
    }

    fn words(&self) -> String {
        format!(
            "{} of {} read, {} with valid signatures, {} accepted{}",
            self.parsed,
            self.inputs,
            self.signature_valid,
            self.accepted,
            passed_over(self.passed_over)
        )
    }
}

/// Says how many frames were of other traffic, if any were.
pub(crate) fn passed_over(frames: usize) -> String {
    match frames {
        0 => String::new(),
        1 => "; passed over: 1 frame that is no V2X message".to_owned(),
        more => format!("; passed over: {more} frames that are no V2X message"),
    }
}

fn counts(summary: &Summary) -> Rows {
    let rows = summary.verdicts.iter();
    Rows {
        headers: vec!["verdict", "inputs"],
        rows: rows
            .map(|(name, count)| vec![(*name).to_owned(), count.to_string()])
            .collect(),
        numbers: 1..2,
    }
}

fn rows(messages: &[Judgement]) -> Rows {
    let cell = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let rows = messages.iter().map(|one| {
        let name = match &one.label {
            Some(label) => format!("{} {label}", one.input),
            None => one.input.clone(),
        };
        vec![
            plain(&name).into_owned(),
            one.kind.to_owned(),
            one.psid.map_or("-".to_owned(), |psid| psid.to_string()),
            cell(&one.signer),
            yes(one.signature_valid),
            one.verdict.to_owned(),
            plain(&cell(&one.reason)).into_owned(),
        ]
    });
    Rows {
        headers: vec![
            "input",
            "kind",
            "PSID",
            "signer",
            "signature",
            "verdict",
            "reason",
        ],
        rows: rows.collect(),
        numbers: 2..3,
    }
}
