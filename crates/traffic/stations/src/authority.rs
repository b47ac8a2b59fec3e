//! The misbehaviour authority of a run: reports of detectors come in, revocations go out.

use std::collections::{HashMap, HashSet, VecDeque};

use waywarden_misbehaviour_authority::{Accusation, Cases, Counted, Policy};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::messages::SentMessage;
use crate::motion::time;

/// A vehicle reports another one at most once in this time, in ns.
const REPORT_EACH_NS: u64 = 1_000_000_000;

/// Rule and delay of revocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevocationSettings {
    /// The rule by which the authority decides.
    pub policy: Policy,
    /// Time from a decision until all vehicles have the list, in ns.
    pub delay_ns: u64,
}

/// The authority. It knows which vehicle has which certificates, as the linkage authorities of a
/// real one would together. Reports arrive at once: the radio does not carry them.
#[derive(Clone, Debug)]
pub(crate) struct Authority {
    cases: Cases<usize>,
    delay_ns: u64,
    /// Time of the last report about a vehicle by another one.
    reported: HashMap<(usize, usize), u64>,
    /// Vehicles whose revocation is under way, with the time at which all have the list.
    decided: VecDeque<(u64, usize)>,
    revoked: HashSet<usize>,
}

impl Authority {
    /// `None` if the rule is none.
    pub(crate) fn new(settings: RevocationSettings) -> Option<Self> {
        Some(Self {
            cases: Cases::new(settings.policy).ok()?,
            delay_ns: settings.delay_ns,
            reported: HashMap::new(),
            decided: VecDeque::new(),
            revoked: HashSet::new(),
        })
    }

    /// Takes a report about a message of a vehicle; returns true if that decides to revoke it.
    pub(crate) fn report(
        &mut self,
        (accused, reporter): (usize, usize),
        message: &SentMessage,
        now_ns: u64,
    ) -> bool {
        let last = self.reported.get(&(accused, reporter));
        if last.is_some_and(|last| now_ns < last + REPORT_EACH_NS) {
            return false;
        }
        self.reported.insert((accused, reporter), now_ns);
        let named = [&message.id.0[..], &message.generated_us.to_be_bytes()].concat();
        let mut digest = [0; 32];
        digest.copy_from_slice(hash(HashFunction::Sha256, &named).as_bytes());
        let accusation = Accusation {
            accused,
            reporter,
            made: Time64(message.generated_us),
            message: digest,
        };
        match self.cases.record(&accusation, time(now_ns)) {
            Ok(Counted::Decided(_)) => {
                self.decided.push_back((now_ns + self.delay_ns, accused));
                true
            }
            _ => false,
        }
    }

    /// Returns a vehicle that all have to refuse from now on.
    pub(crate) fn due(&mut self, now_ns: u64) -> Option<usize> {
        let (at, _) = self.decided.front()?;
        if *at > now_ns {
            return None;
        }
        let (_, vehicle) = self.decided.pop_front()?;
        self.revoked.insert(vehicle);
        Some(vehicle)
    }

    /// Returns true if all refuse a vehicle: its next certificates, too.
    pub(crate) fn is_revoked(&self, vehicle: usize) -> bool {
        self.revoked.contains(&vehicle)
    }
}
