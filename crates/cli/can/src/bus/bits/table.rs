//! A table of frames, counted and compared with the answers it brings.

use std::io::{self, Write};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waywarden_can::bits::{FdVariant, expand, frame_length};
use waywarden_can::{FdFlags, Frame, Id};

use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::table::OutputFormat;

use waywarden_vehicle_report::bus_bits::hexadecimal;

/// Maximum number of mismatches that are shown one by one.
const SHOWN_MAX: usize = 20;

/// A row as the file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: String,
    ext: u8,
    id: String,
    #[serde(default)]
    brs: u8,
    #[serde(default)]
    esi: u8,
    #[serde(default)]
    data: String,
    nominal_bits: Option<u16>,
    data_bits: Option<u16>,
    dynamic_stuff_bits: Option<u16>,
    crc: Option<String>,
}

/// The outcome for programs.
#[derive(Debug, Serialize, JsonSchema)]
struct Checked {
    /// Number of frames in the table.
    rows: usize,
    /// Number of values in answer columns, for comparison.
    answers: usize,
    /// Number of values that differ from the counted ones.
    mismatches: usize,
}

const DOCUMENT: DocumentFormat<Checked> = DocumentFormat::new(
    "bus-bits-table",
    1,
    "waywarden bus bits --csv FILE --format json",
);

/// The schema of what programs read.
pub(super) const SCHEMA: DocumentSchema = DOCUMENT.schema();

/// A frame that was counted, for programs.
#[derive(Debug, Serialize, JsonSchema)]
struct CountedRow {
    /// The frame, as candump writes it.
    frame: String,
    /// Bits at the nominal rate.
    nominal_bits: u16,
    /// Bits at the data rate.
    data_bits: u16,
    /// Stuff bits of the part with dynamic stuffing.
    dynamic_stuff_bits: u16,
    /// The CRC in hexadecimal.
    crc: String,
}

/// Counts every row and compares it with its answers.
pub(super) fn check(path: &Path, format: OutputFormat) -> Result<Answer, Failure> {
    let text = files::text(path)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let at = |line: u64| format!("{}:{line}", path.display());
    let (mut counted, mut wrong) = (Vec::new(), Vec::new());
    let (mut rows, mut answers) = (0, 0);
    for row in reader.deserialize::<Row>() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            Failure::new(format_args!("{}: {error}", at(line)))
        })?;
        rows += 1;
        let line = rows as u64 + 1;
        let (frame, variant) = row
            .frame()
            .map_err(|why| Failure::new(format_args!("{}: {why}", at(line))))?;
        let ours = Counted::of(&frame, variant);
        answers += row.answers();
        if let Some(why) = row.differs(&ours) {
            wrong.push(format!("{}: {frame}: {why}", at(line)));
        }
        counted.push((frame, ours));
    }
    if rows == 0 {
        let path = path.display();
        return Err(Failure::new(format_args!(
            "{path}: has no row; below the header each row is a frame"
        )));
    }
    // To print the counts needs no answers; a comparison without any would find nothing wrong.
    if answers == 0 && format != OutputFormat::Csv {
        return Err(Failure::new(format_args!(
            "{}: has no answers to compare with; add a column nominal_bits, data_bits, \
             dynamic_stuff_bits or crc, or print the counts with --format csv",
            path.display()
        )));
    }
    let checked = Checked {
        rows,
        answers,
        mismatches: wrong.len(),
    };
    let mut out = io::stdout().lock();
    match format {
        OutputFormat::Json => DOCUMENT.print(&mut out, &checked)?,
        OutputFormat::Csv => print_csv(&mut out, &table(&counted))?,
        OutputFormat::Table => {
            for line in wrong.iter().take(SHOWN_MAX) {
                writeln!(out, "{line}")?;
            }
            writeln!(
                out,
                "{rows} rows, {answers} answers, {} mismatches",
                wrong.len()
            )?;
        }
    }
    Ok(if wrong.is_empty() {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// Our counts for a frame.
struct Counted {
    nominal_bits: u16,
    data_bits: u16,
    dynamic_stuff_bits: u16,
    crc: u32,
}

impl Counted {
    fn of(frame: &Frame, variant: FdVariant) -> Self {
        let length = frame_length(frame, variant);
        Counted {
            nominal_bits: length.nominal_bits,
            data_bits: length.data_bits,
            dynamic_stuff_bits: length.dynamic_stuff_bits,
            crc: expand(frame, variant).crc(),
        }
    }
}

impl Row {
    fn frame(&self) -> Result<(Frame, FdVariant), String> {
        let raw = u32::from_str_radix(&self.id, 16)
            .map_err(|_| format!("id {}: not hexadecimal digits", self.id))?;
        let id = match self.ext {
            0 => u16::try_from(raw)
                .map_err(|_| format!("id {raw:X} does not fit 11 bits"))
                .and_then(|raw| Id::standard(raw).map_err(|error| error.to_string())),
            1 => Id::extended(raw).map_err(|error| error.to_string()),
            ext => Err(format!("ext {ext}: 0 (11 bits) or 1 (29 bits)")),
        }?;
        let data = bytes(&self.data)?;
        let fd = || {
            Frame::fd_with(
                id,
                &data,
                FdFlags {
                    bit_rate_switch: self.brs == 1,
                    error_state_indicator: self.esi == 1,
                },
            )
        };
        let (frame, variant) = match self.kind.as_str() {
            "classic" => (Frame::classic(id, &data), FdVariant::Iso),
            "remote" => (Frame::remote(id, data.len() as u8), FdVariant::Iso),
            "fd-iso" => (fd(), FdVariant::Iso),
            "fd-non-iso" => (fd(), FdVariant::NonIso),
            kind => {
                return Err(format!(
                    "kind {kind}: classic, remote, fd-iso or fd-non-iso"
                ));
            }
        };
        frame
            .map(|frame| (frame, variant))
            .map_err(|error| error.to_string())
    }

    /// Returns how many answers it brings.
    fn answers(&self) -> usize {
        let numbers = [self.nominal_bits, self.data_bits, self.dynamic_stuff_bits];
        let crc = self.crc.as_deref().is_some_and(|crc| !crc.is_empty());
        numbers.iter().flatten().count() + usize::from(crc)
    }

    /// Returns what is different, naming theirs and ours.
    fn differs(&self, ours: &Counted) -> Option<String> {
        let numbers = [
            ("nominal_bits", self.nominal_bits, ours.nominal_bits),
            ("data_bits", self.data_bits, ours.data_bits),
            (
                "dynamic_stuff_bits",
                self.dynamic_stuff_bits,
                ours.dynamic_stuff_bits,
            ),
        ];
        let number = numbers.iter().find_map(|(name, theirs, ours)| {
            let theirs = theirs.filter(|theirs| theirs != ours)?;
            Some(format!("{name} {theirs}, counted {ours}"))
        });
        number.or_else(|| {
            let theirs = self.crc.as_deref().filter(|crc| !crc.is_empty())?;
            let same = u32::from_str_radix(theirs, 16) == Ok(ours.crc);
            (!same).then(|| format!("crc {theirs}, computed {:X}", ours.crc))
        })
    }
}

fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("data {hex}: not pairs of hexadecimal digits");
    if !hex.is_ascii() || !hex.len().is_multiple_of(2) || hex.len() > 128 {
        return Err(wrong());
    }
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).map_err(|_| wrong()))
        .collect()
}

fn table(counted: &[(Frame, Counted)]) -> Vec<CountedRow> {
    let row = |(frame, ours): &(Frame, Counted)| CountedRow {
        frame: frame.to_string(),
        nominal_bits: ours.nominal_bits,
        data_bits: ours.data_bits,
        dynamic_stuff_bits: ours.dynamic_stuff_bits,
        crc: hexadecimal(ours.crc),
    };
    counted.iter().map(row).collect()
}
