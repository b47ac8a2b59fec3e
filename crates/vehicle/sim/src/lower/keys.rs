//! Key protocols of a vehicle, and each ECU's parts in them.
//!
//! A protocol has a file below that makes its parts and names the frames they need; here an ECU's
//! parts of all protocols come together, with what gateways forward of them.

mod group;
mod lasan;
mod patterns;

use std::sync::Arc;

use waywarden_can::node::Boot;
use waywarden_can::timing::{self, BitTiming};
use waywarden_can::{Frame, Id, IdError, bits};
use waywarden_can_sim::config::BusConfig;
use waywarden_ecu::{EcuRole, GatewayRoute, ROLES_MAX};
use waywarden_group_keys::{IdPattern, Transport};
use waywarden_work::Duration;

use super::authentication::SessionKeys;
use super::part::Part;
use super::{KeyTimes, LowerError, authentication, port_on};
use crate::nodes::{KeyRole, KeysInUse, SessionKeyId};
use waywarden_session_keys::{ChangeOver, RoleShares};
use waywarden_vehicle_file::{BusIndex, EcuIndex, SourceLocation, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::Facts;

pub(super) use group::Group;
use lasan::Network;
pub(super) use lasan::NetworkImage;

/// Limit on the items that an ECU keeps over a reset.
const SLOTS_MAX: usize = 256;

/// Limit on the in-order frames that a gateway holds: half a megabyte.
const FORWARDED_MAX: usize = 8_192;

/// The key protocols of a vehicle, ready to make parts.
pub(super) struct Protocols<'a> {
    groups: Vec<Group<'a>>,
    networks: Vec<Network<'a>>,
}

impl<'a> Protocols<'a> {
    /// Makes everything that the parts of a protocol share.
    ///
    /// # Errors
    /// [`LowerError::Keys`] for what the boards or the number of ECUs do not allow.
    pub(super) fn new(
        file: &'a VehicleFile,
        resources: &Resources,
        buses: &[BusConfig],
    ) -> Result<Self, LowerError> {
        Ok(Protocols {
            groups: group::groups(file, resources, buses)?,
            networks: lasan::networks(file, resources, buses)?,
        })
    }

    /// Returns how long each group waits for what, then each security module.
    pub(super) fn times(&self) -> Vec<KeyTimes> {
        let groups = self.groups.iter().map(Group::times);
        groups
            .chain(self.networks.iter().map(Network::times))
            .collect()
    }

    /// Returns a security module, by its place in the vehicle file.
    pub(super) fn network(&self, at: usize) -> Option<&Network<'a>> {
        self.networks.get(at)
    }

    /// Returns the part of an ECU image under a security module.
    ///
    /// # Errors
    /// The part that an image cannot have, in words.
    pub(super) fn image(
        &self,
        file: &VehicleFile,
        index: EcuIndex,
    ) -> Result<Option<NetworkImage>, String> {
        let mut images = Vec::new();
        for network in &self.networks {
            images.extend(network.image(file, index)?);
        }
        match images.len() {
            0 | 1 => Ok(images.pop()),
            count => Err(format!(
                "it is under {count} security modules, and an image under one"
            )),
        }
    }

    /// Returns what is allowed and hardly meant.
    pub(super) fn warnings(&self, file: &VehicleFile) -> Vec<(SourceLocation, String)> {
        let groups = self.groups.iter();
        let groups = groups.filter_map(|group| group.warnings(file));
        let networks = self.networks.iter();
        let networks = networks.flat_map(|network| network.warnings(file));
        groups.chain(networks).collect()
    }

    /// Makes the parts of an ECU, and says of each whether the ECU's streams wait for its first
    /// key.
    ///
    /// # Errors
    /// [`LowerError::Keys`] for an ECU that has to keep more over a reset than there is room for.
    pub(super) fn parts(
        &self,
        file: &VehicleFile,
        index: EcuIndex,
        facts: &Facts,
    ) -> Result<(Vec<Part>, Vec<bool>), LowerError> {
        let mut awaited = Vec::new();
        let mut parts = Vec::new();
        let in_use = Arc::new(KeysInUse::default());
        for group in &self.groups {
            if let Some(part) = group.part(file, index, (&in_use, facts)) {
                parts.push(part);
                awaited.push(group.holds_streams());
            }
        }
        for network in &self.networks {
            let part = network.part(file, index, (&in_use, facts));
            parts.extend(part);
        }
        let change_over = |key: SessionKeyId| self.change_over(key);
        let keys = SessionKeys {
            file,
            in_use: &in_use,
            change_over: &change_over,
        };
        let authentication = authentication::parts(file, index, facts, &keys)?;
        parts.extend(authentication);
        awaited.resize(parts.len(), false);
        fit(file, index, &parts)?;
        Ok((parts, awaited))
    }

    /// Returns the groups that an ECU is in.
    pub(super) fn groups_of(&self, index: EcuIndex) -> impl Iterator<Item = &Group<'a>> {
        let groups = self.groups.iter();
        groups.filter(move |group| group.has(index))
    }

    /// Returns how long a change of a session key takes.
    fn change_over(&self, key: SessionKeyId) -> ChangeOver {
        match key {
            SessionKeyId::Group((group, _)) => self.groups[group].change_over(),
            SessionKeyId::Grant((network, _)) => self.networks[network].change_over(),
        }
    }
}

/// Sees whether an ECU has room for all its roles, and for what they keep over a reset.
fn fit(file: &VehicleFile, index: EcuIndex, parts: &[Part]) -> Result<(), LowerError> {
    let slots: usize = parts.iter().map(|part| part.slots).sum();
    let why = if slots > SLOTS_MAX {
        format!(
            "its keys take {slots} places in the memory that survives a reset, which has \
             {SLOTS_MAX}; take it out of some [[keys]] or [[authentication]]"
        )
    } else if parts.len() > ROLES_MAX {
        format!(
            "it has {} roles in [[keys]] and [[authentication]], and room for {ROLES_MAX}; take it \
             out of some",
            parts.len()
        )
    } else {
        return Ok(());
    };
    let ecu = file.ecu(index);
    Err(LowerError::Keys {
        place: file.source.place(&ecu.name.span),
        name: format!("ECU {}", ecu.name.value),
        why,
    })
}

/// Makes the roles of an ECU at a boot, each from a seed of its own and with slots of its own.
pub(super) fn roles(boot: &Boot<'_>, parts: &[Part]) -> Vec<EcuRole<Box<dyn KeyRole>>> {
    let mut shares = RoleShares::new(boot);
    let role = |part: &Part| {
        let (boot, slot) = shares.next(part.slots);
        let node = (part.make)(&boot, slot);
        EcuRole::new(node, part.ports, slot)
    };
    parts.iter().map(role).collect()
}

/// Returns what a gateway forwards of the key frames of protocols that span it.
///
/// The parts of a LASAN message are numbered in their identifiers, so that part 1 would overtake
/// the part 15 before it. In a group all frames of a message have one identifier, and only a start
/// of a whole tree is less urgent than what follows it; nothing may be held back there by a member,
/// whose own frames would overtake what they answer.
pub(super) fn routes(file: &VehicleFile, gateway: EcuIndex) -> Vec<GatewayRoute> {
    let mut routes = Vec::new();
    let mut forward = |(from, to): (BusIndex, BusIndex), frames: &[IdPattern], in_order| {
        let [from, to] = [from, to].map(|bus| port_on(file, gateway, bus));
        let route = |matching| GatewayRoute {
            from,
            to,
            matching,
            in_order,
        };
        routes.extend(frames.iter().flat_map(patterns::matching).map(route));
    };
    let groups = file.groups.iter();
    for group in groups.filter(|one| one.gateway == Some(gateway)) {
        let is_party = group.parties().any(|party| party.ecu == gateway);
        for pair in pairs(&group.buses) {
            forward(pair, &group::patterns(group), !is_party);
        }
    }
    let networks = file.lasan.iter();
    for network in networks.filter(|one| one.gateway == Some(gateway)) {
        for pair in pairs(&network.buses) {
            forward(pair, &lasan::forwarded(file, network, pair), true);
        }
    }
    routes
}

/// Returns how many in-order frames can be on their way through a gateway, for one that forwards
/// any: those of the ECUs that are authenticated at a time.
pub(super) fn forwarded_at_once(file: &VehicleFile, gateway: EcuIndex) -> Option<usize> {
    let spanning = file.lasan.iter().filter(|one| one.gateway == Some(gateway));
    let frames = spanning.map(|one| {
        let one_ecu = one.lengths().map_or(0, |lengths| {
            let lengths = lengths.authentication();
            let frames = lengths.map(|(_, length)| one.frame_count(length));
            frames.sum::<u64>()
        });
        (one_ecu * lasan::at_once(one)) as usize
    });
    Some(frames.max()?.min(FORWARDED_MAX))
}

fn pairs(buses: &[BusIndex]) -> impl Iterator<Item = (BusIndex, BusIndex)> + '_ {
    let pair = |&from: &BusIndex| buses.iter().map(move |&to| (from, to));
    buses.iter().flat_map(pair).filter(|(from, to)| from != to)
}

/// Returns which frames an ECU needs on a bus for its keys, or for those it forwards: 11-bit
/// identifiers, then 29-bit ones as value and mask.
pub(super) fn accepted(
    file: &VehicleFile,
    index: EcuIndex,
    bus: BusIndex,
) -> (Vec<Id>, Vec<(u32, u32)>) {
    let groups = file.groups.iter();
    let groups = groups.filter(|one| group::concerns(one, index, bus));
    let mut accepted: Vec<IdPattern> = groups.flat_map(group::patterns).collect();
    let networks = file.lasan.iter();
    let networks = networks.filter(|one| lasan::concerns(one, index, bus));
    accepted.extend(networks.map(|one| one.frames().pattern()));
    patterns::accepted(&accepted)
}

/// Returns the duration of the longest key frame, intermission included.
fn frame_time(transport: Transport, timing: &BitTiming) -> Result<Duration, IdError> {
    let id = Id::extended(0)?;
    let frame = match transport {
        Transport::Classic => Frame::classic(id, &[0; 8]),
        Transport::Fd => Frame::fd(id, &[0; 64]),
    };
    let longest = frame.ok().map_or(0, |frame| {
        let length = bits::frame_length(&frame, bits::FdVariant::Iso);
        (timing::duration(&length, timing) + timing.intermission()).get()
    });
    Ok(Duration::from_nanos(longest.div_ceil(1_000)))
}
