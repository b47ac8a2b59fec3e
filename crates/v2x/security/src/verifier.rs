//! The second phase, and what it changes: certificates that are known, messages that came.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;

use waywarden_ecverify::{Memory, SignatureVerifier};
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, Psid, ServiceSpecificPermissions, SignedData, Time64,
};

use crate::consistency::check_permissions;
use crate::context::ReceptionContext;
use crate::key::sender;
use crate::limits::{Capacity, Limits};
use crate::list::{check_list, crl};
use crate::prepared::{Prepared, verified};
use crate::profile::{CRL_PSID, Profiles};
use crate::region::{Borders, NoBorders};
use crate::replay::ReplayCache;
use crate::result::Refusal;
use crate::revocation::{AppliedCrl, CrlRefusal, Revocations};
use crate::revoked::Unexpanded;
use crate::rules::replayed;
use crate::start::check_start;
use crate::state::ReceiverState;
use crate::store::{CertificateStore, Verified};

/// Verifies messages.
pub struct Verifier {
    state: ReceiverState,
    /// Does the jobs; what it keeps changes no verdict.
    signatures: SignatureVerifier,
}

/// A message that is accepted.
#[derive(Clone, Debug)]
pub struct Accepted<'m> {
    /// Signed data of the message.
    pub data: SignedData<'m>,
    /// Certificate of the signer.
    pub signer: Arc<Verified>,
    /// True if the message brought the signer's certificate and the verifier did not know it.
    pub signer_is_new: bool,
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
        Self::new(Capacity::DEFAULT)
    }
}

impl Verifier {
    /// Creates a verifier with an empty trust store.
    #[must_use]
    pub fn new(capacity: Capacity) -> Self {
        Self {
            state: ReceiverState {
                store: CertificateStore::with_capacity(capacity.certificates),
                limits: Limits::DEFAULT,
                profiles: Profiles::default(),
                replays: ReplayCache::with_capacity(capacity.messages),
                start: None,
                revocations: Revocations::default(),
                borders: Box::new(NoBorders),
            },
            signatures: SignatureVerifier::with_table_bytes(capacity.table_bytes),
        }
    }

    /// Returns the memory of the tables.
    #[must_use]
    pub fn tables(&self) -> Memory {
        self.signatures.memory()
    }

    /// Takes these bounds on unverified messages.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.state.limits = limits;
        self
    }

    /// Returns the bounds on unverified messages.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.state.limits
    }

    /// Returns the borders that it knows.
    pub fn borders(&self) -> &dyn Borders {
        &*self.state.borders
    }

    /// Keeps a certificate that was verified, as long as the verifier is there.
    pub(crate) fn keep(&mut self, certificate: Arc<Verified>) {
        self.state.store.keep(certificate);
    }

    /// Holds a certificate that was verified, until there are too many.
    pub(crate) fn hold(&mut self, certificate: Arc<Verified>) -> Arc<Verified> {
        self.state.store.hold(certificate)
    }

    /// Takes these profiles.
    #[must_use]
    pub fn with_profiles(mut self, profiles: Profiles) -> Self {
        self.state.profiles = profiles;
        self
    }

    /// Knows these borders.
    #[must_use]
    pub fn with_borders(mut self, borders: impl Borders + Send + Sync + 'static) -> Self {
        self.state.borders = Box::new(borders);
        self
    }

    /// Returns the certificates that it knows.
    #[must_use]
    pub fn store(&self) -> &CertificateStore {
        &self.state.store
    }

    /// Returns the profiles.
    #[must_use]
    pub fn profiles(&self) -> &Profiles {
        &self.state.profiles
    }

    /// Returns the messages that came.
    #[must_use]
    pub fn replays(&self) -> &ReplayCache {
        &self.state.replays
    }

    /// Sets the start of the receiver, as [`StartTime`](crate::StartTime) finds it: messages that
    /// were made before are refused as replays, where the profile checks that, as another process
    /// may have accepted them. `None`, the default, is for messages that no process took before,
    /// such as those of a recording.
    pub fn set_start(&mut self, start: Option<Time64>) {
        self.state.start = start;
    }

    /// Returns the start of the receiver, if one is set.
    #[must_use]
    pub fn start(&self) -> Option<Time64> {
        self.state.start
    }

    /// Returns the revocations.
    #[must_use]
    pub fn revocations(&self) -> &Revocations {
        &self.state.revocations
    }

    /// Returns the revocations, to be changed.
    pub fn revocations_mut(&mut self) -> &mut Revocations {
        &mut self.state.revocations
    }

    /// Reads a message, builds its chain and checks what is cheap to check before a signature has
    /// verified: presence of fields, times, relevance, replay. A replay is reported here if it has
    /// the signature of the message that was accepted, in whatever form; under another signature
    /// [`commit`](Self::commit) reports it, after that was verified.
    ///
    /// Bounded by the [`Limits`]. Variable time; all of it is public.
    ///
    /// # Errors
    /// The first rule that does not hold.
    pub fn prepare<'m>(
        &self,
        message: &'m [u8],
        context: &ReceptionContext<'_>,
    ) -> Result<Prepared<'m>, Refusal> {
        self.prepare_with(message, context, None)
    }

    /// The same, with certificates that are provisionally known.
    pub(crate) fn prepare_with<'m>(
        &self,
        message: &'m [u8],
        context: &ReceptionContext<'_>,
        provisional: Option<&BTreeMap<HashedId8, Arc<Verified>>>,
    ) -> Result<Prepared<'m>, Refusal> {
        self.state.prepare(message, context, provisional)
    }

    /// Verifies the signatures of a message and of its chain, and nothing else: whether the message
    /// is whole, though it may be too old, out of place or not permitted. It changes nothing. Of
    /// the context only the source and the external data are looked at.
    ///
    /// # Errors
    /// What cannot be read, a chain that cannot be built, and the first signature that is not
    /// valid.
    pub fn verify_signatures(
        &self,
        message: &[u8],
        context: &ReceptionContext<'_>,
    ) -> Result<(), Refusal> {
        let mut prepared = self.state.prepare_signatures(message, context)?;
        while let Some(job) = prepared.job() {
            let verdict = waywarden_ecverify::verify(&job).into();
            prepared.record(verdict)?;
        }
        Ok(())
    }

    /// Accepts a message of which all signatures have verified, if what its chain says permits it:
    /// permissions, regions, revocation, the list that it carries, replay. Remembers it, and knows
    /// its certificates from now on.
    ///
    /// # Errors
    /// [`ResultCode::CryptoVerificationFailure`](crate::ResultCode) if a signature was not
    /// verified, else the first rule that does not hold. Nothing is changed then, but that the
    /// certificates of a message from before the start are known.
    pub fn commit<'m>(&mut self, prepared: Prepared<'m>) -> Result<Accepted<'m>, Refusal> {
        prepared.check_verified()?;
        check_permissions(&prepared.chain, self.borders())?;
        let (data, profile, now) = (*prepared.data(), *prepared.profile(), prepared.now);
        let (state, chain) = (&self.state, &prepared.chain);
        // A list may have come since.
        state.check_revocation(chain, &profile, (now, Unexpanded::Refused))?;
        state.check_region(&data.tbs_data.header_info, chain, &profile)?;
        check_list(&data, chain, &profile, now)?;
        if let Err(refusal) = check_start(&data.tbs_data.header_info, &profile, state.start) {
            // Its next messages may name the certificate by digest for a second.
            self.take_chain(prepared)?;
            return Err(refusal);
        }
        if profile.checks_replay {
            self.remember(&prepared)?;
        }
        let is_brought = !prepared.chain.links.is_empty();
        let signer_is_new = is_brought && self.store().find(prepared.signer()).is_none();
        let signer = self.take_chain(prepared)?;
        if !self.state.revocations.is_empty() {
            let changes = self.state.revocations.changes();
            self.state.store.clear(&signer, changes);
        }
        Ok(Accepted {
            data,
            signer,
            signer_is_new,
        })
    }

    /// Verifies a message: [`prepare`](Self::prepare), its signatures one after the other from the
    /// top of its chain, [`commit`](Self::commit).
    ///
    /// # Errors
    /// As in both.
    pub fn verify<'m>(
        &mut self,
        message: &'m [u8],
        context: &ReceptionContext<'_>,
    ) -> Result<Accepted<'m>, Refusal> {
        let mut prepared = self.prepare(message, context)?;
        self.verify_rest(&mut prepared)?;
        self.commit(prepared)
    }

    /// Verifies the signatures that are left.
    pub(crate) fn verify_rest(&mut self, prepared: &mut Prepared<'_>) -> Result<(), Refusal> {
        while let Some(job) = prepared.job() {
            let verdict = self.signatures.verify(&job).into();
            prepared.record(verdict)?;
        }
        prepared.check_verified()
    }

    /// Returns the receiver's state.
    pub(crate) fn state(&self) -> &ReceiverState {
        &self.state
    }

    /// Does jobs, in order.
    pub(crate) fn signatures_mut(&mut self) -> &mut SignatureVerifier {
        &mut self.signatures
    }

    /// Verifies a revocation list \[1609.2 §7\] and revokes what it says: certificates that name
    /// its CRACA and series. The signer's permissions must cover both.
    ///
    /// # Errors
    /// [`CrlRefusal`]; no revocation is changed then.
    pub fn apply_crl(
        &mut self,
        message: &[u8],
        context: &ReceptionContext<'_>,
    ) -> Result<AppliedCrl, CrlRefusal> {
        let context = ReceptionContext {
            psid: Some(CRL_PSID),
            ..*context
        };
        let accepted = self.verify(message, &context);
        let list = crl(&accepted?.data)?;
        self.state.revocations.apply(&list)
    }

    /// Forgets messages that are too old to come again under any profile that has a limit of less
    /// than ten minutes. Revocations stay, of certificates that have expired, too: a clock that was
    /// ahead must lift none. Their number is bounded, and
    /// [`Revocations::forget_expired`] makes room.
    pub fn forget_old(&mut self, now: Time64) {
        const LONGEST: u64 = 600 * 1_000_000;
        self.state
            .replays
            .forget_before(Time64(now.0.saturating_sub(LONGEST)));
    }

    /// Takes over what another verifier has learned from messages, to go on in its place: which
    /// messages came and since when, and certificates that were verified under one that this
    /// verifier has, too. Trust, profiles, limits, borders and revocations stay this one's own: to
    /// keep what lists revoked before, [merge](Revocations::merge) the revocations first.
    pub fn take_over(&mut self, before: Self) {
        self.state.replays = before.state.replays;
        self.state.start = before.state.start;
        self.state.store.take_over(before.state.store);
    }

    /// Forgets a certificate that came with a message, and what was computed of its key.
    pub fn forget_certificate(&mut self, id: HashedId8) {
        self.state.store.forget(id);
        self.signatures.forget(sender(id));
    }

    fn remember(&mut self, prepared: &Prepared<'_>) -> Result<(), Refusal> {
        let (stream, made) = (prepared.stream(), prepared.made());
        let (digest, signature) = (prepared.digest(), prepared.signature_key());
        let replays = &mut self.state.replays;
        match replays.insert(stream, made, digest, signature) {
            true => Ok(()),
            false => Err(replayed()),
        }
    }

    /// Holds the certificates of a message, from the top of its chain down to the signer's. A key
    /// that was seen before is computed, if it was not: a signature under it was valid now.
    fn take_chain(&mut self, prepared: Prepared<'_>) -> Result<Arc<Verified>, Refusal> {
        let Prepared { chain, keys, .. } = prepared;
        // The store may have computed it since.
        let mut issuer = self.state.store.hold(chain.top);
        if let Some(computed) = issuer.computed() {
            issuer = self.state.store.hold(computed);
        }
        // The first key is the top's; the links stand the other way round.
        for (link, key) in chain.links.iter().rev().zip(keys.into_iter().skip(1)) {
            issuer = self.state.store.hold(verified(link, key, issuer)?);
        }
        Ok(issuer)
    }
}
