//! The digest of a vehicle and of the files that it names.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::fingerprint::Fingerprint;
use waywarden_vehicle_resources::needed;

/// Returns SHA-256 of a vehicle file and of the boards and logs that it names, in hexadecimal.
pub(super) fn of_vehicle(file: &VehicleFile, path: &Path, text: &str) -> Result<String, Failure> {
    let mut fingerprint = Fingerprint::new(text);
    let folder = path.parent().unwrap_or(Path::new("."));
    for need in needed(file) {
        let at = folder.join(need.path());
        let added = fingerprint.add(files::open(&at)?);
        added.map_err(|error| Failure::file(at.display(), &error))?;
    }
    Ok(fingerprint.finish())
}
