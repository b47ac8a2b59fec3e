//! Pseudonyms that sign one after the other.

use std::sync::{Arc, Mutex};

use waywarden_testkit::Random;
use waywarden_v2x_keys::SoftwareStore;
use waywarden_v2x_service::engine::Engine;
use waywarden_v2x_service::materials::{
    Materials, SigningIdentity, UsedCertificates, UsedInProcess,
};
use waywarden_v2x_service_protocol::{RefusedRequest, RequestedOperation, ResponseBody, Status};
use waywarden_v2x_wire::ieee1609dot2::{Duration, HashedId8, Psid, Time64};

use crate::support::{
    CAM, DENM, NOW, TestTime, World, ask, cam, engine, everything, signed, verified,
};

/// A list that outlives an engine, and may be broken.
#[derive(Clone, Default)]
struct Kept {
    used: Arc<Mutex<UsedInProcess>>,
    is_broken: Arc<Mutex<bool>>,
}

impl UsedCertificates for Kept {
    fn age(&self, id: HashedId8) -> Option<usize> {
        self.used.lock().unwrap().age(id)
    }

    fn add(&mut self, id: HashedId8) -> Result<(), String> {
        match *self.is_broken.lock().unwrap() {
            true => Err("no space left".to_owned()),
            false => self.used.lock().unwrap().add(id),
        }
    }
}

/// A world, its time, and pseudonyms of a vehicle, valid for so long each.
struct Vehicle {
    world: World,
    time: Arc<TestTime>,
}

impl Vehicle {
    fn new() -> Self {
        Self {
            world: World::new(&mut Random::new(31)),
            time: TestTime::new(NOW),
        }
    }

    fn pseudonyms(&mut self, valid: &[Duration]) -> Vec<SigningIdentity> {
        let each = valid.iter().map(|valid| {
            let (holder, _) = self.world.vehicle(*valid);
            SigningIdentity {
                name: "car".to_owned(),
                credential: holder.credential,
                store: Box::new(holder.store),
                psids: None,
                is_pseudonym: true,
            }
        });
        each.collect()
    }

    fn materials(&mut self, signers: Vec<SigningIdentity>, used: Option<Kept>) -> Materials {
        Materials {
            signers,
            used: used.map(|used| Box::new(used) as _),
            ..self.world.materials(Duration::Years(1))
        }
    }
}

const YEAR: Duration = Duration::Years(1);

fn ids(signers: &[SigningIdentity]) -> Vec<HashedId8> {
    signers.iter().map(|one| one.credential.id()).collect()
}

fn change(engine: &Engine, psid: Psid) -> Result<(HashedId8, Time64), RefusedRequest> {
    match ask(
        engine,
        &everything(),
        RequestedOperation::ChangeCertificate(psid),
    )? {
        ResponseBody::CertificateChanged { id, until } => Ok((id, until)),
        other => panic!("{other:?}"),
    }
}

/// Returns the signer, as seen by a receiver.
fn signer(engine: &Engine) -> HashedId8 {
    let message = signed(engine, cam(b"awareness")).unwrap();
    verified(engine, &message).signer.unwrap()
}

#[test]
fn one_signs_until_another_one_is_asked_for() {
    let mut vehicle = Vehicle::new();
    let signers = vehicle.pseudonyms(&[YEAR; 3]);
    let ids = ids(&signers);
    let materials = vehicle.materials(signers, None);
    let engine = engine(materials, &vehicle.time);
    assert_eq!([signer(&engine), signer(&engine)], [ids[0]; 2]);
    // After the last one, the one that was used longest ago.
    for expected in [ids[1], ids[2], ids[0], ids[1]] {
        let (id, until) = change(&engine, CAM).unwrap();
        assert_eq!((id, signer(&engine)), (expected, expected));
        assert!(until > NOW);
    }
    // It signs for the other application as well, and changes with it.
    assert_eq!(change(&engine, DENM).unwrap().0, ids[2]);
    assert_eq!(signer(&engine), ids[2]);
}

/// The same certificates once more. No store has two owners: these sign nothing.
fn read_again(signers: &[SigningIdentity]) -> Vec<SigningIdentity> {
    let again = signers.iter().map(|one| SigningIdentity {
        name: one.name.clone(),
        credential: one.credential.clone(),
        store: Box::new(SoftwareStore::<1>::new()),
        psids: None,
        is_pseudonym: true,
    });
    again.collect()
}

#[test]
fn reload_keeps_the_one_that_signs_and_a_start_takes_another() {
    let mut vehicle = Vehicle::new();
    let kept = Kept::default();
    let signers = vehicle.pseudonyms(&[YEAR; 4]);
    let ids = ids(&signers);
    let (second, third) = (read_again(&signers), read_again(&signers));
    let materials = vehicle.materials(signers, Some(kept.clone()));
    let first = engine(materials, &vehicle.time);
    assert_eq!(signer(&first), ids[0]);
    assert_eq!(change(&first, CAM).unwrap().0, ids[1]);
    // The files are read again: the next one is the third, so the second one signs.
    let materials = vehicle.materials(second, None);
    first.reload(materials).unwrap();
    assert_eq!(change(&first, CAM).unwrap().0, ids[2]);
    drop(first);
    let materials = vehicle.materials(third, Some(kept));
    let second = engine(materials, &vehicle.time);
    // The fourth one would have signed first; after it comes the one that was used longest ago.
    assert_eq!(change(&second, CAM).unwrap().0, ids[0]);
}

#[test]
fn nothing_is_signed_by_what_cannot_be_written_down() {
    let mut vehicle = Vehicle::new();
    let kept = Kept::default();
    let signers = vehicle.pseudonyms(&[YEAR; 2]);
    let ids = ids(&signers);
    let materials = vehicle.materials(signers, Some(kept.clone()));
    let engine = engine(materials, &vehicle.time);
    *kept.is_broken.lock().unwrap() = true;
    let refused = signed(&engine, cam(b"")).unwrap_err();
    assert_eq!(refused.status, Status::NotSigned);
    assert!(refused.reason.contains("no space left"), "{refused}");
    *kept.is_broken.lock().unwrap() = false;
    assert_eq!(signer(&engine), ids[0]);
    // A change that fails leaves the one that signs.
    *kept.is_broken.lock().unwrap() = true;
    assert_eq!(change(&engine, CAM).unwrap_err().status, Status::NotSigned);
    assert_eq!(signer(&engine), ids[0]);
}

#[test]
fn without_another_one_the_certificate_stays() {
    let mut vehicle = Vehicle::new();
    let materials = vehicle.world.materials(YEAR);
    let plain = engine(materials, &vehicle.time);
    let refused = change(&plain, CAM).unwrap_err();
    assert_eq!(refused.status, Status::NoCertificate);
    assert!(refused.reason.contains("pseudonyms = true"), "{refused}");
    // The second one ends to be valid after an hour.
    let signers = vehicle.pseudonyms(&[YEAR, Duration::Hours(1)]);
    let ids = ids(&signers);
    let materials = vehicle.materials(signers, None);
    let engine = engine(materials, &vehicle.time);
    assert_eq!(signer(&engine), ids[0]);
    vehicle.time.set(Time64(NOW.0 + 7_200_000_000), None);
    let refused = change(&engine, CAM).unwrap_err();
    assert_eq!(refused.status, Status::NoCertificate);
    assert_eq!(signer(&engine), ids[0]);
}

#[test]
fn who_may_not_sign_may_not_change() {
    let mut vehicle = Vehicle::new();
    let signers = vehicle.pseudonyms(&[YEAR; 2]);
    let materials = vehicle.materials(signers, None);
    let engine = engine(materials, &vehicle.time);
    let mut grant = everything();
    grant.sign.remove(&CAM);
    let refused = ask(&engine, &grant, RequestedOperation::ChangeCertificate(CAM)).unwrap_err();
    assert_eq!(refused.status, Status::PsidNotAuthorized);
}
