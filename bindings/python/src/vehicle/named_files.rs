//! The boards, logs and ECU images that a vehicle file names, from the folder that it stands in.

use std::path::Path;
use std::sync::Arc;

use waywarden_boards::{Board, BoardError};
use waywarden_input_files::files::{self, open_plain};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_lab::fingerprint::Fingerprint;
use waywarden_vehicle_resources::{LOG_FRAMES_MAX, LoadedLog, Needed, Resources, needed};
use waywarden_vehicle_resources::{Loaded, gather};

use crate::can::log_file::LogFile;
use crate::error::Failure;

/// Loads all of them; logs are read as strictly as is asked for, and remarks about them gathered.
pub(crate) fn load(file: &VehicleFile, folder: &Path) -> Result<(Resources, Vec<String>), Failure> {
    let mut remarks = Vec::new();
    let gathered = gather(file, |need| {
        let at = folder.join(need.path());
        let loaded = match need {
            Needed::Board { .. } => board(&at).map(|board| Loaded::Board(board.into())),
            Needed::Log { .. } => log(&at, &mut remarks).map(Loaded::Log),
            Needed::Image { machine, .. } => QemuImage::new(at, machine)
                .map(|image| Loaded::Image(Arc::new(image)))
                .map_err(|fault| fault.to_string()),
        };
        let (name, place) = (file.source.file_name(), file.source.place(need.span()));
        loaded.map_err(|why| format!("{name}:{place}: {why}"))
    });
    match gathered {
        Ok(resources) => Ok((resources, remarks)),
        Err(all) => Err(listed(all)),
    }
}

/// Returns the digest of a vehicle and of the files that it names, as the command has it.
pub(super) fn fingerprint(
    file: &VehicleFile,
    text: &str,
    folder: &Path,
) -> Result<String, Failure> {
    let mut fingerprint = Fingerprint::new(text);
    for need in needed(file) {
        let at = folder.join(need.path());
        let added = open_plain(&at).and_then(|file| fingerprint.add(file));
        added.map_err(|error| {
            Failure::new("VehicleError", format_args!("{}: {error}", at.display()))
        })?;
    }
    Ok(fingerprint.finish())
}

/// Returns an error of several problems, one line each.
pub(crate) fn listed(problems: Vec<String>) -> Failure {
    Failure::new("VehicleError", problems.join("\n")).problems(problems)
}

fn board(path: &Path) -> Result<Board, String> {
    let file = path.display().to_string();
    let board = Board::parse(
        &file,
        &files::text(path).map_err(|problem| problem.to_string())?,
    );
    // Its own name need not end as those of board files do.
    board.map_err(|error| BoardError { file, ..error }.to_string())
}

fn log(path: &Path, remarks: &mut Vec<String>) -> Result<LoadedLog, String> {
    let said = |failure: Failure| failure.message().to_owned();
    let mut log = LogFile::open(path, false).map_err(said)?;
    let mut frames = Vec::new();
    while let Some(record) = log.next().map_err(said)? {
        if let Some(frame) = record.entry.frame() {
            if frames.len() == LOG_FRAMES_MAX {
                let why = format!("more than {LOG_FRAMES_MAX} frames; split the log");
                return Err(said(log.about(why)));
            }
            let channel = log.channels().name(record.channel).to_owned();
            frames.push((channel, record.at_ns, *frame));
        }
    }
    remarks.extend(log.remarks().map_err(said)?);
    Ok(LoadedLog::gather(frames))
}
