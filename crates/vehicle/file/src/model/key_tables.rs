//! The tables of keys of a vehicle, for what refers to them by name.

use super::{KeyGroup, Lasan};

/// The tables of keys of a vehicle.
#[derive(Clone, Copy)]
pub(crate) struct KeyTables<'a> {
    pub(crate) groups: &'a [KeyGroup],
    pub(crate) networks: &'a [Lasan],
}
