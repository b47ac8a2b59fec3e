//! Networks from bit rates, and from a vehicle file.

use std::path::Path;
use std::sync::Arc;

use pyo3::PyErr;
use waywarden_boards::Board;
use waywarden_can::node::{Boot, Input, Node, Output, Ports};
use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};
use waywarden_can_sim::config::{BusConfig, Config, EcuConfig};
use waywarden_can_sim::controller::{Acceptance, PortConfig};
use waywarden_can_sim::live::LiveNetwork;
use waywarden_input_files::files;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_sim::lower::lower;
use waywarden_vehicle_trace::Fact;
use waywarden_work::Instant;

use crate::error::Failure;
use crate::vehicle::named_files;
use crate::vehicle_text::faults;

/// Maximum number of buses of a network.
const BUSES_MAX: usize = 64;

/// Name, bit rate, data bit rate and sample point of a bus.
pub(super) type BusArguments = (String, u64, Option<u64>, Option<u16>);

/// Makes a network of buses without ECUs.
pub(super) fn of_buses(
    buses: &[BusArguments],
    seed: Option<u64>,
    acknowledge: bool,
) -> Result<LiveNetwork<Fact>, PyErr> {
    if buses.is_empty() || buses.len() > BUSES_MAX {
        return Err(Failure::parameter(
            "buses",
            format_args!("{} buses", buses.len()),
            "1 to 64 buses",
        ));
    }
    let mut configured: Vec<BusConfig> = Vec::new();
    for (name, bit_rate, data, sample_point) in buses {
        if configured.iter().any(|bus| bus.name == *name) {
            return Err(Failure::parameter(
                "buses",
                format_args!("two buses have the name {name:?}"),
                "one name for each bus",
            ));
        }
        let nominal = phase("bitrate", *bit_rate, *sample_point)?;
        let data = data
            .map(|rate| phase("data_bitrate", rate, None))
            .transpose()?;
        configured.push(BusConfig::new(name.as_str(), BitTiming { nominal, data }));
    }
    let config = Config {
        seed: seed.unwrap_or(1),
        buses: configured,
        ecus: match acknowledge {
            true => listeners(buses.len()),
            false => Vec::new(),
        },
    };
    LiveNetwork::new(config).map_err(super::failure)
}

/// Returns a controller for each bus that acknowledges and sends nothing.
fn listeners(buses: usize) -> Vec<EcuConfig<Fact>> {
    let board = Board::builtin("ideal").map(Arc::new);
    let listener = |(bus, board)| {
        let port = PortConfig {
            acceptance: Acceptance::Only(Vec::new()),
            ..PortConfig::on(bus)
        };
        EcuConfig::new("listener", board, vec![port], |_: &Boot<'_>| {
            Box::new(Listener)
        })
    };
    let boards = board.into_iter().cycle();
    (0..buses).zip(boards).map(listener).collect()
}

struct Listener;

impl Node for Listener {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
        Output::Idle(None)
    }
}

fn phase(name: &'static str, rate: u64, sample_point: Option<u16>) -> Result<PhaseTiming, PyErr> {
    let refused = |what: String| {
        Failure::parameter(name, what, "an integer of bits a second, such as 500000")
    };
    let bits = u32::try_from(rate).map_err(|_| refused(format!("{rate} bit/s is too fast")))?;
    let rate = BitRate::new(bits).map_err(|error| refused(error.to_string()))?;
    match sample_point {
        None => Ok(PhaseTiming::recommended(rate)),
        Some(permille) => {
            let point = SamplePoint::from_permille(permille).map_err(|error| {
                Failure::parameter("sample_point", error, "a share of the bit in 0.1 %")
            })?;
            Ok(PhaseTiming::new(rate, point))
        }
    }
}

/// Makes a network of a vehicle file, with its ECUs, its attackers and the logs that it plays back;
/// returns remarks about these logs, too.
pub(super) fn of_vehicle(
    path: &Path,
    seed: Option<u64>,
) -> Result<(LiveNetwork<Fact>, Vec<String>), PyErr> {
    let name = path.display().to_string();
    let text = files::text(path).map_err(|problem| Failure::of("InputError", &problem))?;
    let file = VehicleFile::parse(&name, &text).map_err(|errors| faults(&errors))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let (resources, remarks) = named_files::load(&file, folder)?;
    let lowered = lower(&file, &resources, seed)
        .map_err(|error| PyErr::from(Failure::new("VehicleError", format!("{name}: {error}"))))?;
    let network = LiveNetwork::new(lowered.config).map_err(super::failure)?;
    Ok((network, remarks))
}
