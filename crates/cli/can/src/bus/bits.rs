//! `waywarden bus bits`: a frame explained bit by bit, or a table of frames checked.

mod table;

use std::io::{self, Write};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can::Frame;
use waywarden_can::bits::{FdVariant, FrameLength, Level, Stuff, WireBits, expand};
use waywarden_can::timing::{BitTiming, bit_duration, duration};
use waywarden_vehicle_file::identifier::IdentifierFields;

use crate::quantity::OptionalRates;
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
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

/// A frame on the wire.
#[derive(Debug, Serialize, JsonSchema)]
struct Explained {
    /// The frame, as candump writes it.
    frame: String,
    /// Its identifier.
    #[serde(flatten)]
    identifier: IdentifierFields,
    /// Bits at the nominal rate.
    nominal_bits: u16,
    /// Bits at the data rate.
    data_bits: u16,
    /// Stuff bits of the part with dynamic stuffing.
    dynamic_stuff_bits: u16,
    /// Stuff bits of the CRC of a CAN FD frame.
    fixed_stuff_bits: u16,
    /// The CRC in hexadecimal.
    crc: String,
    /// Duration of the frame.
    duration_us: f64,
    /// The same with the three bits of intermission.
    with_intermission_us: f64,
    /// Its bits in order.
    bits: Vec<Bit>,
}

const DOCUMENT: DocumentFormat<Explained> =
    DocumentFormat::new("bus-bits", 1, "waywarden bus bits FRAME --format json");

/// The schemas of what programs read.
pub const SCHEMAS: [DocumentSchema; 2] = [DOCUMENT.schema(), table::SCHEMA];

/// A bit on the wire.
#[derive(Debug, Serialize, JsonSchema)]
struct Bit {
    /// Its number, from 0.
    bit: usize,
    /// From start of frame until it begins.
    starts_us: f64,
    /// The field that it is of.
    field: &'static str,
    /// 0 dominant, 1 recessive.
    level: u8,
    /// `dynamic` or `fixed` of a stuff bit, `none` of another.
    stuff: &'static str,
    /// `nominal` or `data`.
    rate: &'static str,
}

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

fn explain(frame: &Frame, wire: &WireBits, timing: &BitTiming) -> Explained {
    let length = wire.length();
    let us = |picos: u64| picos as f64 * 1e-6;
    let mut starts = 0;
    let bits = wire.bits().iter().enumerate().map(|(at, bit)| {
        let explained = Bit {
            bit: at,
            starts_us: us(starts),
            field: bit.field.abbreviation(),
            level: u8::from(bit.level == Level::Recessive),
            stuff: match bit.stuff {
                Stuff::None => "none",
                Stuff::Dynamic => "dynamic",
                Stuff::Fixed => "fixed",
            },
            rate: if bit.data_phase { "data" } else { "nominal" },
        };
        starts += bit_duration(bit, timing).get();
        explained
    });
    let bits = bits.collect();
    let whole = duration(&length, timing).get();
    Explained {
        frame: frame.to_string(),
        identifier: frame.id().into(),
        nominal_bits: length.nominal_bits,
        data_bits: length.data_bits,
        dynamic_stuff_bits: length.dynamic_stuff_bits,
        fixed_stuff_bits: length.fixed_stuff_bits,
        crc: hexadecimal(wire.crc()),
        duration_us: us(whole),
        with_intermission_us: us(whole + timing.intermission().get()),
        bits,
    }
}

/// Returns a CRC as programs read it: digits alone could be taken for a decimal number.
fn hexadecimal(crc: u32) -> String {
    format!("0x{crc:X}")
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
