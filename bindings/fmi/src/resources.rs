//! The vehicle in the folder of a unit's resources.

use std::path::Path;

use waywarden_command_can::{file_kind, resources};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_fmu::terminals::CHOICES_FILE;
use waywarden_vehicle_fmu::{Choices, Terminals};
use waywarden_vehicle_resources::Resources;

/// A vehicle with all that its file names, and the terminals of its unit.
pub(crate) struct Vehicle {
    pub(crate) file: VehicleFile,
    pub(crate) resources: Resources,
    pub(crate) choices: Choices,
    pub(crate) terminals: Terminals,
}

impl Vehicle {
    /// Loads the vehicle of a unit; an error names the file and the place.
    pub(crate) fn load(folder: &Path, token: &str) -> Result<Self, String> {
        let at = folder.join(CHOICES_FILE);
        let text = files::text(&at).map_err(|failure| lines(&failure))?;
        let choices: Choices = serde_json::from_str(&text)
            .map_err(|error| format!("{}: {error}; write the unit again", at.display()))?;
        if choices.token != token {
            return Err(format!(
                "the instantiation token is {token:?}, and that of {} is {:?}; use the \
                 modelDescription.xml of this unit",
                at.display(),
                choices.token
            ));
        }
        let vehicle = folder.join(&choices.vehicle);
        let text = file_kind::vehicle_text(&vehicle).map_err(|failure| lines(&failure))?;
        let name = vehicle.display().to_string();
        let file = VehicleFile::parse(&name, &text).map_err(|errors| {
            let all: Vec<String> = errors.listed().iter().map(ToString::to_string).collect();
            all.join("\n")
        })?;
        let resources =
            resources::load_to_run(&file, &vehicle, None).map_err(|failure| lines(&failure))?;
        let terminals = Terminals::new(&file, &choices)
            .map_err(|error| format!("{}: {error}", at.display()))?;
        Ok(Vehicle {
            file,
            resources,
            choices,
            terminals,
        })
    }
}

fn lines(failure: &Failure) -> String {
    failure.lines().join("\n")
}
