//! `waywarden bus import`: a message matrix becomes a vehicle file to go on from.

use std::io::Write;
use std::path::{Path, PathBuf};

use waywarden_can::timing::BitRate;
use waywarden_can_log::RecordedMessages;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::matrix::{DbcOptions, MatrixFormat, MessageMatrix, Written, write};

use crate::logs::damage::LogReadingOptions;
use crate::logs::recorded::{RecordedBus, recording};
use crate::matrix;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::messages;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::quantity;
use waywarden_command_line::terminal::plain_lines;

/// Maximum number of shown reasons why an import cannot be run: each stream may repeat one.
const SHOWN_MAX: usize = 3;

/// Make a vehicle file of a message matrix: DBC, AUTOSAR ARXML, KCD or PEAK SYM, by its content.
///
/// Cycle times come from the matrix where it has them (in a DBC GenMsgCycleTime), else from a log
/// of the same bus (--log), else from --assume; messages without any stand in the result as
/// comments. Bit rates come from the options, else from the matrix (Baudrate, BaudrateCANFD), else
/// they are 500k and 2M. An offset that it does not state (GenMsgStartDelayTime) is "unknown": see
/// `run --phases`. Each CAN cluster of an ARXML or KCD file is a bus. Secured I-PDUs of an ARXML
/// file become `[[authentication]]`, with their lengths and data ids.
///
/// A statement that is none, and a message that no bus can carry, are skipped, reported and
/// counted, as are damaged lines of the log; --strict refuses them. An attribute that touches
/// timing and is not understood is a warning and a comment in the result.
///
/// Exit codes: 0 a vehicle file is written, 1 no message became a stream, 2 bad input.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Import {
    /// The message matrix: a DBC, ARXML, KCD or SYM file.
    #[arg(value_name = "MATRIX")]
    dbc: PathBuf,
    /// Write the vehicle file here instead of to standard output, which is - too.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file of --out if there is one.
    #[arg(long)]
    force: bool,
    /// A log of the bus, for the periods the matrix does not state.
    #[arg(long, value_name = "LOG")]
    log: Option<PathBuf>,
    /// The channel of the log that is this bus [default: the one with most of the identifiers].
    #[arg(long, value_name = "CHANNEL", requires = "log")]
    channel: Option<String>,
    #[command(flatten)]
    reading: LogReadingOptions,
    /// The period of messages that have none in either, such as 100ms.
    #[arg(long, value_name = "TIME")]
    assume: Option<String>,
    /// Take the period while active (GenMsgCycleTimeFast) of messages that have one.
    #[arg(long)]
    fast_cycles: bool,
    /// The board of all ECUs, see `waywarden boards`; without it computing takes no time.
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// The bus's name, where the matrix has none or one.
    #[arg(long, default_value = "main")]
    bus: String,
    /// Nominal bit rate, whatever the matrix has.
    #[arg(long, value_name = "RATE")]
    bitrate: Option<BitRate>,
    /// Data bit rate, used if any message is CAN FD, whatever the matrix has.
    #[arg(long, value_name = "RATE")]
    data_bitrate: Option<BitRate>,
    /// Take identifiers above 11 bits that lack bit 31 as 29 bits, instead of skipping them.
    #[arg(long)]
    unflagged_as_extended: bool,
}

const EXAMPLES: &str = "\
Examples:
  waywarden bus import car.dbc -o car.toml
  waywarden bus import system.arxml --assume 100ms -o car.toml           # with its SecOC
  waywarden bus import car.dbc --log drive.blf --assume 1s -o car.toml   # periods from a recording
  waywarden bus import car.dbc --board s32k3 --bitrate 250k -o car.toml
  waywarden run car.toml --phases 100                                    # offsets are unknown";

impl Import {
    /// Writes the matrix as a vehicle file.
    ///
    /// # Errors
    /// Bad input, and a file that cannot be written.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let path = self.dbc.display();
        let out = self.out.as_deref().unwrap_or(Path::new("-"));
        let reading = matrix::MatrixChoices {
            unflagged_are_extended: self.unflagged_as_extended,
            is_strict: self.reading.is_strict(),
        };
        let matrix = matrix::read_with(&self.dbc, reading)?;
        let count = matrix.messages().count();
        if count == 0 {
            return Err(Failure::new(format_args!(
                "{path}: has no message to import; {}",
                no_message(&matrix)
            )));
        }
        let options = DbcOptions {
            vehicle: self
                .dbc
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            bus: self.bus.clone(),
            bit_rate: self.bitrate,
            data_bit_rate: self.data_bitrate,
            board: self.board.clone(),
            fast_cycles: self.fast_cycles,
            observed: self.recording(&matrix)?.periods,
            assumed: self.assume.as_deref().map(quantity::duration).transpose()?,
        };
        let Written { text, acknowledged } = write(&matrix, &options);
        let file = check(&text)?;
        if file.streams.is_empty() {
            messages::error(plain_lines(&self.no_stream(count)));
            return Ok(Answer::No);
        }
        for bus in &acknowledged {
            messages::warning(plain_lines(&format!(
                "{path}: bus {bus} has one ECU only, whose frames nothing would acknowledge: the \
                 vehicle file has another one, acknowledging-ecu; give it its real name, or add \
                 the other ECUs"
            )));
        }
        let mut output = OutputFile::create(out)?;
        self.refuse_to_replace(out)?;
        output
            .write_all(text.as_bytes())
            .map_err(Failure::writing)?;
        output.finish()?;
        if !is_standard(out) {
            writeln!(
                std::io::stdout().lock(),
                "{}: {} messages of {path}, {} of them as streams{}",
                out.display(),
                count,
                file.streams.len(),
                match matrix.skipped.len() {
                    0 => String::new(),
                    count => format!("; {count} parts skipped"),
                }
            )?;
        }
        Ok(Answer::Yes)
    }

    fn refuse_to_replace(&self, out: &Path) -> Result<(), Failure> {
        match !self.force && !is_standard(out) && out.is_file() {
            true => Err(Failure::new(format_args!(
                "{}: is there already; --force replaces it",
                out.display()
            ))),
            false => Ok(()),
        }
    }

    /// Says why no message became a stream, and how one does.
    fn no_stream(&self, messages: usize) -> String {
        let path = self.dbc.display();
        let remedy = match (&self.log, &self.assume) {
            (None, None) => {
                "--log LOG takes periods from a recording of the bus, --assume TIME gives all \
                 messages one"
            }
            (Some(_), None) => {
                "the log has none of them three times; --assume TIME gives all messages one"
            }
            _ => "none fits one frame: a transport protocol carries them",
        };
        format!(
            "{path}: none of its {messages} messages has a period (GenMsgCycleTime) and fits one \
             frame; nothing is written; {remedy}"
        )
    }

    fn recording(&self, matrix: &MessageMatrix) -> Result<RecordedMessages, Failure> {
        let Some(log) = &self.log else {
            return Ok(RecordedMessages::default());
        };
        let bus = RecordedBus {
            channel: self.channel.as_deref(),
            is_known: &|id| matrix.messages().any(|message| message.is_carried_by(id)),
        };
        recording(log, self.reading, &bus)
    }
}

/// Says what a matrix without messages needs.
pub(super) fn no_message(matrix: &MessageMatrix) -> &'static str {
    if matrix.skipped.iter().any(|skipped| skipped.may_be_extended) {
        return "--unflagged-as-extended takes identifiers without bit 31 as 29 bits";
    }
    match matrix.format {
        MatrixFormat::Dbc => "a message is `BO_ <identifier> <name>: <bytes> <sender>`",
        MatrixFormat::Arxml => "a message is a CAN-FRAME-TRIGGERING of a CAN-CLUSTER",
        MatrixFormat::Kcd => "a message is `<Message id=\"0x100\" name=\"...\">` of a <Bus>",
        MatrixFormat::Sym => "a message is `[name]` with `ID=100h` in {SEND} or {RECEIVE}",
    }
}

/// Makes sure that what is written can be run; what cannot comes from the options.
fn check(text: &str) -> Result<VehicleFile, Failure> {
    VehicleFile::parse("the vehicle file", text).map_err(|errors| {
        let lines = errors.listed().iter().map(ToString::to_string);
        let remedy = "nothing is written; give other --bitrate, --data-bitrate or --assume";
        Failure::all(lines.take(SHOWN_MAX).chain([remedy.to_owned()]))
    })
}
