//! The digest of a vehicle, by which runs on several machines are known to be of the same one.

use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::resources::{Needed, needed};

/// Returns SHA-256 of a vehicle file and of the boards and logs that it names, in hexadecimal.
pub(super) fn of_vehicle(file: &VehicleFile, path: &Path, text: &str) -> Result<String, Failure> {
    let mut whole = Sha256::new();
    whole.update(Sha256::digest(text));
    let folder = path.parent().unwrap_or(Path::new("."));
    for need in needed(file) {
        let (Needed::Board { path, .. } | Needed::Log { path, .. }) = need;
        let at = folder.join(path);
        let mut digest = Sha256::new();
        let (mut input, mut chunk) = (files::open(&at)?, vec![0; 1 << 16]);
        loop {
            match input.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => digest.update(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::file(at.display(), &error)),
            }
        }
        whole.update(digest.finalize());
    }
    let bytes = whole.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
