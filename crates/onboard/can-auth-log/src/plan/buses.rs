//! Buses of a log's channels.

use std::collections::HashMap;

/// Assignment of a log's channels to buses.
pub(super) enum ChannelBuses {
    /// Each channel is a bus of its own.
    Own,
    /// Each channel is one of a vehicle's buses.
    Vehicle {
        file: String,
        names: Vec<String>,
        /// Channels whose bus was named.
        assigned: HashMap<String, String>,
    },
}

/// A channel of the log is no bus of the vehicle: it has neither the name of one nor was it
/// assigned to one, and the vehicle has several.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("channel {channel} is no bus of {file}; assign it to one of {}", .buses.join(", "))]
pub struct UnknownBusError {
    /// The channel, as the log names it.
    pub channel: String,
    /// The vehicle file.
    pub file: String,
    /// The buses that the vehicle has.
    pub buses: Vec<String>,
}

impl ChannelBuses {
    /// Returns which bus a channel is.
    pub(super) fn of(&self, channel: &str) -> Result<String, UnknownBusError> {
        let ChannelBuses::Vehicle {
            file,
            names,
            assigned,
        } = self
        else {
            return Ok(channel.to_owned());
        };
        let same = names.iter().find(|name| *name == channel);
        let only = names.first().filter(|_| names.len() == 1);
        let bus = assigned.get(channel).or(same).or(only);
        bus.cloned().ok_or_else(|| UnknownBusError {
            channel: channel.to_owned(),
            file: file.clone(),
            buses: names.clone(),
        })
    }
}
