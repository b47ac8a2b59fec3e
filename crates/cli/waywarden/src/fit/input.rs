//! The vehicle of `waywarden fit`: a vehicle file as it is, or one made of a message matrix.

use std::ffi::OsStr;

use waywarden_can::Id;
use waywarden_can::timing::BitRate;
use waywarden_can_log::RecordedMessages;
use waywarden_command_can::file_kind::{self, FileKind};
use waywarden_command_can::logs::recorded::{RecordedBus, recording};
use waywarden_command_can::{matrix, quantity};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::quantity::duration;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::matrix::DbcOptions;
use waywarden_vehicle_lab::fit::{
    FitError, FitVehicle, MatrixVehicle, Preparation, RecordedStream,
};

use super::FitCommand;
use crate::run::listed;

/// Reads and prepares the vehicle.
pub(super) fn vehicle(command: &FitCommand) -> Result<FitVehicle, Failure> {
    let name = command.file.display().to_string();
    let is_matrix = command.file.extension() == Some(OsStr::new("dbc"))
        || file_kind::of_file(&command.file).is_some_and(FileKind::is_matrix);
    let (text, recording, without_period) = match is_matrix {
        true => of_matrix(command)?,
        false => of_vehicle_file(command, &name)?,
    };
    if !is_matrix && command.assume.is_some() {
        return Err(Failure::new(
            "--assume is for message matrices: each stream of a vehicle file has a `period`",
        ));
    }
    let length = command.duration.as_deref().map(quantity::run_length);
    let preparation = Preparation {
        selection: command.selection(),
        recorded: RecordedStream::of(&recording),
        without_period,
        bit_rate: command.bitrate.map(BitRate::bits_per_second),
        board: command.board.clone(),
        seed: command.seed,
        duration: length.transpose()?,
    };
    let vehicle = FitVehicle::read(&name, &text, &preparation);
    let vehicle = vehicle.map_err(|error| match error {
        FitError::File(errors) => listed(&errors),
        FitError::Choice(text) => Failure::new(format_args!("{name}: {text}")),
    })?;
    if let Some(unknown) = vehicle.unknown_frames(&recording) {
        messages::warning(unknown);
    }
    Ok(vehicle)
}

/// Reads the recording, of the bus that these identifiers are on.
fn recorded_bus(
    command: &FitCommand,
    is_known: &dyn Fn(Id) -> bool,
) -> Result<RecordedMessages, Failure> {
    let Some(log) = &command.log else {
        return Ok(RecordedMessages::default());
    };
    let channel = command.channel.as_deref();
    recording(log, command.reading, &RecordedBus { channel, is_known })
}

/// Reads a vehicle file.
fn of_vehicle_file(
    command: &FitCommand,
    name: &str,
) -> Result<(String, RecordedMessages, Vec<String>), Failure> {
    let text = file_kind::vehicle_text(&command.file)?;
    let file = VehicleFile::parse(name, &text).map_err(|errors| listed(&errors))?;
    let is_known = |id: Id| file.streams.iter().any(|stream| stream.id.value == id);
    let recording = recorded_bus(command, &is_known)?;
    Ok((text, recording, Vec::new()))
}

/// Makes a vehicle file of a message matrix; returns the messages without a period, too.
fn of_matrix(command: &FitCommand) -> Result<(String, RecordedMessages, Vec<String>), Failure> {
    let choices = matrix::MatrixChoices {
        is_strict: command.reading.is_strict(),
        ..matrix::MatrixChoices::default()
    };
    let read = matrix::read_with(&command.file, choices)?;
    let is_known = |id: Id| read.messages().any(|message| message.is_carried_by(id));
    let recording = recorded_bus(command, &is_known)?;
    let stem = command.file.file_stem().unwrap_or_default();
    let assumed = command.assume.as_deref().map(duration).transpose()?;
    let options = DbcOptions {
        vehicle: stem.to_string_lossy().into_owned(),
        bus: "main".to_owned(),
        bit_rate: command.bitrate,
        data_bit_rate: command.data_bitrate,
        observed: recording.periods.clone(),
        assumed,
        ..DbcOptions::default()
    };
    let made = MatrixVehicle::of(&read, &options);
    let name = command.file.display();
    let remedy = "--log LOG takes periods from a recording, --assume TIME gives these messages \
                  one, and GenMsgCycleTime states them in the file";
    if let Some(remark) = made.remark() {
        let text = format!("{name}: {remark}; {remedy}");
        if made.is_without_periods() {
            return Err(Failure::new(plain_lines(&text)));
        }
        messages::warning(plain_lines(&format!("{text}; they are left out")));
    }
    Ok((made.text, recording, made.without_period))
}
