//! Lengths of all messages: plain arithmetic over the sizes of a suite, so that sizes of any
//! scheme, even of one that is not here, can be put in as data.

use super::identifier::LasanKind;
use super::name::NAME_LENGTH;
use super::profile::{Credentials, LasanProfile};

/// The sizes of a suite in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// A public key of the signature.
    pub public_key: usize,
    /// The length of a signature.
    pub signature: usize,
    /// An offer of the key agreement: a share, or an encapsulation key.
    pub offer: usize,
    /// An answer: a share, or a ciphertext.
    pub answer: usize,
    /// True if both sides contribute a share of one kind, as with Diffie-Hellman. With a key
    /// encapsulation the published protocol does two, one each way.
    pub contributory: bool,
}

/// The length of a tag of AES-256-GCM in the suites' names.
pub const TAG_LENGTH: usize = 8;

/// Bytes of a confirmation of the testbed: ciphertext 12, associated data 12, nonce 12, tag 8.
const PUBLISHED_CONFIRMATION: usize = 44;

/// Bytes of a sealed message in the testbed's form besides its ciphertext: associated data, nonce,
/// tag.
pub(super) const PUBLISHED_OVERHEAD: usize = 12 + 12 + TAG_LENGTH;

/// Bytes of a `hardened` certificate besides key and signature: both names, role and validity.
pub(super) const CERTIFICATE_FIELDS: usize = 2 * NAME_LENGTH + 1 + 2 * 8;

/// Bytes of a `hardened` start-up message besides offer and signature: epoch and time.
pub(super) const STARTUP_FIELDS: usize = 8 + 8;

/// The security module's nonce in an invitation.
pub(super) const NONCE_LENGTH: usize = 16;

/// The length of a key confirmation in `hardened`.
pub(super) const PROOF_LENGTH: usize = 16;

/// Bytes of a sealed message of `hardened` besides its ciphertext: counter and tag.
pub(super) const SEALED_OVERHEAD: usize = 4 + TAG_LENGTH;

/// The lengths of all messages of a profile with a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lengths {
    profile: LasanProfile,
    credentials: Credentials,
    sizes: Sizes,
}

impl Lengths {
    /// Fixes what the lengths follow from.
    #[must_use]
    pub const fn new(profile: LasanProfile, credentials: Credentials, sizes: Sizes) -> Self {
        Lengths {
            profile,
            credentials,
            sizes,
        }
    }

    /// Returns how many bytes a message of this kind has; none if the profile has no such message,
    /// or its parties know already what it would carry.
    #[must_use]
    pub const fn of(&self, kind: LasanKind) -> Option<usize> {
        match self.profile.is_as_published() {
            true => self.published(kind),
            false => self.hardened(kind),
        }
    }

    /// Returns true if the identifiers of a message's frames number them.
    #[must_use]
    pub const fn numbers_parts(&self) -> bool {
        !self.profile.is_as_published()
    }

    /// Returns the messages of the authentication of one ECU, in order, with their lengths: the
    /// broadcasts, then what is said for this ECU alone.
    pub fn authentication(&self) -> impl Iterator<Item = (LasanKind, usize)> + use<> {
        let lengths = *self;
        let kinds = LasanKind::ALL
            .iter()
            .copied()
            .take_while(|&kind| kind < LasanKind::Request);
        let hello = kinds.clone().filter(|&kind| kind == LasanKind::Hello);
        let rest = kinds.filter(|&kind| kind != LasanKind::Hello);
        let (broadcasts, single) = (
            rest.clone().filter(|kind| kind.is_broadcast()),
            rest.filter(|kind| !kind.is_broadcast()),
        );
        broadcasts
            .chain(hello)
            .chain(single)
            .filter_map(move |kind| lengths.of(kind).map(|length| (kind, length)))
    }

    /// Returns the bytes of the authentication of one ECU: of the broadcasts, and of the rest.
    #[must_use]
    pub fn authentication_bytes(&self) -> (usize, usize) {
        self.authentication()
            .fold((0, 0), |(once, each), (kind, length)| {
                match kind.is_broadcast() {
                    true => (once + length, each),
                    false => (once, each + length),
                }
            })
    }

    /// Returns the lengths of what an ECU sends to register: its credential if it presents one, and
    /// the registration.
    pub fn registration(&self) -> impl Iterator<Item = usize> + use<> {
        let lengths = *self;
        let kinds = [LasanKind::Certificate, LasanKind::Register];
        kinds.into_iter().filter_map(move |kind| lengths.of(kind))
    }

    /// Returns the length of the longest message.
    #[must_use]
    pub const fn longest(&self) -> usize {
        let mut longest = 0;
        let mut at = 0;
        while at < LasanKind::ALL.len() {
            if let Some(length) = self.of(LasanKind::ALL[at])
                && length > longest
            {
                longest = length;
            }
            at += 1;
        }
        longest
    }

    const fn published(&self, kind: LasanKind) -> Option<usize> {
        let Sizes {
            public_key,
            signature,
            offer,
            answer,
            contributory,
        } = self.sizes;
        let length = match kind {
            LasanKind::ModuleCertificate | LasanKind::Certificate => {
                2 * NAME_LENGTH + public_key + signature
            }
            LasanKind::Startup => NAME_LENGTH + signature,
            LasanKind::Register => offer,
            LasanKind::Answer => answer,
            LasanKind::ModuleOffer if !contributory => offer,
            LasanKind::FinalAnswer if !contributory => answer,
            LasanKind::ModuleConfirmation | LasanKind::EcuConfirmation => PUBLISHED_CONFIRMATION,
            LasanKind::Request | LasanKind::Deny => NAME_LENGTH + 4 + 8 + PUBLISHED_OVERHEAD,
            LasanKind::Grant => 2 * NAME_LENGTH + 4 + 8 + 32 + PUBLISHED_OVERHEAD,
            _ => return None,
        };
        Some(length)
    }

    const fn hardened(&self, kind: LasanKind) -> Option<usize> {
        let Sizes {
            public_key,
            signature,
            offer,
            answer,
            ..
        } = self.sizes;
        let signs = matches!(self.profile, LasanProfile::Hardened);
        let length = match kind {
            LasanKind::Hello => 1,
            LasanKind::ModuleCertificate => return self.credential(public_key),
            LasanKind::Certificate => {
                return self.credential(if signs { public_key } else { offer });
            }
            LasanKind::Startup => STARTUP_FIELDS + offer + signature,
            LasanKind::Invite => NONCE_LENGTH + 1,
            LasanKind::Register => answer + if signs { signature } else { 0 },
            LasanKind::ModuleConfirmation => PROOF_LENGTH + if signs { 0 } else { answer },
            LasanKind::EcuConfirmation => PROOF_LENGTH,
            LasanKind::Request => 4 + SEALED_OVERHEAD,
            LasanKind::Grant => 4 + 4 + 1 + 4 + 32 + SEALED_OVERHEAD,
            LasanKind::Deny => 4 + 1 + 4 + SEALED_OVERHEAD,
            LasanKind::Acknowledge => 4 + 4 + SEALED_OVERHEAD,
            LasanKind::Beacon => 8,
            LasanKind::Answer | LasanKind::ModuleOffer | LasanKind::FinalAnswer => return None,
        };
        Some(length)
    }

    const fn credential(&self, key: usize) -> Option<usize> {
        match self.credentials {
            Credentials::Certificates => Some(CERTIFICATE_FIELDS + key + self.sizes.signature),
            Credentials::Digests => Some(key),
            Credentials::Keys => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P256: Sizes = Sizes {
        public_key: 33,
        signature: 64,
        offer: 33,
        answer: 33,
        contributory: true,
    };

    /// Kyber768 and Dilithium "recommended" as first submitted [LASAN, Communication Bandwidth].
    const ROUND_1: Sizes = Sizes {
        public_key: 1472,
        signature: 2701,
        offer: 1088,
        answer: 1152,
        contributory: false,
    };

    const ML_KEM_512_FN_DSA_512: Sizes = Sizes {
        public_key: 897,
        signature: 666,
        offer: 800,
        answer: 768,
        contributory: false,
    };

    fn published(sizes: Sizes) -> Lengths {
        Lengths::new(LasanProfile::AsPublished, Credentials::Certificates, sizes)
    }

    #[test]
    fn the_published_messages_have_the_lengths_of_the_testbed() {
        // Parts and sums of facts that stand in papers/lasan.toml as well.
        let classical = published(P256);
        let parts: [(LasanKind, usize); 7] = [
            (LasanKind::ModuleCertificate, 109),
            (LasanKind::Startup, 70),
            (LasanKind::Certificate, 109),
            (LasanKind::Register, 33),
            (LasanKind::Answer, 33),
            (LasanKind::ModuleConfirmation, 44),
            (LasanKind::EcuConfirmation, 44),
        ];
        assert!(classical.authentication().eq(parts));
        assert_eq!(classical.authentication_bytes(), (179, 263));
        let quantum = published(ROUND_1);
        assert_eq!(quantum.of(LasanKind::Certificate), Some(4185));
        assert_eq!(quantum.of(LasanKind::Startup), Some(2707));
        let (once, each) = quantum.authentication_bytes();
        assert_eq!((once, once + each), (6892, 15_645));
        // The paper's amortized part counts the security module's offer too.
        assert_eq!(once + quantum.of(LasanKind::ModuleOffer).unwrap(), 7980);
    }

    #[test]
    fn the_compact_profile_stays_within_its_bounds() {
        let of = |credentials| {
            let lengths = Lengths::new(LasanProfile::Compact, credentials, ML_KEM_512_FN_DSA_512);
            let (once, each) = lengths.authentication_bytes();
            once + each
        };
        assert!(of(Credentials::Keys) <= 3300, "{}", of(Credentials::Keys));
        assert!(of(Credentials::Certificates) <= 6500);
        assert!(of(Credentials::Digests) < of(Credentials::Certificates));
    }

    #[test]
    fn what_is_known_is_not_sent() {
        for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
            let lengths = Lengths::new(profile, Credentials::Keys, P256);
            assert_eq!(lengths.of(LasanKind::Certificate), None);
            assert_eq!(lengths.of(LasanKind::ModuleCertificate), None);
        }
        assert_eq!(published(P256).of(LasanKind::Invite), None);
        assert_eq!(published(P256).of(LasanKind::ModuleOffer), None);
    }
}
