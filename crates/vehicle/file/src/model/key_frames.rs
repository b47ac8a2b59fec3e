//! Frames of a key protocol that an attacker aims at.

use waywarden_group_keys::{Address, Step};
use waywarden_lasan::LasanKind;

use super::BusIndex;

/// Frames of one `[[keys]]` that an attacker aims at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFrames {
    /// The messages, with the table of keys that they are of.
    pub messages: KeyMessages,
    /// Addresses that must all be in the header; none stands for any.
    pub participants: Vec<Address>,
    /// The occurrence of these messages, counted from 1 from the beginning of the attack; `None`
    /// means each.
    pub occurrence: Option<u64>,
    /// The bus; where a gateway is attacked, `None` means each that it sends on.
    pub bus: Option<BusIndex>,
}

/// Messages of one key protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMessages {
    /// Messages of a group.
    Group {
        /// Its place among the groups.
        group: usize,
        /// The steps; none stands for all.
        steps: Vec<Step>,
        /// The logical ECU that results from the exchange; `None` means any.
        result: Option<Address>,
    },
    /// Messages of a security module and its ECUs.
    Lasan {
        /// Its place among the security modules.
        network: usize,
        /// The kinds; none stands for all.
        kinds: Vec<LasanKind>,
    },
}

impl KeyFrames {
    /// Returns the names of the steps or messages in the words of vehicle files.
    pub fn names(&self) -> Vec<&'static str> {
        match &self.messages {
            KeyMessages::Group { steps, .. } => steps.iter().map(|step| step.name()).collect(),
            KeyMessages::Lasan { kinds, .. } => kinds.iter().map(|kind| kind.name()).collect(),
        }
    }
}
