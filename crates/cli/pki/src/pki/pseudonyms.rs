//! `waywarden pki pseudonyms`: batches of pseudonym certificates for vehicles.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use indicatif::ProgressBar;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::clock;

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::progress::ProgressLine;
use waywarden_command_line::progress::bar;
use waywarden_pki_authorities::Note;
use waywarden_pki_authorities::pseudonyms::{
    IssuedPseudonyms, NewPseudonyms, PER_WEEK_MAX, VEHICLES_MAX, WEEKS_MAX, issue,
};
use waywarden_pki_folder::index::name;
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  waywarden pki init us-pki --us --no-passphrase
  waywarden pki pseudonyms us-pki --for car                 # 20 a week, for a year
  waywarden pki pseudonyms us-pki --for fleet --vehicles 100 --weeks 52
  waywarden sign bsm.hex --lines --pki us-pki --as car --index 3 --psid BSM";

/// Issue pseudonym certificates in batches, by butterfly keys (IEEE 1609.2.1).
///
/// In a PKI made with --us. Each vehicle makes one request; the registration authority expands its
/// keys and mixes the requests of vehicles; both linkage authorities give prelinkage values; the
/// pseudonym CA issues implicit certificates and encrypts them to the vehicle. All of them run in
/// this command, one after the other, with messages between them as the standard has.
///
/// The vehicles' secrets and what is issued go to the database of the PKI, `pki.sqlite`, and marks
/// of how far each vehicle has certificates to `pseudonyms.marks`, which `pki restore` leaves as it
/// is.
/// A command
/// that was killed is given again: it issues what is missing. `waywarden sign --as NAME` opens the
/// certificate of the message's week.
///
/// Exit code 0 if all were issued, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Pseudonyms {
    /// The folder of the PKI.
    dir: PathBuf,
    /// Name of the vehicle in commands; of several NAME-1, NAME-2 and so on.
    #[arg(long = "for", value_name = "NAME", value_parser = name)]
    name: String,
    /// Number of weeks: 1 to 1000.
    #[arg(long, default_value_t = 52)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(WEEKS_MAX)))]
    weeks: u16,
    /// Number of certificates a week: 1 to 100.
    #[arg(long, default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=i64::from(PER_WEEK_MAX)))]
    per_week: u8,
    /// A time in the first week, such as 2026-03-01T12:00:00Z [default: now].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    start: Option<Time64>,
    /// Number of vehicles: 1 to 100000.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(VEHICLES_MAX)))]
    vehicles: Option<u32>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Progress of the command: a bar on a terminal, else a line a minute.
struct Steps {
    bar: ProgressBar,
    lines: ProgressLine,
    begun: Instant,
}

impl Steps {
    fn new(all: usize) -> Self {
        Self {
            bar: match messages::shows_progress() {
                true => bar(all as u64),
                false => ProgressBar::hidden(),
            },
            lines: ProgressLine::new("certificates", all),
            begun: Instant::now(),
        }
    }

    /// So many certificates are there.
    fn step(&mut self, done: usize) {
        self.bar.set_position(done as u64);
        self.bar.set_message(format!("{done} certificates"));
        let line = self.lines.line(self.begun.elapsed(), done);
        if let Some(line) = line.filter(|_| self.bar.is_hidden()) {
            messages::status(line);
        }
    }
}

impl Pseudonyms {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let new = NewPseudonyms {
            name: self.name.clone(),
            weeks: self.weeks,
            per_week: self.per_week,
            start: self.start,
            vehicles: self.vehicles,
        };
        let mut passphrases = Passphrases::new(&self.passphrase);
        let mut steps: Option<Steps> = None;
        let mut note = |note: Note| match note {
            Note::Progress { done: 0, all } => steps = Some(Steps::new(all)),
            Note::Progress { done, .. } => steps.iter_mut().for_each(|steps| steps.step(done)),
            other => super::print(&other),
        };
        let issued = issue(&self.dir, &new, clock::CLOCK, &mut passphrases, &mut note)?;
        let seconds = steps.map_or(0.0, |steps| {
            steps.bar.finish_and_clear();
            steps.begun.elapsed().as_secs_f64()
        });
        self.report(&issued, seconds)
    }

    fn report(&self, issued: &IssuedPseudonyms, seconds: f64) -> Result<Answer, Failure> {
        let mut out = super::stdout();
        let vehicles = match issued.vehicles.len() {
            1 => self.name.clone(),
            count => format!("{count} vehicles"),
        };
        writeln!(
            out,
            "{vehicles}: {} certificates, {} to {}; issued {} in {seconds:.1} s, {:.0} a second",
            issued.certificates,
            issued.first,
            issued.last,
            issued.issued,
            issued.issued as f64 / seconds.max(1e-9)
        )?;
        Ok(Answer::Yes)
    }
}
