//! An implicit certificate has no signature: what it says is certain only once its holder has
//! signed. So only the signer's own is taken without one.

use waywarden_testkit_v2x::world::{Holder, MessageContents};
use waywarden_v2x_security::ResultCode::{self, ChainNotEnoughInformationToConstructChain};

use crate::forgeries::build::{Draft, Pki};
use crate::forgeries::table::Family;

pub(super) fn family(family: &mut Family) {
    two(family);
    three(family);
    invented(family);
}

const UNVERIFIED: (ResultCode, &str) = (ChainNotEnoughInformationToConstructChain, "issuer");

/// An authority, and below it a station.
fn two(family: &mut Family) {
    let drafts = |kinds: [bool; 2]| {
        let [authority, station] = kinds;
        Pki::new(&[
            Draft::authority(1),
            Draft {
                implicit: authority,
                ..Draft::authority(2)
            },
            Draft {
                implicit: station,
                ..Draft::station(3)
            },
        ])
    };
    let message = MessageContents::new();
    for (name, station) in [
        ("two implicit certificates", true),
        ("implicit authority", false),
    ] {
        let pki = drafts([true, station]);
        let honest = drafts([false, station]).sign(&message);
        family.pair(
            name,
            UNVERIFIED,
            &mut pki.verifier(),
            &pki.sign(&message),
            &honest,
        );
        let other = MessageContents {
            payload: b"from below an authority that is known",
            ..message
        };
        let name = format!("{name}, the authority known");
        family.honest(&name, &mut pki.knowing(), &pki.sign(&other));
    }
}

/// Two authorities, and below them a station.
fn three(family: &mut Family) {
    let message = MessageContents::new();
    let chain = |first: bool, second: bool| {
        let authority = |seed, implicit| Draft {
            implicit,
            ..Draft::authority(seed)
        };
        let station = Draft::station(4).implicit();
        Pki::new(&[
            Draft::authority(1),
            authority(2, first),
            authority(3, second),
            station,
        ])
    };
    let honest = chain(false, false).sign(&message);
    for (name, first, second) in [
        ("three implicit certificates", true, true),
        ("implicit below explicit below implicit", true, false),
        ("implicit below implicit below explicit", false, true),
    ] {
        let pki = chain(first, second);
        family.pair(
            name,
            UNVERIFIED,
            &mut pki.verifier(),
            &pki.sign(&message),
            &honest,
        );
    }
}

/// Without its authority's private key an attacker picks a point; the key is one of the
/// authority's, which it does not know.
fn invented(family: &mut Family) {
    let message = MessageContents::new();
    let root = Draft::authority(1).issued_by(None);
    let invented = Holder {
        key: Draft::station(9).issued_by(None).key,
        ..Draft::station(9).implicit().issued_by(Some(&root))
    };
    let holders = vec![
        root.clone(),
        Draft::station(10).implicit().issued_by(Some(&root)),
    ];
    let pki = Pki { holders };
    family.pair(
        "implicit certificate without its private key",
        ResultCode::CryptoVerificationFailure,
        &mut pki.verifier(),
        &message.sign(&invented),
        &pki.sign(&message),
    );
}
