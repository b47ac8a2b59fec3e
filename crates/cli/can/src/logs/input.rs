//! Bus logs, in: opened in any format, and their frames at once.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use waywarden_can::Frame;
use waywarden_can_log::{InputCause, LogError, LogFormat, LogReader};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_vehicle_resources::LOG_FRAMES_MAX;

use crate::file_kind::{self, FileKind};

use super::damage::{LogReadingOptions, SkippedDamage};

/// Opens a bus log, plain or gzip, of any format.
pub(crate) fn open(path: &Path) -> Result<LogReader<BufReader<File>>, Failure> {
    check_whole(path)?;
    waywarden_can_log::open_at_any_place(files::open(path)?, BufReader::new)
        .map_err(|error| no_log(path, &error))
}

/// Refuses a database of which a part lies in a file beside it: its frames would be missing.
pub(crate) fn check_whole(path: &Path) -> Result<(), Failure> {
    if file_kind::of_file(path) != Some(FileKind::Log(LogFormat::Sqlite)) {
        return Ok(());
    }
    for ending in ["-wal", "-journal"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(ending);
        if Path::new(&beside)
            .metadata()
            .is_ok_and(|there| there.len() > 0)
        {
            let (path, beside) = (path.display(), Path::new(&beside).display());
            return Err(Failure::new(format_args!(
                "{path}: the database is open or was not closed: {beside} has changes that are not \
                 in it yet; close the program that writes it, or run `sqlite3 {path} 'PRAGMA \
                 wal_checkpoint(TRUNCATE)'`"
            )));
        }
    }
    Ok(())
}

/// Names what is no log by its kind, if its first bytes tell it.
pub(crate) fn no_log(path: &Path, error: &LogError) -> Failure {
    let is_unknown = error.cause == InputCause::UnknownFormat.into();
    let named = is_unknown.then(|| file_kind::no_log(path)).flatten();
    named.unwrap_or_else(|| Failure::new(format_args!("{}:{error}", path.display())))
}

/// Reads the frames of a log: channel, nanoseconds, frame. The first fault ends it unless it is to
/// be skipped; what is left out is reported.
pub(crate) fn frames(
    path: &Path,
    reading: Option<LogReadingOptions>,
) -> Result<Vec<(String, u64, Frame)>, Failure> {
    let mut reader = open(path)?;
    let (mut frames, mut records) = (Vec::new(), 0);
    let mut skipped = SkippedDamage::new(path, reading);
    while let Some(record) = reader.next() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                skipped.skip(&error)?;
                continue;
            }
        };
        records += 1;
        if let Some(frame) = record.entry.frame() {
            if frames.len() == LOG_FRAMES_MAX {
                let path = path.display();
                return Err(Failure::new(format_args!(
                    "{path}: more than {LOG_FRAMES_MAX} frames; split the log"
                )));
            }
            let channel = reader.channels().name(record.channel).to_owned();
            frames.push((channel, record.at_ns, *frame));
        }
    }
    skipped.finish(&reader, records)?;
    Ok(frames)
}
