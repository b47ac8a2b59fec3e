//! The secrets of logical ECUs that one ECU holds, by address.

use super::settings::GroupSettings;
use super::storage::SecretPlace;
use super::transcript;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_suites::Secret;

pub(super) struct Secrets<'a>(Storage<'a, SecretPlace>);

impl<'a> Secrets<'a> {
    pub(super) fn new(mut places: Storage<'a, SecretPlace>) -> Self {
        places.clear();
        Secrets(places)
    }

    /// Keeps a secret in the place of an earlier one; lost if all places are taken by others,
    /// of which there are enough for that not to happen.
    pub(super) fn keep(&mut self, of: Address, secret: Secret) {
        self.forget(of);
        if let Some(place) = self.0.iter_mut().find(|place| place.is_none()) {
            *place = Some((of, secret));
        }
    }

    pub(super) fn forget(&mut self, of: Address) {
        for place in self.0.iter_mut() {
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
    pub(super) fn traffic_key(&self, of: Address, settings: &GroupSettings) -> Option<Secret> {
        Some(transcript::traffic_key(settings, of, self.get(of)?))
    }
}
