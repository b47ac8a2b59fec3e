//! Lists of the wrong signer and damaged documents.

use waywarden_testkit::{Random, cases};
use waywarden_testkit_v2x::trust_lists::{
    List, authority, crl, crl_under, import, manager, root, store_of,
};
use waywarden_testkit_v2x::world::{Holder, Spec};
use waywarden_v2x_security::trust::{Document, DocumentKind, ImportRefusal, TrustStore};

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
