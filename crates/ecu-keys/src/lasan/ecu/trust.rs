//! Which key is the security module's, for an ECU: enrolled, or in a certificate that holds.

use super::super::certificate::{CertificateError, Role};
use super::super::credential::{self, Presented};
use super::super::event::Failure;
use super::super::profile::{Credentials, Profile};
use super::super::settings::Directory;
use super::super::suites::Suite;
use super::{Ecu, Later};

impl<S: Suite, D: Directory, const W: usize> Ecu<S, D, W> {
    /// Returns what the security module's certificate must say.
    pub(super) fn verify_module(&mut self) -> Later<S> {
        let settings = self.directory.settings();
        let (bytes, meter) = (self.inbound[0].bytes(), &mut self.station.worker.meter);
        let Some(module) = self.directory.find(settings.security_module) else {
            return Later::Refused(Failure::Unknown);
        };
        let key = credential::key::<S>(
            meter,
            settings,
            bytes,
            &Presented {
                name: module.name,
                role: Role::SecurityModule,
                key_length: S::SIZES.public_key,
                authority: self.directory.authority(),
                // The latest comes with the start-up message, which is verified by this key.
                time: None,
                enrolled: module.key,
            },
        );
        match key {
            Err(failure) => Later::Refused(failure),
            Ok((_, validity)) if validity.last < self.clock.time(self.now) => {
                Later::Refused(Failure::Certificate(CertificateError::Expired))
            }
            Ok((key, validity)) => match key.try_into() {
                Ok(key) => Later::ModuleKey(key, validity),
                Err(_) => Later::Refused(Failure::Key),
            },
        }
    }

    /// Returns the security module's key, once it is known.
    pub(super) fn module_key(&self) -> Option<&[u8]> {
        let settings = self.directory.settings();
        let known = match (settings.profile, settings.credentials) {
            (Profile::AsPublished, _) => false,
            (_, credentials) => credentials == Credentials::Keys,
        };
        match known {
            true => self
                .directory
                .find(settings.security_module)
                .map(|module| module.key),
            false => self.module_key.as_ref().map(|(key, _)| key.as_ref()),
        }
    }
}
