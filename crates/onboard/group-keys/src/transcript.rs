//! Bytes that are signed and that keys are derived from: only here the profiles differ in bytes.
//!
//! `hardened` names everything that must not be exchanged for something else: the protocol, the
//! suite, the scheme, the step, all addresses, the freshness, who takes part, both shares. The
//! entries marked `Choice:` are argued in `docs/protocols/gke.md` in the repository.

#[cfg(test)]
mod tests;

use zeroize::Zeroizing;

use waywarden_key_suites::symmetric::{hkdf_sha256, hmac_tag, sha256, verify_hmac_tag};
use waywarden_key_suites::{Meter, RecordedOperations, Secret};

use super::identifier::{GroupHeader, Step};
use super::plan::{Excluded, Scheme};
use super::settings::{GroupProfile, GroupSettings};
use waywarden_key_roles::Address;

/// The longest signed message: a symmetric distribution's.
const MESSAGE_MAX: usize = 192;

const DOMAIN: &[u8] = b"waywarden-gke-1";

/// A message to be signed, put together from parts; parts beyond the capacity do not occur. Wiped
/// on drop, for one of them has the master secret in it.
pub(super) struct Message {
    bytes: Zeroizing<[u8; MESSAGE_MAX]>,
    length: usize,
}

impl Message {
    fn empty() -> Self {
        Message {
            bytes: Zeroizing::new([0; MESSAGE_MAX]),
            length: 0,
        }
    }

    fn with(mut self, part: &[u8]) -> Self {
        let end = self.length + part.len();
        debug_assert!(end <= MESSAGE_MAX);
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            place.copy_from_slice(part);
            self.length = end;
        }
        self
    }

    fn bound(suite: u8, scheme: Scheme, step: Step, header: GroupHeader, freshness: u64) -> Self {
        Message::empty()
            .with(DOMAIN)
            .with(&[suite, scheme_code(scheme)])
            .with(&header.identifier(step).raw().to_be_bytes())
            .with(&freshness.to_be_bytes())
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

const fn scheme_code(scheme: Scheme) -> u8 {
    match scheme {
        Scheme::TreeWithOrchestrator => 1,
        Scheme::TreeWithoutOrchestrator => 2,
        Scheme::SymmetricDistribution => 3,
    }
}

/// Returns the bytes that the orchestrator signs before an exchange [GKE Fig. 4, step 1].
pub(super) fn orchestration(
    suite: u8,
    settings: &GroupSettings,
    step: Step,
    header: GroupHeader,
    freshness: u64,
    excluded: &Excluded,
) -> Message {
    match settings.profile {
        #[cfg(feature = "as-published")]
        GroupProfile::AsPublished => Message::empty()
            .with(&header.identifier(step).raw().to_be_bytes())
            .with(&freshness.to_be_bytes()),
        GroupProfile::Hardened => {
            let plan = &settings.plan;
            let members = plan.composition(header.result, excluded);
            Message::bound(suite, plan.scheme(), step, header, freshness).with(members.as_bytes())
        }
    }
}

/// Two participants of an exchange: who signs, and who is meant to read it.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) signer: Address,
    pub(super) reader: Address,
    pub(super) signer_share: &'a [u8; 32],
    pub(super) reader_share: &'a [u8; 32],
}

/// Returns the bytes that a participant signs [GKE Fig. 4, step 4b].
pub(super) fn confirmation(
    suite: u8,
    settings: &GroupSettings,
    step: Step,
    header: GroupHeader,
    freshness: u64,
    pair: Pair<'_>,
) -> Message {
    let message = match settings.profile {
        #[cfg(feature = "as-published")]
        GroupProfile::AsPublished => Message::empty(),
        GroupProfile::Hardened => {
            Message::bound(suite, settings.plan.scheme(), step, header, freshness)
                .with(&[pair.signer.0, pair.reader.0])
        }
    };
    message.with(pair.signer_share).with(pair.reader_share)
}

/// Returns the header of what the orchestrator sends to the whole group.
pub(super) const fn whole_group(settings: &GroupSettings) -> GroupHeader {
    GroupHeader {
        gives_way: false,
        first: settings.plan.orchestrator(),
        second: Address::NONE,
        result: settings.plan.root(),
    }
}

/// Returns the bytes that the orchestrator signs with the master secret [GKE §III-C3].
pub(super) fn master(
    suite: u8,
    settings: &GroupSettings,
    freshness: u64,
    master: &Secret,
    shares: &[u8; 32],
) -> Message {
    let message = match settings.profile {
        #[cfg(feature = "as-published")]
        GroupProfile::AsPublished => Message::empty(),
        GroupProfile::Hardened => {
            let scheme = settings.plan.scheme();
            Message::bound(
                suite,
                scheme,
                Step::MasterSignature,
                whole_group(settings),
                freshness,
            )
        }
    };
    message.with(master.as_bytes()).with(shares)
}

/// Returns the bytes that the orchestrator signs at the end of an agreement: that the key of the
/// epoch is the one that `tag` is under, for it has come to that key itself (`hardened`).
pub(super) fn end(suite: u8, settings: &GroupSettings, epoch: u64, tag: &[u8; 16]) -> Message {
    let (scheme, header) = (settings.plan.scheme(), whole_group(settings));
    Message::bound(suite, scheme, Step::End, header, epoch).with(tag)
}

/// The key of the private channel of an ECU with the orchestrator, `sk_i`. Wiped on drop.
pub(super) type ChannelKey = Zeroizing<[u8; 16]>;

/// The keys of one exchange.
pub(super) struct Keys {
    /// The key of the confirmations.
    pub(super) confirmation: Zeroizing<[u8; 16]>,
    /// The secret of the logical ECU.
    pub(super) secret: Secret,
    /// For the private channel of an ECU with the orchestrator, `sk_i`.
    pub(super) channel: ChannelKey,
}

impl Keys {
    /// Returns the keys of a promoted logical ECU: the secret of the only one it is made of.
    pub(super) fn promoted(secret: Secret) -> Self {
        Keys {
            confirmation: Zeroizing::new([0; 16]),
            secret,
            channel: Zeroizing::new([0; 16]),
        }
    }
}

/// Derives the keys of an exchange [GKE §III-A, §III-C1].
pub(super) fn keys(
    (suite, settings): (u8, &GroupSettings),
    header: GroupHeader,
    freshness: u64,
    [first, second]: [Address; 2],
    [share_a, share_b]: [&[u8; 32]; 2],
    agreed: &Secret,
    meter: &mut impl Meter,
) -> Keys {
    let salt = match settings.profile {
        // The paper names three functions of the agreed value and nothing else.
        #[cfg(feature = "as-published")]
        GroupProfile::AsPublished => [0; 32],
        GroupProfile::Hardened => {
            let scheme = settings.plan.scheme();
            let message = Message::bound(suite, scheme, Step::ShareA, header, freshness)
                .with(&[first.0, second.0])
                .with(share_a)
                .with(share_b);
            sha256(meter, &[message.as_bytes()])
        }
    };
    let (mut confirmation, mut channel) = (Zeroizing::new([0; 16]), ChannelKey::default());
    let mut secret = Zeroizing::new([0; 32]);
    let ikm = agreed.as_bytes();
    hkdf_sha256(meter, &salt, ikm, &[b"confirmation"], &mut confirmation);
    hkdf_sha256(meter, &salt, ikm, &[b"channel"], &mut channel);
    match settings.profile {
        // 128 bits, used as a scalar one level up: about 64 bits of security.
        #[cfg(feature = "as-published")]
        GroupProfile::AsPublished => {
            let mut half = Zeroizing::new([0; 16]);
            hkdf_sha256(meter, &salt, ikm, &[b"secret"], &mut half);
            secret[..16].copy_from_slice(&*half);
        }
        GroupProfile::Hardened => hkdf_sha256(meter, &salt, ikm, &[b"secret"], &mut secret),
    }
    Keys {
        confirmation,
        secret: Secret::from_bytes(*secret),
        channel,
    }
}

/// Returns the initial counter block of a payload. `hardened` never uses one twice under a key: a
/// private channel serves many distributions, and a removed ECU knows what the earlier ones hid.
pub(super) fn counter_block(profile: GroupProfile, step: Step, freshness: u64) -> [u8; 16] {
    let mut block = [0; 16];
    if profile == GroupProfile::Hardened {
        block[0] = step.code();
        block[1..9].copy_from_slice(&freshness.to_be_bytes());
    }
    block
}

/// Derives the secret of the group in the symmetric scheme, `KDF(msk, r_1 P, ..., r_n P, r_S P)`.
pub(super) fn symmetric_secret(
    master: &Secret,
    shares: &[u8; 32],
    meter: &mut impl Meter,
) -> Secret {
    let mut secret = Zeroizing::new([0; 32]);
    hkdf_sha256(
        meter,
        shares,
        master.as_bytes(),
        &[b"group secret"],
        &mut secret,
    );
    Secret::from_bytes(*secret)
}

/// Derives the key that a logical ECU uses for its traffic; that of the root is the group key.
pub(super) fn traffic_key(settings: &GroupSettings, logical: Address, secret: &Secret) -> Secret {
    match settings.profile {
        #[cfg(feature = "as-published")]
        GroupProfile::AsPublished => secret.duplicate(),
        GroupProfile::Hardened => {
            let (mut meter, mut key) = (RecordedOperations::new(), Zeroizing::new([0; 32]));
            let info: [&[u8]; 2] = [b"traffic key", &[logical.0]];
            hkdf_sha256(&mut meter, DOMAIN, secret.as_bytes(), &info, &mut key);
            Secret::from_bytes(*key)
        }
    }
}

/// A tag by which one ECU proves to the others that it holds the group key of an epoch.
pub(super) fn proof<const LENGTH: usize>(key: &Secret, who: Address, epoch: u64) -> [u8; LENGTH] {
    let mut meter = RecordedOperations::new();
    let parts: [&[u8]; 3] = [b"waywarden-gke-1 proof", &[who.0], &epoch.to_be_bytes()];
    hmac_tag(&mut meter, key.as_bytes(), &parts)
}

/// Returns true if a tag of [`proof`] is right, in constant time.
pub(super) fn proves<const LENGTH: usize>(
    key: &Secret,
    who: Address,
    epoch: u64,
    tag: &[u8; LENGTH],
) -> bool {
    let mut meter = RecordedOperations::new();
    let parts: [&[u8]; 3] = [b"waywarden-gke-1 proof", &[who.0], &epoch.to_be_bytes()];
    verify_hmac_tag(&mut meter, key.as_bytes(), &parts, tag).is_ok()
}
