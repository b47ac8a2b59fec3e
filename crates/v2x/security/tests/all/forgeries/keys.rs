//! Certificates with a wrong signature or a wrong issuer.

use waywarden_testkit_v2x::world::{Holder, MessageContents, now, written};
use waywarden_v2x_security::ReceptionContext;
use waywarden_v2x_security::ResultCode::{
    self, ChainNotEnoughInformationToConstructChain, CryptoVerificationFailure,
    ParsingInvalidInput, ParsingUnsupportedCriticalInformationField,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CurvePoint, EcdsaSignature, EcsigP256Signature, HashedId8,
    IssuerIdentifier, Signature,
};

use super::build::{Draft, Pki};
use super::table::Family;

#[test]
fn certificates_with_a_wrong_signature_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("certificate");
    issuers(&mut family);
    signatures(&mut family);
    points(&mut family);
    algorithms(&mut family);
    family
}

/// The order of the group of P-256.
pub(crate) const ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6,
    0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
];

/// The same message by holders of an honest certificate and of a forged one.
fn pair(
    family: &mut Family,
    name: &str,
    expected: ResultCode,
    (pki, forged): (&Pki, CertificateBase<'_>),
) {
    let message = MessageContents::new();
    let certificate = Certificate::new(forged).expect(name);
    let station = Holder {
        certificate: written(&certificate),
        key: pki.station().key,
    };
    let mut holders = pki.holders.clone();
    *holders.last_mut().unwrap() = station;
    let forged = Pki { holders }.sign(&message);
    family.pair(
        name,
        expected,
        &mut pki.verifier(),
        &forged,
        &pki.sign(&message),
    );
}

fn read(holder: &Holder) -> Certificate<'_> {
    parse(&holder.certificate).unwrap()
}

fn issuers(family: &mut Family) {
    let pki = Pki::plain();
    let own = read(pki.station());
    let other = Draft::authority(5).issued_by(Some(pki.root()));
    let named = |issuer| CertificateBase { issuer, ..*own };
    let digest = IssuerIdentifier::Sha256AndDigest;
    let missing = ChainNotEnoughInformationToConstructChain;
    let mut near = pki.holders[1].id();
    near.0[0] ^= 1;
    for (name, issuer) in [
        ("issuer of zeros", HashedId8([0; 8])),
        ("issuer one bit away", near),
        ("issuer that is not there", other.id()),
        ("issuer that is the signer", pki.station().id()),
    ] {
        pair(family, name, missing, (&pki, named(digest(issuer))));
    }
    // The authority's certificate comes with it, and is not its issuer's.
    let root = named(digest(pki.root().id()));
    pair(
        family,
        "signed by the authority in the root's name",
        ParsingInvalidInput,
        (&pki, root),
    );
    let mut verifier = pki.knowing();
    verifier.add_certificate(&other.certificate).unwrap();
    let certificate = Certificate::new(named(digest(other.id()))).unwrap();
    let forged = Holder {
        certificate: written(&certificate),
        key: pki.station().key,
    };
    family.pair(
        "signed by an authority in another one's name",
        CryptoVerificationFailure,
        &mut verifier,
        &MessageContents::new().sign(&forged),
        &pki.sign(&MessageContents::new()),
    );
}

fn ecdsa<'a>(certificate: &Certificate<'a>) -> ([u8; 32], [u8; 32]) {
    match certificate.signature {
        Some(Signature::EcdsaNistP256(own)) => (*own.r.x().unwrap(), *own.s),
        other => panic!("{other:?}"),
    }
}

/// Numbers out of their range, another holder's signature, signatures over something else.
fn signatures(family: &mut Family) {
    let pki = Pki::plain();
    let own = read(pki.station());
    let (r, s) = ecdsa(&own);
    let (zero, most) = ([0; 32], [0xff; 32]);
    let mut last = ORDER;
    last[31] -= 1;
    let (mut bit_r, mut bit_s) = (r, s);
    bit_r[17] ^= 4;
    bit_s[31] ^= 1;
    let other = Draft::station(9).issued_by(Some(&pki.holders[1]));
    let (other_r, other_s) = ecdsa(&read(&other));
    let by_root = Draft::station(3).issued_by(Some(pki.root()));
    let (root_r, root_s) = ecdsa(&read(&by_root));
    let alone = Draft::station(3).issued_by(None);
    let (alone_r, alone_s) = ecdsa(&read(&alone));
    let cases: [(&str, &[u8; 32], &[u8; 32]); 15] = [
        ("r zero", &zero, &s),
        ("s zero", &r, &zero),
        ("r and s zero", &zero, &zero),
        ("r the order", &ORDER, &s),
        ("s the order", &r, &ORDER),
        ("r one below the order", &last, &s),
        ("s one below the order", &r, &last),
        ("r all ones", &most, &s),
        ("s all ones", &r, &most),
        ("r and s swapped", &s, &r),
        ("one bit of r", &bit_r, &s),
        ("one bit of s", &r, &bit_s),
        ("signature of another certificate", &other_r, &other_s),
        ("signature of the root", &root_r, &root_s),
        ("signature of its holder", &alone_r, &alone_s),
    ];
    for (name, r, s) in cases {
        let r = CurvePoint::XOnly(r);
        let signature = Some(Signature::EcdsaNistP256(EcdsaSignature { r, s }));
        let forged = CertificateBase { signature, ..*own };
        pair(family, name, CryptoVerificationFailure, (&pki, forged));
    }
}

/// The point itself in place of its coordinate.
fn points(family: &mut Family) {
    let pki = Pki::plain();
    let own = read(pki.station());
    let (r, s) = ecdsa(&own);
    let with_r = |r| {
        let signature = Some(Signature::EcdsaNistP256(EcdsaSignature { r, s: &s }));
        let forged = CertificateBase { signature, ..*own };
        let certificate = Certificate::new(forged).unwrap();
        Holder {
            certificate: written(&certificate),
            key: pki.station().key,
        }
    };
    // The issuer may have given the point: one of the two is the one that it computed.
    let points = [CurvePoint::CompressedY0(&r), CurvePoint::CompressedY1(&r)].map(with_r);
    let accepts = |holder: &Holder| {
        let message = MessageContents::new().sign(holder);
        pki.knowing()
            .verify(&message, &ReceptionContext::at(now()))
            .is_ok()
    };
    let [even, odd] = &points;
    assert_ne!(
        accepts(even),
        accepts(odd),
        "one of two points is the right one"
    );
    let (right, wrong) = if accepts(even) {
        (even, odd)
    } else {
        (odd, even)
    };
    family.pair(
        "r as the other point",
        (CryptoVerificationFailure, "signature"),
        &mut pki.knowing(),
        &MessageContents::new().sign(wrong),
        &MessageContents::new().sign(right),
    );
    let nothing = with_r(CurvePoint::Fill);
    let forged = MessageContents::new().sign(&nothing);
    family.lone(
        "r as nothing",
        CryptoVerificationFailure,
        &mut pki.knowing(),
        &forged,
    );
}

/// Signatures and issuers that name another curve or hash function than the issuer's key has.
fn algorithms(family: &mut Family) {
    let pki = Pki::plain();
    let own = read(pki.station());
    let (r, s) = ecdsa(&own);
    let (wide_r, wide_s) = ([1; 48], [2; 48]);
    let point = EcdsaSignature {
        r: CurvePoint::XOnly(&r),
        s: &s,
    };
    let wide = EcdsaSignature {
        r: CurvePoint::XOnly(&wide_r),
        s: &wide_s,
    };
    for (name, signature) in [
        (
            "signature of brainpoolP256r1",
            Signature::EcdsaBrainpoolP256r1(point),
        ),
        (
            "signature of brainpoolP384r1",
            Signature::EcdsaBrainpoolP384r1(wide),
        ),
        ("signature of P-384", Signature::EcdsaNistP384(wide)),
        (
            "signature of SM2",
            Signature::Sm2(EcsigP256Signature { r: &r, s: &s }),
        ),
    ] {
        let signature = Some(signature);
        let forged = CertificateBase { signature, ..*own };
        pair(family, name, CryptoVerificationFailure, (&pki, forged));
    }
    let id = pki.holders[1].id();
    let named = |issuer| CertificateBase { issuer, ..*own };
    let sha_384 = named(IssuerIdentifier::Sha384AndDigest(id));
    pair(
        family,
        "issuer by SHA-384",
        CryptoVerificationFailure,
        (&pki, sha_384),
    );
    let sm3 = named(IssuerIdentifier::Sm3AndDigest(id));
    let critical = ParsingUnsupportedCriticalInformationField;
    pair(family, "issuer by SM3", critical, (&pki, sm3));
    // The authority itself signs over SHA-384 with its key of 256 bits.
    use waywarden_v2x_security::hash::{HashFunction, hash, hash_for_signature};
    let data = hash(HashFunction::Sha384, own.to_be_signed.bytes().unwrap());
    let above = hash(HashFunction::Sha384, &pki.holders[1].certificate);
    let digest = hash_for_signature(HashFunction::Sha384, &data, &above);
    let (_, r, s) = waywarden_testkit_v2x::world::sign(&pki.holders[1].key, digest.as_bytes());
    let r = CurvePoint::XOnly(&r);
    let forged = CertificateBase {
        signature: Some(Signature::EcdsaNistP256(EcdsaSignature { r, s: &s })),
        ..sha_384
    };
    pair(
        family,
        "signed over SHA-384 by P-256",
        CryptoVerificationFailure,
        (&pki, forged),
    );
}
