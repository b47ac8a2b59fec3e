//! Enrolment requests that the enrolment authority must refuse, each for its reason.

mod messages;
mod requests;
mod storage;

use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::enrolment::{MessageFault, RequestRefusal};
use waywarden_v2x_wire::etsi102941::{EnrolmentResponseCode as Code, InnerEcRequest};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::forge::{By, Enrolment, changed_enrolment};
use super::world::{World, credential_contents};
use crate::support::NOW;

/// A request that is as it should be, its new key, and what it carries.
struct Good {
    request: Vec<u8>,
    key: KeyHandle,
    inner: Vec<u8>,
}

fn good(world: &mut World) -> Good {
    let key = world.key();
    let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
    let inner = changed_enrolment(world, &request, |_| {});
    Good {
        request,
        key,
        inner,
    }
}

fn refusal(world: &mut World, request: &[u8], now: Time64) -> RequestRefusal {
    let before = world.registry.answers();
    let refusal = world.answer_enrolment(request, now).outcome.unwrap_err();
    assert_eq!(
        world.registry.answers(),
        before,
        "a refusal is not recorded"
    );
    refusal
}

fn fault(world: &mut World, request: &[u8]) -> (MessageFault, Code) {
    match refusal(world, request, NOW) {
        RequestRefusal::Message(fault) => {
            let code = RequestRefusal::Message(fault).enrolment_code();
            (fault, code)
        }
        other => panic!("{other}"),
    }
}

fn changed(
    world: &mut World,
    good: &Good,
    change: impl for<'r> FnOnce(&mut InnerEcRequest<'r>),
) -> RequestRefusal {
    let inner = changed_enrolment(world, &good.request, change);
    let forged = Enrolment::by(good.key, By::OwnKey(world.canonical));
    let request = forged.sealed(world, &inner);
    refusal(world, &request, NOW)
}
