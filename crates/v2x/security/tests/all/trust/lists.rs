//! Effects of lists: trust, withdrawal and revocation, and their ends.

use waywarden_testkit::corpus;
use waywarden_testkit_v2x::trust_lists::{
    List, at, authority, crl, import, import_at, manager, root, store_of,
};
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::trust::{DocumentKind, TrustState, TrustStore};
use waywarden_v2x_security::{ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CurvePoint, EcdsaSignature, HashedId8, Ieee1609Dot2Content,
    Ieee1609Dot2Data, Signature, Time64,
};

use super::{restored, state_of};

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

/// A manager whose list has two roots, the first of which lists two authorities.
struct Listed {
    store: TrustStore,
    tlm: Holder,
    a: Holder,
    b: Holder,
    aa: Holder,
    other: Holder,
}

impl Listed {
    fn new() -> Self {
        let (tlm, a, b) = (manager(1), root(2), root(3));
        let (aa, other) = (authority(4, &a), authority(5, &a));
        let mut store = store_of(&tlm);
        let roots = List::full(7, 0).with_roots(&[&a, &b]).ectl(&tlm);
        import(&mut store, &roots).unwrap();
        let both = List::full(1, 0).with_authorities(&[&aa, &other]).ctl(&a);
        import(&mut store, &both).unwrap();
        Self {
            store,
            tlm,
            a,
            b,
            aa,
            other,
        }
    }

    fn state(&self, of: &Holder) -> Option<TrustState> {
        state_of(&self.store, of.id(), now())
    }

    fn import(&mut self, document: &[u8]) {
        import(&mut self.store, document).unwrap();
    }

    /// The verdict on a message of a station below an authority, which brings the authority's
    /// certificate along.
    fn verdict(&self, seed: u8, authority: &Holder) -> Result<(), ResultCode> {
        let station = Holder::issue(&Spec::station(seed), Some(authority));
        let message = MessageContents {
            named: Named::Certificates(&[authority]),
            ..MessageContents::new()
        };
        let mut verifier = Verifier::default();
        self.store.install(&mut verifier, now());
        let signed = message.sign(&station);
        let verdict = verifier.verify(&signed, &ReceptionContext::at(now()));
        verdict.map(|_| ()).map_err(|refusal| refusal.code)
    }
}

const REVOKED: Result<(), ResultCode> = Err(ResultCode::ChainCertificateRevoked);

#[test]
fn what_lists_name_is_trusted() {
    let own = Listed::new();
    for one in [&own.tlm, &own.a, &own.b, &own.aa, &own.other] {
        assert_eq!(own.state(one), Some(TrustState::Trusted));
    }
    assert_eq!(own.verdict(9, &own.aa), Ok(()));
    assert_eq!(own.verdict(10, &own.other), Ok(()));
    restored(&own.store);
}

#[test]
fn an_authority_is_revoked_by_the_list_of_its_own_root() {
    let mut own = Listed::new();
    // A revocation list of another root says nothing of this one's authorities.
    let imported = import(&mut own.store, &crl(0, &[&own.aa], &own.b)).unwrap();
    assert_eq!(
        (imported.kind, imported.id),
        (DocumentKind::Crl, own.b.id())
    );
    assert_eq!(own.verdict(9, &own.aa), Ok(()));
    own.import(&crl(0, &[&own.aa], &own.a));
    let revoked = TrustState::Revoked(own.a.id());
    assert_eq!(own.state(&own.aa), Some(revoked));
    assert_eq!(own.verdict(9, &own.aa), REVOKED);
    let counterpart = negated(&own.aa);
    assert_eq!(own.verdict(9, &counterpart), REVOKED, "n - s for s");
    restored(&own.store);
}

#[test]
fn an_authority_that_the_next_list_leaves_out_is_withdrawn_until_one_names_it() {
    let mut own = Listed::new();
    assert_eq!(own.verdict(10, &own.other), Ok(()));
    own.import(&List::full(2, 0).with_authorities(&[&own.aa]).ctl(&own.a));
    assert_eq!(own.verdict(10, &own.other), REVOKED);
    let withdrawn = TrustState::Withdrawn(DocumentKind::CtlRca, own.a.id(), 2);
    own.store = restored(&own.store);
    assert_eq!(own.state(&own.other), Some(withdrawn));
    // It does not come back by itself, and a newer list can name it again.
    assert!(import(&mut own.store, &own.other.certificate).is_err());
    let again = List::delta(3, 0).with_authorities(&[&own.other]);
    own.import(&again.ctl(&own.a));
    assert_eq!(own.state(&own.other), Some(TrustState::Trusted));
    restored(&own.store);
}

#[test]
fn without_its_root_no_authority_is_trusted() {
    let mut own = Listed::new();
    own.import(&List::delta(8, 0).without(&own.a).ectl(&own.tlm));
    let withdrawn = TrustState::Withdrawn(DocumentKind::CtlTlm, own.tlm.id(), 8);
    assert_eq!(own.state(&own.a), Some(withdrawn));
    let state = own.state(&own.other);
    assert!(matches!(state, Some(TrustState::Refused(_))), "{state:?}");
    assert_eq!(own.state(&own.b), Some(TrustState::Trusted));
    restored(&own.store);
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
        certificate: waywarden_testkit_v2x::world::written(&Certificate::new(parts).unwrap()),
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
