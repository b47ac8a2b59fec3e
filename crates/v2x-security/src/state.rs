//! What a receiver knows: certificates, profiles, accepted messages, revocations, borders.

use alloc::boxed::Box;

use crate::limits::Limits;
use crate::profile::Profiles;
use crate::region::Borders;
use crate::replay::ReplayCache;
use crate::revocation::Revocations;
use crate::store::CertificateStore;

/// What a receiver knows.
pub(crate) struct ReceiverState {
    pub(crate) store: CertificateStore,
    pub(crate) limits: Limits,
    pub(crate) profiles: Profiles,
    pub(crate) replays: ReplayCache,
    pub(crate) revocations: Revocations,
    pub(crate) borders: Box<dyn Borders + Send + Sync>,
}
