//! Messages with a signature that is none: numbers out of their range, points off the curve, other
//! curves and hash functions, other signers, other data.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named};
use waywarden_v2x_security::ResultCode::{
    self, CryptoVerificationFailure, ParsingInvalidInput,
    ParsingUnsupportedCriticalInformationField,
};
use waywarden_v2x_security::hash::{Digest, HashFunction, hash, hash_for_signature};

use super::build::{Draft, HERE, Pki, above_ground};
use super::keys::ORDER;
use super::raw::{self, Parts};
use super::table::Family;

#[test]
fn messages_with_a_wrong_signature_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("signature");
    for signer in signers() {
        numbers(&mut family, &signer);
        points(&mut family, &signer);
        data(&mut family, &signer);
        others(&mut family, &signer);
    }
    algorithms(&mut family);
    hashes(&mut family);
    family
}

/// A signer in one application.
struct Signer {
    name: &'static str,
    pki: Pki,
    psid: u64,
    /// The choice in which R comes: an x-coordinate where the application takes it.
    is_x_only: bool,
}

fn signers() -> [Signer; 3] {
    let signer = |name, psid, is_x_only, station| Signer {
        name,
        pki: Pki::with(station),
        psid,
        is_x_only,
    };
    [
        signer("explicit", 135, false, Draft::station(3)),
        signer("implicit", 135, false, Draft::station(4).implicit()),
        signer("CAM", 36, true, Draft::station(5)),
    ]
}

impl Signer {
    fn message(&self) -> MessageContents<'static> {
        MessageContents {
            psid: self.psid,
            named: Named::Certificates(&[]),
            ..MessageContents::new()
        }
    }

    /// Refused, and the honest message with the same content accepted.
    fn refused(&self, family: &mut Family, name: &str, expected: ResultCode, forged: &[u8]) {
        let honest = self.message().sign(self.pki.station());
        let name = format!("{}: {name}", self.name);
        family.pair(&name, expected, &mut self.pki.knowing(), forged, &honest);
    }

    /// An honest message, its R and s.
    fn parts(&self) -> (Parts, [u8; 32], [u8; 32]) {
        let parts = Parts::of(&self.message().sign(self.pki.station()));
        let [r, s] = [2, 34].map(|at| parts.signature[at..at + 32].try_into().unwrap());
        (parts, r, s)
    }
}

fn numbers(family: &mut Family, signer: &Signer) {
    let (parts, r, s) = signer.parts();
    let tag = if signer.is_x_only {
        0x80
    } else {
        parts.signature[1]
    };
    let (zero, most) = ([0; 32], [0xff; 32]);
    let mut last = ORDER;
    last[31] -= 1;
    let (mut bit_r, mut bit_s) = (r, s);
    bit_r[9] ^= 2;
    bit_s[0] ^= 1;
    let reversed = |mut number: [u8; 32]| {
        number.reverse();
        number
    };
    let cases: [(&str, [u8; 32], [u8; 32]); 14] = [
        ("r zero", zero, s),
        ("s zero", r, zero),
        ("r and s zero", zero, zero),
        ("r the order", ORDER, s),
        ("s the order", r, ORDER),
        ("r and s the order", ORDER, ORDER),
        ("r one below the order", last, s),
        ("s one below the order", r, last),
        ("r all ones", most, s),
        ("s all ones", r, most),
        ("r and s swapped", s, r),
        ("one bit of r", bit_r, s),
        ("one bit of s", r, bit_s),
        ("r and s in the other byte order", reversed(r), reversed(s)),
    ];
    for (name, r, s) in cases {
        let forged = parts.signed(&[&[0x80, tag], &r[..], &s].concat());
        signer.refused(family, name, CryptoVerificationFailure, &forged);
    }
}

/// R in forms that no signature has.
fn points(family: &mut Family, signer: &Signer) {
    let (parts, r, s) = signer.parts();
    let odd = parts.signature[1] == 0x83;
    let y = raw::y_of(odd, &r);
    let other_y = raw::y_of(!odd, &r);
    let mut off = y;
    off[31] ^= 2;
    let form = |form: &[&[u8]]| parts.signed(&[&[0x80], &form.concat()[..], &s].concat());
    let negated = raw::negated(&s);
    let tag = parts.signature[1];
    let kept_r = [&[0x80, tag], &r[..], &negated].concat();
    let cases: Vec<(&str, Vec<u8>, ResultCode)> = vec![
        (
            "R with the other parity",
            form(&[&[tag ^ 1], &r]),
            CryptoVerificationFailure,
        ),
        ("R of nothing", form(&[&[0x81]]), CryptoVerificationFailure),
        (
            "R with the other y",
            form(&[&[0x84], &r, &other_y]),
            CryptoVerificationFailure,
        ),
        (
            "R off the curve",
            form(&[&[0x84], &r, &off]),
            CryptoVerificationFailure,
        ),
        (
            "R with coordinates swapped",
            form(&[&[0x84], &y, &r]),
            CryptoVerificationFailure,
        ),
        (
            "R at infinity as zeros",
            form(&[&[0x84], &[0; 64]]),
            CryptoVerificationFailure,
        ),
        (
            "R with y zero",
            form(&[&[0x84], &r, &[0; 32]]),
            CryptoVerificationFailure,
        ),
        (
            "s negated, R kept",
            parts.signed(&kept_r),
            CryptoVerificationFailure,
        ),
        (
            "R in a form that there is not",
            form(&[&[0x85], &r]),
            ParsingInvalidInput,
        ),
        (
            "R with a tag of another class",
            form(&[&[0x02], &r]),
            ParsingInvalidInput,
        ),
    ];
    for (name, forged, expected) in cases {
        signer.refused(family, name, expected, &forged);
    }
}

/// A valid signature on other data than the message's.
fn data(family: &mut Family, signer: &Signer) {
    let (parts, ..) = signer.parts();
    let message = signer.message();
    let sign = |message: MessageContents<'_>| message.sign(signer.pki.station());
    let place = above_ground(HERE);
    let later = waywarden_v2x_wire::ieee1609dot2::Time64(message.made.unwrap().0 + 1);
    let changed = [
        (
            "payload",
            MessageContents {
                payload: b"what a vehicle lied",
                ..message
            },
        ),
        (
            "longer payload",
            MessageContents {
                payload: b"what a vehicle says and does",
                ..message
            },
        ),
        (
            "empty payload",
            MessageContents {
                payload: b"",
                ..message
            },
        ),
        (
            "generation time",
            MessageContents {
                made: Some(later),
                ..message
            },
        ),
        (
            "application",
            MessageContents {
                psid: 32,
                ..message
            },
        ),
    ];
    for (name, other) in changed {
        let forged = Parts::of(&sign(other)).signed(&parts.signature);
        let name = format!("signature of a message with another {name}");
        signer.refused(family, &name, CryptoVerificationFailure, &forged);
    }
    if signer.psid == 135 {
        let forged =
            Parts::of(&sign(MessageContents { place, ..message })).signed(&parts.signature);
        let name = "signature of a message without a place";
        signer.refused(family, name, CryptoVerificationFailure, &forged);
    }
}

/// Signatures of others, and over hashes that leave the signer out.
fn others(family: &mut Family, signer: &Signer) {
    let (parts, ..) = signer.parts();
    let station = signer.pki.station();
    let message = signer.message();
    let stranger = Draft::station(8).issued_by(Some(&signer.pki.holders[1]));
    let by = |key: &Holder| {
        let holder = Holder {
            key: key.key,
            ..station.clone()
        };
        message.sign(&holder)
    };
    let moved = |other: &Holder| {
        let other = Parts::of(&message.sign(other));
        parts.signed(&other.signature)
    };
    let sha = |bytes: &[u8]| hash(HashFunction::Sha256, bytes);
    let over = |digest: Digest| parts.signed(&raw::signature(&station.key, digest.as_bytes()));
    let both =
        |data: &Digest, signer: &Digest| hash_for_signature(HashFunction::Sha256, data, signer);
    let (tbs, own) = (sha(&parts.tbs), sha(&station.certificate));
    let authority = sha(&signer.pki.holders[1].certificate);
    let cases = [
        ("by a stranger's key", by(&stranger)),
        ("by the authority's key", by(&signer.pki.holders[1])),
        ("by the root's key", by(signer.pki.root())),
        ("of a stranger's message", moved(&stranger)),
        ("over the data alone", over(tbs)),
        (
            "as of one that signs for itself",
            over(both(&tbs, &sha(&[]))),
        ),
        (
            "under the authority's certificate",
            over(both(&tbs, &authority)),
        ),
        (
            "over the certificate before the data",
            over(both(&own, &tbs)),
        ),
        ("over the certificate alone", over(own)),
    ];
    for (name, forged) in cases {
        signer.refused(family, name, CryptoVerificationFailure, &forged);
    }
}

/// Signatures that say they are of another algorithm.
fn algorithms(family: &mut Family) {
    for signer in signers() {
        let (parts, r, s) = signer.parts();
        let own = &parts.signature[1..];
        let wide = [&[97, 0x82], &[1; 96][..]].concat();
        let failure = CryptoVerificationFailure;
        let critical = ParsingUnsupportedCriticalInformationField;
        // What it takes where one of post-quantum cryptography would stand.
        let lattice = [&[0x82, 0x02, 0x9a], &[0x5a; 666][..]].concat();
        let mut cases: Vec<(&str, Vec<u8>, ResultCode)> = vec![
            ("of brainpoolP256r1", [&[0x81], own].concat(), failure),
            ("of brainpoolP384r1", [&[0x82], &wide[..]].concat(), failure),
            ("of P-384", [&[0x83], &wide[..]].concat(), failure),
            (
                "of the next algorithm",
                [&[0x85, 66], own].concat(),
                critical,
            ),
            (
                "of a post-quantum algorithm",
                [&[0x85], &lattice[..]].concat(),
                critical,
            ),
            (
                "of the last algorithm",
                [&[0xbe, 66], own].concat(),
                critical,
            ),
        ];
        if signer.is_x_only {
            cases.push(("of SM2", [&[0x84, 64], &r[..], &s].concat(), failure));
        }
        for (name, signature, expected) in cases {
            signer.refused(family, name, expected, &parts.signed(&signature));
        }
    }
}

fn hashes(family: &mut Family) {
    let [signer, ..] = signers();
    let (mut parts, ..) = signer.parts();
    let long = |bytes: &[u8]| hash(HashFunction::Sha384, bytes);
    let digest = hash_for_signature(
        HashFunction::Sha384,
        &long(&parts.tbs),
        &long(&signer.pki.station().certificate),
    );
    let of_long = raw::signature(&signer.pki.station().key, digest.as_bytes());
    let failure = CryptoVerificationFailure;
    for (name, number, expected) in [
        ("that says it is over SHA-384", 1, failure),
        ("that says it is over SM3", 2, failure),
        (
            "that says it is over a hash that there is not",
            3,
            ParsingUnsupportedCriticalInformationField,
        ),
    ] {
        parts.head[2] = number;
        signer.refused(family, name, expected, &parts.message());
    }
    parts.head[2] = 1;
    signer.refused(family, "over SHA-384", failure, &parts.signed(&of_long));
    parts.head[2] = 0;
    let name = "over SHA-384 that says SHA-256";
    signer.refused(family, name, failure, &parts.signed(&of_long));
}
