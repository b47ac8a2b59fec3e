//! vectors/fourq.txt.

use std::collections::BTreeMap;
use std::vec::Vec;

use waywarden_testkit::{bytes_of, hex_of};

use crate::curve::Extended;
use crate::encoding::field_bytes;
use crate::endomorphism::{phi, psi};
use crate::multiply::fixed::GENERATOR;
use crate::multiply::variable;
use crate::{EncodedFourQPoint, SchnorrQSignature, SigningKey, VerifyingKey, dh, verify_batch};

const VECTORS: &str = include_str!("../../../../../vectors/fourq.txt");

type Block = BTreeMap<&'static str, &'static str>;

/// Blocks of one kind.
fn blocks(kind: &str) -> Vec<Block> {
    let lines = VECTORS.lines().filter(|line| !line.starts_with('#'));
    let mut blocks = std::vec![Block::new()];
    for line in lines {
        match line.split_once(char::is_whitespace) {
            Some((name, value)) => {
                blocks.last_mut().unwrap().insert(name, value.trim());
            }
            None if line.is_empty() => blocks.push(Block::new()),
            None => {
                blocks.last_mut().unwrap().insert(line, "");
            }
        }
    }
    blocks.retain(|block| block.get("kind") == Some(&kind));
    assert!(!blocks.is_empty(), "no vectors of kind {kind}");
    blocks
}

fn array<const COUNT: usize>(block: &Block, name: &str) -> [u8; COUNT] {
    bytes_of(block[name])
        .try_into()
        .unwrap_or_else(|_| panic!("{name} has the wrong length"))
}

#[test]
fn signatures() {
    for block in blocks("schnorrq") {
        let key = SigningKey::from_bytes(&array(&block, "secret"));
        let message = bytes_of(block["message"]);
        assert_eq!(hex_of(&key.public().0), block["public"]);
        let signature = key.sign(&message);
        assert_eq!(hex_of(&signature.0), block["signature"]);

        let public = VerifyingKey::decode(&EncodedFourQPoint(array(&block, "public"))).unwrap();
        let signature = SchnorrQSignature(array(&block, "signature"));
        assert_eq!(public.verify(&message, &signature), Ok(()));
        let item = crate::Item {
            key: &public,
            message: &message,
            signature: &signature,
        };
        assert_eq!(verify_batch(&[item]), Ok(()));
    }
}

#[test]
fn agreements() {
    for block in blocks("dh") {
        let a = dh::DhSecret::from_bytes(&array(&block, "a"));
        let b = dh::DhSecret::from_bytes(&array(&block, "b"));
        assert_eq!(hex_of(&a.share().0), block["share_a"]);
        assert_eq!(hex_of(&b.share().0), block["share_b"]);
        for (own, share) in [(a, "share_b"), (b, "share_a")] {
            let secret = own
                .extract(&EncodedFourQPoint(array(&block, share)))
                .unwrap();
            assert_eq!(hex_of(secret.as_bytes()), block["secret"]);
        }
    }
}

/// A thousand rounds of `step` from the generator.
fn thousand(mut step: impl FnMut(Extended) -> Extended) -> Extended {
    (0..1000).fold(GENERATOR.to_extended(), |point, _| step(point))
}

/// The scalars that FourQlib's test runs through.
fn chain(clear: bool) -> Extended {
    let mut scalar = [
        0x3ad4_57ab_5545_6230_u64,
        0x3a8b_3c2c_6fd8_6e0c,
        0x7e38_f7c9_cfbb_9166,
        0x0028_fd6c_bda4_58f0,
    ];
    thousand(|point| {
        scalar[1] = scalar[2];
        scalar[2] = scalar[2].wrapping_add(scalar[0]);
        let point = if clear { point.clear_cofactor() } else { point };
        variable::multiply(&scalar, &point)
    })
}

#[test]
fn points() {
    for block in blocks("point") {
        let generator = GENERATOR.to_extended().to_cached();
        let point = match block["operation"] {
            "double" => thousand(Extended::double),
            "add" => thousand(|point| point.add(&generator)).add(&generator),
            "phi" => thousand(|point| phi(&point)),
            "psi" => thousand(|point| psi(&point)),
            "multiply" => chain(false),
            "multiply-cleared" => chain(true),
            other => panic!("unknown operation {other}"),
        };
        let point = point.to_affine();
        assert_eq!(
            hex_of(&field_bytes(point.x)),
            block["x"],
            "{}",
            block["operation"]
        );
        assert_eq!(
            hex_of(&field_bytes(point.y)),
            block["y"],
            "{}",
            block["operation"]
        );
    }
}
