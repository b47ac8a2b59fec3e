//! Origin of the keys of message authentication.

use waywarden_group_keys::Address;

use crate::place::Located;

/// Origin of the keys of an authentication.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyOrigin {
    /// They are in place when the car starts.
    Provisioned,
    /// They are derived from a key of a group, renewal by renewal.
    Group {
        /// The group's key.
        key: Located<GroupKey>,
        /// Behaviour of an ECU until it has the group's first key.
        before: BeforeFirstKey,
    },
    /// A security module grants one for each stream, and one for the announcements of freshness;
    /// the keys of messages are derived from them, grant by grant.
    Grants {
        /// The security module's network, by its place in [`crate::VehicleFile::lasan`].
        network: Located<usize>,
    },
}

/// Behaviour of an ECU from its boot until its group has agreed on a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BeforeFirstKey {
    /// It sends and checks nothing.
    #[default]
    Withhold,
    /// It goes on with the last key that it confirmed before it was switched off, which it keeps in
    /// memory that lasts.
    Retained,
}

/// A key of a group that agrees on keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupKey {
    /// The group, by its place in [`crate::VehicleFile::groups`].
    pub group: usize,
    /// The logical ECU whose key it is; none for the key of the whole group.
    pub logical: Option<Address>,
}

impl KeyOrigin {
    /// Returns the key of a group that it is, if it is one.
    #[must_use]
    pub fn group_key(&self) -> Option<GroupKey> {
        match self {
            KeyOrigin::Provisioned | KeyOrigin::Grants { .. } => None,
            KeyOrigin::Group { key, .. } => Some(key.value),
        }
    }

    /// Returns the security module that grants them, by its place in the vehicle file, if one does.
    #[must_use]
    pub fn granting_network(&self) -> Option<usize> {
        match self {
            KeyOrigin::Provisioned | KeyOrigin::Group { .. } => None,
            KeyOrigin::Grants { network } => Some(network.value),
        }
    }

    /// Returns true if ECUs have them only while the car runs: they agree on them, or are granted
    /// them.
    #[must_use]
    pub const fn is_session_key(&self) -> bool {
        !matches!(self, KeyOrigin::Provisioned)
    }

    /// Returns the behaviour of an ECU until it has the first key of its group.
    #[must_use]
    pub const fn before_first_key(&self) -> BeforeFirstKey {
        match self {
            KeyOrigin::Provisioned | KeyOrigin::Grants { .. } => BeforeFirstKey::Withhold,
            KeyOrigin::Group { before, .. } => *before,
        }
    }
}
