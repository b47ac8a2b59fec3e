//! The roles of a suite, which is known only when the vehicle file has been read, and the
//! operations it computes.

use std::sync::Arc;

use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_group_keys::Address;
use waywarden_key_suites::{RecordedOperations, Secret};
use waywarden_lasan::{
    AnyLasanSuite, EcuStorage, LasanEcu, LasanProfile, LasanSuite, ModuleCapacity, ModuleStorage,
    PartyIdentity, SecurityModule, StreamId,
};
use waywarden_work::Operation;

use super::known::ProvisionedIdentity;
use crate::nodes::LasanRole;
use waywarden_vehicle_file::{HELD_MAX, Lasan};

/// Number of ECUs that are authenticated at a time if the security module invites them.
pub(super) const INVITED_MAX: usize = 4;

/// Makes the role of one part at a boot.
pub(super) type MakeRole = Arc<
    dyn Fn(&Boot<'_>, &ProvisionedIdentity, &Place, &[StreamId]) -> Box<dyn LasanRole>
        + Send
        + Sync,
>;

/// Place of a role in its ECU, and kind of the role.
pub(super) struct Place {
    pub(super) address: Address,
    pub(super) ports: Ports,
    pub(super) slot: Slot,
    pub(super) is_module: bool,
}

/// Operations of a suite, by step.
pub(super) struct Computed {
    pub(super) offer: Operations,
    pub(super) answer: Operations,
    pub(super) finish: Operations,
    pub(super) sign: Operations,
    pub(super) verify: Operations,
}

/// Metered operations of one call of a suite.
pub(super) type Operations = Vec<Operation>;

/// Returns what a suite computes, by letting it.
pub(super) fn computed(suite: AnyLasanSuite) -> Computed {
    let (sizes, mut meter) = (suite.sizes(), RecordedOperations::new());
    let secret = Secret::from_bytes([0x5A; 32]);
    let message = [0; 32];
    let taken = |meter: &mut RecordedOperations| meter.drain().collect::<Operations>();
    let (mut offered, mut answered) = (vec![0; sizes.offer], vec![0; sizes.answer]);
    let pending = suite.offer(&mut meter, &secret, &mut offered);
    let offer = taken(&mut meter);
    let agreed = suite.answer(&mut meter, &offered, &secret, &mut answered);
    let answer = taken(&mut meter);
    if let (Some(pending), Ok(_)) = (pending, agreed) {
        let _ = suite.finish(&mut meter, &pending, &answered);
    }
    let finish = taken(&mut meter);
    let key = suite.signing_key(&secret);
    let (mut public, mut signature) = (vec![0; sizes.public_key], vec![0; sizes.signature]);
    let _ = suite.public_key(&key, &mut public);
    let _ = suite.sign(&mut meter, &key, &message, &mut signature);
    let sign = taken(&mut meter);
    let _ = suite.verify(&mut meter, &public, &message, &signature);
    Computed {
        offer,
        answer,
        finish,
        sign,
        verify: taken(&mut meter),
    }
}

/// Returns how the parts of a network make their roles, which grants so many keys.
pub(super) fn make(suite: AnyLasanSuite, lasan: &Lasan, permissions: usize) -> MakeRole {
    // As published the module invites no ECU: there is room for as many as begin at once.
    let handshakes = match lasan.profile {
        LasanProfile::AsPublished => lasan.members.len().max(INVITED_MAX),
        _ => INVITED_MAX,
    };
    let capacity = ModuleCapacity {
        ecus: lasan.members.len(),
        handshakes,
        permissions,
    };
    Arc::new(
        move |boot, provisioned, place, requests| match place.is_module {
            true => Box::new(module(suite, boot, provisioned, place, capacity)),
            false => Box::new(ecu(suite, boot, provisioned, place, requests)),
        },
    )
}

type Known = super::known::Known;

fn ecu(
    suite: AnyLasanSuite,
    boot: &Boot<'_>,
    provisioned: &ProvisionedIdentity,
    place: &Place,
    requests: &[StreamId],
) -> LasanEcu<'static, AnyLasanSuite, Known> {
    let storage = EcuStorage::boxed(suite.sizes(), HELD_MAX);
    let identity = identity(provisioned, place);
    let mut role = LasanEcu::new(boot, suite, identity, provisioned.known.clone(), storage);
    for &stream in requests {
        let asked = role.request(stream);
        debug_assert!(asked, "the file was read with the same bound");
    }
    role
}

fn module(
    suite: AnyLasanSuite,
    boot: &Boot<'_>,
    provisioned: &ProvisionedIdentity,
    place: &Place,
    capacity: ModuleCapacity,
) -> SecurityModule<'static, AnyLasanSuite, Known> {
    let storage = ModuleStorage::boxed(suite.sizes(), capacity);
    let identity = identity(provisioned, place);
    match SecurityModule::new(boot, suite, identity, provisioned.known.clone(), storage) {
        Ok(role) => role,
        // There is room for all that the file names.
        Err(error) => unreachable!("{error}"),
    }
}

fn identity(provisioned: &ProvisionedIdentity, place: &Place) -> PartyIdentity {
    PartyIdentity {
        address: place.address,
        ports: place.ports,
        secret: provisioned.secret.duplicate(),
        slot: place.slot,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_computes_something_of_each_kind() {
        for &suite in AnyLasanSuite::ALL {
            let computed = computed(suite);
            let all = [
                computed.offer,
                computed.answer,
                computed.finish,
                computed.sign,
                computed.verify,
            ];
            assert!(all.iter().all(|one| !one.is_empty()), "{suite:?}");
        }
    }
}
