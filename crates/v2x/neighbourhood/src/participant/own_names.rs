//! The names that a station has had itself: what it hears under them is its own.

use waywarden_v2x_security::ResultCode;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use crate::Participant;
use crate::security::ReceptionVerdict;

impl Participant {
    pub(super) fn remember_own(&mut self) {
        self.own.truncate(OWN_MAX - 1);
        self.own.push_front(OwnName {
            link: self.station.identifiers().mac,
            certificate: self.security.certificate(),
        });
    }

    /// A message of its own that comes back is not a neighbour's: an attacker or a repeater has
    /// sent it again.
    pub(super) fn unless_own(&self, verdict: ReceptionVerdict) -> ReceptionVerdict {
        let ReceptionVerdict::Accepted { signer, .. } = &verdict else {
            return verdict;
        };
        const REPLAYED: ResultCode = ResultCode::RelevanceReplayedSpdu;
        let is_own = |own: &OwnName| own.certificate == Some(*signer);
        match self.own.iter().any(is_own) {
            true => ReceptionVerdict::Refused {
                code: REPLAYED,
                reason: format!(
                    "{}: signed by this station itself",
                    ResultCode::RelevanceReplayedSpdu.name()
                ),
            },
            false => verdict,
        }
    }
}

/// Names of a station on the air.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnName {
    pub(super) link: [u8; 6],
    pub(super) certificate: Option<HashedId8>,
}

/// Number of its own names that a station remembers: messages of earlier ones are too old to be
/// taken.
const OWN_MAX: usize = 4;
