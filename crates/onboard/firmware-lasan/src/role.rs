//! The roles of an ECU: its part in the network, and its authenticator.

use heapless::Vec;
use waywarden_can::mailbox::PORT;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Slot};
use waywarden_can::{Frame, Id};
use waywarden_ecu::{EcuRole, Guard, Withheld};
use waywarden_firmware_ecu::{Board, ReportingRole};
use waywarden_firmware_link::{LasanPart, LasanRecord, Link};
use waywarden_firmware_secoc::{Keys, SecocRole, authenticator};
use waywarden_key_suites::Entropy;
use waywarden_lasan::{
    AddressSet, EcuStorage, LasanEcu, LasanSuite, ModuleStorage, PartyIdentity, SecurityModule,
};
use waywarden_session_keys::Timetable;
use waywarden_work::Instant;

use crate::grants::{GrantedKeys, Grants};
use crate::party::{Begin, Part, Party};
use crate::{ECUS, LasanStart};

/// A role of an ECU. Both are large, and neither is moved.
#[allow(clippy::large_enum_variant)]
pub enum LasanRole<'a, L, S: LasanSuite> {
    /// Its part in the network.
    Party(Party<'a, L, S>),
    /// Its authenticator.
    Authenticator(SecocRole<'a, L, GrantedKeys<'a>>),
}

/// All roles of an ECU.
pub type Roles<'a, L, S> = Vec<EcuRole<LasanRole<'a, L, S>>, 2>;

/// The places of what is large. The memory of the part that a boot does not have stays empty.
pub struct Places<'a, S: LasanSuite> {
    /// The memory of an ECU.
    pub ecu: EcuStorage<'a>,
    /// The memory of a security module.
    pub module: ModuleStorage<'a, S>,
    /// The keys of streams, which are none yet.
    pub keys: &'a mut Keys,
    /// The granted keys, which are none yet.
    pub grants: &'a Grants,
}

/// The slot of the network's role.
const NETWORK: Slot = Slot(0);

/// Makes the roles of a boot.
///
/// # Panics
/// If the record is of another suite, or has more than there is room for.
pub fn roles<'a, L: Link, S: LasanSuite>(
    start: &'a LasanStart,
    suite: S,
    places: Places<'a, S>,
    board: &'a Board<L>,
) -> Roles<'a, L, S> {
    let record = &start.record;
    assert!(
        suite.identifier() == record.suite,
        "the security module has another suite than this image, which has {}: use the \
         lasan-*.elf of that suite",
        suite.name()
    );
    let Places {
        ecu,
        module,
        keys,
        grants,
    } = places;
    let boot = start.boot();
    // Each role of an ECU has a seed of its own, drawn from the boot's in their order. That of
    // SecOC takes nothing from it.
    let mut seeds = Entropy::new(boot.seed);
    let of_network = Boot {
        seed: *seeds.draw().as_bytes(),
        ..boot
    };
    let (part, slots) = match &record.part {
        LasanPart::Ecu { .. } => (asking(&of_network, record, suite, ecu, grants), 1),
        LasanPart::Module { .. } => (granting(&of_network, record, suite, module), 1 + ECUS),
    };
    let mut roles = Vec::new();
    let party = Party::new(part, &record.parties, board);
    let ports = Ports::NONE.with(PORT);
    // There is room for two.
    let _ = roles.push(EcuRole::new(LasanRole::Party(party), ports, NETWORK));
    if let (
        LasanPart::Ecu {
            keys: of, overlap, ..
        },
        true,
    ) = (&record.part, record.ecu.has_part())
    {
        let slot = Slot(slots as u8);
        let following = GrantedKeys::new(&record.ecu, of, *overlap, grants);
        let own = authenticator(&boot, slot, &record.ecu, keys);
        let role = LasanRole::Authenticator(ReportingRole::new(own, following, board));
        let _ = roles.push(EcuRole::new(role, ports, slot));
    }
    roles
}

fn identity(record: &LasanRecord) -> PartyIdentity {
    PartyIdentity {
        address: record.address,
        ports: Ports::NONE.with(PORT),
        secret: record.secret.duplicate(),
        slot: NETWORK,
    }
}

#[inline(never)]
fn asking<'a, S: LasanSuite>(
    boot: &Boot<'_>,
    record: &'a LasanRecord,
    suite: S,
    storage: EcuStorage<'a>,
    grants: &'a Grants,
) -> Part<'a, S> {
    let LasanPart::Ecu { requests, keys, .. } = &record.part else {
        unreachable!("the part of an ECU");
    };
    let mut role = LasanEcu::new(boot, suite, identity(record), &record.parties, storage);
    for stream in requests {
        assert!(role.request(*stream), "the record has too many requests");
    }
    Part::Ecu { role, keys, grants }
}

#[inline(never)]
fn granting<'a, S: LasanSuite>(
    boot: &Boot<'_>,
    record: &'a LasanRecord,
    suite: S,
    storage: ModuleStorage<'a, S>,
) -> Part<'a, S> {
    let LasanPart::Module { start, renewal } = &record.part else {
        unreachable!("the part of a security module");
    };
    let role = SecurityModule::new(boot, suite, identity(record), &record.parties, storage);
    let role = role.unwrap_or_else(|error| panic!("the record: {error}"));
    let renewal = renewal.map(|period| (*start + period, period, Begin));
    Part::Module {
        role,
        epochs: Timetable::new([(*start, Begin)], renewal),
        authenticated: AddressSet::NONE,
    }
}

/// Does the same with either role.
macro_rules! each {
    ($role:expr, $own:ident => $does:expr) => {
        match $role {
            LasanRole::Party($own) => $does,
            LasanRole::Authenticator($own) => $does,
        }
    };
}

impl<L: Link, S: LasanSuite> Node for LasanRole<'_, L, S> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        each!(self, role => role.handle(now, input));
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        each!(self, role => role.poll(now, room))
    }
}

impl<L: Link, S: LasanSuite> Guard for LasanRole<'_, L, S> {
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        each!(self, role => role.hears(port, frame))
    }

    fn is_stirred(&self) -> bool {
        each!(self, role => role.is_stirred())
    }

    fn guards(&self, id: Id) -> bool {
        each!(self, role => role.guards(id))
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        each!(self, role => role.send(port, frame))
    }
}
