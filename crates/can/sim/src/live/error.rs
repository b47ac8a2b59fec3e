//! Errors of a live network.

use std::fmt;

use crate::SimulationError;
use crate::config::ConfigError;

/// Reason that a network does not do what a program asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveError {
    /// The mailbox has left.
    Left,
    /// The controller of the mailbox takes no part on its bus.
    NoPart,
    /// There is no bus of this name.
    NoSuchBus {
        /// The name.
        name: String,
        /// The names of the buses.
        buses: Vec<String>,
    },
    /// As many frames wait as the mailbox holds.
    Full {
        /// Number of frames that wait.
        waiting: usize,
    },
    /// The configuration or the new mailbox is refused.
    Config(ConfigError),
    /// The built-in board without costs is missing.
    NoBoard,
    /// The network would run longer than [`LiveNetwork::TIME_MAX`](super::LiveNetwork::TIME_MAX).
    TooLong,
    /// The simulation stopped, now or earlier.
    Stopped(SimulationError),
}

impl From<ConfigError> for LiveError {
    fn from(error: ConfigError) -> Self {
        LiveError::Config(error)
    }
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiveError::Left => f.write_str("the bus was shut down; open another one"),
            LiveError::NoPart => f.write_str(
                "the controller takes no part on the bus: it is in bus-off or joins; wait until it \
                 does",
            ),
            LiveError::NoSuchBus { name, buses } => {
                let buses = buses.join(", ");
                write!(f, "unknown bus {name:?}; buses of this network: {buses}")
            }
            LiveError::Full { waiting } => write!(
                f,
                "{waiting} frames wait for the bus, which is all that there is room for; wait \
                 until some are sent"
            ),
            LiveError::Config(error) => error.fmt(f),
            LiveError::NoBoard => f.write_str("the built-in board ideal is missing"),
            LiveError::TooLong => f.write_str("a network runs 106 days at most; open another one"),
            LiveError::Stopped(error) => write!(f, "the simulation stopped: {error}"),
        }
    }
}

impl std::error::Error for LiveError {}
