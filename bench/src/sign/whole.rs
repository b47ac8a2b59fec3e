//! Whole messages and certificates on P-256, from their fields to their bytes: a CAM signed as
//! IEEE 1609.2 data, and an explicit certificate, which its authority verifies before it gives it
//! out. The peers hash as many bytes and sign (and verify), which is the bound.

use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{
    AwsLcStore, KeyHandle, KeyStore, NonceForm, PrivateKey, SoftwareStore, Uses,
};
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, SignerForm, SigningOptions, UnsignedMessage, sign,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Duration, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Time32, Time64,
};

use super::{Input, inputs, primitives, private_key};
use crate::race::{Case, Contestant};

const CAM: Psid = Psid(36);
const START: Time32 = Time32(700_000_000);
const NOW: Time64 = Time64(700_000_100 * 1_000_000);

/// The first CAM of the vectors: 52 bytes.
fn cam() -> Vec<u8> {
    let lines = include_str!("../../../vectors/its-uper.txt").lines();
    let line = lines.into_iter().find_map(|line| line.strip_prefix("cam "));
    let digits = line.expect("a CAM").as_bytes();
    let byte = |pair: &[u8]| {
        let digits = str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(digits, 16).expect("hexadecimal digits")
    };
    digits.chunks(2).map(byte).collect()
}

/// The certificate of a station: seven days of CAM.
fn station() -> Contents {
    Contents::new(START, Duration::Hours(168)).permitting(CAM, &[1, 0xFF, 0xFC])
}

/// A store with the bench's key, and the root authority that it is the key of.
fn authority<S: KeyStore>(
    mut store: S,
    import: impl FnOnce(&mut S, &PrivateKey) -> KeyHandle,
) -> (S, Authority, Seeds) {
    let mut seeds = Seeds::new([7; 32]);
    let key = PrivateKey::new(Curve::P256, &private_key(Curve::P256)).expect("its length");
    let key = import(&mut store, &key);
    let contents = Contents::new(START, Duration::Years(10));
    let contents = contents.named("root").issuing_all();
    let root = Authority::root(&mut store, key, &contents, &mut seeds).expect("a root");
    (store, root, seeds)
}

fn software() -> (SoftwareStore<4>, Authority, Seeds) {
    authority(SoftwareStore::new(), |store, key| {
        store.import(key, Uses::SIGN).expect("a key")
    })
}

fn aws_lc() -> (AwsLcStore<4>, Authority, Seeds) {
    authority(AwsLcStore::new(), |store, key| {
        store.import(key, Uses::SIGN).expect("a key")
    })
}

/// Signs a CAM with a store, and says how many bytes of it are hashed.
fn spdu<S: KeyStore + 'static>(
    (mut store, root, mut seeds): (S, Authority, Seeds),
    signer: SignerForm,
) -> (Contestant, usize) {
    let key = root.credential().key();
    let public = store.public_key(key).expect("a key");
    let issued = root.issue(&mut store, &station(), &public, &mut seeds);
    let verified = root.verifier().verify_certificate(&issued.expect("issued"));
    let credential = Credential::new(&store, key, verified.expect("verifies")).expect("its key");
    let capabilities = store.capabilities(Curve::P256);
    let payload = cam();
    let mut signs = move |input: &Input| {
        let header = HeaderInfo {
            generation_time: Some(NOW),
            ..HeaderInfo::new(CAM)
        };
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(&payload),
            header,
        };
        let options = SigningOptions {
            signer,
            form: NonceForm::XOnly,
            nonce: capabilities.nonce(&input.entropy),
        };
        sign(&mut store, &credential, &message, &options).expect("signs")
    };
    let inputs = inputs(Curve::P256);
    let hashed = {
        let message = signs(&inputs[0]);
        let data: Ieee1609Dot2Data<'_> = parse(&message).expect("a message");
        let Ieee1609Dot2Content::Signed(signed) = data.content else {
            unreachable!("it was signed")
        };
        signed.tbs_data.bytes().expect("as it was read").len()
    };
    (Contestant::new("waywarden", inputs, signs), hashed)
}

/// Issues a station's certificate, and says how many bytes of it are hashed.
fn issue<S: KeyStore + 'static>(
    (mut store, root, mut seeds): (S, Authority, Seeds),
) -> (Contestant, usize) {
    let contents = station();
    let public = store.public_key(root.credential().key()).expect("a key");
    let mut issues = move |&(): &()| {
        root.issue(&mut store, &contents, &public, &mut seeds)
            .expect("issues")
    };
    let hashed = {
        let certificate = issues(&());
        let view: Certificate<'_> = parse(&certificate).expect("a certificate");
        view.to_be_signed.bytes().expect("as it was read").len()
    };
    (Contestant::new("waywarden", vec![()], issues), hashed)
}

fn case(
    name: &'static str,
    what: &'static str,
    (ours, hashed): (Contestant, usize),
    verified: bool,
) -> Case {
    let peers = primitives::all().map(|library| library.signs(hashed, verified));
    Case {
        name,
        what,
        ours,
        peers: peers.into(),
    }
}

/// Both stores, both forms of a signer, and certificates.
pub(super) fn cases() -> Vec<Case> {
    use SignerForm::{Certificate as Whole, Digest};
    let whole = "a CAM with its signer's certificate as IEEE 1609.2 data";
    let digest = "a CAM with its signer's digest as IEEE 1609.2 data";
    let issued = "an explicit certificate made, signed and verified";
    vec![
        case("spdu-digest-aws-lc", digest, spdu(aws_lc(), Digest), false),
        case(
            "spdu-digest-software",
            digest,
            spdu(software(), Digest),
            false,
        ),
        case(
            "spdu-certificate-aws-lc",
            whole,
            spdu(aws_lc(), Whole),
            false,
        ),
        case(
            "spdu-certificate-software",
            whole,
            spdu(software(), Whole),
            false,
        ),
        case("issue-explicit-aws-lc", issued, issue(aws_lc()), true),
        case("issue-explicit-software", issued, issue(software()), true),
    ]
}
