//! Opening files so that nothing in their place can make the process wait.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file to read it. What was opened is judged, so that it cannot be exchanged in
/// between.
///
/// # Errors
/// What the operating system says, and `InvalidInput` for a pipe, a device, a socket or a folder,
/// whose opening or reading might never end.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for its writer.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "is no regular file",
        )),
    }
}
