//! `waywarden traffic sumo`: traffic from the simulator SUMO.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use waywarden_traffic_lab::scenario::{Roads, densest_place, trips};
use waywarden_vehicle_tracks::{Edge, read_network};

use super::failed;
use super::kept::make;
use super::scenario::Folder;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::terminal::plain;

/// Let SUMO simulate a scenario, and write the positions of its vehicles.
///
/// The scenario is a folder with a scenario.toml; docs/traffic-scenarios.md describes it.
/// The command looks for SUMO in .venv/bin, in $SUMO_HOME/bin and in PATH. To install it:
///
///     python3 -m venv .venv && .venv/bin/pip install eclipse-sumo
///
/// Writes the network, the trips and trace.csv.gz, which `waywarden traffic run` takes. The same
/// scenario, seed and release of SUMO give the same trace.
#[derive(Debug, clap::Args)]
pub(crate) struct TrafficSumo {
    /// The folder of the scenario.
    scenario: PathBuf,
    /// Level of traffic, by the scenario's name for it, such as rush.
    #[arg(long)]
    level: Option<String>,
    /// The seed of the random generator for trips and drivers.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The folder for what is written; it is made.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl TrafficSumo {
    pub(super) fn execute(&self) -> Result<Answer, Failure> {
        let folder = Folder::read(&self.scenario)?;
        let (_, vehicles) = folder.level(self.level.as_deref())?;
        let trace = simulate(&folder, vehicles, self.seed, &self.out)?;
        println!("{}", plain(&trace.display().to_string()));
        Ok(Answer::Yes)
    }
}

/// Simulates a scenario with so many vehicles; returns where the trace is.
pub(super) fn simulate(
    folder: &Folder,
    vehicles: u32,
    seed: u64,
    out: &Path,
) -> Result<PathBuf, Failure> {
    make(out)?;
    // SUMO takes a comma for the end of a name.
    let inputs = folder.files();
    if let Some(path) = inputs
        .iter()
        .chain([&out.to_owned()])
        .find(|path| has_comma(path))
    {
        let what = "a comma in a path, which SUMO takes for the end of it; rename the folder";
        return Err(failed(path, what));
    }
    let mut network = network(folder, out)?;
    let mut edges = edges(&network)?;
    if let Some(within_m) = folder.scenario.within_m {
        network = part(&network, &edges, within_m, out)?;
        edges = self::edges(&network)?;
    }
    let traffic = &folder.scenario.traffic;
    let text = trips(&edges, traffic, vehicles, seed);
    let text = text.map_err(|error| failed(&network, &error.to_string()))?;
    let routes = out.join("trips.xml");
    fs::write(&routes, text).map_err(|error| Failure::file(routes.display(), &error))?;
    // A trace that is there is whole: it gets its name at the end.
    let own = format!("partial-{}.csv.gz", std::process::id());
    let (partial, trace) = (out.join(own), out.join("trace.csv.gz"));
    let mut sumo = command("sumo")?;
    sumo.arg("--net-file").arg(&network);
    sumo.arg("--route-files").arg(&routes);
    sumo.arg("--fcd-output").arg(&partial);
    sumo.args(["--fcd-output.attributes", "x,y,angle,speed"]);
    sumo.args(["--step-length", "0.1", "--begin", "0", "--end"]);
    // One seed of SUMO's has 31 bits.
    sumo.arg(traffic.duration_s.to_string());
    sumo.arg("--seed").arg((seed % (1 << 31)).to_string());
    sumo.args(["--no-step-log", "true", "--no-warnings", "true"]);
    run(sumo, "sumo")?;
    fs::rename(&partial, &trace).map_err(|error| Failure::file(trace.display(), &error))?;
    Ok(trace)
}

/// Returns where the network is; makes it of plain files.
fn network(folder: &Folder, out: &Path) -> Result<PathBuf, Failure> {
    for path in folder.files() {
        files::open(&path)?;
    }
    let (nodes, edges) = match &folder.scenario.roads {
        Roads::Network { network } => return Ok(folder.file(network)),
        Roads::Plain { nodes, edges } => (nodes, edges),
    };
    let network = out.join("net.xml");
    let mut netconvert = command("netconvert")?;
    netconvert.arg("--node-files").arg(folder.file(nodes));
    netconvert.arg("--edge-files").arg(folder.file(edges));
    netconvert.arg("--output-file").arg(&network);
    netconvert.args(["--no-warnings", "true"]);
    run(netconvert, "netconvert")?;
    Ok(network)
}

fn has_comma(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().contains(&b',')
}

fn edges(network: &Path) -> Result<Vec<Edge>, Failure> {
    let edges = read_network(BufReader::new(files::open(network)?));
    edges.map_err(|error| failed(network, &error.to_string()))
}

/// Leaves out the roads that are farther than this from where most road is; returns where the
/// rest is.
fn part(network: &Path, edges: &[Edge], within_m: f64, out: &Path) -> Result<PathBuf, Failure> {
    let what = "its edges have no shape, so within_m has no middle";
    let (x, y) = densest_place(edges, within_m).ok_or_else(|| failed(network, what))?;
    let part = out.join("part.net.xml");
    let (west, south, east, north) = (x - within_m, y - within_m, x + within_m, y + within_m);
    let mut netconvert = command("netconvert")?;
    netconvert.arg("--sumo-net-file").arg(network);
    netconvert.arg("--keep-edges.in-boundary");
    netconvert.arg(format!("{west:.1},{south:.1},{east:.1},{north:.1}"));
    netconvert.arg("--output-file").arg(&part);
    netconvert.args(["--no-warnings", "true"]);
    run(netconvert, "netconvert")?;
    Ok(part)
}

/// Finds a program of SUMO.
fn command(name: &str) -> Result<Command, Failure> {
    let home = env::var_os("SUMO_HOME").map(|home| Path::new(&home).join("bin"));
    let places = [Some(PathBuf::from(".venv/bin")), home];
    let path = env::var_os("PATH").unwrap_or_default();
    let places = places.into_iter().flatten().chain(env::split_paths(&path));
    let mut found = places.map(|place| place.join(name));
    let found = found.find(|file| file.is_file()).ok_or_else(|| {
        Failure::new(format_args!(
            "{name} is neither in .venv/bin, nor in $SUMO_HOME/bin, nor in PATH; get SUMO by: \
             python3 -m venv .venv && .venv/bin/pip install eclipse-sumo"
        ))
    })?;
    let mut command = Command::new(found);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}

fn run(mut command: Command, name: &str) -> Result<(), Failure> {
    let program = command.get_program().to_owned();
    let output = command.stderr(Stdio::piped()).output();
    let output =
        output.map_err(|error| Failure::file(Path::new(OsStr::new(&program)).display(), &error))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let mut lines = text.lines().filter(|line| line.starts_with("Error"));
    let why = lines.next().or(text.lines().last()).unwrap_or("no message");
    Err(Failure::new(format_args!(
        "{name} ended with {}: {}",
        output.status,
        plain(why)
    )))
}
