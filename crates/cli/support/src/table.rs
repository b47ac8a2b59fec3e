//! Output in the form the user asks for: a table for people, CSV and JSON for programs.

mod fold;

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use comfy_table::presets::{UTF8_FULL, UTF8_FULL_CONDENSED};
use comfy_table::{CellAlignment, ContentArrangement, Table};

use self::fold::{Part, fold, wrap};
use crate::exit::Failure;
use crate::places::is_standard;

/// The form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OutputFormat {
    /// For people.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// Comma-separated values with a header.
    Csv,
}

impl OutputFormat {
    /// Refuses a document for programs where a file takes standard output: one of the two would be
    /// lost, or both would be mixed. The tables for people are left out there.
    ///
    /// # Errors
    /// With both options named, if `file` stands for standard output.
    pub fn beside(self, option: &str, file: Option<&Path>) -> Result<(), Failure> {
        let form = match self {
            OutputFormat::Table => return Ok(()),
            OutputFormat::Json => "json",
            OutputFormat::Csv => "csv",
        };
        match file.filter(|file| is_standard(file)) {
            None => Ok(()),
            Some(file) => Err(Failure::new(format_args!(
                "--format {form} and {option} {} are both for standard output; give {option} the \
                 name of a file, or leave out --format {form}",
                file.display()
            ))),
        }
    }
}

/// A table: headers, and rows whose cells are already text.
pub struct Rows<H = &'static str> {
    /// Headers of the columns.
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
    /// Prints for people: as one table of at most 100 letters, or as several below each other that
    /// begin with the columns that tell the rows apart.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let headers: Vec<String> = self.headers.iter().map(ToString::to_string).collect();
        let Some(parts) = fold(&headers, &self.rows, &self.numbers) else {
            let numbers = |at| self.numbers.contains(&at);
            return print_part(out, &headers, &self.rows, numbers);
        };
        for Part { columns, widths } in parts {
            let places = || columns.iter().zip(&widths);
            let wrapped = |cells: &[String]| -> Vec<String> {
                let cell = |at: usize| cells.get(at).map_or("", String::as_str);
                places()
                    .map(|(at, width)| wrap(cell(*at), *width))
                    .collect()
            };
            let rows: Vec<Vec<String>> = self.rows.iter().map(|row| wrapped(row)).collect();
            let numbers = |at: usize| self.numbers.contains(&columns[at]);
            print_part(out, &wrapped(&headers), &rows, numbers)?;
        }
        Ok(())
    }
}

fn print_part(
    out: &mut impl Write,
    headers: &[String],
    rows: &[Vec<String>],
    is_number: impl Fn(usize) -> bool,
) -> io::Result<()> {
    let mut table = Table::new();
    // Lines between the rows, where a row has more than one.
    let breaks = rows.iter().flatten().any(|cell| cell.contains('\n'));
    table.load_style(if breaks {
        UTF8_FULL
    } else {
        UTF8_FULL_CONDENSED
    });
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headers);
    for row in rows {
        table.add_row(row);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        if is_number(at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{table}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names as message matrices of cars have them, of up to 64 letters.
    const NAMES: [&str; 4] = [
        "Motor_Diesel_MQB_Drehmomentanforderung_Getriebe_Koordinator_0001",
        "ESP_21",
        "CAN_FD_Dashboard_Display_Interface_Secondary_Controller_Message",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKL",
    ];

    #[test]
    fn tables_with_long_names_fit_100_columns() {
        let headers = [
            "stream",
            "id",
            "sender",
            "bus",
            "requested",
            "worst ms",
            "deadline ms",
        ];
        let row = |name: &str| -> Vec<String> {
            let cells = [
                name, "0x1A0", NAMES[0], NAMES[2], "3196", "0.597", "1000.000",
            ];
            cells.map(str::to_owned).to_vec()
        };
        let rows = Rows {
            headers: headers.to_vec(),
            rows: NAMES.iter().map(|name| row(name)).collect(),
            numbers: 4..7,
        };
        let mut text = Vec::new();
        rows.print(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{text}");
        for word in ["deadline", "1000.000", "Koordinator_0001", "Message"] {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
}
