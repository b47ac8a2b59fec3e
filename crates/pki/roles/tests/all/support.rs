//! A small world of authorities, and who is certified by them.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, SoftwareStore, Uses, ecqv};
use waywarden_v2x_pki::{Authority, Contents, IssueGroup, PermissionRange, Seeds};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_signing::{Credential, SignerForm, SigningOptions};
use waywarden_v2x_wire::coer::{CoerEncode, emit, length, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CertificateType, CurvePoint, Duration, EndEntityType, HeaderInfo,
    LinkageData, LinkageValue, Psid, PublicVerificationKey, Time32, Time64, ToBeSignedCertificate,
    VerificationKeyIndicator,
};

/// Start of all certificates.
pub(crate) const START: Time32 = Time32(700_000_000);
/// A time at which all certificates are valid.
pub(crate) const NOW: Time64 = Time64(700_000_100 * 1_000_000);

/// Has room for the keys of a test.
pub(crate) type Store = SoftwareStore<64>;

/// A root authority on P-256 that may issue everything.
pub(crate) fn root_of<const N: usize>(
    store: &mut SoftwareStore<N>,
    seeds: &mut Seeds,
) -> Authority {
    root_on(Curve::P256, store, seeds)
}

fn root_on<const N: usize>(
    curve: Curve,
    store: &mut SoftwareStore<N>,
    seeds: &mut Seeds,
) -> Authority {
    let key = store.generate(curve, Uses::SIGN, &seeds.next()).unwrap();
    let contents = Contents::new(START, Duration::Years(10))
        .named("root")
        .issuing_all();
    Authority::root(store, key, &contents, seeds).unwrap()
}

/// A root and an authority below it, and all keys.
pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) seeds: Seeds,
    pub(crate) root: Authority,
    pub(crate) authority: Authority,
}

/// Returns true if a curve has implicit certificates.
pub(crate) fn has_implicit(curve: Curve) -> bool {
    curve.field_bytes() == 32
}

impl World {
    /// Makes an authority that issues for these applications.
    pub(crate) fn new(curve: Curve, random: &mut Random, applications: &[Psid]) -> Self {
        let mut store = Store::new();
        let mut seeds = Seeds::new(random.bytes(32).try_into().unwrap());
        let root = root_on(curve, &mut store, &mut seeds);
        let uses = Uses::SIGN | Uses::ISSUE_IMPLICIT;
        let key = store.generate(curve, uses, &seeds.next()).unwrap();
        let public = store.public_key(key).unwrap();
        let mut contents = Contents::new(START, Duration::Years(3)).named("authority");
        let applications = applications
            .iter()
            .map(|&psid| (psid, PermissionRange::All));
        contents.issues.push(IssueGroup {
            applications: Some(applications.collect()),
            min_chain_length: 1,
            chain_length_range: 0,
            ee_type: EndEntityType::APP,
        });
        let certificate = root
            .issue(&mut store, &contents, &public, &mut seeds)
            .unwrap();
        let chain = [&certificate[..], root.credential().certificate().bytes()];
        let authority = Authority::new(&store, key, &chain)
            .unwrap()
            .with_implicit_key(key);
        Self {
            store,
            seeds,
            root,
            authority,
        }
    }

    /// Returns a verifier that trusts the root and knows the authority.
    pub(crate) fn receiver(&self) -> Verifier {
        let mut verifier = Verifier::default();
        verifier
            .add_trust_anchor(self.root.credential().certificate().bytes())
            .unwrap();
        verifier
            .add_certificate(self.authority.credential().certificate().bytes())
            .unwrap();
        verifier
    }

    /// Returns the issuer's key and digest, from which an implicit certificate of the authority is
    /// computed.
    pub(crate) fn issuer(&self) -> ecqv::Issuer {
        let own = self.authority.credential();
        ecqv::Issuer {
            public: self.store.public_key(own.key()).unwrap(),
            digest: *own.digest(),
        }
    }

    /// Gets a certificate of the authority, and its key.
    pub(crate) fn credential(&mut self, contents: &Contents, is_implicit: bool) -> Credential {
        let curve = self.authority.credential().curve();
        let issuer = self.issuer();
        let Self {
            store,
            seeds,
            authority,
            ..
        } = self;
        let (key, certificate) = if is_implicit {
            let request = ecqv::request(store, curve, &seeds.next()).unwrap();
            let issued = authority
                .issue_implicit(store, contents, &request.public, seeds)
                .unwrap();
            let view = parse(&issued.certificate).unwrap();
            let key = ecqv::receive(store, request.key, &view, &issuer, &issued.r, Uses::SIGN);
            (key.unwrap(), issued.certificate)
        } else {
            let key = store.generate(curve, Uses::SIGN, &seeds.next()).unwrap();
            let public = store.public_key(key).unwrap();
            let issued = authority.issue(store, contents, &public, seeds);
            (key, issued.unwrap())
        };
        let verified = authority.verifier().verify_certificate(&certificate);
        Credential::new(store, key, verified.unwrap()).unwrap()
    }
}

/// The header of a message that is made at `NOW`.
pub(crate) fn header_at_now(psid: Psid) -> HeaderInfo<'static> {
    HeaderInfo {
        generation_time: Some(NOW),
        ..HeaderInfo::new(psid)
    }
}

/// Signs without randomness, in the usual form.
pub(crate) fn deterministic(signer: SignerForm) -> SigningOptions<'static> {
    SigningOptions {
        signer,
        form: NonceForm::Point,
        nonce: Nonce::Deterministic,
    }
}

/// Writes a value.
pub(crate) fn written<T: CoerEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; length(value).unwrap()];
    emit(value, &mut buffer).unwrap();
    buffer
}

/// Writes a certificate again without what is to differ from certificate to certificate: key,
/// identifier or linkage value, signature, and an encryption key. All other fields stay, those that
/// no test has heard of, too.
pub(crate) fn without_keys_and_identifiers(certificate: &[u8]) -> Vec<u8> {
    let view: Certificate<'_> = parse(certificate).unwrap();
    let own = &view.to_be_signed;
    let id = match own.id {
        CertificateId::LinkageData(data) => CertificateId::LinkageData(LinkageData {
            value: LinkageValue([0; 9]),
            ..data
        }),
        other => other,
    };
    let no_key = PublicVerificationKey::EcdsaNistP256(CurvePoint::Fill);
    let blank = ToBeSignedCertificate {
        id,
        verify_key_indicator: VerificationKeyIndicator::VerificationKey(no_key),
        encryption_key: None,
        ..**own
    };
    let kind = match view.kind {
        CertificateType::Explicit => b'e',
        CertificateType::Implicit => b'i',
    };
    let has_key = u8::from(own.encryption_key.is_some());
    let issuer = written(&view.issuer);
    [&[kind, has_key][..], &issuer, &written(&blank)].concat()
}
