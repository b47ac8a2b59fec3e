//! Certificates that were verified: trust anchors and authorities, which stay, and those that came
//! with messages, of which the oldest ones go when there are too many.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;

use waywarden_ecverify::Point;
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, GeographicRegion, HashedId3, HashedId8, Time64,
};

use crate::canonical::NonceParity;
use crate::hash::Digest;
use crate::key::SignerKey;

/// Most certificates of a chain, the trust anchor among them.
pub const CHAIN_MAX: u8 = 8;

/// A certificate whose chain ends at a trust anchor and whose signatures were verified.
#[derive(Debug)]
pub struct Verified {
    bytes: Box<[u8]>,
    digest: Digest,
    pub(crate) key: SignerKey,
    issuer: Option<Arc<Verified>>,
    above: u8,
    validity: (Time64, Time64),
    /// Parity of the nonce point of its signature, as far as a verified encoding gave it.
    nonce_parity: NonceParity,
}

impl Verified {
    /// Takes what was verified; `certificate` was read.
    pub(crate) fn new(
        certificate: &Certificate<'_>,
        digest: Digest,
        key: SignerKey,
        issuer: Option<Arc<Self>>,
    ) -> Self {
        let period = certificate.to_be_signed.validity_period;
        Self {
            bytes: certificate.bytes().unwrap_or(&[]).into(),
            digest,
            key,
            above: issuer.as_ref().map_or(0, |issuer| issuer.above + 1),
            issuer,
            validity: (period.start(), period.end()),
            nonce_parity: certificate
                .signature
                .as_ref()
                .map_or(NonceParity::Unsaid, NonceParity::of),
        }
    }

    /// The same certificate with its key computed.
    pub(crate) fn with_key(&self, key: SignerKey) -> Self {
        Self {
            bytes: self.bytes.clone(),
            digest: self.digest,
            key,
            issuer: self.issuer.clone(),
            above: self.above,
            validity: self.validity,
            nonce_parity: self.nonce_parity,
        }
    }

    /// The same certificate with its implicit key computed; `None` if it has none.
    pub(crate) fn computed(&self) -> Option<Arc<Self>> {
        let is_implicit = matches!(self.key, SignerKey::Implicit(_));
        let point = is_implicit.then(|| self.key.point().ok()).flatten()?;
        Some(Arc::new(self.with_key(SignerKey::Point(point))))
    }

    /// The same certificate with what another verified encoding of it says beyond this one; `None`
    /// if that is nothing.
    fn merged(&self, other: &Self) -> Option<Self> {
        let computes = matches!(
            (&self.key, &other.key),
            (SignerKey::Implicit(_), SignerKey::Point(_))
        );
        let says =
            self.nonce_parity == NonceParity::Unsaid && other.nonce_parity != NonceParity::Unsaid;
        let key = if computes { &other.key } else { &self.key };
        (computes || says).then(|| Self {
            nonce_parity: match says {
                true => other.nonce_parity,
                false => self.nonce_parity,
            },
            ..self.with_key(key.clone())
        })
    }

    /// Returns the parity of the nonce point of its signature, as far as it is known.
    pub(crate) fn nonce_parity(&self) -> NonceParity {
        self.nonce_parity
    }

    /// Returns the certificate.
    ///
    /// # Errors
    /// None: it was read before.
    pub fn view(&self) -> Result<Certificate<'_>, WireError> {
        parse(&self.bytes)
    }

    /// Returns its bytes, as they came.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the hash of the whole certificate.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Returns its HashedId8.
    #[must_use]
    pub fn id(&self) -> HashedId8 {
        self.digest.id_8()
    }

    /// Returns the holder's public key, which for an implicit certificate is computed; `None` if
    /// its reconstruction value gives no key.
    #[must_use]
    pub fn public_key(&self) -> Option<Point> {
        self.key.point().ok()
    }

    /// Returns whose certificate signed it; none for a trust anchor.
    #[must_use]
    pub fn issuer(&self) -> Option<&Arc<Self>> {
        self.issuer.as_ref()
    }

    /// Returns the number of certificates above it in its chain.
    #[must_use]
    pub fn above(&self) -> u8 {
        self.above
    }

    /// Returns the start of its validity, and the end (exclusive).
    #[must_use]
    pub fn validity(&self) -> (Time64, Time64) {
        self.validity
    }

    /// Returns it and the certificates above it, to the trust anchor.
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        core::iter::successors(Some(self), |one| one.issuer.as_deref())
    }

    /// Returns the region in which it is valid: its own, or that of the next above it that has one.
    #[must_use]
    pub fn region(&self) -> Option<GeographicRegion<'_>> {
        self.chain()
            .find_map(|one| one.view().ok()?.to_be_signed.region)
    }

    /// Returns the memory that it uses, in bytes, without its issuer.
    fn memory(&self) -> usize {
        size_of::<Self>() + self.bytes.len()
    }
}

/// One that came with a message.
#[derive(Clone, Debug)]
struct Held {
    certificate: Arc<Verified>,
    used: u64,
}

/// The certificates that are known.
#[derive(Clone, Debug)]
pub struct CertificateStore {
    /// Trust anchors and authorities.
    kept: BTreeMap<HashedId8, Arc<Verified>>,
    /// The same by the last three bytes, by which other stations ask for them.
    kept_by_ending: BTreeSet<(HashedId3, HashedId8)>,
    /// Those that came with messages.
    held: BTreeMap<HashedId8, Held>,
    /// The same by when they were used.
    by_use: BTreeMap<u64, HashedId8>,
    uses: u64,
    /// Number of revocation changes at which a certificate and those above it were not revoked.
    cleared: BTreeMap<HashedId8, (Digest, u64)>,
    /// Number of changes to the known certificates, and to the knowledge of them.
    changes: u64,
    capacity: usize,
}

impl CertificateStore {
    /// Creates a store for at most `capacity` certificates of messages.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            kept: BTreeMap::new(),
            kept_by_ending: BTreeSet::new(),
            held: BTreeMap::new(),
            by_use: BTreeMap::new(),
            uses: 0,
            cleared: BTreeMap::new(),
            changes: 0,
            capacity: capacity.max(1),
        }
    }

    /// Finds a certificate by what it is called by.
    #[must_use]
    pub fn find(&self, id: HashedId8) -> Option<&Arc<Verified>> {
        let held = || Some(&self.held.get(&id)?.certificate);
        self.kept.get(&id).or_else(held)
    }

    /// Returns the trust anchors and authorities.
    pub fn kept(&self) -> impl Iterator<Item = &Arc<Verified>> {
        self.kept.values()
    }

    /// Returns the trust anchors and authorities whose names end with these bytes. Logarithmic in
    /// their number.
    pub fn kept_by_ending(&self, id: HashedId3) -> impl Iterator<Item = &Arc<Verified>> {
        let all = (id, HashedId8([0; 8]))..=(id, HashedId8([u8::MAX; 8]));
        let names = self.kept_by_ending.range(all);
        names.filter_map(|(_, name)| self.kept.get(name))
    }

    /// Returns the number of certificates of messages that it holds.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Returns how much memory the certificates use, in bytes: also that of issuers which are held
    /// no more, and stay for those whom they issued to. At most [`CHAIN_MAX`] times what is held.
    #[must_use]
    pub fn memory(&self) -> usize {
        let held = self.held.values().map(|one| &one.certificate);
        let entry = size_of::<(HashedId8, Held)>() + size_of::<(u64, HashedId8)>();
        let cleared = self.cleared.len() * size_of::<(HashedId8, (Digest, u64))>();
        let endings = self.kept_by_ending.len() * size_of::<(HashedId3, HashedId8)>();
        let entries = (self.kept.len() + self.held.len()) * entry + cleared + endings;
        let chains = self.kept.values().chain(held).flat_map(|one| one.chain());
        // Each once, however many chains it is in.
        let all: BTreeMap<*const Verified, usize> = chains
            .map(|one| (core::ptr::from_ref(one), one.memory()))
            .collect();
        entries + all.values().sum::<usize>()
    }

    /// Returns the number of changes to the certificates that can be found.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn keep(&mut self, certificate: Arc<Verified>) {
        self.changes += 1;
        let id = certificate.id();
        self.kept_by_ending.insert((id.id_3(), id));
        self.kept.insert(id, certificate);
    }

    /// Holds a certificate that came with a message, or notes that it was used again. The encoding
    /// that came first stays, with what others add to what is known of it. Returns what is known. A
    /// verifier does it for itself.
    pub fn hold(&mut self, certificate: Arc<Verified>) -> Arc<Verified> {
        let id = certificate.id();
        if let Some(kept) = self.kept.get_mut(&id) {
            if kept.digest != certificate.digest {
                return certificate;
            }
            if let Some(merged) = kept.merged(&certificate) {
                *kept = Arc::new(merged);
                self.changes += 1;
            }
            return Arc::clone(kept);
        }
        self.uses += 1;
        let used = self.uses;
        let before = self.held.remove(&id);
        let certificate = match before {
            Some(before) => {
                self.by_use.remove(&before.used);
                if before.certificate.digest == certificate.digest {
                    match before.certificate.merged(&certificate) {
                        Some(merged) => {
                            self.changes += 1;
                            Arc::new(merged)
                        }
                        None => before.certificate,
                    }
                } else {
                    self.changes += 1;
                    certificate
                }
            }
            None => {
                self.changes += 1;
                certificate
            }
        };
        let held = Held {
            certificate: Arc::clone(&certificate),
            used,
        };
        self.held.insert(id, held);
        self.by_use.insert(used, id);
        if self.held.len() > self.capacity
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.held.remove(&oldest);
            self.cleared.remove(&oldest);
            self.changes += 1;
        }
        certificate
    }

    /// Notes that a certificate of the store and those above it are not revoked, after so many
    /// changes of what is revoked.
    pub(crate) fn clear(&mut self, certificate: &Verified, changes: u64) {
        if self.find(certificate.id()).is_some() {
            let cleared = (certificate.digest, changes);
            self.cleared.insert(certificate.id(), cleared);
        }
    }

    /// Returns true if that was noted, and the revocations have not changed since.
    pub(crate) fn is_cleared(&self, certificate: &Verified, changes: u64) -> bool {
        let cleared = self.cleared.get(&certificate.id());
        cleared == Some(&(certificate.digest, changes))
    }

    /// Holds what another store held, the newest last, if a certificate above it is kept here.
    pub(crate) fn take_over(&mut self, mut before: Self) {
        for id in before.by_use.into_values() {
            let Some(held) = before.held.remove(&id) else {
                continue;
            };
            let is_kept = |one: &Verified| {
                let kept = self.kept.get(&one.id());
                kept.is_some_and(|kept| kept.digest == one.digest)
            };
            if held.certificate.chain().any(is_kept) {
                self.hold(held.certificate);
            }
        }
    }

    /// Forgets a certificate of a message.
    pub(crate) fn forget(&mut self, id: HashedId8) {
        self.cleared.remove(&id);
        if let Some(held) = self.held.remove(&id) {
            self.by_use.remove(&held.used);
            self.changes += 1;
        }
    }
}
