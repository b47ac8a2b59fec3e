//! ECUs beside the car: the devices of attackers, and the controllers that logs are played back by.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BuildNode, EcuConfig};
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::cpu::Priorities;

use super::LowerError;
use super::board::board;
use waywarden_vehicle_file as file;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{Fact, Facts};

/// Makes an ECU that is no part of the car: its work costs nothing.
///
/// # Errors
/// [`LowerError::NotLoaded`] if the ideal board is not built in; it is.
pub(super) fn extra(
    name: String,
    ports: Vec<PortConfig>,
    start: Time,
    build: BuildNode,
) -> Result<EcuConfig<Fact>, LowerError> {
    let board = board(
        &file::BoardSource::BuiltIn("ideal".to_owned()),
        &Resources::default(),
    )?;
    Ok(EcuConfig {
        name,
        board,
        cores: 1,
        priorities: Priorities::default(),
        drift_ppb: 0,
        ports,
        start,
        faults: Vec::new(),
        build,
        remarks: Facts::default(),
    })
}
