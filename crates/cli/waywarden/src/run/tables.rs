//! The tables of a run as CSV.

use std::io::{self, Write};

use clap::builder::PossibleValue;
use waywarden_command_line::csv_table::print_table;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_report::tables::RunTable;

/// A table as an option names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TableChoice(pub(super) RunTable);

const CHOICES: [TableChoice; RunTable::ALL.len()] = {
    let mut choices = [TableChoice(RunTable::Streams); RunTable::ALL.len()];
    let mut at = 0;
    while at < choices.len() {
        choices[at] = TableChoice(RunTable::ALL[at]);
        at += 1;
    }
    choices
};

impl clap::ValueEnum for TableChoice {
    fn value_variants<'a>() -> &'a [Self] {
        &CHOICES
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.about()))
    }
}

impl TableChoice {
    /// Prints the table of a run.
    pub(super) fn print(self, out: &mut impl Write, report: &Report) -> io::Result<()> {
        print_table(out, &self.0.of(report)?)
    }
}
