//! Chains that do not hold: times, missing and foreign certificates, untrusted roots, implicit
//! certificates that no signature vouches for.

mod implicit;

use waywarden_testkit_v2x::world::{Holder, MessageContents, NOW, Named};
use waywarden_v2x_security::ResultCode::{
    self, ChainEndedAtUntrustedRoot, ChainInconsistentExpiryTimes, ChainInconsistentStartTimes,
    ChainNotEnoughInformationToConstructChain, ChainWasTooLongForImplementation,
    ConsistencyExpiredCertificateAtGenerationTime, ConsistencyFutureCertificateAtGenerationTime,
    ConsistencyUnauthorizedPsid, ParsingCertificateNotFound,
};
use waywarden_v2x_wire::ieee1609dot2::Duration;

use super::build::{Draft, Pki, at_now};
use super::table::Family;

#[test]
fn chains_that_do_not_hold_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("chain");
    for implicit in [false, true] {
        times(&mut family, implicit);
    }
    lifetimes(&mut family);
    links(&mut family);
    roots(&mut family);
    implicit::family(&mut family);
    signers(&mut family);
    family
}

/// A root, two authorities and a station.
fn deep(implicit: bool) -> [Draft; 4] {
    [
        Draft::authority(1),
        Draft::authority(2),
        Draft::authority(3),
        Draft {
            implicit,
            ..Draft::station(4)
        },
    ]
}

/// Each certificate valid earlier and longer than its issuer's, by a second.
fn times(family: &mut Family, implicit: bool) {
    let kind = if implicit { ", implicit station" } else { "" };
    let honest = Pki::new(&deep(implicit));
    let message = MessageContents::new();
    for depth in 1..4 {
        let mut early = deep(implicit);
        early[depth].start = early[depth - 1].start - 1;
        // The end stays within the issuer's.
        early[depth].duration = Duration::Hours(30);
        let mut late = deep(implicit);
        let end = NOW - 36_000 + 3_600_000;
        late[depth].start = NOW - 3_600;
        late[depth].duration = Duration::Hours(((end - late[depth].start) / 3_600) as u16 + 1);
        // What is below begins with it, so that its flaw is the only one.
        for draft in &mut late[depth + 1..] {
            draft.start = NOW - 3_600;
            draft.duration = Duration::Hours(24);
        }
        for (below, draft) in early[depth + 1..].iter_mut().rev().enumerate() {
            draft.duration = Duration::Hours(if below == 0 { 5 } else { 20 });
        }
        let cases = [
            ("early", ChainInconsistentStartTimes, early),
            ("late", ChainInconsistentExpiryTimes, late),
        ];
        for (word, expected, drafts) in cases {
            let forged = Pki::new(&drafts);
            family.pair(
                &format!("too {word} at depth {depth}{kind}"),
                (expected, "validityPeriod"),
                &mut forged.verifier(),
                &forged.sign(&message),
                &honest.sign(&message),
            );
        }
    }
}

/// Chains that were valid, or will be; and durations that reach the end in other units.
fn lifetimes(family: &mut Family) {
    let message = MessageContents::new();
    let honest = Pki::new(&deep(false));
    let all = |change: fn(Draft) -> Draft| Pki::new(&deep(false).map(change));
    let past = all(|draft| Draft {
        start: NOW - 72_000,
        duration: Duration::Hours(10),
        ..draft
    });
    let future = all(|draft| Draft {
        start: NOW + 1,
        ..draft
    });
    let station = |duration| {
        let mut drafts = deep(false);
        drafts[3].duration = duration;
        Pki::new(&drafts)
    };
    let ended = station(Duration::Hours(1));
    let brief = station(Duration::Microseconds(7));
    let no_time = station(Duration::Seconds(0));
    let expired = ConsistencyExpiredCertificateAtGenerationTime;
    let cases: [(&str, ResultCode, &Pki); 7] = [
        ("all expired", expired, &past),
        (
            "all in a second",
            ConsistencyFutureCertificateAtGenerationTime,
            &future,
        ),
        ("station ends now", expired, &ended),
        ("station valid for microseconds", expired, &brief),
        ("station valid for no time", expired, &no_time),
        (
            "station valid for years",
            ChainInconsistentExpiryTimes,
            &station(Duration::Years(1)),
        ),
        (
            "station valid for as long as can be said",
            ChainInconsistentExpiryTimes,
            &station(Duration::Years(u16::MAX)),
        ),
    ];
    for (name, expected, forged) in cases {
        family.pair(
            name,
            expected,
            &mut forged.verifier_of_both(&honest),
            &forged.sign(&message),
            &honest.sign(&message),
        );
    }
}

/// Certificates that are missing, in another order or of others.
fn links(family: &mut Family) {
    let pki = Pki::new(&deep(false));
    let [root, first, second, station] = &pki.holders[..] else {
        panic!("four certificates");
    };
    let other = Draft::authority(5).issued_by(Some(root));
    let stranger = Draft::station(6).issued_by(Some(&other));
    let sign = |above: &[&Holder]| {
        let named = Named::Certificates(above);
        MessageContents {
            named,
            ..MessageContents::new()
        }
        .sign(station)
    };
    let honest = pki.sign(&MessageContents::new());
    let cases: [(&str, Vec<u8>); 9] = [
        ("both authorities missing", sign(&[])),
        ("upper authority missing", sign(&[second])),
        ("lower authority missing", sign(&[first])),
        ("root in place of authorities", sign(&[root])),
        ("authorities in the other order", sign(&[first, second])),
        (
            "lower authority behind the root",
            sign(&[root, second, first]),
        ),
        (
            "signer's certificate twice",
            sign(&[station, second, first]),
        ),
        ("another authority", sign(&[&other])),
        ("another station between", sign(&[&stranger, second, first])),
    ];
    for (name, forged) in cases {
        let expected = (ChainNotEnoughInformationToConstructChain, "issuer");
        family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
    }
    let mut drafts = vec![Draft::authority(1)];
    drafts.extend((20..28).map(Draft::authority));
    drafts.push(Draft::station(40));
    let long = Pki::new(&drafts);
    let fitting = Pki::new(&[&drafts[..7], &drafts[9..]].concat());
    let message = MessageContents::new();
    family.pair(
        "ten certificates",
        ChainWasTooLongForImplementation,
        &mut long.verifier(),
        &long.sign(&message),
        &fitting.sign(&message),
    );
    let nine = Pki::new(&[&drafts[..8], &drafts[9..]].concat());
    family.pair(
        "nine certificates",
        ChainWasTooLongForImplementation,
        &mut nine.verifier(),
        &nine.sign(&message),
        &fitting.sign(&message),
    );
}

/// Certificates that issued themselves.
fn roots(family: &mut Family) {
    let pki = Pki::plain();
    let message = MessageContents::new();
    let honest = pki.sign(&message);
    let own = |drafts: &[Draft]| Pki::new(drafts);
    let authority = own(&[Draft::authority(7), Draft::station(8)]);
    let chain = own(&[Draft::authority(7), Draft::authority(9), Draft::station(8)]);
    let alone = Draft::station(8).issued_by(None);
    let with_root = |pki: &Pki| {
        let mut above = pki.above();
        above.push(pki.root());
        let named = Named::Certificates(&above);
        MessageContents { named, ..message }.sign(pki.station())
    };
    // The same name, times and permissions as the trusted root, with another key.
    let impostor = Draft {
        seed: 77,
        ..Draft::authority(1)
    };
    let impostor = own(&[impostor, Draft::authority(2), Draft::station(3)]);
    let cases = [
        ("station signed by itself", message.sign(&alone)),
        ("authority signed by itself", with_root(&authority)),
        ("root that is not trusted", with_root(&chain)),
        ("root that looks like the trusted one", with_root(&impostor)),
    ];
    for (name, forged) in cases {
        let expected = (ChainEndedAtUntrustedRoot, "issuer");
        family.pair(name, expected, &mut pki.verifier(), &forged, &honest);
    }
    let missing = impostor.sign(&message);
    let expected = (ChainNotEnoughInformationToConstructChain, "issuer");
    family.pair(
        "untrusted root left out",
        expected,
        &mut pki.verifier(),
        &missing,
        &honest,
    );
}

/// Signers that are known and may not sign.
fn signers(family: &mut Family) {
    let pki = Pki::plain();
    let message = MessageContents::new();
    let digest = MessageContents {
        named: Named::Digest,
        ..message
    };
    let honest = pki.sign(&message);
    let unauthorized = (ConsistencyUnauthorizedPsid, "appPermissions");
    let [root, authority, station] = &pki.holders[..] else {
        panic!("three certificates");
    };
    let cases = [
        ("root signs by digest", digest.sign(root)),
        ("root signs", message.sign(root)),
        ("authority signs by digest", digest.sign(authority)),
        ("authority signs", message.sign(authority)),
    ];
    for (name, forged) in cases {
        family.pair(name, unauthorized, &mut pki.knowing(), &forged, &honest);
    }
    let stranger = Draft::station(9).issued_by(Some(authority));
    let expected = (ParsingCertificateNotFound, "signer");
    let forged = digest.sign(&stranger);
    family.pair(
        "digest of a stranger",
        expected,
        &mut pki.knowing(),
        &forged,
        &honest,
    );
    // The digest of a known certificate over a stranger's signature.
    let mut verifier = pki.knowing();
    let first = MessageContents {
        payload: b"first",
        ..message
    };
    verifier.verify(&first.sign(station), &at_now()).unwrap();
    let stolen = Holder {
        key: stranger.key,
        ..station.clone()
    };
    let code = ResultCode::CryptoVerificationFailure;
    let forged = digest.sign(&stolen);
    family.pair(
        "digest of another signer",
        code,
        &mut verifier,
        &forged,
        &honest,
    );
    let forged = message.sign(&stolen);
    let honest = pki.sign(&MessageContents {
        payload: b"second",
        ..message
    });
    family.pair(
        "certificate of another signer",
        code,
        &mut verifier,
        &forged,
        &honest,
    );
}
