//! `waywarden demo`: the main job on a built-in car, nothing to install, nothing to name.

use std::io::{self, Write};

use serde::Serialize;
use waywarden_can_sim::trace::Discard;
use waywarden_vehicle::lower::lower;
use waywarden_vehicle::report::Report;
use waywarden_vehicle::resources::Resources;

use crate::exit::{Answer, Failure};
use crate::run::{self, simulate};
use crate::table::{Format, Rows, print_json};

/// How many streams the table shows.
const MOST: usize = 12;

const COMPACT_CAR: (&str, &str) = (
    "examples/compact-car.toml",
    include_str!("../../../examples/compact-car.toml"),
);

const UNDER_ATTACK: (&str, &str) = (
    "examples/compact-car-attack.toml",
    include_str!("../../../examples/compact-car-attack.toml"),
);

/// Run the built-in compact car, first in peace and then under attack, and show what comes out.
///
/// Exit code 0 if the car in peace meets all its requirements.
#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Both runs, for programs.
#[derive(Serialize)]
struct Both {
    #[serde(flatten)]
    peace: Report,
    under_attack: Report,
}

impl Demo {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut out = io::stdout().lock();
        let peace = report(COMPACT_CAR)?;
        let met = peace.is_met();
        match self.format {
            Format::Table => {
                let (name, _) = COMPACT_CAR;
                writeln!(
                    out,
                    "{} buses, {} ECUs, {} streams. The same by hand: waywarden run {name}",
                    peace.buses.len(),
                    peace.ecus.len(),
                    peace.streams.len()
                )?;
                run::print(&mut out, &peace, Format::Table, MOST)?;
                under_attack(&mut out, &report(UNDER_ATTACK)?)?;
            }
            Format::Json => {
                print_json(
                    &mut out,
                    &Both {
                        peace,
                        under_attack: report(UNDER_ATTACK)?,
                    },
                )?;
            }
            Format::Csv => run::print(&mut out, &peace, Format::Csv, MOST)?,
        }
        Ok(if met { Answer::Yes } else { Answer::No })
    }
}

fn report((name, text): (&str, &str)) -> Result<Report, Failure> {
    let file = run::parse(name, text)?;
    let lowered = lower(&file, &Resources::default(), None).map_err(Failure::new)?;
    Ok(Report::new(
        &file,
        file.seed,
        &simulate(lowered, &mut Discard)?,
    ))
}

/// Shows what the attacks were and what they broke.
fn under_attack(out: &mut impl Write, report: &Report) -> Result<(), Failure> {
    let (name, _) = UNDER_ATTACK;
    writeln!(out, "\nThe same car under attack (waywarden run {name}):\n")?;
    Rows::of(&report.attacks).print(out)?;
    let off: Vec<&str> = report
        .ecus
        .iter()
        .filter(|row| row.worst_state == "bus-off")
        .map(|row| row.ecu.as_str())
        .collect();
    if !off.is_empty() {
        writeln!(out, "Driven off the bus: {}", off.join(", "))?;
    }
    let met = report
        .requirements
        .iter()
        .filter(|verdict| verdict.met)
        .count();
    writeln!(
        out,
        "Requirements met under attack: {met} of {}. For a picture: waywarden run {name} --html \
         report.html",
        report.requirements.len()
    )?;
    Ok(())
}
