//! The secrets of logical ECUs that one ECU holds, by address; at most `L`.

use super::identifier::Address;
use super::settings::Settings;
use super::transcript;
use crate::suite::Secret;

pub(super) struct Secrets<const L: usize>([Option<(Address, Secret)>; L]);

impl<const L: usize> Secrets<L> {
    pub(super) const fn new() -> Self {
        Secrets([const { None }; L])
    }

    /// Keeps a secret in the place of an earlier one; lost if all `L` places are taken by others,
    /// which `L` is chosen not to happen.
    pub(super) fn keep(&mut self, of: Address, secret: Secret) {
        self.forget(of);
        if let Some(place) = self.0.iter_mut().find(|place| place.is_none()) {
            *place = Some((of, secret));
        }
    }

    pub(super) fn forget(&mut self, of: Address) {
        for place in &mut self.0 {
            if matches!(place, Some((at, _)) if *at == of) {
                *place = None;
            }
        }
    }

    pub(super) fn get(&self, of: Address) -> Option<&Secret> {
        let mut places = self.0.iter().flatten();
        places.find(|(at, _)| *at == of).map(|(_, secret)| secret)
    }

    /// Returns the traffic key of a logical ECU whose secret is here.
    pub(super) fn traffic_key(&self, of: Address, settings: &Settings) -> Option<Secret> {
        Some(transcript::traffic_key(settings, of, self.get(of)?))
    }
}
