//! Trust in the security module's key, for an ECU: enrolled, or in a certificate that holds.

use super::super::certificate::{CertificateError, SubjectRole};
use super::super::credential::{self, Presented};
use super::super::event::HandshakeFailure;
use super::super::profile::Credentials;
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::{LasanEcu, Later};

impl<S: LasanSuite, D: PartyDirectory> LasanEcu<'_, S, D> {
    /// Returns what the security module's certificate must say.
    pub(super) fn verify_module(&mut self) -> Later<S> {
        let settings = self.directory.settings();
        let (bytes, meter) = (self.inbound[0].bytes(), &mut self.station.worker.meter);
        let Some(module) = self.directory.find(settings.security_module) else {
            return Later::Refused(HandshakeFailure::Unknown);
        };
        let key = credential::key(
            &self.suite,
            meter,
            settings,
            bytes,
            &Presented {
                name: module.name,
                role: SubjectRole::SecurityModule,
                key_length: self.suite.sizes().public_key,
                authority: self.directory.authority(),
                // The latest comes with the start-up message, which is verified by this key.
                time: None,
                enrolled: module.key,
            },
        );
        match key {
            Err(failure) => Later::Refused(failure),
            Ok((_, validity)) if validity.last < self.clock.time(self.now) => {
                Later::Refused(HandshakeFailure::Certificate(CertificateError::Expired))
            }
            // The memory may be that of a suite with longer keys.
            Ok((key, validity)) => match self.module_key.get_mut(..key.len()) {
                Some(place) if key.len() == self.suite.sizes().public_key => {
                    place.copy_from_slice(key);
                    Later::ModuleKey(validity)
                }
                _ => Later::Refused(HandshakeFailure::Key),
            },
        }
    }

    /// Returns the security module's key, once it is known.
    pub(super) fn module_key(&self) -> Option<&[u8]> {
        let settings = self.directory.settings();
        let enrolled = settings.credentials == Credentials::Keys;
        let known = enrolled && !settings.profile.is_as_published();
        match known {
            true => self
                .directory
                .find(settings.security_module)
                .map(|module| module.key),
            false => {
                self.module_validity?;
                self.module_key.get(..self.suite.sizes().public_key)
            }
        }
    }
}
