//! The boards, logs and ECU images that a vehicle file names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file_kind::{self, Expected};
use crate::logs::damage::LogReadingOptions;
use crate::logs::input;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_vehicle_file::{Span, VehicleFile};
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::{ImageFault, Loaded, LoadedLog, Needed, Resources, gather};

/// Loads the boards, logs and ECU images a vehicle file names, relative to its own folder.
pub fn load(file: &VehicleFile, vehicle: &Path) -> Result<Resources, Failure> {
    load_all(file, vehicle, None, |_| Ok(()))
}

/// The same for a run, which needs the emulators of images, too.
pub fn load_to_run(
    file: &VehicleFile,
    vehicle: &Path,
    reading: Option<LogReadingOptions>,
) -> Result<Resources, Failure> {
    load_all(file, vehicle, reading, |image| {
        image.find_emulator().map(drop)
    })
}

fn load_all(
    file: &VehicleFile,
    vehicle: &Path,
    reading: Option<LogReadingOptions>,
    look: impl Fn(&QemuImage) -> Result<(), ImageFault>,
) -> Result<Resources, Failure> {
    let folder = vehicle.parent().unwrap_or(Path::new("."));
    let gathered = gather(file, |need| {
        if let Needed::Image { machine, .. } = need {
            // It says more of a file that is missing.
            let image = QemuImage::new(folder.join(need.path()), machine);
            let image = image.and_then(|image| look(&image).map(|()| image));
            let image = image.map_err(|fault| named(Failure::new(fault), file, need.span()))?;
            return Ok(Loaded::Image(Arc::new(image)));
        }
        let at = present(file, folder, need.path(), need.span())?;
        load_one(&at, need, reading).map_err(|failure| named(failure, file, need.span()))
    });
    gathered.or_else(|failures| {
        Failure::if_any(failures)?;
        Ok(Resources::default())
    })
}

/// Loads a board, or else a log.
fn load_one(
    at: &Path,
    need: &Needed<'_>,
    reading: Option<LogReadingOptions>,
) -> Result<Loaded, Failure> {
    if let Needed::Board { .. } = need {
        let refusal = |head: &[u8]| file_kind::refusal(at, head, Expected::Board);
        return files::board_of_kind(at, refusal).map(|board| Loaded::Board(board.into()));
    }
    let frames = input::frames(at, reading)?;
    Ok(Loaded::Log(LoadedLog::gather(frames)))
}

/// Finds a file that a vehicle file names.
fn present(file: &VehicleFile, folder: &Path, path: &str, span: &Span) -> Result<PathBuf, Failure> {
    let at = folder.join(path);
    match at.metadata() {
        Ok(_) => Ok(at),
        Err(error) => {
            let base = "the path is relative to the vehicle file's folder";
            let failure = Failure::named_file(at.display(), &error, base);
            Err(named(failure, file, span))
        }
    }
}

/// Puts the place of the vehicle file that names a file before each error of it.
fn named(failure: Failure, file: &VehicleFile, span: &Span) -> Failure {
    let (name, place) = (file.source.file_name(), file.source.place(span));
    failure.prefixed(&format!("{name}:{place}: "))
}
