//! Certificates that services ask each other for.

use std::sync::Arc;

use waywarden_testkit::Random;
use waywarden_v2x_security::{ResultCode, Verifier};
use waywarden_v2x_service::engine::Engine;
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, HashedId3, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Time64,
};

use crate::support::{NOW, TestTime, World, cam, engine, signed, verified};

/// Longer than the pause before an answer, and shorter than the time between two certificates.
const PAUSE: u64 = 300_000;

fn header<T>(message: &[u8], read: impl FnOnce(&HeaderInfo<'_>) -> T) -> T {
    let data: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        panic!("not signed");
    };
    read(&signed.tbs_data.header_info)
}

fn requests(message: &[u8]) -> Vec<HashedId3> {
    header(message, |header| {
        let requests = header.inline_p2pcd_request.iter();
        requests.flatten().map(Result::unwrap).collect()
    })
}

fn brings_certificate(message: &[u8]) -> bool {
    header(message, |header| header.requested_certificate.is_some())
}

/// A service that knows the authority, and one that knows the root alone.
fn services(seed: u64) -> (World, Arc<TestTime>, Engine, Engine) {
    let mut world = World::new(&mut Random::new(seed));
    let time = TestTime::new(NOW);
    let knowing = engine(world.materials(Duration::Years(1)), &time);
    let mut materials = world.materials(Duration::Years(1));
    materials.verifier = Verifier::default();
    let anchor = world.root.credential().certificate().bytes();
    materials.verifier.add_trust_anchor(anchor).unwrap();
    let lacking = engine(materials, &time);
    (world, time, knowing, lacking)
}

#[test]
fn unknown_authority_is_asked_for_given_and_learnt() {
    let (world, time, knowing, lacking) = services(71);
    let with_certificate = signed(&knowing, cam(b"first")).unwrap();
    let verdict = verified(&lacking, &with_certificate);
    assert_eq!(
        verdict.result,
        ResultCode::ChainNotEnoughInformationToConstructChain
    );
    // The one that lacks the authority asks for it.
    let asking = signed(&lacking, cam(b"who has issued that?")).unwrap();
    let [.., one, two, three] = world.authority.credential().certificate().id().0;
    let authority = HashedId3([one, two, three]);
    assert_eq!(requests(&asking), [authority]);
    assert!(verified(&knowing, &asking).is_accepted());
    // The other one gives it after a pause.
    assert!(!brings_certificate(
        &signed(&knowing, cam(b"too early")).unwrap()
    ));
    time.set(Time64(NOW.0 + PAUSE), None);
    let giving = signed(&knowing, cam(b"this one has")).unwrap();
    assert!(brings_certificate(&giving));
    // It is learnt from a message that cannot be verified yet.
    let verdict = verified(&lacking, &giving);
    assert_eq!(verdict.result, ResultCode::ParsingCertificateNotFound);
    let mut again = cam(b"second");
    again.signer = Some(SignerForm::Certificate);
    let again = signed(&knowing, again).unwrap();
    assert!(verified(&lacking, &again).is_accepted());
    time.set(Time64(NOW.0 + 2 * PAUSE), None);
    let done = signed(&lacking, cam(b"done")).unwrap();
    assert!(!requests(&done).contains(&authority));
}

#[test]
fn unknown_signer_is_asked_to_show_its_certificate() {
    let (_, time, knowing, lacking) = services(72);
    signed(&knowing, cam(b"with the certificate, unheard")).unwrap();
    time.set(Time64(NOW.0 + 1_000), None);
    signed(&lacking, cam(b"with the certificate, unheard")).unwrap();
    let short = signed(&lacking, cam(b"by digest")).unwrap();
    let verdict = verified(&knowing, &short);
    assert_eq!(verdict.result, ResultCode::ParsingCertificateNotFound);
    let asking = signed(&knowing, cam(b"who is that?")).unwrap();
    assert_eq!(requests(&asking).len(), 1);
    // The one that asks shows its own certificate too: the other may lack it.
    verified(&lacking, &asking);
    let shown = signed(&lacking, cam(b"it was me")).unwrap();
    assert!(verified(&knowing, &shown).is_accepted());
}
