//! Attackers that send become nodes of their own; attackers in a gateway wrap its node.

use std::collections::BTreeSet;

use waywarden_can::node::{Boot, Node, Port};
use waywarden_can::{Id, StandardId};
use waywarden_can_auth::secoc::PRODUCTION_ID;
use waywarden_can_sim::config::{BuildNode, EcuConfig};
use waywarden_can_sim::controller::{Order, PortConfig, acceptance_key};
use waywarden_ecu::Matching;
use waywarden_work::{Duration, Instant};

use super::extra::extra;
use super::{LowerError, application, at, authentication, number, until};
use crate::file::{
    Attack, Attacker, AuthenticationProtocol, BusIndex, EcuIndex, ForgedFrame, FrameRate,
    StreamIndex, VehicleFile,
};
use crate::nodes::{
    Flood, Forged, Forger, ForgeryPlan, Impostor, ImpostorNames, Leaving, Relay, Replayer, Spoof,
    Tampering,
};

/// Adds the attackers that send.
pub(super) fn add(file: &VehicleFile, ecus: &mut Vec<EcuConfig>) -> Result<(), LowerError> {
    for attacker in &file.attackers {
        if let Some((bus, mut inner)) = sender(file, attacker)? {
            let until = until(file, &attacker.window);
            let build: BuildNode = Box::new(move |boot| Box::new(Leaving::new(inner(boot), until)));
            let mut port = PortConfig::on(bus.0);
            if let Attack::Register { .. } | Attack::Forge { .. } | Attack::Relay { .. } =
                attacker.attack
            {
                // The parts of a message stay in order.
                port.order = Order::Fifo;
            }
            let mut ports = vec![port];
            if let Attack::Relay { from, .. } = attacker.attack {
                ports.push(PortConfig::on(from.0));
            }
            let start = at(attacker.window.from);
            ecus.push(extra(attacker.name.value.clone(), ports, start, build)?);
        }
    }
    Ok(())
}

type Built = (BusIndex, BuildNode);

fn sender(file: &VehicleFile, attacker: &Attacker) -> Result<Option<Built>, LowerError> {
    let until = until(file, &attacker.window);
    let built: Built = match &attacker.attack {
        Attack::Spoof { bus, frame, period } => {
            let frame = &as_on_the_bus(file, frame);
            (*bus, spoof(attacker, frame, *period, until)?)
        }
        Attack::Flood {
            bus,
            frame,
            rate: FrameRate::Full,
        } => {
            let forged = forged(attacker, frame)?;
            let build = move |boot: &Boot<'_>| -> Box<dyn Node> {
                Box::new(Flood::new(forged.seeded(number(&boot.seed)), until))
            };
            (*bus, Box::new(build))
        }
        Attack::Flood {
            bus,
            frame,
            rate: FrameRate::PerSecond(rate),
        } => {
            let period = Duration::from_nanos(1_000_000_000 / u64::from(*rate).max(1));
            (*bus, spoof(attacker, frame, period, until)?)
        }
        Attack::Replay {
            bus,
            id,
            delay,
            reorder,
        } => {
            let which = match id {
                None => vec![Matching::All],
                Some(id) => with_tags(file, *bus, *id),
            };
            let (delay, reorder) = (*delay, *reorder);
            let build = move |boot: &Boot<'_>| -> Box<dyn Node> {
                let (which, seed) = (which.clone(), number(&boot.seed));
                Box::new(Replayer::new(which, delay, reorder, until, seed))
            };
            (*bus, Box::new(build))
        }
        Attack::Forge { bus, .. } => {
            let plan = forgery(file, attacker, until)?;
            let build = move |boot: &Boot<'_>| -> Box<dyn Node> {
                Box::new(Forger::new(plan.clone(), boot.now, number(&boot.seed)))
            };
            (*bus, Box::new(build))
        }
        Attack::Relay { to, .. } => (*to, Box::new(|_| Box::new(Relay::default()))),
        Attack::Register {
            bus,
            network,
            ecus,
            period,
        } => {
            let lasan = &file.lasan[*network];
            let names = ImpostorNames {
                module: lasan.security_module.address,
                ecus: ecus.clone(),
                transport: lasan.transport,
                gives_way: lasan.gives_way,
            };
            let period = *period;
            let build = move |boot: &Boot<'_>| -> Box<dyn Node> {
                Box::new(Impostor::new(names.clone(), period, boot.now, until))
            };
            (*bus, Box::new(build))
        }
        Attack::Suppress { .. } | Attack::Modify { .. } | Attack::Compromise { .. } => {
            return Ok(None);
        }
    };
    Ok(Some(built))
}

/// Returns what somebody does who hears a stream, with what is known of the stream's protocol.
fn forgery(
    file: &VehicleFile,
    attacker: &Attacker,
    until: Instant,
) -> Result<ForgeryPlan, LowerError> {
    let wrong = |why: String| LowerError::Attack {
        name: attacker.name.value.clone(),
        why,
    };
    let &Attack::Forge {
        stream,
        trick,
        burst,
        hold,
        ..
    } = &attacker.attack
    else {
        return Err(wrong("it forges nothing".to_owned()));
    };
    let table = file.authentication_of(stream).map(|(_, table)| table);
    let questions = table.and_then(|table| match table.protocol {
        AuthenticationProtocol::Paired { .. } => table.asking.first().map(|(_, id)| *id),
        _ => None,
    });
    let announced = table.and_then(|table| match &table.protocol {
        AuthenticationProtocol::Secoc(secoc) => secoc.master.as_ref().map(|master| master.id),
        _ => None,
    });
    let announcements = match announced {
        Some(id) => id,
        None => StandardId::new(PRODUCTION_ID).map_err(|error| wrong(error.to_string()))?,
    };
    let protection = file.stream(stream).protection;
    Ok(ForgeryPlan {
        stream: application::handled(file, stream, Port(0), protection),
        trick,
        burst,
        hold,
        until,
        questions,
        announcements,
    })
}

/// Returns what carries the messages of an identifier: its frames, and where a stream has tags in
/// frames of their own, those too. A message without its tag is refused before anybody looks
/// whether it is new.
fn with_tags(file: &VehicleFile, bus: BusIndex, id: Id) -> Vec<Matching> {
    let streams = file.streams.iter().enumerate().filter(|(_, stream)| {
        let mut carried = stream.carried.iter();
        stream.id.value == id && carried.any(|one| one.bus == bus)
    });
    let tags = streams.flat_map(|(at, _)| authentication::tags(file, StreamIndex(at)));
    [Matching::Only(id)].into_iter().chain(tags).collect()
}

/// Returns a forged frame as long as those that the attacker has seen: a protected stream's are
/// longer than what its sender says. Given bytes stay as they are.
fn as_on_the_bus(file: &VehicleFile, frame: &ForgedFrame) -> ForgedFrame {
    let seen = frame.stream.map(|stream| file.stream(stream).wire_length());
    let free = frame.data.length().is_none();
    ForgedFrame {
        length: seen.filter(|_| free).unwrap_or(frame.length),
        ..frame.clone()
    }
}

fn spoof(
    attacker: &Attacker,
    frame: &ForgedFrame,
    period: Duration,
    until: Instant,
) -> Result<BuildNode, LowerError> {
    let forged = forged(attacker, frame)?;
    Ok(Box::new(move |boot| {
        Box::new(Spoof::new(
            forged.seeded(number(&boot.seed)),
            period,
            boot.now,
            until,
        ))
    }))
}

fn forged(attacker: &Attacker, frame: &ForgedFrame) -> Result<Forged, LowerError> {
    Forged::new(frame.id, frame.format, frame.length, frame.data.clone()).map_err(|error| {
        LowerError::Attack {
            name: attacker.name.value.clone(),
            why: error.to_string(),
        }
    })
}

/// Returns what is done to the frames that a gateway forwards.
pub(super) fn tampering(file: &VehicleFile, ecu: EcuIndex) -> Vec<Tampering> {
    let started = file.ecu(ecu).start;
    file.attackers
        .iter()
        .filter_map(|attacker| {
            let (gateway, streams, change, probability) = match &attacker.attack {
                Attack::Suppress {
                    gateway,
                    streams,
                    probability,
                } => (gateway, streams, None, probability),
                Attack::Modify {
                    gateway,
                    streams,
                    change,
                    probability,
                } => (gateway, streams, Some(change.clone()), probability),
                _ => return None,
            };
            let ids: BTreeSet<u32> = streams
                .iter()
                .map(|&one| acceptance_key(file.stream(one).id.value))
                .collect();
            let end = attacker.window.until.unwrap_or(file.duration);
            (*gateway == ecu).then(|| Tampering {
                name: attacker.name.value.clone(),
                ids,
                change,
                probability: *probability,
                from: Instant::ZERO + (attacker.window.from - started),
                until: Instant::ZERO + (end - started),
            })
        })
        .collect()
}
