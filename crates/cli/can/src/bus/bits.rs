//! `waywarden bus bits`: a frame explained bit by bit, or a table of frames checked.

mod table;

use std::io::{self, Write};
use std::path::PathBuf;

use waywarden_can::bits::{FdVariant, FrameLength, Stuff, WireBits, expand};
use waywarden_can::timing::BitTiming;
use waywarden_vehicle_report::bus_bits::{DOCUMENT, Explained, explain};

use crate::quantity::OptionalRates;
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::table::{OutputFormat, Rows};

/// Explain a frame bit by bit, or check a table of frames.
///
/// FRAME is in candump's log form, all digits hexadecimal: 3 of them and # begin a frame with an
/// 11-bit identifier, 8 one with 29 bits.
///
/// 123#1122 classic, 0 to 8 bytes; 123#1122_9 with the raw length code 9 to F, after 8 bytes only;
/// 123#R4 remote, for 0 to 8 bytes; 123##1AABB CAN FD, up to 64 bytes: the digit after ## is 0, or
/// 1 for BRS, 2 for ESI, 3 for both. Dots between bytes are allowed: 123#11.22.
#[derive(Debug, clap::Args)]
pub struct BitsCommand {
    /// The frame, such as 123#1122: identifier, #, payload in hexadecimal; see above for the rest.
    #[arg(required_unless_present = "csv", conflicts_with = "csv")]
    frame: Option<String>,
    /// Count the bits of every row of this CSV file instead, and compare with its answer columns.
    ///
    /// Columns: kind (classic, remote, fd-iso, fd-non-iso), ext, id, brs, esi, data; answers,
    /// each optional: nominal_bits, data_bits, dynamic_stuff_bits, crc. Exit code 1 on a mismatch.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    rates: OptionalRates,
    /// The CAN FD frame format before ISO 11898-1:2015.
    #[arg(long)]
    non_iso: bool,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// The schemas of what programs read.
pub const SCHEMAS: [DocumentSchema; 2] = [DOCUMENT.schema(), table::SCHEMA];

impl BitsCommand {
    /// Prints the bits of a frame, or lengths of many.
    ///
    /// # Errors
    /// Bad input, and output that cannot be written.
    pub fn execute(&self) -> Result<Answer, Failure> {
        if let Some(path) = &self.csv {
            return table::check(path, self.format);
        }
        let text = self.frame.as_deref().unwrap_or_default();
        let entry = waywarden_can_log::candump::parse_frame(text.as_bytes())
            .map_err(|cause| Failure::new(format_args!("{text}: {cause}")))?;
        let Some(frame) = entry.frame() else {
            return Err(Failure::new(format_args!(
                "{text}: an error report has no bits of its own"
            )));
        };
        let variant = if self.non_iso {
            FdVariant::NonIso
        } else {
            FdVariant::Iso
        };
        let timing = self.rates.timing()?;
        let wire = expand(frame, variant);
        let explained = explain(frame, &wire, &timing);
        let mut out = io::stdout().lock();
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &explained)?,
            OutputFormat::Csv => print_csv(&mut out, &explained.bits)?,
            OutputFormat::Table => print(&mut out, &explained, &wire, &timing)?,
        }
        Ok(Answer::Yes)
    }
}

/// Prints fields with their bits; stuff bits are in parentheses.
fn print(
    out: &mut impl Write,
    explained: &Explained,
    wire: &WireBits,
    timing: &BitTiming,
) -> Result<(), Failure> {
    writeln!(
        out,
        "{}   0 dominant, 1 recessive, (stuff bits)\n",
        explained.frame
    )?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut last = None;
    for (bit, shown) in wire.bits().iter().zip(&explained.bits) {
        if last != Some((bit.field, bit.data_phase)) {
            last = Some((bit.field, bit.data_phase));
            let starts = format!("{:.3}", shown.starts_us);
            let (field, rate) = (shown.field.to_owned(), shown.rate.to_owned());
            rows.push(vec![
                field,
                rate,
                shown.bit.to_string(),
                starts,
                String::new(),
            ]);
        }
        if let Some(bits) = rows.last_mut().and_then(|row| row.last_mut()) {
            match bit.stuff {
                Stuff::None => bits.push_str(&shown.level.to_string()),
                Stuff::Dynamic | Stuff::Fixed => bits.push_str(&format!("({})", shown.level)),
            }
        }
    }
    let headers = vec!["field", "rate", "first bit", "starts us", "bits"];
    Rows {
        headers,
        rows,
        numbers: 0..0,
    }
    .print(out)?;
    let FrameLength {
        nominal_bits,
        data_bits,
        dynamic_stuff_bits,
        fixed_stuff_bits,
        ..
    } = wire.length();
    writeln!(
        out,
        "{nominal_bits} bits at the nominal rate and {data_bits} at the data rate, \
         {dynamic_stuff_bits} dynamic and {fixed_stuff_bits} fixed stuff bits among them; CRC {}",
        explained.crc
    )?;
    let nominal = timing.nominal.bit_rate();
    let at = match timing.data {
        Some(data) => format!("{nominal}, data at {}", data.bit_rate()),
        None => nominal.to_string(),
    };
    writeln!(
        out,
        "{:.3} us at {at}; {:.3} us with intermission",
        explained.duration_us, explained.with_intermission_us
    )?;
    Ok(())
}
