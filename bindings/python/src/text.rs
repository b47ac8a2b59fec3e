//! Files read whole, up to a bound.

use std::io::Read as _;
use std::path::Path;

use waywarden_input_files::files::open_plain;

/// The largest text that is read: 16 MiB.
const TEXT_MAX: u64 = 16 << 20;

/// Reads a text file of at most 16 MiB; an error names the file and the place.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let shown = path.display();
    String::from_utf8(bytes(path, TEXT_MAX)?).map_err(|error| {
        let (bytes, at) = (error.as_bytes(), error.utf8_error().valid_up_to());
        let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        format!(
            "{shown}:{line}: byte 0x{:02X} (number {at} of the file) is not UTF-8; save the file \
             as UTF-8 text",
            bytes[at]
        )
    })
}

/// Reads a file of at most `most` bytes.
pub(crate) fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let shown = path.display();
    let file = open_plain(path).map_err(|error| format!("{shown}: {error}"))?;
    let mut bytes = Vec::new();
    // Read no further than the bound, for a device tells no length and may have no end.
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("{shown}: {error}"))?;
    match bytes.len() as u64 > most {
        true => Err(format!(
            "{shown}: longer than {most} bytes, the most that a file of this kind may have"
        )),
        false => Ok(bytes),
    }
}
