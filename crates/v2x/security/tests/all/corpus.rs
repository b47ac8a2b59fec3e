//! Real certificates and messages of two continents.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::{
    ReceptionContext, ResultCode, Verifier, verify_certificate_signature, verify_signature,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, SignedData, SignerIdentifier,
    Time64,
};

/// Returns a folder of the corpus; `None`, with a message, where it is missing and may be.
fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("WAYWARDEN_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus"),
        PathBuf::from,
    );
    let folder = root.join(name);
    if folder.exists() {
        return Some(folder);
    }
    let required = std::env::var_os("WAYWARDEN_REQUIRE_CORPUS").is_some();
    assert!(!required, "{} is missing", folder.display());
    println!("skipped: corpus not found");
    None
}

/// The files of a folder that end so, by name.
fn files(folder: &Path, end: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let wanted = paths.filter(|path| path.extension().is_some_and(|own| own == end));
    let named = wanted.map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, fs::read(path).unwrap())
    });
    named.collect()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

fn signed(bytes: &[u8]) -> SignedData<'_> {
    let data: Ieee1609Dot2Data<'_> = parse(bytes).unwrap();
    match data.content {
        Ieee1609Dot2Content::Signed(signed) => signed,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_certificate_of_the_etsi_suite_is_signed_by_its_issuer() {
    let Some(folder) = folder("v2x/etsi_tsits_certs") else {
        return;
    };
    let files = files(&folder, "oer");
    let certificates: Vec<Certificate<'_>> =
        files.values().map(|bytes| parse(bytes).unwrap()).collect();
    let named = |id: HashedId8| {
        let digest = |one: &Certificate<'_>| certificate_digest(one).unwrap().id_8();
        certificates.iter().find(|one| digest(one) == id)
    };
    let mut valid = 0;
    for (name, certificate) in files.keys().zip(&certificates) {
        use waywarden_v2x_wire::ieee1609dot2::IssuerIdentifier::{
            SelfIssued, Sha256AndDigest, Sha384AndDigest,
        };
        let issuer = match certificate.issuer {
            SelfIssued(_) => None,
            Sha256AndDigest(id) | Sha384AndDigest(id) => Some(named(id).unwrap()),
            other => panic!("{other:?}"),
        };
        let verdict = verify_certificate_signature(certificate, issuer);
        assert!(verdict.is_ok(), "{name}: {verdict:?}");
        valid += 1;
    }
    assert_eq!(valid, 105);
}

/// The suite has certificates that a receiver has to refuse: outside of their issuer's region, with
/// permissions that their issuer may not give, or under such an issuer. These and no others are.
#[test]
fn chains_of_the_etsi_suite_are_consistent_where_they_should_be() {
    let Some(folder) = folder("v2x/etsi_tsits_certs") else {
        return;
    };
    let mut left = files(&folder, "oer");
    let mut verifier = Verifier::default();
    left.retain(|_, bytes| verifier.add_trust_anchor(bytes).is_err());
    loop {
        let before = left.len();
        left.retain(|_, bytes| verifier.add_certificate(bytes).is_err());
        if left.len() == before {
            break;
        }
    }
    let refused: Vec<(String, ResultCode)> = left
        .into_iter()
        .map(|(name, bytes)| (name, verifier.add_certificate(&bytes).unwrap_err().code))
        .collect();
    let of = |code| {
        let own = refused.iter().filter(move |(_, other)| *other == code);
        own.map(|(name, _)| name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        of(ResultCode::ChainInconsistentChainPermissions),
        [
            "CERT_IUT_C1_AT",
            "CERT_IUT_C3_AA",
            "CERT_IUT_IVI_SSP_ISO14823_5_AT",
            "CERT_IUT_IVI_SSP_ISO14823_6_AT",
            "CERT_IUT_IVI_SSP_LC_AT",
            "CERT_IUT_IVI_SSP_LS_AT",
            "CERT_IUT_IVI_SSP_NEG_AT",
            "CERT_IUT_IVI_SSP_RCC_AT",
            "CERT_IUT_IVI_SSP_SAEJ2540_AT",
            "CERT_IUT_IVI_SSP_TC_AT",
            "CERT_IUT_RTCM_SSP_NONE_AT",
            "CERT_TS_AA_AUTHVAL_RCV_02_BI_02",
            "CERT_TS_A_EA",
            "CERT_TS_A_EA_AA_AUTHVAL_RCV_02_BI_01",
            "CERT_TS_A_EA_AA_AUTHVAL_RCV_02_BI_02",
            "CERT_TS_A_EA_AA_AUTHVAL_RCV_02_BI_03",
        ]
    );
    assert_eq!(
        of(ResultCode::ChainNotEnoughInformationToConstructChain),
        [
            "CERT_IUT_A_C3_AT",
            "CERT_IUT_CA3_AT",
            "CERT_TS_A_EC",
            "CERT_TS_EC_ENR_RCV_02_BI_01",
            "CERT_TS_EC_ENR_RCV_02_BI_02",
            "CERT_TS_EC_ENR_RCV_02_BI_03",
        ]
    );
    assert_eq!(refused.len(), 22);
}

/// The European trust list manager's certificate, and the list that it signed.
#[test]
fn the_european_trust_list_verifies() {
    let Some(folder) = folder("v2x/eu_trust") else {
        return;
    };
    let manager = fs::read(folder.join("E7A4B2B045E7ACF9.oer")).unwrap();
    let list = fs::read(folder.join("CE4CF6C19BFED720.oer")).unwrap();
    let mut verifier = Verifier::default();
    let anchor = verifier.add_trust_anchor(&manager).unwrap();
    let expected = HashedId8([0xe7, 0xa4, 0xb2, 0xb0, 0x45, 0xe7, 0xac, 0xf9]);
    assert_eq!(anchor.id(), expected);
    let made = signed(&list).tbs_data.header_info.generation_time;
    let now = ReceptionContext::at(made.unwrap_or(Time64(0)));
    let accepted = verifier.verify(&list, &now).unwrap();
    assert_eq!(accepted.signer.id(), expected);
    // It is valid until the next one is due, three months later, and may come again.
    let days = |days: u64| ReceptionContext::at(Time64(now.now.0 + days * 86_400_000_000));
    assert!(verifier.verify(&list, &days(30)).is_ok());
    let refusal = verifier.verify(&list, &days(365)).unwrap_err();
    assert_eq!(
        (refusal.code, refusal.field),
        (ResultCode::RelevanceExpiryTimeInPast, "nextUpdate")
    );
    let attack = fs::read(folder.join("CE4CF6C19BFED720_with_recursion_depth150.oer")).unwrap();
    let refusal = verifier.verify(&attack, &now).unwrap_err();
    assert_eq!(refusal.code, ResultCode::ParsingInvalidInput);
}

/// An entry of `us_field_recovered_keys.json`: one signer.
struct Signer {
    id: HashedId8,
    certificate: Vec<u8>,
    key: Point,
}

fn signers(text: &str) -> Vec<Signer> {
    let field = |entry: &str, name: &str| {
        let (_, rest) = entry.split_once(&format!("\"{name}\": \"")).unwrap();
        bytes_of(rest.split_once('"').unwrap().0)
    };
    let entries = text.split('{').skip(1);
    let of = |entry: &str| {
        let (x, y) = (field(entry, "public_key_x"), field(entry, "public_key_y"));
        Signer {
            id: HashedId8(field(entry, "hashed_id8").try_into().unwrap()),
            certificate: field(entry, "certificate"),
            key: Point::decode(Curve::P256, &EncodedPoint::Uncompressed { x: &x, y: &y }).unwrap(),
        }
    };
    entries.map(of).collect()
}

#[test]
fn messages_from_the_field_are_whole_and_their_chains_unknown() {
    let Some(folder) = folder("v2x/us_field") else {
        return;
    };
    let text = fs::read_to_string(folder.join("us_field_recovered_keys.json")).unwrap();
    let signers = signers(&text);
    let mut verifier = Verifier::default();
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut valid = 0;
    for line in fs::read_to_string(folder.join("signed.hex"))
        .unwrap()
        .lines()
    {
        let message = bytes_of(line.split_whitespace().last().unwrap());
        let data = signed(&message);
        let id = match data.signer {
            SignerIdentifier::Digest(id) => id,
            SignerIdentifier::Certificate(list) => {
                let own = list.iter().next().unwrap().unwrap();
                certificate_digest(&own).unwrap().id_8()
            }
            SignerIdentifier::OwnKey(_) => panic!("{line}"),
        };
        let signer = signers.iter().find(|signer| signer.id == id).unwrap();
        let certificate: Certificate<'_> = parse(&signer.certificate).unwrap();
        let verdict = verify_signature(&data, &certificate, &signer.key, None);
        assert!(verdict.is_ok(), "{line}: {verdict:?}");
        valid += 1;
        let made = data
            .tbs_data
            .header_info
            .generation_time
            .unwrap_or(Time64(0));
        let refusal = verifier
            .verify(&message, &ReceptionContext::at(made))
            .unwrap_err();
        *verdicts.entry(refusal.code.name()).or_default() += 1;
    }
    println!("{valid} signatures valid; {verdicts:?}");
    assert_eq!(valid, 843);
    assert_eq!(verdicts.values().sum::<usize>(), 843);
}
