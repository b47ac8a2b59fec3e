//! The codes known here and the operation behind each, as the protocols themselves report it.

use waywarden_can_auth::mac::{AesCmac, Mac, MacKey, SpongentMac, Tag};
use waywarden_work::{Algorithm, Operation, RecordedOperations};

use super::ends::{Ends, Ids};
use super::quantity::{Code, VulcanProtocol, VulcanRun};

/// SpongentMac that takes vatiCAN's own time: the bits of a code do not matter to a run's time, and
/// what vatiCAN computes in software \[VULCAN, MAC Computation\] is of no further use here.
pub(super) struct SoftwareMac(SpongentMac);

impl Mac for SoftwareMac {
    const ALGORITHM: Algorithm = Algorithm::VaticanSoftwareMac;
    const LEADING: usize = SpongentMac::LEADING;

    fn new(key: &MacKey) -> Self {
        SoftwareMac(SpongentMac::new(key))
    }

    fn compute(&self, message: &[&[u8]]) -> Tag {
        self.0.compute(message)
    }
}

impl Code {
    /// Returns the algorithm that boards have figures for; none for no code.
    pub(super) const fn algorithm(self) -> Option<Algorithm> {
        match self {
            Code::None => None,
            Code::Unit => Some(SpongentMac::ALGORITHM),
            Code::Software => Some(SoftwareMac::ALGORITHM),
            Code::Cmac => Some(AesCmac::ALGORITHM),
        }
    }
}

/// Protects one message and returns what that took; none for messages without a code.
pub(super) fn metered(run: VulcanRun, ids: Ids) -> Option<Operation> {
    match run.code {
        Code::None => None,
        Code::Unit => one::<SpongentMac>(run.protocol, ids),
        Code::Software => one::<SoftwareMac>(run.protocol, ids),
        Code::Cmac => one::<AesCmac>(run.protocol, ids),
    }
}

fn one<M: Mac>(protocol: VulcanProtocol, ids: Ids) -> Option<Operation> {
    let mut ends = Ends::<M>::new(protocol, ids).ok()?;
    let mut meter = RecordedOperations::new();
    let payload = vec![0; protocol.payload()];
    ends.protect(&payload, &mut meter).ok()?;
    meter.pop()
}
