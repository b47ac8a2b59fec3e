//! Logs are protected and checked without files: the restored messages, the effects of an
//! attacker's changes, and the refusals.

mod counters;
mod cryptographic;
mod j1939;
mod plans;
mod recordings;
mod refused;
mod verdicts;

use std::num::NonZeroU32;
use std::sync::Arc;

use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth_log::{
    AuthenticationPlan, CheckSummary, CheckedRecord, LogChecker, LogProtector, LogSurvey,
    ProtectLogError,
};
use waywarden_can_log::{Channels, Record};
use waywarden_vehicle_file::{AuthenticationFile, KeySource};

const KEY: &str = "key = \"00112233445566778899aabbccddeeff\"\n";

/// A log in memory.
struct Log {
    channels: Channels,
    records: Vec<Record>,
}

impl Log {
    /// Reads a candump log.
    fn new(text: &str) -> Self {
        let mut reader = waywarden_can_log::open(text.as_bytes()).unwrap();
        let records = reader.by_ref().collect::<Result<_, _>>().unwrap();
        let channels = reader.channels().clone();
        Log { channels, records }
    }

    /// Ten messages 0x280, 10 ms apart.
    fn short() -> Self {
        let line = |at: usize| format!("(1.{:06}) can0 280#00112233445566{at:02X}\n", 10_000 * at);
        Log::new(&(0..10).map(line).collect::<String>())
    }

    fn protected(&self, plan: &Arc<AuthenticationPlan>) -> Result<Log, ProtectLogError> {
        let mut protector = LogProtector::new(plan.clone());
        let (channels, mut records) = (self.channels.clone(), Vec::new());
        for record in &self.records {
            protector.protect(record, &channels, &mut records)?;
        }
        Ok(Log { channels, records })
    }

    /// Checks it as it comes.
    fn checked(&self, plan: &Arc<AuthenticationPlan>) -> (Vec<CheckedRecord>, CheckSummary) {
        self.checked_by(LogChecker::new(plan.clone()))
    }

    /// Checks it with hindsight, in two passes.
    fn reviewed(&self, plan: &Arc<AuthenticationPlan>) -> (Vec<CheckedRecord>, CheckSummary) {
        let mut survey = LogSurvey::new(plan.clone());
        for record in &self.records {
            survey.look(record, &self.channels).unwrap();
        }
        self.checked_by(LogChecker::with_hindsight(plan.clone(), survey.finish()))
    }

    fn checked_by(&self, mut checker: LogChecker) -> (Vec<CheckedRecord>, CheckSummary) {
        let mut checked = Vec::new();
        for record in &self.records {
            checker.check(record, &self.channels, &mut checked).unwrap();
        }
        let summary = checker.finish(&mut checked);
        (checked, summary)
    }
}

/// The plan of one table.
fn plan(table: &str) -> Arc<AuthenticationPlan> {
    plan_of(table, 1, false)
}

fn plan_of(table: &str, epoch: u32, fd: bool) -> Arc<AuthenticationPlan> {
    Arc::new(stand_alone(table, epoch, fd))
}

fn stand_alone(table: &str, epoch: u32, fd: bool) -> AuthenticationPlan {
    let text = format!("[[authentication]]\n{table}\n{KEY}");
    let file = AuthenticationFile::parse("auth.toml", &text, None).unwrap();
    with_tables(&file, epoch, fd)
}

fn plan_of_file(file: &AuthenticationFile, epoch: u32, fd: bool) -> Arc<AuthenticationPlan> {
    Arc::new(with_tables(file, epoch, fd))
}

fn with_tables(file: &AuthenticationFile, epoch: u32, fd: bool) -> AuthenticationPlan {
    let mut plan = AuthenticationPlan::new(NonZeroU32::new(epoch).unwrap());
    for table in &file.tables {
        let KeySource::Bytes(key) = table.key else {
            panic!("a key file");
        };
        let added = plan.add_table(file, table, MacKey::from_bytes(key), fd);
        added.unwrap();
    }
    plan
}

/// The messages as they were.
fn plain(checked: &[CheckedRecord]) -> Vec<Record> {
    checked.iter().filter_map(|one| one.plain).collect()
}
