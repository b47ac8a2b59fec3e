//! Logs played back: each is a node that is no part of the car, with a controller for each channel.

use waywarden_can::node::Port;
use waywarden_can_sim::config::EcuConfig;
use waywarden_can_sim::controller::{Acceptance, PortConfig, TransmitOrder};

use super::extra::extra;
use super::{LowerError, at, until};
use crate::nodes::{Lane, Playback};
use waywarden_vehicle_file::{self as file, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::Fact;

/// Number of frames that the controllers of a playback hold together. It bounds a node's answers to
/// one input: a log with a coarse clock has many frames at one instant.
const PLAYBACK_QUEUE: usize = 2_048;

/// Number of frames that each of them holds when it sends as fast as it can: enough that the bus is
/// never idle.
const FAST_QUEUE: usize = 4;

/// Adds a node for each log that is played back.
///
/// # Errors
/// [`LowerError::NotLoaded`] for a log that is not among the resources,
/// [`LowerError::NoSuchChannel`] for a channel that it does not have.
pub(super) fn add(
    file: &VehicleFile,
    resources: &Resources,
    ecus: &mut Vec<EcuConfig<Fact>>,
) -> Result<(), LowerError> {
    for replay in &file.replays {
        ecus.push(playback(file, replay, resources)?);
    }
    Ok(())
}

fn playback(
    file: &VehicleFile,
    replay: &file::Replay,
    resources: &Resources,
) -> Result<EcuConfig<Fact>, LowerError> {
    let path = &replay.log.value;
    let log = resources
        .logs
        .get(path)
        .ok_or_else(|| LowerError::NotLoaded {
            what: "log",
            path: path.clone(),
        })?;
    let mut lanes = Vec::new();
    for (port, (channel, _)) in replay.channels.iter().enumerate() {
        let frames = log
            .channels
            .get(channel)
            .ok_or_else(|| LowerError::NoSuchChannel {
                place: file.source.place(&replay.log.span),
                log: path.clone(),
                channel: channel.clone(),
                known: log.channels.keys().cloned().collect::<Vec<_>>().join(", "),
            })?;
        lanes.push(Lane {
            port: Port(port as u8),
            frames: frames.clone(),
        });
    }
    let repeat = replay.repeat.then_some(log.length);
    let (pace, until) = (replay.pace, until(file, &replay.window));
    // At the recorded speed frames of one instant compete, as those of their senders did.
    let (order, transmit_queue) = match pace {
        file::PlaybackSpeed::Recorded => {
            let share = PLAYBACK_QUEUE / replay.channels.len().max(1);
            (TransmitOrder::Priority, share.max(1))
        }
        file::PlaybackSpeed::Fast => (TransmitOrder::Fifo, FAST_QUEUE),
    };
    let ports = replay.channels.iter().map(|&(_, bus)| PortConfig {
        order,
        transmit_queue,
        acceptance: Acceptance::Only(Vec::new()),
        ..PortConfig::on(bus.0)
    });
    extra(
        replay.name.value.clone(),
        ports.collect(),
        at(replay.window.from),
        Box::new(move |boot| Box::new(Playback::new(lanes.clone(), pace, repeat, boot.now, until))),
    )
}
