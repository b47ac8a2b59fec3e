//! Key protocols: which a vehicle has, and each ECU's parts in them.
//!
//! A protocol has a file below that makes its parts, names the frames they need and says which of
//! them a gateway forwards; here an ECU's parts of all protocols come together.

mod group;

use std::rc::Rc;

use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can_sim::config::BusConfig;
use waywarden_ecu::{Role, Route};
use waywarden_ecu_keys::suite::Entropy;

use super::LowerError;
use crate::file::{BusIndex, EcuIndex, VehicleFile};
use crate::nodes::{Groups, Renewing, Tidings};
use crate::resources::Resources;

use group::Group;

/// How many things a part keeps over a reset at the most: an orchestrator keeps two.
const SLOTS: u8 = 2;

type MakeRole = Box<dyn Fn(&Boot<'_>, Slot) -> Renewing>;

/// Makes the role of one ECU in one agreement at each boot.
pub(super) struct Part {
    make: MakeRole,
    ports: Ports,
}

/// The key protocols of a vehicle, ready to make parts.
pub(super) struct Protocols<'a> {
    groups: Vec<Group<'a>>,
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
        })
    }

    /// Makes the parts of an ECU, and what it tells of them.
    pub(super) fn parts(
        &self,
        file: &VehicleFile,
        index: EcuIndex,
        tidings: &Rc<Tidings>,
    ) -> (Vec<Rc<Part>>, Groups) {
        let mut told = Groups {
            ecu: index.0,
            tidings: tidings.clone(),
            ..Groups::default()
        };
        let mut parts = Vec::new();
        for group in &self.groups {
            if let Some(part) = group.part(file, index) {
                parts.push(Rc::new(part));
                group.tell(&mut told);
            }
        }
        (parts, told)
    }
}

/// Makes the roles of an ECU at a boot, each from a seed of its own.
pub(super) fn roles(boot: &Boot<'_>, parts: &[Rc<Part>]) -> Vec<Role<Renewing>> {
    let mut seeds = Entropy::new(boot.seed);
    let role = |(at, part): (usize, &Rc<Part>)| {
        let seed = *seeds.draw().as_bytes();
        let slot = Slot(SLOTS * at as u8);
        let node = (part.make)(&Boot { seed, ..*boot }, slot);
        Role::new(node, part.ports, slot)
    };
    parts.iter().enumerate().map(role).collect()
}

/// Returns what a gateway forwards of the key frames of protocols that span it.
pub(super) fn routes(file: &VehicleFile, gateway: EcuIndex) -> Vec<Route> {
    group::routes(file, gateway)
}

/// Returns which 29-bit identifiers an ECU needs on a bus for its keys, or for those it forwards.
pub(super) fn accepted(
    file: &VehicleFile,
    index: EcuIndex,
    bus: BusIndex,
) -> Option<&'static [(u32, u32)]> {
    group::accepted(file, index, bus)
}
