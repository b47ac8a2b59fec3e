//! The second phase, and what it changes: certificates that are known, messages that came.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_ecverify::{Job, Memory, Verdict, Verifier as SignatureVerifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, IssuerIdentifier, Psid, ServiceSpecificPermissions, SignedData, Time64,
};

use crate::chain::{self, HolderKey, Link, signed_digest, signed_digest_as_is};
use crate::circumstances::Circumstances;
use crate::key::{SignerKey, sender, signature_on, verification_key};
use crate::knowledge::Knowledge;
use crate::prepare::{Prepared, verified};
use crate::profile::Profiles;
use crate::region::{Borders, NoBorders};
use crate::replay::ReplayCache;
use crate::result::{Reason, Refusal, ResultCode};
use crate::revocation::Revocations;
use crate::rules::replayed;
use crate::signed::verify_either;
use crate::store::{CertificateStore, Verified};

/// How many certificates of messages a verifier holds, if it is not told otherwise.
pub const CERTIFICATES: usize = 4_096;
/// How many messages it remembers, if it is not told otherwise.
pub const MESSAGES: usize = 65_536;
/// How many bytes the tables of senders' and issuers' keys take, if it is not told otherwise: those
/// of about 220 senders.
pub const TABLES: usize = 1 << 20;

/// Verifies messages.
pub struct Verifier {
    knowledge: Knowledge,
    /// Does the jobs; what it keeps changes no verdict.
    signatures: SignatureVerifier,
}

/// A message that is accepted.
#[derive(Clone, Debug)]
pub struct Accepted<'m> {
    /// The message.
    pub data: SignedData<'m>,
    /// Who signed it.
    pub signer: Arc<Verified>,
}

impl Accepted<'_> {
    /// Returns what the signer may say in the message's application: the receiver has to hold what
    /// is said against it. `None` if that is not restricted.
    #[must_use]
    pub fn permissions(&self) -> Option<ServiceSpecificPermissions<'_>> {
        let psid: Psid = self.data.tbs_data.header_info.psid;
        let view = self.signer.view().ok()?;
        let mut permissions = view.to_be_signed.app_permissions?.iter().flatten();
        permissions.find(|one| one.psid == psid)?.ssp
    }
}

impl Default for Verifier {
    fn default() -> Self {
        Self::new(CERTIFICATES, MESSAGES)
    }
}

impl Verifier {
    /// Makes a verifier that trusts nobody, holds so many certificates of messages and remembers so
    /// many messages.
    #[must_use]
    pub fn new(certificates: usize, messages: usize) -> Self {
        Self {
            knowledge: Knowledge {
                store: CertificateStore::new(certificates),
                profiles: Profiles::default(),
                replays: ReplayCache::new(messages),
                revocations: Revocations::default(),
                borders: Box::new(NoBorders),
            },
            signatures: SignatureVerifier::new(TABLES),
        }
    }

    /// Takes at most so many bytes for tables of keys that are met again, which change how long
    /// verifying takes and nothing else; 0 for none.
    #[must_use]
    pub fn with_tables(mut self, bytes: usize) -> Self {
        self.signatures = SignatureVerifier::new(bytes);
        self
    }

    /// Returns what the tables take.
    #[must_use]
    pub fn tables(&self) -> Memory {
        self.signatures.memory()
    }

    /// Takes these profiles.
    #[must_use]
    pub fn with_profiles(mut self, profiles: Profiles) -> Self {
        self.knowledge.profiles = profiles;
        self
    }

    /// Knows these borders.
    #[must_use]
    pub fn with_borders(mut self, borders: impl Borders + Send + Sync + 'static) -> Self {
        self.knowledge.borders = Box::new(borders);
        self
    }

    /// Returns the certificates that it knows.
    #[must_use]
    pub fn store(&self) -> &CertificateStore {
        &self.knowledge.store
    }

    /// Returns the profiles.
    #[must_use]
    pub fn profiles(&self) -> &Profiles {
        &self.knowledge.profiles
    }

    /// Returns the messages that came.
    #[must_use]
    pub fn replays(&self) -> &ReplayCache {
        &self.knowledge.replays
    }

    /// Returns what is revoked.
    #[must_use]
    pub fn revocations(&self) -> &Revocations {
        &self.knowledge.revocations
    }

    /// Returns what is revoked, to be changed.
    pub fn revocations_mut(&mut self) -> &mut Revocations {
        &mut self.knowledge.revocations
    }

    /// Reads a message, builds its chain and holds all but signatures against the rules. A replay
    /// is told here where it is the very message that was accepted; where the signature is another
    /// one, [`commit`](Self::commit) tells it, after that was verified.
    ///
    /// Bounded: a chain has at most [`CHAIN_MAX`](crate::store::CHAIN_MAX) certificates, and only
    /// the keys of implicit ones above others are computed here. Variable time; all of it is
    /// public.
    ///
    /// # Errors
    /// The first rule that does not hold.
    pub fn prepare<'m>(
        &self,
        message: &'m [u8],
        circumstances: &Circumstances<'_>,
    ) -> Result<Prepared<'m>, Refusal> {
        self.knowledge.prepare(message, circumstances)
    }

    /// Verifies the signatures of a message and of its chain, and nothing else: whether the message
    /// is whole, though it may be too old, out of place or not permitted. It changes nothing.
    ///
    /// # Errors
    /// What cannot be read, a chain that cannot be built, and the first signature that is not
    /// valid.
    pub fn verify_signatures(
        &self,
        message: &[u8],
        external_data: Option<&[u8]>,
    ) -> Result<(), Refusal> {
        self.knowledge.verify_signatures(message, external_data)
    }

    /// Trusts a certificate that issued itself, after its own signature was verified.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn add_trust_anchor(&mut self, certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
        let link = Link::new(parse(certificate)?)?;
        let anchor = Arc::new(self_signed(&link)?);
        self.knowledge.store.keep(Arc::clone(&anchor));
        Ok(anchor)
    }

    /// Adds a certificate whose issuer is known, after its signature was verified; an implicit one
    /// has none, and is added with whatever key comes out.
    ///
    /// # Errors
    /// What is wrong with it: with an unknown issuer
    /// [`ResultCode::ChainNotEnoughInformationToConstructChain`].
    pub fn add_certificate(&mut self, certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
        let certificate = self.verify_certificate(certificate)?;
        self.knowledge.store.keep(Arc::clone(&certificate));
        Ok(certificate)
    }

    /// Verifies a certificate against its issuer, which is known.
    ///
    /// # Errors
    /// As in [`add_certificate`](Self::add_certificate).
    pub fn verify_certificate(&self, certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
        let link = Link::new(parse(certificate)?)?;
        let chain = chain::build(link, core::iter::empty(), &self.knowledge.store)?;
        chain::check(&chain)?;
        let Some(link) = chain.links.first() else {
            return Ok(chain.top);
        };
        let issuer = chain.top.view()?;
        let issuer_key = HolderKey::Known(Arc::clone(&chain.top));
        let key = HolderKey::of(link, &issuer, &issuer_key)?;
        if link.certificate.signature.is_some() {
            verify_signature(link, Some(&issuer), &issuer_key)?;
        }
        let certificate = verified(link, key, Arc::clone(&chain.top))?;
        // A key that cannot be rebuilt is found here, not at the first message.
        certificate.key.point().map_err(|_| {
            link.refuse(
                ResultCode::CryptoVerificationFailure,
                "verifyKeyIndicator",
                "no key can be rebuilt from it",
            )
        })?;
        Ok(certificate)
    }

    /// Takes the verdicts on the jobs of a message: accepts it, remembers it, and knows its
    /// certificates from now on.
    ///
    /// # Errors
    /// [`ResultCode::CryptoVerificationFailure`] for the first verdict that is not valid or
    /// missing, [`ResultCode::ChainCertificateRevoked`] and [`ResultCode::RelevanceReplayedSpdu`]
    /// if that came meanwhile. Nothing is changed then.
    pub fn commit<'m>(
        &mut self,
        prepared: Prepared<'m>,
        verdicts: &[Verdict],
    ) -> Result<Accepted<'m>, Refusal> {
        prepared.judge(verdicts)?;
        // A list may have come since.
        let (profile, now) = (prepared.profile(), prepared.now);
        self.knowledge
            .check_revocation(&prepared.chain, profile, now)?;
        if prepared.profile().checks_replay {
            self.remember(&prepared)?;
        }
        let data = *prepared.data();
        let signer = self.take_chain(prepared)?;
        Ok(Accepted { data, signer })
    }

    /// Verifies a message: [`prepare`](Self::prepare), the jobs, [`commit`](Self::commit).
    ///
    /// # Errors
    /// As in both.
    pub fn verify<'m>(
        &mut self,
        message: &'m [u8],
        circumstances: &Circumstances<'_>,
    ) -> Result<Accepted<'m>, Refusal> {
        let prepared = self.prepare(message, circumstances)?;
        let jobs: Vec<Job<'_>> = prepared.jobs().collect();
        let verdicts = self.verdicts(&jobs);
        self.commit(prepared, &verdicts)
    }

    /// Does jobs, in order.
    pub(crate) fn verdicts(&mut self, jobs: &[Job<'_>]) -> Vec<Verdict> {
        let mut verdicts = alloc::vec![Verdict::Valid; jobs.len()];
        self.signatures.verify_many(jobs, &mut verdicts);
        verdicts
    }

    /// Forgets what no longer matters at this time: messages that are too old to come again under
    /// any profile that has a limit of less than ten minutes, and revocations of certificates that
    /// have expired.
    pub fn forget_old(&mut self, now: Time64) {
        const LONGEST: u64 = 600 * 1_000_000;
        self.knowledge
            .replays
            .forget_before(Time64(now.0.saturating_sub(LONGEST)));
        self.knowledge.revocations.forget_expired(now);
    }

    /// Forgets a certificate that came with a message, and what was computed of its key.
    pub fn forget_certificate(&mut self, id: HashedId8) {
        self.knowledge.store.forget(id);
        self.signatures.forget(sender(id));
    }

    fn remember(&mut self, prepared: &Prepared<'_>) -> Result<(), Refusal> {
        let (stream, made) = (prepared.stream(), prepared.made());
        let (digest, signature) = (prepared.digest(), prepared.signature_key());
        let replays = &mut self.knowledge.replays;
        match replays.insert(stream, made, digest, signature) {
            true => Ok(()),
            false => Err(replayed()),
        }
    }

    /// Holds the certificates of a message, from the top of its chain down to the signer's. A key
    /// that was seen before is computed, if it was not: a signature under it was valid now.
    fn take_chain(&mut self, prepared: Prepared<'_>) -> Result<Arc<Verified>, Refusal> {
        let Prepared { chain, keys, .. } = prepared;
        let mut issuer = chain.top;
        if let SignerKey::Implicit(key) = &issuer.key
            && let Ok(point) = key.rebuild()
        {
            issuer = Arc::new(issuer.with_key(SignerKey::Point(point)));
        }
        self.knowledge.store.hold(Arc::clone(&issuer));
        // The first key is the top's; the links stand the other way round.
        for (link, key) in chain.links.iter().rev().zip(keys.into_iter().skip(1)) {
            issuer = verified(link, key, issuer)?;
            self.knowledge.store.hold(Arc::clone(&issuer));
        }
        Ok(issuer)
    }
}

/// Verifies the signature of an explicit certificate under the key that its issuer's certificate
/// has, or under its own where it issued itself, and nothing else: no permission, no time, no
/// chain.
///
/// # Errors
/// [`ResultCode::CryptoVerificationFailure`]; so too for an implicit certificate, which has no
/// signature, and for an issuer that is not called as the certificate says.
pub fn verify_certificate_signature(
    certificate: &Certificate<'_>,
    issuer: Option<&Certificate<'_>>,
) -> Result<(), Refusal> {
    use waywarden_v2x_wire::ieee1609dot2::VerificationKeyIndicator::VerificationKey;
    let link = Link::new(*certificate)?;
    let refuse = |field, why| Err(link.refuse(ResultCode::CryptoVerificationFailure, field, why));
    let above = issuer.map(|issuer| Link::new(*issuer)).transpose()?;
    if link.issuer()? != above.map(|above| above.id()) {
        return refuse("issuer", "another certificate than its issuer's");
    }
    let holder = issuer.unwrap_or(certificate);
    let VerificationKey(key) = &holder.to_be_signed.verify_key_indicator else {
        return refuse(
            "verifyKeyIndicator",
            "an implicit certificate has its key elsewhere",
        );
    };
    match verification_key(key) {
        Some((curve, point)) => verify_signature(&link, issuer, &HolderKey::Encoded(curve, point)),
        None => refuse("verifyKeyIndicator", "SM2 is not supported"),
    }
}

/// Verifies a certificate's signature under a key.
fn verify_signature(
    link: &Link<'_>,
    issuer: Option<&Certificate<'_>>,
    key: &HolderKey<'_>,
) -> Result<(), Refusal> {
    let wrong = |reason| Refusal {
        code: ResultCode::CryptoVerificationFailure,
        certificate: Some(link.id()),
        field: "signature",
        reason,
    };
    let own = link.certificate.signature.as_ref();
    let another = Reason::Words("of another curve than the key");
    let signature = own
        .and_then(|own| signature_on(key.curve(), own))
        .ok_or_else(|| wrong(another))?;
    let canonical = signed_digest(link, issuer)?;
    let as_is = signed_digest_as_is(link, issuer)?;
    verify_either((key.curve(), key.job_key()), signature, &canonical, as_is)
        .map_err(|refusal| wrong(Reason::Signature(refusal)))
}

/// Verifies a certificate that issued itself.
fn self_signed(link: &Link<'_>) -> Result<Verified, Refusal> {
    chain::check_size(link)?;
    let refuse = |field, why| Err(link.refuse(ResultCode::ChainEndedAtUntrustedRoot, field, why));
    if !matches!(link.certificate.issuer, IssuerIdentifier::SelfIssued(_)) {
        return refuse("issuer", "a trust anchor issues itself");
    }
    use waywarden_v2x_wire::ieee1609dot2::VerificationKeyIndicator::VerificationKey;
    let VerificationKey(key) = &link.certificate.to_be_signed.verify_key_indicator else {
        return refuse("verifyKeyIndicator", "a trust anchor has its key");
    };
    let Some((curve, point)) = verification_key(key) else {
        return refuse("verifyKeyIndicator", "SM2 is not supported");
    };
    let key = HolderKey::Encoded(curve, point);
    verify_signature(link, None, &key)?;
    let key = key.into_signer(link)?;
    Ok(Verified::new(&link.certificate, link.digest, key, None))
}
