//! `waywarden bench verify`: how fast this machine verifies, by every path.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_ecverify::{Curve, lanes};

use super::plan::{self, Line};
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::progress::bar;
use waywarden_command_line::quantity::bytes;
use waywarden_command_line::table::{OutputFormat, Rows};

/// Measure how fast this machine verifies signatures and rebuilds keys, by every path.
///
/// One core; medians of processor time, so that other programs disturb little. The jobs are made
/// here, nothing is read. The worst job is one made to be slow, as an attacker would; one line has
/// several paths in turn. docs/performance.md explains each line and compares with other libraries.
#[derive(Debug, clap::Args)]
pub struct Verify {
    /// Curves, separated by commas [default: all].
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_delimiter = ',',
        value_name = "CURVES"
    )]
    curve: Vec<Named>,
    /// Time of the measurement, besides that of the preparation.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,
    /// Memory for tables of known senders and issuers, such as 1MiB or a number of bytes; 0 for
    /// none. The flood has 1 MiB whatever stands here.
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = bytes)]
    table_memory: usize,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Named {
    /// NIST P-256.
    #[value(alias = "p-256")]
    P256,
    /// NIST P-384.
    #[value(alias = "p-384")]
    P384,
    /// brainpoolP256r1.
    #[value(name = "brainpoolp256r1")]
    BrainpoolP256r1,
    /// brainpoolP384r1.
    #[value(name = "brainpoolp384r1")]
    BrainpoolP384r1,
}

impl From<Named> for Curve {
    fn from(named: Named) -> Self {
        match named {
            Named::P256 => Self::P256,
            Named::P384 => Self::P384,
            Named::BrainpoolP256r1 => Self::BrainpoolP256r1,
            Named::BrainpoolP384r1 => Self::BrainpoolP384r1,
        }
    }
}

/// A line of the result, for programs.
#[derive(Serialize, JsonSchema)]
struct Measured {
    /// Name of the curve.
    curve: &'static str,
    /// The path of verification.
    path: String,
    /// Number of verifications that are under way at once.
    in_flight: usize,
    /// The time for one message.
    message_us: f64,
    /// Messages a second.
    messages_per_second: f64,
    /// The time for one message made to be slow.
    worst_message_us: Option<f64>,
    /// Bytes of tables.
    table_bytes: Option<usize>,
}

/// Speed of this machine's verification.
#[derive(Serialize, JsonSchema)]
struct Speeds {
    /// Verifications in one vector, by curve.
    lanes: Vec<Lanes>,
    /// By curve and path.
    lines: Vec<Measured>,
}

const DOCUMENT: DocumentFormat<Speeds> =
    DocumentFormat::new("bench-verify", 1, "waywarden bench verify --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

/// Verifications in one vector.
#[derive(Serialize, JsonSchema)]
struct Lanes {
    /// Name of the curve.
    curve: &'static str,
    /// Number of lanes.
    lanes: u32,
}

impl Verify {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let curves = self.curves();
        let document = Speeds {
            lanes: curves
                .iter()
                .map(|&curve| Lanes {
                    curve: name(curve),
                    lanes: lanes(curve),
                })
                .collect(),
            lines: self.measure(&curves),
        };
        let mut out = io::stdout().lock();
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &document)?,
            OutputFormat::Csv => print_csv(&mut out, &document.lines)?,
            OutputFormat::Table => print(&mut out, &document)?,
        }
        Ok(Answer::Yes)
    }

    /// Returns the requested curves, each once.
    fn curves(&self) -> Vec<Curve> {
        let asked: Vec<Curve> = self.curve.iter().copied().map(Curve::from).collect();
        let all = Curve::ALL.into_iter();
        all.filter(|curve| asked.is_empty() || asked.contains(curve))
            .collect()
    }

    /// All lines in turn, again and again, until the time is over.
    fn measure(&self, curves: &[Curve]) -> Vec<Measured> {
        let prepared: u64 = curves.iter().map(|&curve| plan::count(curve)).sum();
        let seconds = u64::from(self.seconds);
        let bar = bar(prepared + seconds);
        bar.set_message("making jobs and tables");
        let mut lines: Vec<Line> = Vec::new();
        for &curve in curves {
            lines.extend(plan::lines(curve, self.table_memory, &|| bar.inc(1)));
        }
        bar.set_message("measuring");
        let (begun, time) = (Instant::now(), Duration::from_secs(seconds));
        // A median wants some readings, however short the time is.
        let mut rounds = 0;
        while rounds < 5 || begun.elapsed() < time {
            for line in &mut lines {
                line.ordinary.read();
                for worst in &mut line.worst {
                    worst.read();
                }
            }
            rounds += 1;
            bar.set_position(prepared + begun.elapsed().as_secs().min(seconds));
        }
        bar.finish_and_clear();
        lines.into_iter().map(measured).collect()
    }
}

/// To a hundredth of a microsecond: far below what two runs differ by.
fn rounded(microseconds: f64) -> f64 {
    (100.0 * microseconds).round() / 100.0
}

fn measured(line: Line) -> Measured {
    let microseconds = line.ordinary.median();
    let worst = line.worst.iter().map(super::stopwatch::Timed::median);
    Measured {
        curve: name(line.curve),
        path: line.path,
        in_flight: line.in_flight,
        message_us: rounded(microseconds),
        messages_per_second: (1e6 / microseconds).round(),
        worst_message_us: worst.reduce(f64::max).map(rounded),
        table_bytes: line.memory,
    }
}

const fn name(curve: Curve) -> &'static str {
    match curve {
        Curve::P256 => "P-256",
        Curve::P384 => "P-384",
        Curve::BrainpoolP256r1 => "brainpoolP256r1",
        Curve::BrainpoolP384r1 => "brainpoolP384r1",
    }
}

fn rows(lines: &[Measured]) -> Rows {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let row = |line: &Measured| {
        let ratio = line.worst_message_us;
        let ratio = ratio.map(|worst| format!("{:.2}", worst / line.message_us));
        vec![
            line.curve.to_owned(),
            line.path.clone(),
            line.in_flight.to_string(),
            format!("{:.2}", line.message_us),
            line.messages_per_second.to_string(),
            or_dash(line.worst_message_us.map(|worst| format!("{worst:.2}"))),
            or_dash(ratio),
            or_dash(line.table_bytes.map(|bytes| bytes.to_string())),
        ]
    };
    Rows {
        headers: vec![
            "curve",
            "path",
            "in flight",
            "us a message",
            "a second",
            "worst us",
            "worst/usual",
            "table bytes",
        ],
        rows: lines.iter().map(row).collect(),
        numbers: 2..8,
    }
}

fn print(out: &mut impl Write, document: &Speeds) -> io::Result<()> {
    for Lanes { curve, lanes } in &document.lanes {
        match lanes {
            1 => writeln!(out, "{curve}: one verification after the other")?,
            _ => writeln!(
                out,
                "{curve}: {lanes} verifications in one vector (AVX-512 IFMA)"
            )?,
        }
    }
    rows(&document.lines).print(out)
}
