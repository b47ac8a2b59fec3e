//! Output in the form the user asks for: a table for people, CSV and JSON for programs.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ContentArrangement, Table};

/// The form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

/// A table: headers, and rows whose cells are already text.
pub struct Rows<H = &'static str> {
    /// What stands above the columns.
    pub headers: Vec<H>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// The columns that are aligned to the right.
    pub numbers: Range<usize>,
}

impl Rows {
    /// Prints as CSV.
    pub fn print_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(&self.headers)?;
        for row in &self.rows {
            writer.write_record(row)?;
        }
        writer.flush()
    }
}

impl<H: fmt::Display> Rows<H> {
    /// Prints for people.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(&self.headers);
        for row in &self.rows {
            table.add_row(row);
        }
        for (at, column) in table.column_iter_mut().enumerate() {
            if self.numbers.contains(&at) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        writeln!(out, "{table}")
    }
}
