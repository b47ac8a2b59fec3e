//! Errors of a drive.

use std::fmt;

use waywarden_traffic_stations::NoCertificate;
use waywarden_vehicle_sim::lower::LowerError;

/// Reason that a drive does not begin or go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum RoadError {
    /// The vehicle file has no `[v2x]`.
    NoV2x,
    /// An ECU of `[v2x]` is an image, or its stream is under a security module: text with both.
    Unsupported(String),
    /// The board of the telematics ECU has no figure for signatures.
    NoFigure(String),
    /// The vehicle file makes no simulation.
    Lower(LowerError),
    /// A simulation of a car stopped.
    Simulation(String),
    /// A station has no certificate.
    Certificate(NoCertificate),
    /// A vehicle that is not in the trace.
    NoSuchVehicle(usize),
    /// A vehicle that is named twice.
    Twice(usize),
}

impl fmt::Display for RoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoV2x => f.write_str(
                "the vehicle file has no [v2x]; add the table with `ecu`, `speed`, \
                 `brake_request` and `brake_ecu`",
            ),
            Self::Unsupported(why) | Self::NoFigure(why) | Self::Simulation(why) => {
                f.write_str(why)
            }
            Self::Lower(error) => error.fmt(f),
            Self::Certificate(error) => error.fmt(f),
            Self::NoSuchVehicle(number) => write!(f, "the trace has no vehicle {number}"),
            Self::Twice(number) => write!(f, "vehicle {number} is named twice"),
        }
    }
}

impl std::error::Error for RoadError {}
