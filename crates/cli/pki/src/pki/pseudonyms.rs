//! `waywarden pki pseudonyms`: batches of pseudonym certificates for vehicles.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use indicatif::ProgressBar;
use waywarden_v2x_pki::pseudonym::{CertificatePosition, Period};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::clock;

use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::progress::ProgressLine;
use waywarden_command_line::progress::bar;
use waywarden_pki_authorities::pseudonyms::{Authorities, PER_WEEK_MAX, Weeks};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, name};
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::pseudonyms::vehicle::RequestingVehicle;
use waywarden_v2x_input::time;

/// Certificates that are recorded together: what a killed command does again at most.
const TOGETHER: usize = 400;

/// The most vehicles of one command.
const VEHICLES_MAX: i64 = 100_000;

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
    #[arg(long, default_value_t = 52, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    weeks: u16,
    /// Number of certificates a week: 1 to 100.
    #[arg(long, default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=i64::from(PER_WEEK_MAX)))]
    per_week: u8,
    /// A time in the first week, such as 2026-03-01T12:00:00Z [default: now].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    start: Option<Time64>,
    /// Number of vehicles: 1 to 100000.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=VEHICLES_MAX))]
    vehicles: Option<u32>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Progress of the command: a bar on a terminal, else a line a minute.
struct Steps {
    bar: ProgressBar,
    lines: ProgressLine,
    begun: Instant,
    done: usize,
    issued: usize,
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
            done: 0,
            issued: 0,
        }
    }

    /// `all` more certificates are there, of which `issued` were issued now.
    fn step(&mut self, all: usize, issued: usize) {
        self.done += all;
        self.issued += issued;
        self.bar.set_position(self.done as u64);
        self.bar.set_message(format!("{} certificates", self.done));
        let line = self.lines.line(self.begun.elapsed(), self.done);
        if let Some(line) = line.filter(|_| self.bar.is_hidden()) {
            messages::status(line);
        }
    }
}

impl Pseudonyms {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let now = clock::now();
        let first = Period::at(self.start.unwrap_or(now));
        let first = first.filter(|first| first.0 <= Period::LAST.0 - self.weeks);
        let first = first.ok_or_else(|| {
            Failure::new("--start, --weeks: certificates end before 2140; give earlier weeks")
        })?;
        let names = self.names(&directory)?;
        // Before anything is written: the name of a vehicle without certificates would be taken.
        let weeks = Weeks {
            first,
            count: self.weeks,
        };
        weeks.check(&directory, &names)?;
        let mut passphrases = Passphrases::new(&self.passphrase);
        let mut authorities = Authorities::load(&directory, &mut passphrases, now)?;
        let each = usize::from(self.weeks) * usize::from(self.per_week);
        let mut steps = Steps::new(names.len() * each);
        // The more vehicles are mixed, the better; so many as one transaction takes.
        let group = (TOGETHER / usize::from(self.per_week)).max(1);
        for names in names.chunks(group) {
            let vehicles = names.iter().map(|name| authorities.vehicle(name, first));
            let vehicles = vehicles.collect::<Result<Vec<RequestingVehicle>, Failure>>()?;
            let last = CertificatePosition {
                i: Period(first.0 + self.weeks - 1),
                j: self.per_week - 1,
            };
            authorities.mark(names, &vehicles, last)?;
            for week in 0..self.weeks {
                let i = Period(first.0 + week);
                let issued = authorities.issue(&vehicles, i, self.per_week)?;
                steps.step(vehicles.len() * usize::from(self.per_week), issued);
            }
            authorities.forget(&vehicles);
        }
        steps.bar.finish_and_clear();
        self.report(&steps, names.len(), first)?;
        Ok(Answer::Yes)
    }

    fn report(&self, steps: &Steps, vehicles: usize, first: Period) -> Result<(), Failure> {
        let mut out = super::stdout();
        let last = CertificatePosition {
            i: Period(first.0 + self.weeks - 1),
            j: self.per_week - 1,
        };
        let first = CertificatePosition { i: first, j: 0 };
        let vehicles = match vehicles {
            1 => self.name.clone(),
            count => format!("{count} vehicles"),
        };
        let seconds = steps.begun.elapsed().as_secs_f64();
        writeln!(
            out,
            "{vehicles}: {} certificates, {first} to {last}; issued {} in {seconds:.1} s, {:.0} a \
             second",
            steps.done,
            steps.issued,
            steps.issued as f64 / seconds.max(1e-9)
        )?;
        Ok(())
    }

    /// The names of the vehicles, which are no names of other holders.
    fn names(&self, directory: &PkiDirectory) -> Result<Vec<String>, Failure> {
        if directory.index.shape != CertificateShape::Us {
            return Err(Failure::new(format_args!(
                "{}: pseudonyms by butterfly keys are of a PKI made with `pki init --us`",
                directory.path.display()
            )));
        }
        let names: Vec<String> = match self.vehicles {
            None => vec![self.name.clone()],
            Some(count) => {
                let names = (1..=count).map(|number| format!("{}-{number}", self.name));
                names.collect()
            }
        };
        if let Some(revoked) = names
            .iter()
            .find(|one| directory.index.has_revoked_vehicle(one))
        {
            return Err(Failure::new(format_args!(
                "--for {revoked}: its pseudonyms are revoked; give another name"
            )));
        }
        let other = names.iter().find_map(|name| directory.index.find(name));
        match other {
            None => Ok(names),
            Some(other) => Err(Failure::new(format_args!(
                "--for {}: is the name of {} {}; give another name",
                other.name,
                other.role.show(directory.index.shape),
                other.id
            ))),
        }
    }
}
