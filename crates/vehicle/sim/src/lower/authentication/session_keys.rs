//! The session keys that the keys of a role follow.

use std::sync::Arc;

use waywarden_can::Id;
use waywarden_key_suites::Secret;
use waywarden_lasan::StreamId;
use waywarden_vehicle_file::{Authentication, BeforeFirstKey, KeyOrigin, StreamIndex, VehicleFile};

use super::configuration::AuthenticationConfiguration;
use super::keys;
use crate::nodes::{FollowingKeys, GroupKeyId, KeysInUse, SessionKeyId};
use waywarden_session_keys::{ChangeOver, FollowingKey};

/// Session key properties that message authentication needs.
pub(in crate::lower) struct SessionKeys<'a> {
    /// Vehicle file.
    pub(in crate::lower) file: &'a VehicleFile,
    /// The keys that the ECU has in use.
    pub(in crate::lower) in_use: &'a Arc<KeysInUse>,
    /// Returns the times of a change of such a key.
    pub(in crate::lower) change_over: &'a dyn Fn(SessionKeyId) -> ChangeOver,
}

/// Makes the keys of a role at a boot.
pub(super) type MakeKeys = Box<dyn Fn() -> FollowingKeys + Send>;

impl SessionKeys<'_> {
    /// Returns what makes the keys of a configuration, if they follow session keys.
    pub(super) fn following(
        &self,
        table: &Authentication,
        configuration: &AuthenticationConfiguration,
    ) -> Option<MakeKeys> {
        match &table.keys {
            KeyOrigin::Provisioned => None,
            KeyOrigin::Group { key, before } => {
                let key = (key.value.group, key.value.logical);
                Some(self.agreed(key, *before, configuration))
            }
            KeyOrigin::Grants { network } => self.granted(network.value, table, configuration),
        }
    }

    /// All keys follow that of a group.
    pub(super) fn agreed(
        &self,
        key: GroupKeyId,
        before: BeforeFirstKey,
        configuration: &AuthenticationConfiguration,
    ) -> MakeKeys {
        let from = SessionKeyId::Group(key);
        let last_trip = match before {
            BeforeFirstKey::Withhold => None,
            BeforeFirstKey::Retained => Some(keys::of_last_trip(self.file.seed, key)),
        };
        let keys = vec![(from, configuration.following())];
        self.making(keys, (self.change_over)(from), last_trip)
    }

    /// Each key follows a grant of its own.
    fn granted(
        &self,
        network: usize,
        table: &Authentication,
        configuration: &AuthenticationConfiguration,
    ) -> Option<MakeKeys> {
        let own = |key: FollowingKey| {
            let from = grant_of(self.file, table, &key)?;
            Some((SessionKeyId::Grant((network, from)), vec![key]))
        };
        let keys: Vec<_> = configuration
            .following()
            .into_iter()
            .filter_map(own)
            .collect();
        let change_over = (self.change_over)(keys.first()?.0);
        Some(self.making(keys, change_over, None))
    }

    fn making(
        &self,
        keys: Vec<(SessionKeyId, Vec<FollowingKey>)>,
        change_over: ChangeOver,
        last_trip: Option<Secret>,
    ) -> MakeKeys {
        let in_use = self.in_use.clone();
        Box::new(move || {
            let (in_use, keys) = (in_use.clone(), keys.clone());
            FollowingKeys::new(in_use, keys, change_over, last_trip.as_ref())
        })
    }
}

/// Returns the granted key that a key follows.
pub(super) fn grant_of(
    file: &VehicleFile,
    table: &Authentication,
    key: &FollowingKey,
) -> Option<StreamId> {
    let id = match key.of[1] {
        keys::ANNOUNCEMENTS => Id::Standard(table.freshness_master()?.id),
        stream => file.stream(StreamIndex(stream as usize)).id.value,
    };
    Some(StreamId::of(id))
}
