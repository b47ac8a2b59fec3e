//! What lists make trusted, withdraw and revoke, and until when.

use waywarden_testkit::corpus;
use waywarden_v2x_security::trust::{DocumentKind, TrustState, TrustStore};
use waywarden_v2x_security::{ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CurvePoint, EcdsaSignature, HashedId8, Ieee1609Dot2Content,
    Ieee1609Dot2Data, Signature, Time64,
};

use super::{restored, state_of};
use crate::trust_world::{List, at, authority, crl, import, import_at, manager, root, store_of};
use crate::world::{Holder, Message, Named, Spec, now};

#[test]
fn the_list_of_the_eu_is_taken_after_its_manager_is_approved() {
    let Some(folder) = corpus("v2x/eu_trust") else {
        return;
    };
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let (tlm, list) = (read("E7A4B2B045E7ACF9.oer"), read("CE4CF6C19BFED720.oer"));
    let id = HashedId8(0xE7A4_B2B0_45E7_ACF9_u64.to_be_bytes());
    let mut store = TrustStore::new();
    // When the list was made is in its header.
    let data: Ieee1609Dot2Data<'_> = parse(&list).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        panic!("{data:?}");
    };
    let made = signed.tbs_data.header_info.generation_time.unwrap();
    let early = import_at(&mut store, &list, made, &[]).unwrap_err();
    assert!(early.may_be_early(), "{early}");
    let unapproved = import_at(&mut store, &tlm, made, &[]).unwrap_err();
    assert!(
        unapproved.to_string().contains("e7a4b2b045e7acf9"),
        "{unapproved}"
    );
    assert!(unapproved.may_be_early());
    import_at(&mut store, &tlm, made, &[id]).unwrap();
    let imported = import_at(&mut store, &list, made, &[]).unwrap();
    assert_eq!((imported.kind, imported.id), (DocumentKind::CtlTlm, id));
    let names: Vec<HashedId8> = store.documents().map(|one| one.id()).collect();
    let own = HashedId8(0xCE4C_F6C1_9BFE_D720_u64.to_be_bytes());
    assert_eq!(
        names,
        [id, own],
        "called as the distribution centre calls them"
    );
    let report = store.install(&mut Verifier::default(), made);
    let trusted = |report: &waywarden_v2x_security::trust::TrustReport| {
        let all = report.certificates.iter();
        all.filter(|one| one.state == TrustState::Trusted).count()
    };
    println!("{report:?}");
    assert_eq!(trusted(&report), report.certificates.len());
    assert!(report.certificates.len() > 1);
    // A year later the next list is long due, and its roots are not trusted.
    let later = Time64(made.0 + 365 * 86_400_000_000);
    assert_eq!(trusted(&store.install(&mut Verifier::default(), later)), 1);
    let attack = read("CE4CF6C19BFED720_with_recursion_depth150.oer");
    assert!(import_at(&mut store, &attack, made, &[]).is_err());
    restored(&store);
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]
fn what_lists_name_is_trusted_and_what_they_revoke_or_leave_out_is_not() {
    let (tlm, a, b) = (manager(1), root(2), root(3));
    let (aa, other) = (authority(4, &a), authority(5, &a));
    let mut store = store_of(&tlm);
    import(
        &mut store,
        &List::full(7, 0).with_roots(&[&a, &b]).ectl(&tlm),
    )
    .unwrap();
    import(
        &mut store,
        &List::full(1, 0).with_authorities(&[&aa, &other]).ctl(&a),
    )
    .unwrap();
    for one in [&tlm, &a, &b, &aa, &other] {
        assert_eq!(state_of(&store, one.id(), now()), Some(TrustState::Trusted));
    }
    let station = Holder::issue(&Spec::station(9), Some(&aa));
    let message = Message {
        named: Named::Certificates(&[&aa]),
        ..Message::new()
    };
    let verdict = |store: &TrustStore, signer: &Holder, message: &Message<'_>| {
        let mut verifier = Verifier::default();
        store.install(&mut verifier, now());
        let signed = message.sign(signer);
        let verdict = verifier.verify(&signed, &ReceptionContext::at(now()));
        verdict.map(|_| ()).map_err(|refusal| refusal.code)
    };
    assert_eq!(verdict(&store, &station, &message), Ok(()));
    // A revocation list of another root says nothing of this one's authorities.
    let imported = import(&mut store, &crl(0, &[&aa], &b)).unwrap();
    assert_eq!((imported.kind, imported.id), (DocumentKind::Crl, b.id()));
    assert_eq!(verdict(&store, &station, &message), Ok(()));
    import(&mut store, &crl(0, &[&aa], &a)).unwrap();
    let revoked = Some(TrustState::Revoked(a.id()));
    assert_eq!(state_of(&store, aa.id(), now()), revoked);
    let refused = Err(ResultCode::ChainCertificateRevoked);
    // The message brings the authority's certificate along.
    assert_eq!(verdict(&store, &station, &message), refused);
    let counterpart = negated(&aa);
    let brought = Message {
        named: Named::Certificates(&[&counterpart]),
        ..Message::new()
    };
    let under = Holder::issue(&Spec::station(9), Some(&counterpart));
    assert_eq!(verdict(&store, &under, &brought), refused, "n - s for s");
    // The same for one that the next list leaves out.
    let station = Holder::issue(&Spec::station(10), Some(&other));
    let message = Message {
        named: Named::Certificates(&[&other]),
        ..Message::new()
    };
    assert_eq!(verdict(&store, &station, &message), Ok(()));
    import(
        &mut store,
        &List::full(2, 0).with_authorities(&[&aa]).ctl(&a),
    )
    .unwrap();
    assert_eq!(verdict(&store, &station, &message), refused);
    let withdrawn = TrustState::Withdrawn(DocumentKind::CtlRca, a.id(), 2);
    let mut store = restored(&store);
    assert_eq!(state_of(&store, other.id(), now()), Some(withdrawn));
    // It does not come back by itself, and a newer list can name it again.
    assert!(import(&mut store, &other.certificate).is_err());
    import(
        &mut store,
        &List::delta(3, 0).with_authorities(&[&other]).ctl(&a),
    )
    .unwrap();
    assert_eq!(
        state_of(&store, other.id(), now()),
        Some(TrustState::Trusted)
    );
    // Without its root no authority is trusted.
    import(&mut store, &List::delta(8, 0).without(&a).ectl(&tlm)).unwrap();
    let withdrawn = TrustState::Withdrawn(DocumentKind::CtlTlm, tlm.id(), 8);
    assert_eq!(state_of(&store, a.id(), now()), Some(withdrawn));
    let state = state_of(&store, other.id(), now());
    assert!(matches!(state, Some(TrustState::Refused(_))), "{state:?}");
    assert_eq!(state_of(&store, b.id(), now()), Some(TrustState::Trusted));
    restored(&store);
}

/// The same certificate with the other half of its signature.
fn negated(holder: &Holder) -> Holder {
    let view: Certificate<'_> = parse(&holder.certificate).unwrap();
    let Some(Signature::EcdsaNistP256(own)) = view.signature else {
        panic!("{view:?}");
    };
    let s = waywarden_ecverify::negated(waywarden_ecverify::Curve::P256, own.s).unwrap();
    let s: &[u8; 32] = s.first_chunk().unwrap();
    let r: CurvePoint<'_, 32> = own.r;
    let parts = CertificateBase {
        signature: Some(Signature::EcdsaNistP256(EcdsaSignature { r, s })),
        ..*view
    };
    Holder {
        certificate: crate::world::written(&Certificate::new(parts).unwrap()),
        key: holder.key,
    }
}

#[test]
fn certificates_and_lists_end() {
    let (tlm, a) = (manager(1), root(2));
    let mut store = store_of(&tlm);
    import(&mut store, &List::full(7, 0).with_roots(&[&a]).ectl(&tlm)).unwrap();
    let state = |after| state_of(&store, a.id(), at(after));
    assert_eq!(state(1_000), Some(TrustState::Trusted));
    let overdue = TrustState::Overdue(DocumentKind::CtlTlm, tlm.id());
    assert_eq!(state(1_001), Some(overdue));
    assert_eq!(state(1_000 * 3_600), Some(TrustState::Expired));
    assert_eq!(state(-40_000), Some(TrustState::NotYetValid));
    // An overdue list is not taken either.
    let old = List::full(8, 10).with_roots(&[&a]).ectl(&tlm);
    let refusal = import_at(&mut store, &old, at(1_011), &[]).unwrap_err();
    assert!(refusal.to_string().contains("nextUpdate"), "{refusal}");
}

#[test]
fn a_manager_hands_over_to_the_next_one() {
    let (tlm, next, a, b) = (manager(1), manager(6), root(2), root(3));
    let mut store = store_of(&tlm);
    import(
        &mut store,
        &List::full(7, 0).with_roots(&[&a, &b]).ectl(&tlm),
    )
    .unwrap();
    let handing = List {
        managers: vec![&tlm, &next],
        ..List::full(8, 0).with_roots(&[&a, &b])
    };
    // The next one may not sign before the list names it.
    let early = List::full(9, 0).with_roots(&[&a]).ectl(&next);
    assert!(import(&mut store, &early).is_err());
    import(&mut store, &handing.ectl(&tlm)).unwrap();
    let mut store = restored(&store);
    // Its list takes the place of the one before, under the manager that the owner approved.
    let alone = List {
        managers: vec![&next],
        ..List::full(9, 0).with_roots(&[&a])
    };
    let imported = import(&mut store, &alone.ectl(&next)).unwrap();
    assert_eq!(imported.id, tlm.id());
    let withdrawn = |one| TrustState::Withdrawn(DocumentKind::CtlTlm, one, 9);
    assert_eq!(state_of(&store, b.id(), now()), Some(withdrawn(tlm.id())));
    assert_eq!(state_of(&store, tlm.id(), now()), Some(withdrawn(tlm.id())));
    assert_eq!(
        state_of(&store, next.id(), now()),
        Some(TrustState::Trusted)
    );
    let mut store = restored(&store);
    let back = List::full(10, 0).with_roots(&[&b]).ectl(&tlm);
    assert!(
        import(&mut store, &back).is_err(),
        "the former manager signs no more"
    );
}
