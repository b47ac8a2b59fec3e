//! The trust store: what lists make trusted, withdraw and revoke, and which lists are refused.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use waywarden_testkit::{Random, cases, corpus};
use waywarden_v2x_security::trust::{
    Change, Document, DocumentKind, ImportRefusal, TrustState, TrustStore, Withdrawal,
};
use waywarden_v2x_security::{ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CurvePoint, EcdsaSignature, HashedId8, Ieee1609Dot2Content,
    Ieee1609Dot2Data, Signature, Time64,
};

use crate::trust_world::{
    List, at, authority, crl, crl_under, import, import_at, manager, root, store_of,
};
use crate::world::{Holder, Message, Named, Spec, now};

fn state_of(store: &TrustStore, id: HashedId8, now: Time64) -> Option<TrustState> {
    let report = store.install(&mut Verifier::default(), now);
    let mut found = report.certificates.iter().filter(|one| one.id == id);
    let state = found.next().map(|one| one.state);
    assert!(found.next().is_none(), "listed twice");
    state
}

/// What a store keeps, taken back in as after a new start.
fn restored(store: &TrustStore) -> TrustStore {
    let mut again = TrustStore::new();
    for document in store.documents() {
        again.restore(&document).unwrap();
    }
    for one in store.withdrawals() {
        again.restore_withdrawal(Withdrawal::clone(one));
    }
    let reports = [store, &again].map(|one| one.install(&mut Verifier::default(), now()));
    assert_eq!(reports[0], reports[1]);
    again
}

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

/// A list of the manager's with this sequence number and time comes after number 10 of time 100.
fn after_ten(list: &List<'_>, tlm: &Holder, now: i64) -> Result<Change, ImportRefusal> {
    let (a, b) = (root(2), root(3));
    let mut store = store_of(tlm);
    let first = List::full(10, 100).with_roots(&[&a, &b]).ectl(tlm);
    import_at(&mut store, &first, at(100), &[]).unwrap();
    let before = format!("{store:?}");
    let imported = import_at(&mut store, &list.ectl(tlm), at(now), &[]);
    if imported.is_err() {
        assert_eq!(
            format!("{store:?}"),
            before,
            "a refused list changes nothing"
        );
    }
    imported.map(|imported| imported.change)
}

#[test]
fn sequence_numbers_and_times_never_go_back() {
    let tlm = manager(1);
    let (a, b) = (root(2), root(3));
    let old = |found| {
        Err(ImportRefusal::Old {
            known: Some(10),
            found: Some(found),
        })
    };
    let gap = |found| {
        Err(ImportRefusal::Gap {
            known: Some(10),
            found,
        })
    };
    let changed = |sequence, added, removed, next: i64| {
        Ok(Change::List {
            sequence: Some(sequence),
            added,
            removed,
            next_update: at(next),
        })
    };
    let both = [&a, &b];
    let full = |sequence, made| List::full(sequence, made).with_roots(&both);
    let delta = |sequence, made| List::delta(sequence, made);
    let cases = [
        (full(11, 100), changed(11, 0, 0, 1_100)),
        (full(11, 200).with_roots(&[&a]), changed(11, 0, 1, 1_200)),
        (full(137, 200), changed(137, 0, 0, 1_200)),
        // More than half of the numbers ahead is behind.
        (full(138, 200), old(138)),
        (full(9, 200), old(9)),
        (full(10, 99), old(10)),
        (full(11, 99), old(11)),
        // The same again, and with a later end.
        (full(10, 100), Ok(Change::None)),
        (full(10, 150), changed(10, 0, 0, 1_150)),
        (
            full(10, 150).with_roots(&[&a]),
            Err(ImportRefusal::Conflict(Some(10))),
        ),
        (delta(11, 200).without(&b), changed(11, 0, 1, 1_200)),
        (delta(10, 200).without(&b), Ok(Change::None)),
        (delta(12, 200), gap(12)),
        (delta(9, 200), old(9)),
        (delta(11, 99), old(11)),
    ];
    for (list, expected) in cases {
        let found = after_ten(&list, &tlm, 300);
        let (sequence, made, is_full) = (list.sequence, list.made, list.is_full);
        assert_eq!(found, expected, "{sequence} {made} {is_full}");
    }
    // After the known list is overdue, the numbers may have gone all the way round.
    let late = full(9, 2_000);
    assert_eq!(after_ten(&late, &tlm, 2_001), changed(9, 0, 0, 3_000));
    // Without a list, there is nothing to be changed.
    let mut store = store_of(&tlm);
    let refusal = import(&mut store, &delta(1, 0).ectl(&tlm)).unwrap_err();
    let unknown = ImportRefusal::Gap {
        known: None,
        found: 1,
    };
    assert_eq!(refusal, unknown);
}

#[test]
fn lists_of_those_who_may_not_sign_them_are_refused() {
    let (tlm, a, b) = (manager(1), root(2), root(3));
    let (aa, foreign) = (authority(4, &a), authority(5, &b));
    let mut store = store_of(&tlm);
    import(
        &mut store,
        &List::full(7, 0).with_roots(&[&a, &b]).ectl(&tlm),
    )
    .unwrap();
    let before = format!("{store:?}");
    let with = |one: &[&Holder]| -> Vec<u8> {
        let list = List::full(1, 0);
        list.with_authorities(one).ctl(&a)
    };
    let unlisted = root(6);
    let managers = List {
        managers: vec![&unlisted],
        ..List::full(1, 0)
    };
    let bare = Spec {
        app: &[(622, None), (624, Some(&[2, 0xFF]))],
        ..Spec::authority(7)
    };
    let bare = Holder::issue(&bare, None);
    let other_application = List {
        psid: 622,
        ..List::full(1, 0)
    };
    let hostile: [(Vec<u8>, &str); 13] = [
        (List::full(8, 0).ectl(&a), "ECTL of a trusted TLM"),
        (List::full(8, 0).ctl(&tlm), "CTL of a trusted root CA"),
        (
            crl_under(624, 0, &[&aa], &tlm),
            "no certificate, trust list",
        ),
        (crl_under(624, 0, &[&aa], &a), "no certificate, trust list"),
        (other_application.ctl(&a), "no certificate, trust list"),
        (with(&[&foreign]), "of another root CA"),
        (managers.ctl(&a), "may not list"),
        (
            List::full(1, 0).with_roots(&[&unlisted]).ctl(&a),
            "may not list",
        ),
        (
            List::full(8, 0).with_authorities(&[&aa]).ectl(&tlm),
            "may not list",
        ),
        (List::full(1, 0).ctl(&unlisted), "is no trust anchor"),
        (crl(1, &[&aa], &a), "in the future"),
        (List::full(8, 0).without(&a).ectl(&tlm), "deletes nothing"),
        (aa.certificate[..20].to_vec(), "no certificate"),
    ];
    for (bytes, reason) in hostile {
        let refusal = import(&mut store, &bytes).unwrap_err();
        assert!(refusal.to_string().contains(reason), "{reason}: {refusal}");
        assert_eq!(format!("{store:?}"), before);
    }
    import(
        &mut store,
        &List::full(8, 0).with_roots(&[&a, &b, &bare]).ectl(&tlm),
    )
    .unwrap();
    for bytes in [crl(0, &[&aa], &bare), List::full(1, 0).ctl(&bare)] {
        let refusal = import(&mut store, &bytes).unwrap_err();
        assert!(refusal.to_string().contains("version 1"), "{refusal}");
    }
    let station = Holder::issue(&Spec::station(9), Some(&aa));
    import(&mut store, &aa.certificate).unwrap();
    let refusal = import(&mut store, &station.certificate).unwrap_err();
    assert_eq!(refusal, ImportRefusal::NotAnAuthority(station.id()));
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

/// Changed bytes are refused and change nothing, wherever they are.
#[test]
fn damaged_documents_change_nothing() {
    let mut random = Random::of_test("damaged_documents_change_nothing");
    let (tlm, a) = (manager(1), root(2));
    let aa = authority(4, &a);
    let mut store = store_of(&tlm);
    import(&mut store, &List::full(7, 0).with_roots(&[&a]).ectl(&tlm)).unwrap();
    let documents = [
        List::full(8, 0).with_roots(&[&a]).ectl(&tlm),
        List::delta(8, 0).without(&a).ectl(&tlm),
        List::full(1, 0).with_authorities(&[&aa]).ctl(&a),
        crl(0, &[&aa], &a),
        aa.certificate.clone(),
        a.certificate.clone(),
    ];
    let before = format!("{store:?}");
    for _ in 0..cases(300) {
        let mut bytes = documents[random.index(documents.len())].clone();
        match random.below(3) {
            0 => bytes.truncate(random.index(bytes.len())),
            _ => {
                let place = random.index(bytes.len());
                bytes[place] ^= 1 << random.below(8);
            }
        }
        let mut copy = store.clone();
        if import(&mut copy, &bytes).is_ok() {
            // A signature has several encodings, and the contents are those that were signed.
            let imported = copy.documents().any(|one| one.bytes == &bytes[..]);
            assert!(imported || format!("{copy:?}") == before);
            continue;
        }
        assert_eq!(format!("{copy:?}"), before);
    }
    for kind in [
        DocumentKind::CtlTlm,
        DocumentKind::Crl,
        DocumentKind::RootCa,
    ] {
        for _ in 0..cases(100) {
            let document = Document {
                kind,
                issuer: a.id(),
                bytes: &random.bytes(40),
            };
            assert!(TrustStore::new().restore(&document).is_err());
        }
    }
}

/// Whatever lists come in whatever order: the store has what the newest list says, and a list that
/// is taken is never older than the one before.
#[test]
fn random_lists_never_bring_back_an_older_state() {
    let mut random = Random::of_test("random_lists_never_bring_back_an_older_state");
    let tlm = manager(1);
    let roots: Vec<Holder> = (2..6).map(root).collect();
    for _ in 0..cases(8) {
        let mut store = store_of(&tlm);
        let mut model: Option<(u8, i64, Vec<usize>)> = None;
        for _ in 0..12 {
            let (sequence, made) = (random.below(6) as u8, random.below(4) as i64);
            let chosen: Vec<usize> = (0..4).filter(|_| random.once_in(2)).collect();
            let named: Vec<&Holder> = chosen.iter().map(|at| &roots[*at]).collect();
            let is_full = random.once_in(2);
            let mut list = match is_full {
                true => List::full(sequence, made).with_roots(&named),
                false => List::delta(sequence, made).with_roots(&named),
            };
            list.next = 900;
            let gone = random.index(4);
            if !is_full && !chosen.contains(&gone) {
                list = list.without(&roots[gone]);
            }
            let taken = import_at(&mut store, &list.ectl(&tlm), at(500), &[]);
            if let Ok(imported) = taken
                && imported.change != Change::None
            {
                if let Some((known, before, _)) = &model {
                    assert!(sequence >= *known && made >= *before);
                }
                let mut members = match (&model, is_full) {
                    (Some((_, _, members)), false) => members.clone(),
                    _ => Vec::new(),
                };
                members.extend(chosen.iter().copied());
                members.retain(|at| !list.deleted.contains(&roots[*at].id()));
                members.sort_unstable();
                members.dedup();
                model = Some((sequence, made, members));
            }
            let expected = model.as_ref().map_or(&[][..], |(_, _, members)| members);
            for (at_root, one) in roots.iter().enumerate() {
                let is_trusted = state_of(&store, one.id(), at(500)) == Some(TrustState::Trusted);
                assert_eq!(is_trusted, expected.contains(&at_root));
            }
            store = restored(&store);
        }
    }
}
