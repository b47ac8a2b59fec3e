//! `waywarden demo`: the main job on a built-in car, nothing to install, nothing to name.

use std::io::{self, Write};

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle::lower::lower;
use waywarden_vehicle::report::Report;
use waywarden_vehicle::resources::Resources;

use crate::exit::{Answer, Failure};
use crate::run::{self, simulate};
use crate::table::Format;

/// How many streams the table shows.
const MOST: usize = 15;

const COMPACT_CAR: (&str, &str) = (
    "examples/compact-car.toml",
    include_str!("../../../examples/compact-car.toml"),
);

/// Run the built-in compact car and show what comes out.
#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Demo {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut out = io::stdout().lock();
        let (name, text) = COMPACT_CAR;
        let file = run::parse(name, text)?;
        if self.format == Format::Table {
            writeln!(
                out,
                "{}: {} buses, {} ECUs, {} streams. The same by hand: waywarden run {name}\n",
                file.name,
                file.buses.len(),
                file.ecus.len(),
                file.streams.len()
            )?;
        }
        let lowered = lower(&file, &Resources::default(), None).map_err(Failure::new)?;
        let report = Report::new(&file, file.seed, &simulate(lowered, &mut Discard)?);
        run::print(&mut out, &report, self.format, MOST)?;
        Ok(if report.is_met() {
            Answer::Yes
        } else {
            Answer::No
        })
    }
}
