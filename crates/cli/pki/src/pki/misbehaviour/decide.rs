//! `waywarden pki misbehaviour decide`: a folder of reports becomes decisions.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_pki_authorities::misbehaviour::{
    CountedReport, DecidedVehicle, Decisions, Policy, SubmittedReport, decide,
};
use waywarden_pki_authorities::{NewCrl, revoke};
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::validity;
use waywarden_v2x_input::time;
use waywarden_v2x_wire::ieee1609dot2::Duration;

use super::report_bytes;
use crate::pki::clock;
use crate::pki::crl::make_lists;

const EXAMPLES: &str = "\
Examples:
  waywarden pki misbehaviour decide us-pki reports --as ma              # decides, and changes nothing
  waywarden pki misbehaviour decide us-pki a.mbr b.mbr c.mbr --as ma --reporters 2 --messages 1
  waywarden pki misbehaviour decide us-pki reports --as ma --revoke --crl list.oer
  waywarden verify said.pcap --trust us-pki/trust --crl list.oer --crl list.linked.oer";

/// Maximum number of reports of one call.
const REPORTS_MAX: usize = 100_000;

/// Decide on misbehaviour reports to an authority of a PKI made with --us.
///
/// A vehicle is to be revoked if enough different vehicles report enough of its messages within a
/// window of time. Reporters are told apart by the linkage authorities: a vehicle with all its
/// pseudonyms is one reporter. A report counts nothing if its signature or that of an embedded
/// message is wrong, if a message contradicts an observation, or if it was counted before.
///
/// Folders are read whole, in the order of names. Nothing is kept between calls: give all reports
/// of the window. Without --revoke nothing is changed.
///
/// Exit code 0 if every report counts, 1 if one counts nothing, 2 if nothing was decided.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Decide {
    /// The folder of the PKI.
    dir: PathBuf,
    /// Files with a report, and folders with such files.
    #[arg(required = true, value_name = "FILE|DIR")]
    reports: Vec<PathBuf>,
    /// The name of the authority that reports are encrypted to: a certificate of the PKI with an
    /// encryption key.
    #[arg(long = "as", value_name = "NAME")]
    name: String,
    /// Number of different vehicles that have to report: 1 to 16.
    #[arg(long, default_value_t = Policy::default().reporters)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=16))]
    reporters: u8,
    /// Number of different messages that have to be reported: 1 to 8.
    #[arg(long, default_value_t = Policy::default().messages)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=8))]
    messages: u8,
    /// Time within which these messages were made: at most 30 days.
    #[arg(long, value_name = "DURATION", default_value = "24h")]
    #[arg(value_parser = validity::duration)]
    window: Duration,
    /// Revoke the vehicles that are decided on, as `pki revoke` does.
    #[arg(long)]
    revoke: bool,
    /// Make the revocation lists as `pki crl` does, in this file and beside it.
    #[arg(long, value_name = "FILE", requires = "revoke")]
    crl: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    token: TokenSource,
}

impl Decide {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let policy = Policy {
            reporters: self.reporters,
            messages: self.messages,
            window_us: self.window.microseconds(),
            ..Policy::default()
        };
        policy
            .check()
            .map_err(|error| Failure::new(format_args!("--window: {error}")))?;
        let reports = self.reports()?;
        let mut passphrases = Passphrases::new(&self.passphrase);
        let decisions = decide(
            &self.dir,
            &self.name,
            &reports,
            policy,
            clock::CLOCK,
            &mut passphrases,
        )?;
        print(&decisions)?;
        if self.revoke && !decisions.vehicles.is_empty() {
            self.revoke(&decisions.vehicles, &mut passphrases)?;
        }
        let all = decisions.reports.iter().all(|one| one.counted.is_ok());
        Ok(if all { Answer::Yes } else { Answer::No })
    }

    /// Reads all reports, those of a folder in the order of their names.
    fn reports(&self) -> Result<Vec<SubmittedReport>, Failure> {
        let mut paths = Vec::new();
        for path in &self.reports {
            match path.is_dir() {
                true => paths.extend(files_of(path)?),
                false => paths.push(path.clone()),
            }
        }
        if paths.len() > REPORTS_MAX {
            return Err(Failure::new(format_args!(
                "{} reports; give at most {REPORTS_MAX}",
                paths.len()
            )));
        }
        let read = paths.iter().map(|path| {
            Ok(SubmittedReport {
                name: path.display().to_string(),
                bytes: report_bytes(path)?,
            })
        });
        read.collect()
    }

    fn revoke(
        &self,
        vehicles: &[DecidedVehicle],
        passphrases: &mut Passphrases<'_>,
    ) -> Result<(), Failure> {
        let names: Vec<String> = vehicles.iter().map(|one| one.name.clone()).collect();
        let done = revoke(&self.dir, &names, clock::CLOCK)?;
        let mut out = super::super::stdout();
        for one in &done.revoked {
            writeln!(out, "{}, pseudonyms: revoked", plain(&one.name))?;
        }
        out.flush()?;
        let Some(output) = &self.crl else {
            messages::status("make the list that receivers need with `waywarden pki crl`");
            return Ok(());
        };
        let new = NewCrl {
            output: Some(output.clone()),
            seeds: None,
            is_delta: false,
            discard_later: false,
            next: Duration::Hours(24),
        };
        make_lists(&self.dir, (&new, output), passphrases, &self.token)
    }
}

/// Returns the files of a folder.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: &std::io::Error| Failure::file(folder.display(), error);
    let entries = std::fs::read_dir(folder).map_err(|error| failed(&error))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(&error))?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        let name = folder.display();
        return Err(Failure::new(format_args!(
            "{name}: has no file; make reports with `waywarden pki misbehaviour report`"
        )));
    }
    paths.sort();
    Ok(paths)
}

fn print(decisions: &Decisions) -> Result<(), Failure> {
    let mut out = super::super::stdout();
    for report in &decisions.reports {
        writeln!(out, "{}", line(report))?;
    }
    for vehicle in &decisions.vehicles {
        writeln!(
            out,
            "revoke {}: reported by {} ({}), {} messages from {} to {}",
            plain(&vehicle.name),
            count(vehicle.reporters.len(), "vehicle"),
            plain(&vehicle.reporters.join(", ")),
            vehicle.messages,
            time::show(vehicle.first),
            time::show(vehicle.last)
        )?;
    }
    if decisions.vehicles.is_empty() {
        writeln!(out, "no vehicle is to be revoked")?;
    }
    out.flush()?;
    Ok(())
}

fn line(report: &CountedReport) -> String {
    let name = plain(&report.report);
    let who = match (&report.reporter, &report.accused) {
        (Some(reporter), Some(accused)) => {
            format!("{} about {}: ", plain(reporter), plain(accused))
        }
        (Some(reporter), None) => format!("{}: ", plain(reporter)),
        _ => String::new(),
    };
    match &report.counted {
        Ok((reporters, messages)) => format!(
            "{name}: {who}counts; {} by {}",
            count(*messages, "message"),
            count(*reporters, "vehicle")
        ),
        Err(fault) => format!("{name}: {who}counts nothing: {fault}"),
    }
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
