//! Requests of other authorities, of blocked stations, and for too many tickets.

use waywarden_v2x_pki::Authority;
use waywarden_v2x_pki::enrolment::{RequestRefusal, StationStatus};
use waywarden_v2x_signing::PayloadToSign;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{
    AuthorizationResponseCode, AuthorizationValidationRequest,
    AuthorizationValidationResponseCode as Code, EtsiTs102941DataContent,
};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::{asked, passed_on, refused, signed_by};
use crate::enrolment::forge::{
    Authorization, By, content, header, message, opened_by_ea, payload, sealed_to_ea, signed,
    signed_data,
};
use crate::enrolment::world::{World, authorization_authority, ticket_contents};
use crate::support::NOW;

fn second_authority(world: &mut World) -> Authority {
    let curve = world.curve;
    let World {
        root, store, seeds, ..
    } = world;
    crate::enrolment::world::authority(root, store, curve, authorization_authority(), seeds).0
}

#[test]
fn other_authorities_are_refused() {
    let mut world = World::new("other_authorities");
    let asked = asked(&mut world);
    let good = passed_on(&mut world, &asked.request);
    let second = second_authority(&mut world);
    let (aa, ea) = (
        world.aa.authority().credential().clone(),
        world.ea.authority().credential().clone(),
    );
    let unknown = signed_by(
        &mut world,
        &good,
        By::Credential(second.credential()),
        header(),
    );
    let (code, refusal) = refused(&mut world, &unknown, NOW);
    assert_eq!(
        (code, &refusal),
        (
            Code::InvalidAa,
            &RequestRefusal::UnknownAuthority(second.credential().id())
        )
    );
    // Known, it may ask; the enrolment authority's own certificate may not.
    let bytes = second.credential().certificate().bytes().to_vec();
    world.ea.add_authorization_authority(&bytes).unwrap();
    world
        .ea
        .add_authorization_authority(ea.certificate().bytes())
        .unwrap();
    let own = signed_by(&mut world, &good, By::Credential(&ea), header());
    let (code, refusal) = refused(&mut world, &own, NOW);
    assert_eq!(
        (code, refusal),
        (Code::InvalidAa, RequestRefusal::InvalidAuthority(ea.id()))
    );
    let own = signed_by(
        &mut world,
        &good,
        By::Credential(&asked.credential),
        header(),
    );
    let (code, _) = refused(&mut world, &own, NOW);
    assert_eq!(code, Code::InvalidAa);
    for by in [By::OwnKey(asked.key), By::Whole(&aa)] {
        let own = signed_by(&mut world, &good, by, header());
        let (code, _) = refused(&mut world, &own, NOW);
        assert_eq!(code, Code::BadContentType);
    }
    world.ea.remove_authorization_authority(aa.id());
    let (code, _) = refused(&mut world, &good, NOW);
    assert_eq!(code, Code::InvalidAa);
    let own = signed_by(
        &mut world,
        &good,
        By::Credential(second.credential()),
        header(),
    );
    world.answer_validation(&own, NOW).outcome.unwrap();
}

#[test]
fn other_enrolment_authority_and_format_are_refused() {
    let mut world = World::new("other_ea");
    let asked = asked(&mut world);
    // Another enrolment authority that the authorization authority knows, and asks.
    let forged = Authorization::by(&asked.credential, asked.key);
    let request = forged.sealed(&mut world, &asked.request, |_, _| {});
    let good = passed_on(&mut world, &request);
    let aa = world.aa.authority().credential().clone();
    let (data, _) = opened_by_ea(&mut world, &good);
    let data = signed_data(&data);
    let EtsiTs102941DataContent::AuthorizationValidationRequest(inner) = content(payload(&data))
    else {
        panic!("another content");
    };
    for (id, format, expected) in [
        (HashedId8([9; 8]), 1, Code::WrongEa),
        (world.ea_certificate().id(), 2, Code::DeniedRequest),
    ] {
        let mut shared = *inner.shared;
        shared.ea_id = id;
        shared.certificate_format.0 = format;
        let bytes = crate::support::written(&shared);
        let content = EtsiTs102941DataContent::AuthorizationValidationRequest(
            AuthorizationValidationRequest {
                shared: parse(&bytes).unwrap(),
                ..inner
            },
        );
        let payload = message(content);
        let data = signed(
            &mut world,
            By::Credential(&aa),
            header(),
            PayloadToSign::Data(&payload),
        );
        let request = sealed_to_ea(&mut world, &data);
        assert_eq!(refused(&mut world, &request, NOW).0, expected);
    }
}

#[test]
fn blocked_stations_and_too_many_tickets_are_refused() {
    let mut world = World::new("too_many");
    let credential = world.enrol();
    world.change_station(|station| station.profile.tickets_at_once = 2);
    let ask = |world: &mut World| world.ask_ticket(&credential, &ticket_contents(), NOW).0;
    for _ in 0..2 {
        let request = ask(&mut world);
        world.authorize(&request, NOW).outcome.unwrap();
    }
    let request = ask(&mut world);
    let message = passed_on(&mut world, &request);
    let (code, refusal) = refused(&mut world, &message, NOW);
    assert_eq!(
        (code, &refusal),
        (Code::DeniedTooManyCerts, &RequestRefusal::TooManyTickets(2))
    );
    let (code, _) = crate::enrolment::purposes_aa::refused(&mut world, &request, NOW);
    assert_eq!(code, AuthorizationResponseCode::DeniedTooManyCerts);
    // In the week after these there is room.
    let mut contents = ticket_contents();
    contents.start.0 += 168 * 3_600;
    let (next, _) = world.ask_ticket(&credential, &contents, NOW);
    world.authorize(&next, NOW).outcome.unwrap();
    world.change_station(|station| station.status = StationStatus::Blocked);
    let message = passed_on(&mut world, &request);
    let (code, refusal) = refused(&mut world, &message, NOW);
    assert_eq!(
        (code, refusal),
        (Code::DeniedRequest, RequestRefusal::StationBlocked)
    );
}
