//! `waywarden fmu`: a vehicle file as a bus simulation for FMI importers.

mod archive;
mod library;

use std::io::Write;
use std::path::{Component, Path, PathBuf};

use waywarden_command_can::file_kind;
use waywarden_command_can::resources::load_to_run;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::{self, OutputFile};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_fmu::description::{self, Description, model_identifier};
use waywarden_vehicle_fmu::terminals::{CHOICES_FILE, NODES_DEFAULT, Terminal};
use waywarden_vehicle_fmu::unit::Settings;
use waywarden_vehicle_fmu::{Choices, Terminals, Unit, UnitError};
use waywarden_vehicle_lab::fingerprint::Fingerprint;
use waywarden_vehicle_resources::needed;

use self::archive::Archive;
use crate::run::{parse, refused};

/// Write the buses of a vehicle as an FMI 3.0 unit (FMU), for nodes of other simulations.
///
/// The unit is a bus simulation after FMI-LS-BUS 1.0. Nodes send and receive frames through its
/// terminals, in competition with each other and with the ECUs and attackers of the file, on exact
/// bits. docs/fmi.md shows how to connect them.
///
/// Exit code 0 if the unit was written, 2 for bad input.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Fmu {
    /// The vehicle, in TOML; docs/vehicle-file.md describes it, examples/ has some.
    vehicle: PathBuf,
    /// The unit to write.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Number of terminals of each bus [default: 2, or none with --outside].
    #[arg(long, value_name = "NUMBER")]
    nodes: Option<usize>,
    /// ECUs of the file that are nodes of other simulations, separated by commas: each has a
    /// terminal on each of its buses.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    outside: Vec<String>,
    /// The library of units for this kind of computer [default: libwaywarden_fmi.so beside this
    /// program or in ../lib/waywarden].
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Add sources, for importers that compile units or link several into one program: a file in
    /// C99 that passes each function on to a second copy of the library, in the resources. Only
    /// for the kind of computer that the library is for.
    #[arg(long)]
    sources: bool,
}

const EXAMPLES: &str = "\
Examples:
  waywarden fmu examples/fmi/two-nodes.toml -o bus.fmu
      One bus, two nodes.
  waywarden fmu examples/minimal.toml -o bus.fmu --nodes 20
      The ECUs of the file, and 20 nodes beside them.
  waywarden fmu examples/compact-car-attack.toml -o car.fmu --outside brakes,engine
      Two ECUs of the car come from other simulations; the attackers stay.
  waywarden fmu examples/fmi/two-nodes.toml -o bus.fmu --sources
      For an importer that compiles it.";

/// The vehicle file in the unit.
const VEHICLE: &str = "car.toml";
const LICENSE: &str = include_str!("../../../../LICENSE-MIT");

impl Fmu {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let text = file_kind::vehicle_text(&self.vehicle)?;
        let file = parse(&self.vehicle.display().to_string(), &text)?;
        let resources = load_to_run(&file, &self.vehicle, None)?;
        let named = self.named_files(&file)?;
        let choices = Choices {
            vehicle: VEHICLE.to_owned(),
            token: token(&text, &named, self.nodes, &self.outside)?,
            nodes: match (self.nodes, self.outside.is_empty()) {
                (Some(nodes), _) => nodes,
                (None, true) => NODES_DEFAULT,
                (None, false) => 0,
            },
            outside: self.outside.clone(),
        };
        let terminals = Terminals::new(&file, &choices)
            .map_err(|error| Failure::new(format_args!("--nodes, --outside: {error}")))?;
        let settings = Settings::new(&file);
        // Told now: an importer would learn of it only later.
        let unit = Unit::new(&file, &resources, &choices, &terminals, &settings);
        unit.map_err(|error| match error {
            UnitError::Lower(error) => refused(&file, &error),
            error => Failure::new(format_args!("{}: {error}", self.vehicle.display())),
        })?;
        let library = library::find(self.library.as_deref())?;
        let description = Description {
            name: &file.name,
            about: &file.description,
            token: &choices.token,
            tool: concat!("Waywarden ", env!("CARGO_PKG_VERSION")),
            settings: &settings,
            duration: file.duration.as_nanos() as f64 / 1e9,
            terminals: &terminals,
        };
        let mut archive = Archive::new(OutputFile::create(&self.out)?);
        archive.add(
            description::DESCRIPTION_PATH,
            description.model().as_bytes(),
        )?;
        archive.add(
            description::TERMINALS_PATH,
            description.terminals().as_bytes(),
        )?;
        archive.add(description::MANIFEST_PATH, description::MANIFEST.as_bytes())?;
        archive.add(
            &library::path_in_unit(&model_identifier(&file.name)),
            &library,
        )?;
        if self.sources {
            add_sources(&mut archive, &model_identifier(&file.name), &library)?;
        }
        archive.add(&format!("resources/{VEHICLE}"), text.as_bytes())?;
        let choices = serde_json::to_string_pretty(&choices).map_err(std::io::Error::from)?;
        archive.add(&format!("resources/{CHOICES_FILE}"), choices.as_bytes())?;
        for (path, bytes) in &named {
            archive.add(&format!("resources/{path}"), bytes)?;
        }
        archive.add("documentation/index.html", page(&terminals).as_bytes())?;
        archive.add("documentation/licenses/license.txt", LICENSE.as_bytes())?;
        archive.finish()?.finish()?;
        self.print(&terminals)?;
        Ok(Answer::Yes)
    }

    /// Reads the boards, logs and ECU images that the file names, each once; they must lie in its
    /// folder, for they go into the unit under the same path.
    fn named_files(&self, file: &VehicleFile) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let folder = self.vehicle.parent().unwrap_or(Path::new("."));
        let mut named: Vec<(String, Vec<u8>)> = Vec::new();
        for need in needed(file) {
            let path = need.path();
            if named.iter().any(|(other, _)| other == path) {
                continue;
            }
            let mut parts = Path::new(path).components();
            let is_inside = parts.all(|part| matches!(part, Component::Normal(_)));
            let own = [VEHICLE, CHOICES_FILE, &library::path_in_resources()];
            if !is_inside || own.contains(&path) {
                let place = file.source.place(need.span());
                return Err(Failure::new(format_args!(
                    "{}:{place}: \"{path}\" cannot go into a unit; put the file into the folder \
                     of the vehicle file and name it there, with another name than {VEHICLE} and \
                     {CHOICES_FILE}",
                    self.vehicle.display()
                )));
            }
            named.push((
                path.to_owned(),
                files::bytes(&folder.join(path), BYTES_MAX)?,
            ));
        }
        Ok(named)
    }

    fn print(&self, terminals: &Terminals) -> Result<(), Failure> {
        if self.out.as_os_str() == "-" {
            return Ok(());
        }
        let names: Vec<String> = terminals.terminals.iter().map(Terminal::name).collect();
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{}: {} ({}), {}: {}",
            self.out.display(),
            counted(terminals.buses.len(), "bus", "buses"),
            terminals.buses.join(", "),
            counted(names.len(), "terminal", "terminals"),
            names.join(", ")
        )?;
        Ok(())
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Adds sources and the library that they load: only the folder of resources is certain to be
/// there when a unit runs, and a compiled unit may replace the library in `binaries`.
fn add_sources(archive: &mut Archive, identifier: &str, library: &[u8]) -> Result<(), Failure> {
    let place = library::path_in_resources();
    let build = description::build(identifier, &library::platform());
    archive.add(description::BUILD_PATH, build.as_bytes())?;
    archive.add(
        description::SOURCE_PATH,
        description::source(&place).as_bytes(),
    )?;
    archive.add(&format!("resources/{place}"), library)
}

/// The largest board, log or image: 2 GiB.
const BYTES_MAX: usize = 1 << 31;

/// Returns what tells this unit from others: the digest of the files, and the choices.
fn token(
    text: &str,
    named: &[(String, Vec<u8>)],
    nodes: Option<usize>,
    outside: &[String],
) -> Result<String, Failure> {
    let mut digest = Fingerprint::new(text);
    for (_, bytes) in named {
        digest.add(&bytes[..])?;
    }
    digest.add(format!("{nodes:?} {outside:?}").as_bytes())?;
    Ok(digest.finish())
}

/// Returns the page that a unit has about itself.
fn page(terminals: &Terminals) -> String {
    let rows: String = terminals
        .terminals
        .iter()
        .map(|one| format!("<li>{}</li>\n", one.name()))
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Bus simulation\
         </title></head><body>\n<h1>Bus simulation</h1>\n<p>CAN buses after FMI-LS-BUS 1.0, \
         written by <code>waywarden fmu</code>. Connect Tx_Data and Tx_Clock of a node with \
         Rx_Data and Rx_Clock of a terminal, and the other way round. resources/{VEHICLE} is the \
         vehicle.</p>\n<p>Terminals:</p>\n<ul>\n{rows}</ul>\n</body></html>\n"
    )
}
