//! Attackers that send become nodes of their own; attackers in a gateway wrap its node.

use std::collections::BTreeSet;

use waywarden_can::node::{Boot, Node, Port};
use waywarden_can::{Id, StandardId};
use waywarden_can_auth::secoc::PRODUCTION_ID;
use waywarden_can_sim::config::{BuildNode, EcuConfig};
use waywarden_can_sim::controller::{PortConfig, TransmitOrder, acceptance_key};
use waywarden_ecu::Matching;
use waywarden_work::{Duration, Instant};

use super::extra::extra;
use super::{LowerError, application, at as time, authentication, keys, number, port_on, until};
use crate::nodes::{
    AttackerNode, Flood, Forged, Forger, ForgeryPlan, FrameTampering, Impostor, ImpostorNames,
    KeyFrameMatcher, Masquerade, MiddlePlan, Relay, ReplaySelection, Replayer, Spoof,
    TamperingTarget,
};
use waywarden_vehicle_file::{
    Attack, Attacker, AuthenticationProtocol, BusIndex, EcuIndex, ForgedFrame, ForwardedFrames,
    FrameRate, KeyFrames, KeyMessages, RecordedFrames, StreamIndex, VehicleFile,
};
use waywarden_vehicle_trace::{Fact, Facts};

/// Adds the attackers that send.
pub(super) fn add(
    file: &VehicleFile,
    protocols: &keys::Protocols<'_>,
    ecus: &mut Vec<EcuConfig<Fact>>,
) -> Result<(), LowerError> {
    for (at, attacker) in file.attackers.iter().enumerate() {
        let facts = Facts::default();
        let masquerade = masquerade(file, (at, attacker), protocols, &facts);
        let built = match masquerade {
            Some(built) => Some(built),
            None => sender(file, attacker)?,
        };
        if let Some((bus, mut inner)) = built {
            let until = until(file, &attacker.window);
            let build: BuildNode =
                Box::new(move |boot| Box::new(AttackerNode::new(inner(boot), at, until)));
            let mut port = PortConfig::on(bus.0);
            if let Attack::Register { .. }
            | Attack::Masquerade { .. }
            | Attack::Forge { .. }
            | Attack::Relay { .. } = attacker.attack
            {
                // The parts of a message stay in order.
                port.order = TransmitOrder::Fifo;
            }
            let mut ports = vec![port];
            if let Attack::Relay { from, .. } = attacker.attack {
                ports.push(PortConfig::on(from.0));
            }
            let start = time(attacker.window.from);
            let name = attacker.name.value.clone();
            let device = extra(name, ports, start, build)?;
            let remarks = facts;
            ecus.push(EcuConfig { remarks, ..device });
        }
    }
    Ok(())
}

/// Returns what an attacker is that plays a party of a security module's network.
fn masquerade(
    file: &VehicleFile,
    attacker: (usize, &Attacker),
    protocols: &keys::Protocols<'_>,
    facts: &Facts,
) -> Option<Built> {
    let &Attack::Masquerade {
        bus,
        network,
        party,
        has_certificate,
        hold,
    } = &attacker.1.attack
    else {
        return None;
    };
    let network = protocols.network(network)?;
    let masked = network.masked(file, attacker, (party, has_certificate), facts);
    let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
        Box::new(Masquerade::new(masked.clone(), boot, boot.now + hold))
    };
    Some((bus, Box::new(build)))
}

/// Returns the men in the middle in a gateway.
pub(super) fn middles(
    file: &VehicleFile,
    ecu: EcuIndex,
    protocols: &keys::Protocols<'_>,
    facts: &Facts,
) -> Vec<MiddlePlan> {
    let attackers = file.attackers.iter().enumerate();
    let plan = attackers.filter_map(|attacker| match attacker.1.attack {
        Attack::ManInTheMiddle {
            gateway,
            network,
            member,
        } if gateway == ecu => {
            let network = protocols.network(network)?;
            network.middle(file, attacker, (gateway, member), facts)
        }
        _ => None,
    });
    plan.collect()
}

type Built = (BusIndex, BuildNode);

/// Returns the names in which an attacker registers with a security module.
fn impostor_names(
    lasan: &waywarden_vehicle_file::Lasan,
    ecus: &[waywarden_group_keys::Address],
) -> ImpostorNames {
    ImpostorNames {
        module: lasan.security_module.address,
        ecus: ecus.to_vec(),
        transport: lasan.transport,
        identifiers: lasan.identifiers,
        frames: lasan.frames(),
        gives_way: lasan.gives_way,
    }
}

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
            let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
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
            which,
            delay,
            reorder,
        } => {
            let (delay, reorder) = (*delay, *reorder);
            let recorded = recorded(file, *bus, which);
            let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
                let (which, seed) = (recorded(), number(&boot.seed));
                Box::new(Replayer::new(which, delay, reorder, until, seed))
            };
            (*bus, Box::new(build))
        }
        Attack::Forge { bus, .. } => {
            let plan = forgery(file, attacker, until)?;
            let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
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
            let names = impostor_names(&file.lasan[*network], ecus);
            let period = *period;
            let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
                Box::new(Impostor::new(names.clone(), period, boot.now, until))
            };
            (*bus, Box::new(build))
        }
        Attack::Masquerade { .. }
        | Attack::ManInTheMiddle { .. }
        | Attack::Suppress { .. }
        | Attack::Modify { .. }
        | Attack::Compromise { .. } => return Ok(None),
    };
    Ok(Some(built))
}

/// Returns what an attacker does that hears a stream, with what is known of the stream's protocol.
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
        attack,
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
        attack,
        burst,
        hold,
        until,
        questions,
        announcements,
    })
}

/// Returns what makes the list of frames that are recorded on a bus.
fn recorded(
    file: &VehicleFile,
    bus: BusIndex,
    which: &RecordedFrames,
) -> impl Fn() -> ReplaySelection + 'static {
    let matching = match which {
        RecordedFrames::All => Ok(vec![Matching::All]),
        RecordedFrames::Id(id) => Ok(with_tags(file, bus, *id)),
        RecordedFrames::Keys(frames) => Err(key_frames(file, frames)),
    };
    move || match &matching {
        Ok(matching) => ReplaySelection::Matching(matching.clone()),
        Err(matcher) => ReplaySelection::Keys(matcher.clone()),
    }
}

/// Returns what follows frames of a key protocol.
pub(super) fn key_frames(file: &VehicleFile, frames: &KeyFrames) -> KeyFrameMatcher {
    match &frames.messages {
        KeyMessages::Group { group, .. } => KeyFrameMatcher::of_group(frames, &file.groups[*group]),
        KeyMessages::Lasan { network, .. } => {
            KeyFrameMatcher::of_network(frames, &file.lasan[*network])
        }
    }
}

/// Returns what carries the messages of an identifier: its frames, and where a stream has tags in
/// frames of their own, those too. A message without its tag is refused before its freshness is
/// checked.
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
pub(super) fn tampering(file: &VehicleFile, ecu: EcuIndex) -> Vec<FrameTampering> {
    let started = file.ecu(ecu).start;
    let attackers = file.attackers.iter().enumerate();
    attackers
        .filter_map(|(at, attacker)| {
            let (gateway, what, change, probability) = match &attacker.attack {
                Attack::Suppress {
                    gateway,
                    what,
                    probability,
                } => (gateway, what, None, probability),
                Attack::Modify {
                    gateway,
                    what,
                    change,
                    probability,
                } => (gateway, what, Some(change.clone()), probability),
                _ => return None,
            };
            let end = attacker.window.until.unwrap_or(file.duration);
            (*gateway == ecu).then(|| FrameTampering {
                attacker: at,
                target: target(file, ecu, what),
                change,
                probability: *probability,
                from: Instant::ZERO + (attacker.window.from - started),
                until: Instant::ZERO + (end - started),
            })
        })
        .collect()
}

/// Returns which frames that leave a gateway are tampered with.
fn target(file: &VehicleFile, gateway: EcuIndex, what: &ForwardedFrames) -> TamperingTarget {
    let frames = match what {
        ForwardedFrames::Streams(streams) => {
            let ids = streams.iter();
            let ids = ids.map(|&one| acceptance_key(file.stream(one).id.value));
            return TamperingTarget::Ids(ids.collect::<BTreeSet<u32>>());
        }
        ForwardedFrames::Keys(frames) => frames,
    };
    let buses = match &frames.messages {
        KeyMessages::Group { group, .. } => &file.groups[*group].buses,
        KeyMessages::Lasan { network, .. } => &file.lasan[*network].buses,
    };
    let aimed = buses
        .iter()
        .filter(|bus| frames.bus.is_none_or(|one| one == **bus));
    let by_port = aimed.map(|&bus| (port_on(file, gateway, bus), key_frames(file, frames)));
    TamperingTarget::Keys(by_port.collect())
}
