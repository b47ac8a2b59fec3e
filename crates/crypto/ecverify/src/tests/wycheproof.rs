//! Wycheproof's ECDSA cases for the four curves: every result must be the published one.

use std::println;
use std::vec::Vec;

use serde_json::Value;
use sha2::{Digest, Sha256, Sha384};
use waywarden_testkit::{bytes_of, corpus_text};

use super::outside::{OwnedJob, OwnedKey, OwnedPoint};
use crate::{
    Curve, EncodedPoint, EncodedSignature, Job, JobKey, SignatureRefusal, Verdict, verify,
    verify_many,
};

/// Signature format of a file.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    P1363,
    Der,
}

const FILES: [(&str, Curve, Format); 5] = [
    (
        "ecdsa_secp256r1_sha256_p1363_test",
        Curve::P256,
        Format::P1363,
    ),
    ("ecdsa_secp256r1_sha256_test", Curve::P256, Format::Der),
    (
        "ecdsa_secp384r1_sha384_p1363_test",
        Curve::P384,
        Format::P1363,
    ),
    (
        "ecdsa_brainpoolP256r1_sha256_p1363_test",
        Curve::BrainpoolP256r1,
        Format::P1363,
    ),
    (
        "ecdsa_brainpoolP384r1_sha384_p1363_test",
        Curve::BrainpoolP384r1,
        Format::P1363,
    ),
];

/// Takes a DER element with this tag and a definite, shortest length off the front.
fn element<'a>(tag: u8, bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (&[found, first], mut rest) = bytes.split_first_chunk()?;
    let length = match first {
        0..=0x7f => usize::from(first),
        0x81 => {
            let (&length, after) = rest.split_first()?;
            rest = after;
            (length >= 0x80).then_some(usize::from(length))?
        }
        _ => return None,
    };
    let (content, after) = rest.split_at_checked(length)?;
    *bytes = after;
    (found == tag).then_some(content)
}

/// Takes a non-negative DER integer of at most `length` bytes off the front.
fn der_integer(bytes: &mut &[u8], length: usize) -> Option<Vec<u8>> {
    let content = element(2, bytes)?;
    let digits = match content {
        [0, next, ..] if *next < 0x80 => return None,
        [0, rest @ ..] if !rest.is_empty() => rest,
        [first, ..] if *first >= 0x80 => return None,
        [] => return None,
        all => all,
    };
    let mut padded = std::vec![0; length.checked_sub(digits.len())?];
    padded.extend(digits);
    Some(padded)
}

/// r and s of a signature, if it is written properly.
fn split(signature: &[u8], format: Format, length: usize) -> Option<(Vec<u8>, Vec<u8>)> {
    match format {
        Format::P1363 => {
            // Halves of other lengths are for the verifier to refuse.
            let (r, s) = signature.split_at_checked(length)?;
            Some((r.to_vec(), s.to_vec()))
        }
        Format::Der => {
            let mut rest = signature;
            let mut content = element(0x30, &mut rest)?;
            let r = der_integer(&mut content, length)?;
            let s = der_integer(&mut content, length)?;
            (rest.is_empty() && content.is_empty()).then_some((r, s))
        }
    }
}

/// Runs a file; how many cases, and how many of them valid.
/// The cases of a file whose signature can be split, as jobs.
fn jobs_of(text: &str, curve: Curve, format: Format) -> Vec<OwnedJob> {
    let mut jobs = Vec::new();
    let file: Value = serde_json::from_str(text).expect("JSON");
    for group in file["testGroups"].as_array().expect("groups") {
        let key = bytes_of(group["publicKey"]["uncompressed"].as_str().expect("a key"));
        for case in group["tests"].as_array().expect("cases") {
            let field = |name: &str| bytes_of(case[name].as_str().expect("a field"));
            let Some((r, s)) = split(&field("sig"), format, curve.field_bytes()) else {
                continue;
            };
            jobs.push(OwnedJob {
                curve,
                digest: digest(&field("msg"), curve),
                r: OwnedPoint::XOnly(r),
                s,
                key: OwnedKey::Explicit(OwnedPoint::Uncompressed(key[1..].to_vec())),
            });
        }
    }
    jobs
}

/// All jobs of each file that is there.
pub(super) fn jobs() -> Vec<(Curve, Vec<OwnedJob>)> {
    let file = |(name, curve, format)| {
        let text = corpus_text(&std::format!("v2x/wycheproof/{name}.json"))?;
        Some((curve, jobs_of(&text, curve, format)))
    };
    FILES.into_iter().filter_map(file).collect()
}

fn digest(message: &[u8], curve: Curve) -> Vec<u8> {
    match curve.field_bytes() {
        32 => Sha256::digest(message).to_vec(),
        _ => Sha384::digest(message).to_vec(),
    }
}

fn run(text: &str, curve: Curve, format: Format) -> (usize, usize) {
    let file: Value = serde_json::from_str(text).expect("JSON");
    let (mut count, mut valid) = (0, 0);
    for group in file["testGroups"].as_array().expect("groups") {
        let key = bytes_of(group["publicKey"]["uncompressed"].as_str().expect("a key"));
        let key = EncodedPoint::from_sec1(&key).expect("an encoding");
        for case in group["tests"].as_array().expect("cases") {
            let field = |name: &str| bytes_of(case[name].as_str().expect("a field"));
            let digest = digest(&field("msg"), curve);
            let expected = case["result"] == "valid";
            let actual = split(&field("sig"), format, curve.field_bytes())
                .is_some_and(|(r, s)| accepts(curve, &digest, &r, &s, key));
            assert_eq!(actual, expected, "{curve:?} {case}");
            count += 1;
            valid += usize::from(expected);
        }
    }
    assert_eq!(Some(count as u64), file["numberOfTests"].as_u64());
    (count, valid)
}

/// One answer by every path, which must all be the same.
fn accepts(curve: Curve, digest: &[u8], r: &[u8], s: &[u8], key: EncodedPoint<'_>) -> bool {
    let job = |key| Job {
        curve,
        digest,
        signature: EncodedSignature {
            r: EncodedPoint::XOnly(r),
            s,
        },
        key: JobKey::Explicit(key),
        sender: None,
    };
    let jobs = [job(key), job(key.to_compressed())];
    let mut verdicts = [Verdict::Refused(SignatureRefusal::Equation); 2];
    verify_many(&jobs, &mut verdicts);
    let alone = Verdict::from(verify(&jobs[0]));
    assert_eq!(verdicts, [alone; 2]);
    alone.is_valid()
}

#[test]
fn all_cases_agree() {
    let mut total = (0, 0);
    for (name, curve, format) in FILES {
        let path = std::format!("v2x/wycheproof/{name}.json");
        let Some(text) = corpus_text(&path) else {
            return;
        };
        let (count, valid) = run(&text, curve, format);
        println!("{name}: {count} cases, {valid} of them valid");
        total = (total.0 + count, total.1 + valid);
    }
    println!("all: {} cases, {} of them valid", total.0, total.1);
}
