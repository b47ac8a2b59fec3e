//! Other forms of an honest message that anybody can make without a key: they are refused, or the
//! same message, and then a replay whichever comes first.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::ieee1609dot2::{HeaderInfo, TwoDLocation};

use super::build::{Draft, HERE, Pki, above_ground, circle, place};
use super::elements::{BASE, public_key};
use super::raw::{self, Parts};
use super::table::Family;

#[test]
fn other_forms_of_a_message_are_no_second_message() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("form");
    for (name, psid, implicit) in [
        ("explicit", 135, false),
        ("implicit", 135, true),
        ("explicit CAM", 36, false),
        ("implicit CAM", 36, true),
    ] {
        let signer = Signer {
            name,
            psid,
            pki: Pki::with(Draft {
                implicit,
                ..Draft::station(3)
            }),
        };
        signature_forms(&mut family, &signer);
        signer_forms(&mut family, &signer);
    }
    keys(&mut family);
    headers(&mut family);
    certificates(&mut family);
    family
}

struct Signer {
    name: &'static str,
    psid: u64,
    pki: Pki,
}

impl Signer {
    fn message(&self) -> MessageContents<'static> {
        MessageContents {
            psid: self.psid,
            ..MessageContents::new()
        }
    }

    fn verifier(&self) -> Verifier {
        self.pki.knowing()
    }

    fn same(&self, family: &mut Family, name: &str, honest: &[u8], other: &[u8]) {
        let name = format!("{}: {name}", self.name);
        family.same(&name, || self.verifier(), honest, other);
    }
}

fn signature_forms(family: &mut Family, signer: &Signer) {
    let honest = signer.message().sign(signer.pki.station());
    let parts = Parts::of(&honest);
    let tag = parts.signature[1];
    let r: [u8; 32] = parts.signature[2..34].try_into().unwrap();
    let s = &parts.signature[34..];
    let y = raw::y_of(tag == 0x83, &r);
    let other_y = raw::y_of(tag != 0x83, &r);
    let negated = raw::negated(s);
    let signature = |parts: &[&[u8]]| [&[0x80], &parts.concat()[..]].concat();
    let x_only = signature(&[&[0x80], &r, s]);
    let whole = signature(&[&[0x84], &r, &y, s]);
    let forms: Vec<(&str, Vec<u8>)> = vec![
        ("R as an x-coordinate", x_only.clone()),
        ("R with both coordinates", whole.clone()),
        ("R with the other y", signature(&[&[0x84], &r, &other_y, s])),
        ("R negated", signature(&[&[tag ^ 1], &r, s])),
        ("s negated", signature(&[&[tag], &r, &negated])),
        ("R and s negated", signature(&[&[tag ^ 1], &r, &negated])),
        (
            "s negated, R as an x-coordinate",
            signature(&[&[0x80], &r, &negated]),
        ),
        (
            "R and s negated, both coordinates",
            signature(&[&[0x84], &r, &other_y, &negated]),
        ),
    ];
    for (name, form) in &forms {
        signer.same(family, name, &honest, &parts.signed(form));
    }
    if signer.psid == 36 {
        // Between two forms of which neither is the one that was signed.
        let [short, long] = [x_only, whole].map(|form| parts.signed(&form));
        signer.same(family, "x-coordinate and both coordinates", &short, &long);
        let negated = parts.signed(&signature(&[&[0x80], &r, &negated]));
        signer.same(
            family,
            "x-coordinate with s and with s negated",
            &short,
            &negated,
        );
    }
}

/// The list of certificates is not signed.
fn signer_forms(family: &mut Family, signer: &Signer) {
    let pki = &signer.pki;
    let message = signer.message();
    let station = pki.station();
    let honest = message.sign(station);
    let (root, authority) = (pki.root(), &pki.holders[1]);
    let stranger = Draft::station(9).issued_by(Some(authority));
    let list = |above: &[&Holder]| {
        let named = Named::Certificates(above);
        MessageContents { named, ..message }.sign(station)
    };
    let digest = MessageContents {
        named: Named::Digest,
        ..message
    };
    let forms = [
        ("issuer's certificate appended", list(&[authority])),
        ("chain appended", list(&[authority, root])),
        ("stranger's certificate appended", list(&[&stranger])),
        ("its own certificate appended", list(&[station])),
        ("eight certificates appended", list(&[&stranger; 8])),
        ("by digest", digest.sign(station)),
    ];
    for (name, mut other) in forms {
        // Signed once: the signature is the honest one's.
        let signature = Parts::of(&honest).signature;
        let parts = Parts::of(&other);
        other = parts.signed(&signature);
        signer.same(family, name, &honest, &other);
    }
}

/// The same key with both coordinates: the hash of the certificate is over the canonical form.
fn keys(family: &mut Family) {
    for (name, implicit) in [("explicit", false), ("implicit", true)] {
        for psid in [135, 36] {
            let signer = Signer {
                name,
                psid,
                pki: Pki::with(Draft {
                    implicit,
                    ..Draft::station(3)
                }),
            };
            let station = &signer.pki.station().certificate;
            let honest = signer.message().sign(signer.pki.station());
            let tbs = raw::tbs_of_certificate(station);
            let at = tbs.len() - 33;
            let (tag, x) = (tbs[at], &tbs[at + 1..]);
            let y = raw::y_of(tag == 0x83, x.try_into().unwrap());
            let whole = [&[0x84], x, &y].concat();
            let other = raw::replaced(&honest, &tbs[at..], &whole);
            let name = format!("key with both coordinates, {psid}");
            signer.same(family, &name, &honest, &other);
            let flipped = [&[tag ^ 1], x].concat();
            let other = raw::replaced(&honest, &tbs[at..], &flipped);
            let name = format!("key with the other y, {psid}");
            signer.same(family, &name, &honest, &other);
        }
    }
}

/// Forges the signed data in forms that are not canonical.
fn headers(family: &mut Family) {
    let signer = Signer {
        name: "header",
        psid: 135,
        pki: Pki::plain(),
    };
    let message = signer.message();
    let header: HeaderInfo<'_> = public_key(message.header());
    let honest = message.sign_with(header, signer.pki.station());
    let y = raw::y_of(true, &BASE);
    let [short, long] = [
        [&[0x83], &BASE[..]].concat(),
        [&[0x84], &BASE[..], &y].concat(),
    ];
    let other = raw::replaced(&honest, &short, &long);
    signer.same(
        family,
        "encryption key with both coordinates",
        &honest,
        &other,
    );
    let other = raw::replaced(&honest, &short, &[&[0x82], &BASE[..]].concat());
    signer.same(family, "encryption key with the other y", &honest, &other);
    let other = raw::replaced(&honest, &short, &[&[0x80], &BASE[..]].concat());
    signer.same(family, "encryption key as an x-coordinate", &honest, &other);
}

/// Other forms of the signer's certificate.
fn certificates(family: &mut Family) {
    let station = Draft::station(3).within(Some(circle(HERE, 10_000)));
    let signer = Signer {
        name: "certificate",
        psid: 135,
        pki: Pki::with(station),
    };
    let message = MessageContents {
        place: above_ground(HERE),
        ..signer.message()
    };
    let honest = message.sign(signer.pki.station());
    let own = &signer.pki.station().certificate;
    let (r, s) = own[own.len() - 65..].split_at(33);
    let negated = raw::negated(s);
    let with = |form: &[u8], s: &[u8]| {
        let signature = [r, s].concat();
        raw::replaced(&honest, &signature, &[form, &r[1..], s].concat())
    };
    let counterpart = [r, &negated[..]].concat();
    let counterpart = raw::replaced(&honest, &[r, s].concat(), &counterpart);
    signer.same(family, "s of its signature negated", &honest, &counterpart);
    for (name, form) in [
        ("R of its signature as a point, y even", [0x82]),
        ("R of its signature as a point, y odd", [0x83]),
    ] {
        signer.same(family, name, &honest, &with(&form, s));
    }
    let x: [u8; 32] = r[1..].try_into().unwrap();
    for (name, odd) in [("even", false), ("odd", true)] {
        let form = [&[0x84], &x[..], &raw::y_of(odd, &x), s].concat();
        let other = raw::replaced(&honest, &[r, s].concat(), &form);
        let name = format!("R of its signature with both coordinates, y {name}");
        signer.same(family, &name, &honest, &other);
    }
    // What is signed in the certificate cannot be changed either.
    let TwoDLocation { latitude, .. } = place(HERE);
    let center = [&[0x80], &latitude.0.to_be_bytes()[..]].concat();
    let moved = [&[0x80], &(latitude.0 + 1).to_be_bytes()[..]].concat();
    let forged = raw::replaced(own, &center, &moved);
    let other = raw::replaced(&honest, own, &forged);
    signer.same(family, "region moved", &honest, &other);
}
