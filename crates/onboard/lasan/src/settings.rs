//! Settings on which all ECUs of a network agree, and the directory that gives them to a role.

use waywarden_work::{Duration, Instant};

use super::access::Permission;
use super::length::{Lengths, Sizes};
use super::name::{Name, NetworkTime};
use super::profile::{Credentials, LasanProfile};
use waywarden_key_roles::{Address, IdentifierPlan, Transport};

/// Time limits of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LasanTiming {
    /// From an ECU's invitation to its confirmation: twice what the slowest board computes and its
    /// frames take on the loaded bus.
    pub authentication: Duration,
    /// From a short message to its answer, or to its repetition.
    pub answer: Duration,
    /// The longest pause that repetitions and refusals grow to.
    pub patience: Duration,
    /// Lifetime of a stream's key: [`LasanTiming::least_stream_key`] or more, and in half of it no
    /// stream may have more than 2^15 frames: 60 s at a frame each millisecond.
    pub stream_key: Duration,
}

impl LasanTiming {
    /// Returns the shortest life of a stream's key at which the next one is there before it ends.
    /// `registering` is how long an ECU's credential and registration take on the bus at most.
    ///
    /// The sender ends a key early by up to that, asks for the next one two answers before, and is
    /// given another one only if half of the key's time is over.
    #[must_use]
    pub fn least_stream_key(&self, registering: Duration) -> Duration {
        self.answer.times(4) + registering.times(2)
    }
}

/// The settings on which all ECUs of a network agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkSettings {
    /// The profile, which selects the messages.
    pub profile: LasanProfile,
    /// The way in which keys are known.
    pub credentials: Credentials,
    /// The frame format: classic CAN or CAN FD.
    pub transport: Transport,
    /// The plan of the identifiers.
    pub identifiers: IdentifierPlan,
    /// The least time from one frame of a role to its next; none for as fast as the bus takes them.
    /// The testbed's sending task puts one frame on the bus every 0.5 ms.
    pub pacing: Option<Duration>,
    /// True if all messages lose arbitration to application traffic.
    pub gives_way: bool,
    /// The address of the security module.
    pub security_module: Address,
    /// The time at which the security module's own clock shows zero. A caller whose clock restarts
    /// with each reset sets this again, too, by a clock that does not: time that goes back opens
    /// windows that were over.
    pub time_at_zero: NetworkTime,
    /// The time limits.
    pub timing: LasanTiming,
}

impl NetworkSettings {
    /// Returns the lengths of the messages with a suite of these sizes.
    #[must_use]
    pub const fn lengths(&self, sizes: Sizes) -> Lengths {
        Lengths::new(self.profile, self.credentials, sizes)
    }

    /// Returns the time at an instant of the security module's clock.
    #[must_use]
    pub fn time(&self, now: Instant) -> NetworkTime {
        let since = now.as_nanos() / 1_000_000;
        NetworkTime(self.time_at_zero.0.saturating_add(since))
    }

    /// Returns the instant of the security module's clock at which a time is over:
    /// [`Instant::MAX`], which is never, for one that is further off than the clock can count.
    pub(super) fn end_of(&self, last: NetworkTime) -> Instant {
        let Some(millis) = last.0.checked_sub(self.time_at_zero.0) else {
            return Instant::ZERO;
        };
        Instant::ZERO + Duration::from_millis(millis.saturating_add(1))
    }
}

/// An ECU or the security module, as the others know it. `B` is how bytes are kept: a slice in
/// flash, an array, a `Vec`.
#[derive(Clone, Debug)]
pub struct Party<B> {
    /// Its address on the bus, 1 to 127.
    pub address: Address,
    /// Its name in certificates.
    pub name: Name,
    /// The enrolled value: its public key (of a signature, or in `compact` an ECU's offer), with
    /// [`Credentials::Digests`] the digest of it.
    pub key: B,
    /// The credential that it presents: its certificate, with [`Credentials::Digests`] its public
    /// key, with [`Credentials::Keys`] nothing. A party needs only its own.
    pub credential: B,
}

/// The source of a role's settings and of its knowledge of others.
pub trait PartyDirectory {
    /// Returns the settings.
    fn settings(&self) -> &NetworkSettings;
    /// Returns the name and the public key of who issues certificates.
    fn authority(&self) -> (Name, &[u8]);
    /// Returns party `index`, in any order without gaps, the security module among them.
    fn party(&self, index: usize) -> Option<Party<&[u8]>>;
    /// Returns which streams may be sent by whom; only the security module asks.
    fn permissions(&self) -> &[Permission];

    /// Returns the party with an address.
    fn find(&self, address: Address) -> Option<Party<&[u8]>> {
        let parties = (0..).map_while(|index| self.party(index));
        parties
            .take(PARTIES_MAX)
            .find(|party| party.address == address)
    }
}

/// Maximum number of parties of a network: as many as there are addresses.
pub const PARTIES_MAX: usize = 127;

/// Settings, parties and permissions in one place; `P` and `A` are slices, arrays or `Vec`s.
#[derive(Clone, Debug)]
pub struct LasanConfiguration<B, P, A> {
    /// The settings.
    pub settings: NetworkSettings,
    /// Name and public key of who issues certificates.
    pub authority: (Name, B),
    /// The parties, in any order.
    pub parties: P,
    /// The access-control list: senders and receivers of each stream.
    pub permissions: A,
}

impl<B, P, A> PartyDirectory for LasanConfiguration<B, P, A>
where
    B: AsRef<[u8]>,
    P: AsRef<[Party<B>]>,
    A: AsRef<[Permission]>,
{
    fn settings(&self) -> &NetworkSettings {
        &self.settings
    }

    fn authority(&self) -> (Name, &[u8]) {
        (self.authority.0, self.authority.1.as_ref())
    }

    fn party(&self, index: usize) -> Option<Party<&[u8]>> {
        let party = self.parties.as_ref().get(index)?;
        Some(Party {
            address: party.address,
            name: party.name,
            key: party.key.as_ref(),
            credential: party.credential.as_ref(),
        })
    }

    fn permissions(&self) -> &[Permission] {
        self.permissions.as_ref()
    }
}

impl<D: core::ops::Deref<Target: PartyDirectory>> PartyDirectory for D {
    fn settings(&self) -> &NetworkSettings {
        (**self).settings()
    }

    fn authority(&self) -> (Name, &[u8]) {
        (**self).authority()
    }

    fn party(&self, index: usize) -> Option<Party<&[u8]>> {
        (**self).party(index)
    }

    fn permissions(&self) -> &[Permission] {
        (**self).permissions()
    }
}
