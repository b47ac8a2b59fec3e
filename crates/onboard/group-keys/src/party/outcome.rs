//! Outcomes of exchanges, and the operations that are reported of their work.

use waywarden_work::{Operation, OperationKind};

use super::super::exchange::{ExchangeFailure, Part};
use super::super::identifier::GroupHeader;
use super::super::settings::GroupProfile;
use super::super::transcript::ChannelKey;

/// The outcome of an exchange.
pub(crate) enum Outcome {
    /// The secret of this logical ECU is known now; the key of the private channel with the
    /// orchestrator, and both shares.
    Formed {
        header: GroupHeader,
        channel: ChannelKey,
        shares: Option<[[u8; 32]; 2]>,
        /// True if that was part of a fixed tree.
        fixed: bool,
    },
    /// Others formed this logical ECU.
    Witnessed {
        header: GroupHeader,
        shares: Option<[[u8; 32]; 2]>,
    },
    /// The orchestrator's signature for this exchange is right.
    Ordered(GroupHeader, Part),
    Failed(GroupHeader, ExchangeFailure),
}

/// Hashes and derivations are part of the operations they belong to, as in the measurements of
/// [GKE Tables IV to VII].
pub(super) fn is_reported(operation: &Operation) -> bool {
    !matches!(
        operation.kind,
        OperationKind::KeyDerive | OperationKind::Hash | OperationKind::Tag
    )
}

/// Returns true if an orchestration is fresh; as published, always.
pub(crate) fn is_fresh(profile: GroupProfile, freshness: u64, last: u64) -> bool {
    profile.is_as_published() || freshness > last
}
