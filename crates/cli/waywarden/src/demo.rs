//! `waywarden demo`: a built-in car under attack, the same car with SecOC, what SecOC costs, and
//! hostile messages of other vehicles.

mod figures;
mod outcomes;
mod payload;
mod road;
mod v2x;

use std::collections::BTreeSet;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_bound::without_security;
use waywarden_vehicle_report::report::{EcuRow, Report, StreamRow};
use waywarden_work::Duration;

use self::outcomes::AttackOutcome;
use self::v2x::V2x;
use crate::run::{self};
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::table::{OutputFormat, Rows};

use figures::{
    accepted, attacks, first_authentic, milliseconds, missed, percent, protected, report,
};

/// Number of protected messages in the latency table.
const LATENCIES: usize = 6;

/// Duration of a run without attackers: it contains one key change (every 10 s) and ten periods of
/// the slowest message (1 s).
const CALM: Duration = Duration::from_millis(10_000);

const UNPROTECTED: (&str, &str) = (
    "examples/compact-car-attack.toml",
    include_str!("../../../../examples/compact-car-attack.toml"),
);

const SECOC: (&str, &str) = (
    "examples/compact-car-secoc.toml",
    include_str!("../../../../examples/compact-car-secoc.toml"),
);

const NEXT: &str = "\
Next:
  waywarden run examples/compact-car-secoc.toml                  the second car, with every table
  waywarden run examples/compact-car-secoc.toml --html target/car.html
                                                                 the same as a page with pictures
  waywarden start-up examples/compact-car-protected.toml         how long cars wait after power-on
  waywarden compare examples/minimal.toml --keys none            one car under every authentication
  waywarden verify examples/v2x/messages.hex --trust examples/v2x/trust --at generation
                                                                 V2X messages of a file
  waywarden demo --full                                          all tables of the runs above";

/// Changes of the second vehicle file besides authentication, which also affect the figures.
const ROOM: &str = "\
To make room for the codes, StartPermission carries 4 bytes less, and 33 messages of powertrain and
chassis are CAN FD frames, which are faster: \"none, on CAN FD\" has the same frames without codes
and keys, so that the column beside it shows the cost of SecOC. Latency includes computing and
checking the codes, and load the agreement on their keys: examples/compact-car-protected.toml has a
new key every 10 s.";

/// Attack a built-in car as it is, attack it again with SecOC, show what SecOC costs, and verify
/// messages of other vehicles (V2X), hostile ones among them.
///
/// Exit code 0 if the car with SecOC accepts no forged message and meets all its requirements
/// while no attacker acts, and if the V2X receiver accepts the honest messages and no other.
#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Print every table of all four runs behind the summary.
    #[arg(long)]
    full: bool,
    /// The form of the figures. JSON has the four reports and what became of the V2X messages, CSV
    /// has the table of attacks.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// One car, with and without its attackers.
#[derive(Serialize, JsonSchema)]
struct Car {
    /// Without attackers.
    calm: Report,
    /// Under attack.
    attacked: Report,
}

/// The cars, and the messages of other vehicles.
#[derive(Serialize, JsonSchema)]
struct DemoReport {
    /// The car as it is.
    unprotected: Car,
    /// The same car with SecOC.
    secoc: Car,
    /// The car with SecOC without its codes and keys, and without attackers: the CAN FD frames that
    /// make room for codes are faster by themselves.
    same_frames: Report,
    /// Messages of other vehicles.
    v2x: V2x,
}

const DOCUMENT: DocumentFormat<DemoReport> =
    DocumentFormat::new("demo", 1, "waywarden demo --format json");

/// JSON Schema of `--format json`.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl Demo {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let report = DemoReport {
            unprotected: Car::run(UNPROTECTED)?,
            secoc: Car::run(SECOC)?,
            same_frames: same_frames(SECOC)?,
            v2x: V2x::run()?,
        };
        let mut out = io::stdout().lock();
        match self.format {
            OutputFormat::Table => {
                report.tell(&mut out)?;
                if self.full {
                    report.print_all(&mut out)?;
                }
            }
            OutputFormat::Json => DOCUMENT.print(&mut out, &report)?,
            OutputFormat::Csv => print_csv(&mut out, &report.outcomes())?,
        }
        Ok(match report.is_secure() {
            true => Answer::Yes,
            false => Answer::No,
        })
    }
}

/// Runs a car without its codes and keys, and without attackers.
fn same_frames((name, text): (&str, &str)) -> Result<Report, Failure> {
    let mut bare = without_security(&run::parse(name, text)?);
    bare.duration = CALM;
    report(&bare)
}

impl Car {
    fn run((name, text): (&str, &str)) -> Result<Self, Failure> {
        let attacked = run::parse(name, text)?;
        let mut calm = attacked.clone();
        calm.attackers.clear();
        calm.interferers.clear();
        calm.faults.clear();
        // Keys that protect nothing would distort the comparison of costs.
        if calm.authentications.is_empty() {
            calm.groups.clear();
        }
        calm.duration = CALM;
        Ok(Car {
            calm: report(&calm)?,
            attacked: report(&attacked)?,
        })
    }
}

impl DemoReport {
    fn is_secure(&self) -> bool {
        self.secoc.calm.is_met() && self.secoc.attacked.forgeries == 0 && self.v2x.is_secure()
    }

    fn tell(&self, out: &mut impl Write) -> Result<(), Failure> {
        let car = &self.unprotected.calm;
        writeln!(
            out,
            "A compact hybrid car, simulated to the bit: {} buses, {} ECUs, {} messages. \
             Seed {}.\n",
            car.buses.len(),
            car.ecus.len(),
            car.streams.len(),
            car.seed
        )?;
        self.attack(out)?;
        self.attack_with_secoc(out)?;
        self.count_cost(out)?;
        self.v2x.tell(out)?;
        writeln!(out, "{NEXT}")?;
        Ok(())
    }

    fn attack(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "1. The car as it is, under attack ({})\n",
            UNPROTECTED.0
        )?;
        let attacked = &self.unprotected.attacked;
        let rows = attacks(attacked)
            .map(|attack| vec![attack.name.clone(), attack.what.clone(), accepted(attack)]);
        let rows = Rows {
            headers: vec!["attack", "what it does", "forged messages accepted"],
            rows: rows.collect(),
            numbers: 0..0,
        };
        rows.print(out)?;
        let forgeries = attacked.forgeries;
        writeln!(out, "Receivers accepted {forgeries} forged messages.")?;
        let off = attacked
            .ecus
            .iter()
            .filter(|ecu| ecu.worst_state == "bus-off");
        let off: Vec<&str> = off.map(|ecu| ecu.ecu.as_str()).collect();
        if !off.is_empty() {
            writeln!(out, "Driven off the bus: {}.", off.join(", "))?;
        }
        writeln!(out)
    }

    fn attack_with_secoc(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "2. The same attacks on the car with SecOC ({})\n",
            SECOC.0
        )?;
        outcomes::rows(self.outcomes()).print(out)?;
        let attacked = &self.secoc.attacked;
        let checks = attacked.authentication.iter().flat_map(|one| &one.checks);
        let (mut bad, mut replayed, mut stale) = (0, 0, 0);
        for check in checks {
            bad += check.wrong_tag;
            replayed += check.replay;
            stale += check.out_of_step;
        }
        writeln!(
            out,
            "Receivers accepted {} forged messages. They refused {bad} frames with a wrong code, \
             {replayed} replayed",
            attacked.forgeries
        )?;
        writeln!(
            out,
            "ones, and {stale} while they had no freshness value yet."
        )?;
        writeln!(
            out,
            "Authentication refuses messages; it cannot deliver them. Requirements missed under \
             attack: {} as\nit is, {} with SecOC, where a refused message counts as late.\n",
            missed(&self.unprotected.attacked),
            missed(attacked)
        )
    }

    fn count_cost(&self, out: &mut impl Write) -> io::Result<()> {
        let (before, after) = (&self.unprotected.calm, &self.secoc.calm);
        let all = after.streams.len();
        let protected = protected(after);
        writeln!(
            out,
            "3. What SecOC costs, without attackers: {} of {all} messages protected\n",
            protected.len()
        )?;
        self.loads().print(out)?;
        self.latencies(&protected).print(out)?;
        let shown = LATENCIES.min(protected.len());
        writeln!(
            out,
            "(the {shown} protected messages nearest to their deadlines)\n{ROOM}"
        )?;
        let crypto = |a: &&EcuRow, b: &&EcuRow| a.crypto_load.total_cmp(&b.crypto_load);
        if let Some(ecu) = after.ecus.iter().max_by(crypto) {
            let share = percent(ecu.crypto_load);
            let board = &ecu.ecu;
            writeln!(
                out,
                "Computing codes and keys takes {share} of the processor of {board}, the busiest."
            )?;
        }
        writeln!(out, "{}", first_authentic(after))?;
        writeln!(
            out,
            "Requirements met: {} of {} as it is, {} of {} with SecOC.\n",
            before.requirements.len() - missed(before),
            before.requirements.len(),
            after.requirements.len() - missed(after),
            after.requirements.len()
        )
    }

    /// Returns the outcome of each attack on both cars.
    fn outcomes(&self) -> Vec<AttackOutcome> {
        outcomes::of(&self.unprotected.attacked, &self.secoc.attacked)
    }

    fn loads(&self) -> Rows {
        let before = self.unprotected.calm.buses.iter();
        let frames = self.same_frames.buses.iter();
        let buses = before.zip(frames).zip(&self.secoc.calm.buses);
        let rows = buses.map(|((before, frames), after)| {
            vec![
                before.bus.clone(),
                percent(before.load),
                percent(frames.load),
                percent(after.load),
                percent(before.peak_load),
                percent(frames.peak_load),
                percent(after.peak_load),
            ]
        });
        Rows {
            headers: vec![
                "bus",
                "load as it is",
                "none, on CAN FD",
                "with SecOC",
                "busiest 100 ms as it is",
                "none, on CAN FD",
                "with SecOC",
            ],
            rows: rows.collect(),
            numbers: 1..7,
        }
    }

    fn latencies(&self, protected: &BTreeSet<&str>) -> Rows {
        let after = &self.secoc.calm.streams;
        let mut shown: Vec<&StreamRow> = after
            .iter()
            .filter(|row| protected.contains(row.stream.as_str()))
            .collect();
        shown.sort_by(|a, b| run::print::strain(b).total_cmp(&run::print::strain(a)));
        let rows = shown.into_iter().take(LATENCIES).map(|row| {
            let mut before = self.unprotected.calm.streams.iter();
            let before = before.find(|before| before.stream == row.stream);
            vec![
                row.stream.clone(),
                format!("{:.3}", row.deadline_ms),
                milliseconds(before.and_then(|row| row.mean_ms)),
                milliseconds(row.mean_ms),
                milliseconds(before.and_then(|row| row.worst_ms)),
                milliseconds(row.worst_ms),
            ]
        });
        Rows {
            headers: vec![
                "message",
                "deadline ms",
                "mean ms as is",
                "with SecOC",
                "worst ms as is",
                "with SecOC",
            ],
            rows: rows.collect(),
            numbers: 1..6,
        }
    }

    fn print_all(&self, out: &mut impl Write) -> Result<(), Failure> {
        let runs = [
            (
                "The car as it is, without attackers",
                &self.unprotected.calm,
            ),
            ("The car as it is, under attack", &self.unprotected.attacked),
            ("The car with SecOC, without attackers", &self.secoc.calm),
            ("The car with SecOC, under attack", &self.secoc.attacked),
        ];
        for (title, report) in runs {
            writeln!(out, "\n{title}\n")?;
            run::print::print(out, report, usize::MAX)?;
        }
        Ok(self.v2x.print_all(out)?)
    }
}
