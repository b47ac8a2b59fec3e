//! `waywarden misbehaviour`: the detector of false claims on recorded messages.

mod log;
mod score;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::table::{OutputFormat, Rows};
use waywarden_command_line::terminal::plain;
use waywarden_command_line::{answers, files};
use waywarden_v2x_misbehaviour::{Detector, MisbehaviourClass, RoadMap, SenderId, Thresholds};

use self::log::LoggedMessage;
use self::score::{Confusion, Share};

const EXAMPLES: &str = "\
Examples:
  waywarden misbehaviour examples/v2x/misbehaviour/zero-speed.json
  waywarden misbehaviour logs/*.json --format json
  waywarden misbehaviour constantPositionOffset dosAttack   # folders: one row each";

/// Bytes of the longest log.
const LOG_MAX: usize = 1 << 30;
/// Lines that are named of a file with wrong objects.
const NAMED_MAX: usize = 5;

/// Detect senders whose messages make false claims, in recorded messages.
///
/// A log has the messages that one vehicle received: JSON objects, in an array or one after
/// another, as the data sets of VeReMi NextGen have them, with times in nanoseconds:
/// {"rcvTime", "sendTime", "sender_id", "receiver": {"pos": "x,y,z"}, "sender": {"pos": "x,y,z",
/// "spd", "acl", "hed"}}. Optional are `attacker` (1 or 0, the truth) and `distance_to_road_edge`
/// of the sender, in metres inside of the road. Uncertainties in a log (`pos_noise`) are not used.
///
/// With the truth, the answer has precision, recall and F1, each with the interval of 95 %
/// confidence by a bootstrap over senders, the share of honest messages that are suspicious, and
/// the median time from an attacker's first lie to its first suspicious message.
///
/// Exit code 0 if all was read and nothing is suspicious, 1 if a message is, 2 if a file or an
/// object in it cannot be read; the others are judged still.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MisbehaviourCommand {
    /// Logs, or folders with logs (*.json) that are one row of the answer.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The number of senders that the detector remembers.
    #[arg(long, value_name = "COUNT", default_value_t = 1024)]
    senders: usize,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

const DOCUMENT: DocumentFormat<Listed<Row>> = DocumentFormat::new(
    "misbehaviour",
    1,
    "waywarden misbehaviour FILE --format json",
);

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

/// The verdicts on one log or folder.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    /// Name of the file or folder.
    name: String,
    /// Messages that were judged.
    messages: u64,
    /// Suspicious messages.
    suspicious: u64,
    /// Messages with a finding, by class.
    findings: BTreeMap<&'static str, u64>,
    /// Comparison with the truth, if the log has it for all messages.
    truth: Option<Truth>,
}

/// Comparison with the truth.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Truth {
    /// Messages with a lie.
    attacks: u64,
    /// Share of the suspicious messages that have a lie.
    precision: Share,
    /// Share of the messages with a lie that are suspicious.
    recall: Share,
    /// Harmonic mean of precision and recall.
    f1: Share,
    /// Share of the messages without a lie that are suspicious.
    false_alarms: Share,
    /// Senders with a lie.
    attackers: u64,
    /// Senders with a lie that became suspicious from then on.
    attackers_found: u64,
    /// Median time from the first lie to the first suspicious message, of those found.
    seconds_to_decision: Option<f64>,
}

/// The distance that a log states, in place of a map.
struct Stated(Option<f64>);

impl RoadMap for Stated {
    fn off_road_m(&self, _: f64, _: f64) -> Option<f64> {
        self.0
    }
}

/// Verdicts on the logs of one row.
#[derive(Default)]
struct Judged {
    senders: BTreeMap<(usize, String), Confusion>,
    findings: BTreeMap<&'static str, u64>,
    /// Time of the first lie, and of the first suspicious message since.
    decisions: BTreeMap<(usize, String), (u64, Option<u64>)>,
    unlabelled: bool,
    wrong: Vec<Failure>,
}

impl MisbehaviourCommand {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`] for files and objects that cannot be read, after the answer on the others.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let mut out = answers::out();
        let (mut rows, mut failures) = (Vec::new(), Vec::new());
        for path in &self.files {
            let mut judged = Judged::default();
            match logs(path) {
                Ok(logs) => logs.iter().enumerate().for_each(|(at, log)| {
                    if let Err(failure) = judged.read(at, log, self.senders) {
                        judged.wrong.push(failure);
                    }
                }),
                Err(failure) => judged.wrong.push(failure),
            }
            failures.append(&mut judged.wrong);
            if !judged.senders.is_empty() {
                rows.push(judged.row(path));
            }
        }
        let any = rows.iter().any(|row| row.suspicious > 0);
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &Listed::new(rows))?,
            OutputFormat::Csv => table(&rows).print_csv(&mut out)?,
            OutputFormat::Table if rows.is_empty() => {}
            OutputFormat::Table => table(&rows).print(&mut out)?,
        }
        out.flush()?;
        Failure::if_any(failures)?;
        Ok(if any { Answer::No } else { Answer::Yes })
    }
}

/// Lists the logs of an argument: itself, or those in the folder, by name.
fn logs(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = |error| Failure::file(path.display(), &error);
    let mut found = Vec::new();
    for entry in path.read_dir().map_err(failed)? {
        let log = entry.map_err(failed)?.path();
        if log.extension().is_some_and(|extension| extension == "json") {
            found.push(log);
        }
    }
    if found.is_empty() {
        let place = path.display();
        return Err(Failure::new(format_args!(
            "{place}: the folder has no log (*.json)"
        )));
    }
    found.sort();
    Ok(found)
}

impl Judged {
    /// Judges a log with a detector of its own: it is another observer.
    fn read(&mut self, log: usize, path: &Path, senders_most: usize) -> Result<(), Failure> {
        let bytes = files::bytes(path, LOG_MAX)?;
        let text = String::from_utf8_lossy(&bytes);
        let objects = log::objects(&text);
        let place = path.display();
        if objects.is_empty() {
            return Err(Failure::new(format_args!(
                "{place}: no message: a log has JSON objects with rcvTime, sendTime, sender_id, \
                 receiver and sender"
            )));
        }
        let mut detector = Detector::new(Thresholds::STANDARD, senders_most);
        let mut wrong = Vec::new();
        for (line, object) in objects {
            match LoggedMessage::of_json(object) {
                Ok((message, observed)) => self.judge(log, &mut detector, message, &observed),
                Err(why) => wrong.push(format!("{place}:{line}: {}", plain(&why))),
            }
        }
        let more = wrong.len().saturating_sub(NAMED_MAX);
        wrong.truncate(NAMED_MAX);
        if more > 0 {
            wrong.push(format!("{place}: {more} more objects are wrong"));
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(Failure::all(wrong))
        }
    }

    fn judge(
        &mut self,
        log: usize,
        detector: &mut Detector,
        message: LoggedMessage,
        observed: &log::ObservedMessage,
    ) {
        let mut hasher = DefaultHasher::new();
        message.sender.hash(&mut hasher);
        let id = SenderId(hasher.finish());
        let (observer, claim) = (&observed.observer, &observed.claim);
        let map = Stated(observed.off_road_m);
        let findings = detector.observe_with_map(observer, id, claim, &map);
        for finding in findings.iter() {
            *self.findings.entry(finding.class.label()).or_default() += 1;
        }
        self.unlabelled |= message.attacker.is_none();
        let lies = message.attacker.is_some_and(|label| label != 0);
        let suspicious = findings.is_suspicious();
        let key = (log, message.sender);
        if lies {
            let first = (claim.received_us, None);
            self.decisions.entry(key.clone()).or_insert(first);
        }
        if suspicious && let Some((_, decided)) = self.decisions.get_mut(&key) {
            decided.get_or_insert(claim.received_us);
        }
        self.senders.entry(key).or_default().count(lies, suspicious);
    }

    fn row(self, path: &Path) -> Row {
        let all = Confusion::of(self.senders.values());
        let attacks = all.true_positives + all.false_negatives;
        let mut waits: Vec<u64> = self
            .decisions
            .values()
            .filter_map(|(lied, decided)| Some((*decided)?.saturating_sub(*lied)))
            .collect();
        waits.sort_unstable();
        let truth = (!self.unlabelled).then(|| Truth {
            attacks,
            precision: score::share(&self.senders, Confusion::precision),
            recall: score::share(&self.senders, Confusion::recall),
            f1: score::share(&self.senders, Confusion::f1),
            false_alarms: score::share(&self.senders, Confusion::false_alarms),
            attackers: self.decisions.len() as u64,
            attackers_found: waits.len() as u64,
            seconds_to_decision: waits.get(waits.len() / 2).map(|wait| *wait as f64 * 1e-6),
        });
        Row {
            name: path.display().to_string(),
            messages: attacks + all.false_positives + all.true_negatives,
            suspicious: all.true_positives + all.false_positives,
            findings: self.findings,
            truth,
        }
    }
}

fn table(rows: &[Row]) -> Rows {
    let share = |share: &Share| format!("{:.3} ({:.3}-{:.3})", share.value, share.low, share.high);
    let cells = |row: &Row| {
        let mut cells = vec![
            plain(&row.name).to_string(),
            row.messages.to_string(),
            row.suspicious.to_string(),
        ];
        match &row.truth {
            Some(truth) => cells.extend([
                truth.attacks.to_string(),
                share(&truth.precision),
                share(&truth.recall),
                share(&truth.f1),
                share(&truth.false_alarms),
                format!("{}/{}", truth.attackers_found, truth.attackers),
                truth
                    .seconds_to_decision
                    .map_or_else(String::new, |s| format!("{s:.1}")),
            ]),
            None => cells.extend([const { String::new() }; 7]),
        }
        let by_class = MisbehaviourClass::ALL.iter().filter_map(|class| {
            let count = row.findings.get(class.label())?;
            Some(format!("{} {count}", class.label()))
        });
        cells.push(by_class.collect::<Vec<_>>().join(", "));
        cells
    };
    Rows {
        headers: vec![
            "log",
            "messages",
            "suspicious",
            "attacks",
            "precision (95 %)",
            "recall (95 %)",
            "F1 (95 %)",
            "false alarms (95 %)",
            "attackers found",
            "s to decision",
            "findings",
        ],
        rows: rows.iter().map(cells).collect(),
        numbers: 1..10,
    }
}
