//! The roles of a suite, which is known only when the vehicle file has been read.

use std::marker::PhantomData;
use std::rc::Rc;

use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_ecu_keys::group::Address;
use waywarden_ecu_keys::lasan::{
    EcdheEcdsa, Ecu, FourQSchnorrQ, HybridMlDsa65, Identity, MlKem512FnDsa512, MlKem768FnDsa1024,
    MlKem768MlDsa44, MlKem768MlDsa65, Profile, SecurityModule, Settings, Sizes, StreamId, Suite,
};
use waywarden_ecu_keys::suite::{KeyAgreement, Meter, Secret, Signature};
use waywarden_work::Operation;

use super::known::{Known, Parts, Ware};
use crate::nodes::LasanRole;
use waywarden_vehicle_file::{HELD_MAX, Lasan, PROTECTED_MAX, VehicleFile};

/// Room for every address that there is.
const ECUS: usize = 127;

/// How many ECUs are authenticated at a time where they are invited.
pub(super) const INVITED_MAX: usize = 4;

/// How deep the stack is on which a security module is made: it is moved several times before it
/// lies on the heap, and with room for 127 handshakes it has some megabytes.
const STACK: usize = 64 << 20;

/// Makes the role of one part at a boot.
pub(super) type MakeRole = Rc<dyn Fn(&Boot<'_>, &Ware, &Place, &[StreamId]) -> Box<dyn LasanRole>>;

/// Where a role is in its ECU, and which it is.
pub(super) struct Place {
    pub(super) address: Address,
    pub(super) ports: Ports,
    pub(super) slot: Slot,
    pub(super) is_module: bool,
}

/// What a suite computes: one of each.
pub(super) struct Computed {
    pub(super) offer: Operations,
    pub(super) answer: Operations,
    pub(super) finish: Operations,
    pub(super) sign: Operations,
    pub(super) verify: Operations,
}

/// What one call of a suite is metered as.
pub(super) type Operations = Vec<Operation>;

/// A suite, as an object.
pub(super) trait AnySuite {
    fn sizes(&self) -> Sizes;
    fn computed(&self) -> Computed;
    fn parts(&self, file: &VehicleFile, at: usize, lasan: &Lasan, settings: Settings) -> Parts;
    fn roles(&self, lasan: &Lasan) -> MakeRole;
}

struct Of<S>(PhantomData<S>);

/// Returns the suite with this name in vehicle files.
pub(super) fn suite(name: &str) -> Option<Box<dyn AnySuite>> {
    fn of<S: Suite>() -> Option<Box<dyn AnySuite>>
    where
        Of<S>: AnySuite + 'static,
    {
        Some(Box::new(Of::<S>(PhantomData)))
    }
    match name {
        EcdheEcdsa::NAME => of::<EcdheEcdsa>(),
        FourQSchnorrQ::NAME => of::<FourQSchnorrQ>(),
        MlKem768MlDsa44::NAME => of::<MlKem768MlDsa44>(),
        MlKem768MlDsa65::NAME => of::<MlKem768MlDsa65>(),
        MlKem512FnDsa512::NAME => of::<MlKem512FnDsa512>(),
        MlKem768FnDsa1024::NAME => of::<MlKem768FnDsa1024>(),
        HybridMlDsa65::NAME => of::<HybridMlDsa65>(),
        _ => None,
    }
}

type Module<S, const H: usize> = SecurityModule<S, Known, ECUS, H, PROTECTED_MAX>;

impl<S: Suite> AnySuite for Of<S>
where
    Module<S, INVITED_MAX>: Send,
    Module<S, ECUS>: Send,
{
    fn sizes(&self) -> Sizes {
        S::SIZES
    }

    fn computed(&self) -> Computed {
        let mut meter = Meter::new();
        let secret = Secret::from_bytes([0x5A; 32]);
        let message = [0; 32];
        let taken = |meter: &mut Meter| meter.drain().collect::<Operations>();
        let (pending, offered) = S::Agreement::offer(&mut meter, &secret);
        let offer = taken(&mut meter);
        let answered = S::Agreement::answer(&mut meter, offered.as_ref(), &secret);
        let answer = taken(&mut meter);
        if let Ok((answered, _)) = answered {
            let _ = S::Agreement::finish(&mut meter, &pending, answered.as_ref());
        }
        let finish = taken(&mut meter);
        let key = S::Signature::signing_key(&secret);
        let signature = S::Signature::sign(&mut meter, &key, &message);
        let sign = taken(&mut meter);
        let public = S::Signature::public_key(&key);
        let _ = S::Signature::verify(&mut meter, &public, &message, &signature);
        Computed {
            offer,
            answer,
            finish,
            sign,
            verify: taken(&mut meter),
        }
    }

    fn parts(&self, file: &VehicleFile, at: usize, lasan: &Lasan, settings: Settings) -> Parts {
        Parts::of::<S>(file, at, lasan, settings)
    }

    fn roles(&self, lasan: &Lasan) -> MakeRole {
        // As published the module invites no ECU: there is room for as many as begin at once.
        let at_once = match lasan.profile {
            Profile::AsPublished => lasan.members.len(),
            _ => INVITED_MAX,
        };
        Rc::new(move |boot, ware, place, requests| {
            if !place.is_module {
                return Box::new(ecu::<S>(boot, ware, place, requests));
            }
            match at_once {
                0..=INVITED_MAX => module::<S, INVITED_MAX>(boot, ware, place),
                _ => module::<S, ECUS>(boot, ware, place),
            }
        })
    }
}

fn ecu<S: Suite>(
    boot: &Boot<'_>,
    ware: &Ware,
    place: &Place,
    requests: &[StreamId],
) -> Ecu<S, Known, HELD_MAX> {
    let mut role = Ecu::new(boot, identity(ware, place), ware.known.clone());
    for &stream in requests {
        let asked = role.request(stream);
        debug_assert!(asked, "the file was read with the same bound");
    }
    role
}

/// Makes a security module on the heap.
fn module<S: Suite, const H: usize>(
    boot: &Boot<'_>,
    ware: &Ware,
    place: &Place,
) -> Box<dyn LasanRole>
where
    Module<S, H>: Send,
{
    let make = || {
        let made = Module::<S, H>::new(boot, identity(ware, place), ware.known.clone());
        made.map(Box::new)
    };
    let made = std::thread::scope(|scope| {
        let deep = std::thread::Builder::new().stack_size(STACK);
        let made = deep.spawn_scoped(scope, make);
        made.map(std::thread::ScopedJoinHandle::join)
    });
    match made {
        Ok(Ok(Ok(role))) => role,
        // The file was read with the same bounds.
        Ok(Ok(Err(error))) => unreachable!("{error}"),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // There are no threads here: on the stack that there is.
        Err(_) => match make() {
            Ok(role) => role,
            Err(error) => unreachable!("{error}"),
        },
    }
}

fn identity(ware: &Ware, place: &Place) -> Identity {
    Identity {
        address: place.address,
        ports: place.ports,
        secret: ware.secret.duplicate(),
        slot: place.slot,
    }
}

#[cfg(test)]
mod tests {
    use waywarden_ecu_keys::lasan::SUITES;

    use super::*;

    #[test]
    fn every_suite_has_its_roles_and_what_it_computes() {
        for (name, _, sizes) in SUITES {
            let suite = suite(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(suite.sizes(), *sizes, "{name}");
            let Computed {
                offer,
                answer,
                finish,
                sign,
                verify,
            } = suite.computed();
            for operations in [offer, answer, finish, sign, verify] {
                assert!(!operations.is_empty(), "{name}");
            }
        }
    }

    #[test]
    fn a_security_module_is_not_made_on_a_small_stack() {
        let sizes = [
            size_of::<Module<HybridMlDsa65, INVITED_MAX>>(),
            size_of::<Module<HybridMlDsa65, ECUS>>(),
        ];
        println!("bytes of a security module: {sizes:?}");
        assert!(sizes.iter().all(|size| size * 8 < STACK), "{sizes:?}");
    }
}
