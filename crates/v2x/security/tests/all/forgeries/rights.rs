//! Revocation lists \[1609.2 §7\] of signers that may not revoke, and lists of one authority that
//! name another one's certificates.

use waywarden_testkit_v2x::world::{Holder, MessageContents, NOW, Named, crl, now, written};
use waywarden_v2x_security::ReceptionContext;
use waywarden_v2x_security::ResultCode::{
    ChainCertificateRevoked, ConsistencyUnauthorizedPsid, CryptoVerificationFailure, Success,
};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::revocation::Revokes;
use waywarden_v2x_wire::coer::{UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashBasedRevocationInfo, HashedId3, HashedId8, Time32,
};

use super::build::{Draft, Permission, Pki, bitmap, kept, opaque, plain};
use super::lists::{crl_ssp, empty, entitled, message, signer};
use super::table::Family;

#[test]
fn revocation_lists_of_others_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("right to revoke");
    rights(&mut family);
    cracas(&mut family);
    bound(&mut family);
    family
}

/// Permissions that give no right to sign a list of series 0 for one's issuer.
fn unfit_permissions() -> Vec<(&'static str, Permission)> {
    let whole = crl_ssp(1, 1, &[0]);
    let trailing = [&whole[..], &[0]].concat();
    vec![
        ("no permissions", plain(256)),
        ("empty permissions", opaque(256, &[])),
        ("bitmap of permissions", bitmap(256, &whole)),
        (
            "permissions of version 0",
            opaque(256, &crl_ssp(0, 1, &[0])),
        ),
        (
            "permissions of version 2",
            opaque(256, &crl_ssp(2, 1, &[0])),
        ),
        (
            "permissions for no series",
            opaque(256, &crl_ssp(1, 1, &[])),
        ),
        (
            "permissions for another series",
            opaque(256, &crl_ssp(1, 1, &[1])),
        ),
        (
            "permissions for other series",
            opaque(256, &crl_ssp(1, 1, &[1, 2, 0x100])),
        ),
        (
            "permissions of another kind of CRACA",
            opaque(256, &crl_ssp(1, 2, &[0])),
        ),
        (
            "permissions cut short",
            opaque(256, &whole[..whole.len() - 1]),
        ),
        ("permissions with a byte more", opaque(256, &trailing)),
        ("permissions of another application", plain(135)),
        (
            "permissions for its own lists",
            opaque(256, &crl_ssp(1, 0, &[0])),
        ),
    ]
}

/// Signers that have no right to sign this list.
fn rights(family: &mut Family) {
    let sound = entitled();
    let honest = message(&sound, &written(&empty(&sound)));
    for (name, permission) in unfit_permissions() {
        let pki = signer(permission);
        let forged = message(&pki, &written(&empty(&pki)));
        family.pair(
            name,
            ConsistencyUnauthorizedPsid,
            &mut pki.verifier(),
            &forged,
            &honest,
        );
    }
    let series = CrlContents {
        crl_series: CrlSeries(7),
        ..empty(&sound)
    };
    family.pair(
        "list of another series",
        ConsistencyUnauthorizedPsid,
        &mut sound.verifier(),
        &message(&sound, &written(&series)),
        &honest,
    );
    let mut verifier = sound.verifier();
    family.honest("list by its issuer's signer", &mut verifier, &honest);
    let forged = [&honest[..honest.len() - 1], &[honest.last().unwrap() ^ 1]].concat();
    family.lone(
        "list with a wrong signature",
        CryptoVerificationFailure,
        &mut verifier,
        &forged,
    );
}

/// Lists in the name of a CRACA that the signer does not sign for.
fn cracas(family: &mut Family) {
    let deputy = entitled();
    let owner = signer(opaque(256, &crl_ssp(1, 0, &[0])));
    let of = |craca: HashedId8| written(&crl(NOW - 60, NOW + 60, craca, &[]));
    let honest = [
        message(&deputy, &of(deputy.root().id())),
        message(&owner, &of(owner.station().id())),
    ];
    let mut verifier = owner.verifier();
    family.honest("list by its CRACA", &mut verifier, &honest[1]);
    let [.., a, b, c] = deputy.root().id().0;
    let similar = HashedId8([0, 0, 0, 0, 0, a, b, c]);
    let cases: [(&str, &Pki, HashedId8, &[u8]); 6] = [
        (
            "deputy in its own name",
            &deputy,
            deputy.station().id(),
            &honest[0],
        ),
        (
            "deputy in a stranger's name",
            &deputy,
            HashedId8([9; 8]),
            &honest[0],
        ),
        (
            "deputy in the name of no one",
            &deputy,
            HashedId8([0; 8]),
            &honest[0],
        ),
        (
            "deputy in a name with the same end",
            &deputy,
            similar,
            &honest[0],
        ),
        (
            "CRACA in its issuer's name",
            &owner,
            owner.root().id(),
            &honest[1],
        ),
        (
            "CRACA in a stranger's name",
            &owner,
            HashedId8([9; 8]),
            &honest[1],
        ),
    ];
    for (name, pki, craca, honest) in cases {
        let forged = message(pki, &of(craca));
        family.pair(
            name,
            ConsistencyUnauthorizedPsid,
            &mut pki.verifier(),
            &forged,
            honest,
        );
    }
}

/// Returns the entry of a revocation list for a certificate.
fn entry(holder: &Holder) -> HashBasedRevocationInfo<'static> {
    let id = certificate_digest(&parse(&holder.certificate).unwrap());
    HashBasedRevocationInfo {
        id: id.unwrap().id_10(),
        expiry: Time32(NOW + 100_000),
        unknown: UnknownAdditions::default(),
    }
}

/// A list revokes only certificates that name its CRACA and its series.
fn bound(family: &mut Family) {
    let root = Draft::authority(1).issued_by(None);
    let [.., a, b, c] = root.id().0;
    let draft = Draft {
        craca: HashedId3([a, b, c]),
        series: 4,
        ..Draft::station(3)
    };
    let other = Draft { seed: 4, ..draft };
    let [station, other] = [draft, other].map(|draft| draft.issued_by(Some(&root)));
    let entries = [entry(&station)];
    let holders = vec![root.clone(), station.clone()];
    let pki = Pki { holders };
    let message = MessageContents {
        named: Named::Certificates(&[]),
        ..MessageContents::new()
    };
    let signs = |seed, kind| {
        let draft = Draft {
            app: kept(vec![opaque(256, &crl_ssp(1, kind, &[4, 5]))]),
            ..Draft::station(seed)
        };
        draft.issued_by(Some(&root))
    };
    // One signs for the root, and one is a CRACA itself.
    let (deputy, stranger) = (signs(5, 1), signs(6, 0));
    let cases = [
        (
            "revoked certificate",
            ChainCertificateRevoked,
            &deputy,
            root.id(),
            4,
        ),
        (
            "certificate on a stranger's list",
            Success,
            &stranger,
            stranger.id(),
            4,
        ),
        (
            "certificate on a list of another series",
            Success,
            &deputy,
            root.id(),
            5,
        ),
    ];
    for (name, expected, signer, craca, series) in cases {
        let list = CrlContents {
            crl_series: CrlSeries(series),
            ..crl(NOW - 60, NOW + 60, craca, &entries)
        };
        let signed = MessageContents {
            psid: 256,
            made: None,
            payload: &written(&list),
            ..MessageContents::new()
        };
        let mut verifier = pki.verifier();
        let applied = verifier.apply_crl(&signed.sign(signer), &ReceptionContext::at(now()));
        let revokes = applied.map(|applied| applied.revokes);
        assert_eq!(revokes, Ok(Revokes::Certificates(1)), "{name}");
        family.pair(
            name,
            expected,
            &mut verifier,
            &message.sign(&station),
            &message.sign(&other),
        );
    }
}
