//! State of a receiver: certificates, profiles, accepted messages, revocations, borders.

use alloc::boxed::Box;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::limits::Limits;
use crate::profile::Profiles;
use crate::region::Borders;
use crate::replay::ReplayCache;
use crate::revocation::Revocations;
use crate::store::CertificateStore;

/// State of a receiver.
pub(crate) struct ReceiverState {
    pub(crate) store: CertificateStore,
    pub(crate) limits: Limits,
    pub(crate) profiles: Profiles,
    pub(crate) replays: ReplayCache,
    /// Start of the receiver, before which `replays` has nothing; `None`: there was no before.
    pub(crate) start: Option<Time64>,
    pub(crate) revocations: Revocations,
    pub(crate) borders: Box<dyn Borders + Send + Sync>,
}
