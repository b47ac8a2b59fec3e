//! The vectors of the CAMP security credential management system, which IEEE 1609.2a Annex D
//! repeats: what each file says is computed through the store.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};
use waywarden_ecverify::{Curve, EncodedPoint, rebuild, rebuild_sec4};
use waywarden_testkit::{bytes_of, corpus_text, hex_of};
use waywarden_v2x_keys::butterfly::{ExpansionFunction, Purpose, cocoon_key};
use waywarden_v2x_keys::ecies::{self, EncryptedKey, kdf2, mac1};
use waywarden_v2x_keys::{KeyStore, SoftwareStore, ccm, ecqv};

use crate::support::{all_uses, exported, import, point};

/// One vector: its values by name.
struct Vector(HashMap<String, Vec<u8>>);

impl Vector {
    fn bytes(&self, name: &str) -> &[u8] {
        &self.0[name]
    }

    fn array<const N: usize>(&self, name: &str) -> [u8; N] {
        self.0[name].as_slice().try_into().expect(name)
    }
}

/// The vectors of a file: lines `name = 0xdigits` between headings `Test Vector`.
fn vectors(name: &str) -> Option<Vec<Vector>> {
    let text = corpus_text(&format!("v2x/camp/{name}.txt"))?;
    let vectors = text.split("Test Vector #").skip(1).map(|part| {
        let values = part.lines().filter_map(|line| {
            let (name, value) = line.split_once(" = ")?;
            let digits = value
                .strip_prefix("0x")
                .or((value == "\"\"").then_some(""))?;
            Some((name.to_owned(), bytes_of(digits)))
        });
        Vector(values.collect())
    });
    Some(vectors.collect())
}

#[test]
fn ccm_meets_camp() {
    let Some(vectors) = vectors("aesccm") else {
        return;
    };
    assert_eq!(vectors.len(), 6);
    for vector in vectors {
        let (key, nonce) = (vector.array("K"), vector.array("N"));
        let mut buffer = [vector.bytes("P"), &[0; ccm::TAG]].concat();
        ccm::encrypt(&key, &nonce, &mut buffer).unwrap();
        assert_eq!(hex_of(&buffer), hex_of(vector.bytes("C_T")));
        let text = ccm::decrypt(&key, &nonce, &mut buffer).unwrap();
        assert_eq!(text, vector.bytes("P"));
    }
}

#[test]
fn mac1_meets_camp() {
    let Some(vectors) = vectors("mac1") else {
        return;
    };
    assert_eq!(vectors.len(), 7);
    for vector in vectors {
        let tag = mac1(vector.bytes("K"), vector.bytes("M"));
        assert_eq!(hex_of(&tag), hex_of(vector.bytes("T")));
    }
}

/// CAMP's file has inputs alone; they are those of NIST's vectors for the key derivation function
/// of ANSI X9.63 with SHA-256, which KDF2 is. The answers are NIST's.
#[test]
fn kdf2_meets_camp() {
    const ANSWERS: [&str; 4] = [
        "443024c3dae66b95e6f5670601558f71",
        "b6295162a7804f5667ba9070f82fa522",
        "c498af77161cc59f2962b9a713e2b215152d139766ce34a776df11866a69bf2e\
         52a13d9c7c6fc878c50c5ea0bc7b00e0da2447cfd874f6cf92f30d0097111485\
         500c90c3af8b487872d04685d14c8d1dc8d7fa08beb0ce0ababc11f0bd496269\
         142d43525a78e5bc79a17f59676a5706dc54d54d4d1f0bd7e386128ec26afc21",
        "c0bd9e38a8f9de14c2acd35b2f3410c6988cf02400543631e0d6a4c1d030365a\
         cbf398115e51aaddebdc9590664210f9aa9fed770d4c57edeafa0b8c14f93300\
         865251218c262d63dadc47dfa0e0284826793985137e0a544ec80abf2fdf5ab9\
         0bdaea66204012efe34971dc431d625cd9a329b8217cc8fd0d9f02b13f2f6b0b",
    ];
    let Some(vectors) = vectors("kdf") else {
        return;
    };
    assert_eq!(vectors.len(), ANSWERS.len());
    for (vector, answer) in vectors.iter().zip(ANSWERS) {
        let mut derived = vec![0; answer.len() / 2];
        kdf2(vector.bytes("ss"), vector.bytes("kdp"), &mut derived);
        assert_eq!(hex_of(&derived), answer);
    }
}

#[test]
fn key_agreement_meets_camp() {
    let Some(vectors) = vectors("ecdh") else {
        return;
    };
    assert_eq!(vectors.len(), 25);
    for vector in vectors {
        let mut store = SoftwareStore::<1>::new();
        let own = import(&mut store, Curve::P256, vector.bytes("a"));
        let public = point(Curve::P256, vector.bytes("Bx"), vector.bytes("By"));
        let agreed = store.agree(own, &public).unwrap();
        assert_eq!(hex_of(agreed.as_bytes()), hex_of(vector.bytes("Z")));
    }
}

/// P1 of CAMP's vectors, two and two: `ecies.txt` prints the wrapped key in its place, but the
/// answers are those of the hashes that the program `ecies.py` beside it was given.
const P1: [&str; 2] = [
    "a6b7b52554b4203f7e3acfdb3a3ed8674ee086ce5906a7cac2f8a398306d3be9",
    "05bed5f867b89f30fe5552df414b65b9dd4073fc385d14921c641a145aa12051",
];

/// p of P-256: 2^256 - 2^224 + 2^192 + 2^96 - 1.
const P256_PRIME: [u8; 32] = [
    255, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255,
];

/// Decryption is the file's; of encryption, whose ephemeral key the store makes, the parts are.
#[test]
fn ecies_meets_camp() {
    let Some(vectors) = vectors("ecies") else {
        return;
    };
    assert_eq!(vectors.len(), 4);
    for (vector, p1) in vectors.iter().zip([P1[0], P1[0], P1[1], P1[1]]) {
        let p1 = &bytes_of(p1)[..];
        assert_eq!(
            vector.bytes("P1"),
            vector.bytes("k"),
            "the error of the file"
        );
        let mut store = SoftwareStore::<2>::new();
        let recipient = import(&mut store, Curve::P256, vector.bytes("r"));
        let encrypted = EncryptedKey {
            v: point(Curve::P256, vector.bytes("Vx"), vector.bytes("Vy")),
            c: vector.array("C"),
            t: vector.array("T"),
        };
        let key = ecies::decrypt(&mut store, recipient, &encrypted, p1).unwrap();
        assert_eq!(*key, vector.array("k"));

        let ephemeral = import(&mut store, Curve::P256, vector.bytes("v"));
        assert_eq!(store.public_key(ephemeral), Ok(encrypted.v));
        let public = point(Curve::P256, vector.bytes("Rx"), vector.bytes("Ry"));
        assert_eq!(store.public_key(recipient), Ok(public));
        let secret = store.agree(ephemeral, &public).unwrap();
        let mut keys = [0; 48];
        kdf2(secret.as_bytes(), p1, &mut keys);
        let masked = key.iter().zip(keys).map(|(one, other)| one ^ other);
        assert!(masked.eq(encrypted.c));
        assert_eq!(mac1(&keys[16..], &encrypted.c), encrypted.t);

        // The key is derived from the x-coordinate of r V alone, which r (-V) has, too.
        let y = (vector.bytes("Vy")).iter().zip(P256_PRIME.iter()).rev();
        let mut borrow = 0_i16;
        let negated = y.map(|(y, p)| {
            let difference = i16::from(*p) - i16::from(*y) - borrow;
            borrow = i16::from(difference < 0);
            (difference & 0xFF) as u8
        });
        let mut negated: Vec<u8> = negated.collect();
        negated.reverse();
        let counterpart = EncryptedKey {
            v: point(Curve::P256, vector.bytes("Vx"), &negated),
            ..encrypted
        };
        assert_ne!(counterpart.v, encrypted.v);
        let key = ecies::decrypt(&mut store, recipient, &counterpart, p1).unwrap();
        assert_eq!(*key, vector.array("k"));

        let changed = EncryptedKey {
            t: encrypted.t.map(|byte| byte ^ 0x80),
            ..encrypted
        };
        let refused = ecies::decrypt(&mut store, recipient, &changed, p1);
        assert_eq!(refused.err(), Some(ecies::EciesError::Tag));
    }
}

/// CAMP's implicit certificates are those of SEC 4: its e, and the same two operations.
#[test]
fn implicit_certificates_of_sec4_meet_camp() {
    let Some(vectors) = vectors("implicit") else {
        return;
    };
    assert_eq!(vectors.len(), 2);
    let mut rs = Vec::new();
    for vector in vectors {
        let mut store = SoftwareStore::<4>::new();
        let curve = Curve::P256;
        let own = import(&mut store, curve, vector.bytes("kU"));
        let issuer = import(&mut store, curve, vector.bytes("dCA"));
        let ephemeral = import(&mut store, curve, vector.bytes("k"));
        let issuer_public = store.public_key(issuer).unwrap();
        let hash: [u8; 32] = Sha256::digest(vector.bytes("CertU")).into();

        let e = ecqv::sec4_e(&hash);
        let r = store.contribute(issuer, ephemeral, &e).unwrap();
        assert_eq!(hex_of(&r), hex_of(vector.bytes("r")));
        let key = store.reconstruct(own, &e, &r, all_uses()).unwrap();
        assert_eq!(hex_of(&exported(&store, key)), hex_of(vector.bytes("dU")));

        let (x, y) = (vector.bytes("PUx"), vector.bytes("PUy"));
        let value = EncodedPoint::Uncompressed { x, y };
        let ca = issuer_public.uncompressed();
        let public = rebuild_sec4(curve, &hash, &value, &ca).unwrap();
        assert_eq!(
            public,
            point(curve, vector.bytes("QUx"), vector.bytes("QUy"))
        );
        assert_eq!(store.public_key(key), Ok(public));
        // IEEE 1609.2 takes all of the hash, and its keys are other ones.
        assert_ne!(rebuild(curve, &hash, &value, &ca).unwrap(), public);
        let ephemeral = import(&mut store, curve, vector.bytes("k"));
        rs.push(store.contribute(issuer, ephemeral, &hash).unwrap());
    }
    // With the same inputs and the e of IEEE 1609.2, known from another implementation.
    assert!(hex_of(&rs[0]).starts_with("8a796667"), "{}", hex_of(&rs[0]));
}

#[test]
fn butterfly_expansion_meets_camp() {
    let Some(text) = corpus_text("v2x/camp/bfkeyexp.txt") else {
        return;
    };
    // The line after a label.
    let values = |label: &str| -> Vec<Vec<u8>> {
        let lines: Vec<&str> = text.lines().collect();
        let found = lines.windows(2).filter(|pair| pair[0].starts_with(label));
        let digits = found.map(|pair| pair[1].strip_prefix("0x").expect("digits"));
        digits.map(bytes_of).collect()
    };
    let one = |label| values(label).remove(0);
    let number = |label| u32::from_be_bytes(one(label).try_into().expect("32 bits"));
    let (i, j) = (number("i ("), number("j ("));
    for (purpose, key, private, expanded) in [
        (Purpose::Signing, "ck: ", "a: ", "a + f_k(x_cert)"),
        (Purpose::Encryption, "ek: ", "h: ", "h + f_k(x_enc)"),
    ] {
        let key: [u8; 16] = one(key).try_into().expect("16 bytes");
        let f = ExpansionFunction::new(purpose, &key).f(i, j);
        assert!(values("f_k^{int}(x)").contains(&f.to_vec()));
        let mut store = SoftwareStore::<2>::new();
        let caterpillar = import(&mut store, Curve::P256, &one(private));
        let cocoon = store.expand(caterpillar, &f, all_uses()).unwrap();
        let found = exported(&store, cocoon);
        assert_eq!(hex_of(&found), hex_of(&one(expanded)));
        let public = store.public_key(cocoon).unwrap();
        let x = hex_of(public.x());
        assert!(
            text.contains(&format!("[0x{x}L]")),
            "the expanded public key"
        );
        let caterpillar = store.public_key(caterpillar).unwrap();
        assert_eq!(cocoon_key(&caterpillar, &f), Ok(public));
    }
}
