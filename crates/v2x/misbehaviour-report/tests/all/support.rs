//! Recorded reports and faulty messages, and a small PKI.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, blocks, bytes_of};
use waywarden_v2x_keys::{KeyStore as _, Nonce, NonceForm, SoftwareStore, Uses};
use waywarden_v2x_misbehaviour_report::layout::TargetId;
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_signing::{
    Credential, DecryptionKeys, PayloadToSign, Recipient, Seed, SignerForm, SigningOptions,
    UnsignedMessage, sign_unchecked,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Duration, HeaderInfo, Psid, Time32, Time64};

/// A faulty message, and the recorded report about it.
pub(crate) struct Recorded {
    pub(crate) name: &'static str,
    pub(crate) target: TargetId,
    pub(crate) observation: u8,
    pub(crate) message: Vec<u8>,
    pub(crate) report: Option<Vec<u8>>,
}

pub(crate) fn recorded() -> Vec<Recorded> {
    let file = include_str!("../../../../../vectors/misbehaviour-reports.txt");
    let all: Vec<_> = blocks(file)
        .map(|block| Recorded {
            name: block["name"],
            target: TargetId(bytes_of(block["target"])[0]),
            observation: bytes_of(block["observation"])[0],
            message: bytes_of(block["message"]),
            report: block.get("report").map(|digits| bytes_of(digits)),
        })
        .collect();
    assert_eq!(all.len(), 8);
    all
}

/// Now, in seconds since 2004.
pub(crate) const NOW: u32 = 700_000_000;

pub(crate) const fn now() -> Time64 {
    Time64(NOW as u64 * 1_000_000)
}

/// A certificate, and its key in the world's store.
pub(crate) struct Holder {
    pub(crate) credential: Credential,
    pub(crate) certificate: Vec<u8>,
}

/// A root, its stations, and a misbehaviour authority with an encryption key.
pub(crate) struct World {
    pub(crate) store: SoftwareStore<16>,
    pub(crate) seeds: Seeds,
    pub(crate) root: Authority,
    pub(crate) authority: Recipient,
    pub(crate) keys: DecryptionKeys,
}

impl World {
    pub(crate) fn new(test: &str) -> Self {
        let mut store = SoftwareStore::new();
        let mut seeds = Seeds::new(Random::of_test(test).array());
        let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next());
        let own = Contents::new(Time32(NOW - 3_600), Duration::Years(10));
        let own = own.named("root").issuing_all();
        let root = Authority::root(&mut store, key.unwrap(), &own, &mut seeds).unwrap();
        let decrypting = store.generate(Curve::P256, Uses::AGREE, &seeds.next());
        let decrypting = decrypting.unwrap();
        let own = Contents::new(Time32(NOW - 3_600), Duration::Years(1));
        let own = own.permitting(Psid(35), &[]);
        let own = own.encrypted_to(store.public_key(decrypting).unwrap());
        let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next());
        let public = store.public_key(key.unwrap()).unwrap();
        let certificate = root.issue(&mut store, &own, &public, &mut seeds).unwrap();
        let authority = Recipient::certificate(&parse(&certificate).unwrap()).unwrap();
        let keys = DecryptionKeys::new().with_private_key(authority.clone(), decrypting);
        Self {
            store,
            seeds,
            root,
            authority,
            keys,
        }
    }

    /// Issues a certificate of a day that permits these applications.
    pub(crate) fn holder(&mut self, applications: &[u64]) -> Holder {
        let own = Contents::new(Time32(NOW - 3_600), Duration::Hours(24));
        let own = applications
            .iter()
            .fold(own, |own, &psid| own.permitting(Psid(psid), &[]));
        let key = self
            .store
            .generate(Curve::P256, Uses::SIGN, &self.seeds.next());
        let key = key.unwrap();
        let public = self.store.public_key(key).unwrap();
        let issued = self
            .root
            .issue(&mut self.store, &own, &public, &mut self.seeds);
        let certificate = issued.unwrap();
        let verified = self.root.verifier().verify_certificate(&certificate);
        Holder {
            credential: Credential::new(&self.store, key, verified.unwrap()).unwrap(),
            certificate,
        }
    }

    /// Signs a message, whatever the certificate permits.
    pub(crate) fn message(
        &mut self,
        signer: &Holder,
        header: HeaderInfo<'_>,
        payload: &[u8],
        form: SignerForm,
    ) -> Vec<u8> {
        let entropy = self.seeds.next();
        let options = SigningOptions {
            signer: form,
            form: NonceForm::Point,
            nonce: Nonce::Hedged { entropy: &entropy },
        };
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(payload),
            header,
        };
        sign_unchecked(&mut self.store, &signer.credential, &message, &options).unwrap()
    }

    pub(crate) fn seed(&mut self) -> Seed {
        Seed::new(*self.seeds.next())
    }
}

/// A header of a basic safety message, made now.
pub(crate) fn header() -> HeaderInfo<'static> {
    HeaderInfo {
        generation_time: Some(now()),
        ..HeaderInfo::new(Psid(32))
    }
}
