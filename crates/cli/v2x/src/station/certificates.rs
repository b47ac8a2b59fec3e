//! The certificates of a station from the folder of a PKI, or from files.

use std::cmp::Reverse;
use std::path::PathBuf;

use waywarden_v2x_neighbourhood::{IdentitySource, NoCertificate, StationIdentity as Signer};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashedId8, Time64};

use super::StationCommand;
use crate::used::UsedCertificates;
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::credential::{CredentialIdentity, Held};
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::week;
use waywarden_v2x_input::certificates::id_of;

/// All certificates that a station has for now, found at the start: the terminal asks for a
/// passphrase then, and never while the station drives.
pub(super) struct OwnCertificates {
    identity: CredentialIdentity,
    chain: Vec<PathBuf>,
    held: Vec<Held>,
    passphrases: Passphrases<'static>,
    /// Used certificates, kept in a file when the program ends; `None` for a single certificate.
    used: Option<UsedCertificates>,
    current: Option<HashedId8>,
}

impl OwnCertificates {
    /// Finds them.
    pub(super) fn load(options: &StationCommand, now: Time64) -> Result<Self, Failure> {
        let mut passphrases = options.identity.passphrases();
        let held = week::certificates(&options.identity, &options.chain, now, &mut passphrases)?;
        let state = options.state_file(held.len() > 1);
        let used = state.as_deref().map(UsedCertificates::open).transpose()?;
        let mut own = Self {
            identity: options.identity.clone(),
            chain: options.chain.clone(),
            held,
            passphrases: Passphrases::known(passphrases.into_known()),
            used,
            current: None,
        };
        // Faults show now, not when the station drives.
        own.credential(0)?;
        Ok(own)
    }

    /// Returns the certificates that are valid now and not in use; first one that was never used,
    /// or else the one that was used longest ago.
    fn candidates(&self, now: Time64) -> Vec<(usize, HashedId8)> {
        let held = self.held.iter().enumerate();
        let valid = held.filter_map(|(at, held)| {
            let certificate: Certificate<'_> = parse(&held.certificate).ok()?;
            let period = certificate.to_be_signed.validity_period;
            let id = id_of(&certificate)?;
            let is_valid = (period.start()..period.end()).contains(&now);
            (is_valid && self.current != Some(id)).then_some((at, id))
        });
        let mut candidates: Vec<_> = valid.collect();
        let age = |id| self.used.as_ref().and_then(|used| used.age(id));
        candidates.sort_by_key(|(_, id)| Reverse(age(*id).unwrap_or(usize::MAX)));
        candidates
    }

    /// The next one, if need be of the week that has begun since.
    fn candidate(&mut self, now: Time64) -> Option<(usize, HashedId8)> {
        if let Some(candidate) = self.candidates(now).first() {
            return Some(*candidate);
        }
        let held = week::certificates(&self.identity, &self.chain, now, &mut self.passphrases);
        self.held = held.ok()?;
        self.candidates(now).first().copied()
    }

    fn credential(&mut self, at: usize) -> Result<Signer, Failure> {
        let held = self.held.get(at);
        let held = held.ok_or_else(|| Failure::new("there is no certificate"))?;
        let (store, credential) = held.credential_in_memory(&mut self.passphrases)?;
        Ok(Signer {
            credential,
            store: Box::new(store),
        })
    }
}

impl IdentitySource for OwnCertificates {
    fn next(&mut self, now: Time64) -> Result<Signer, NoCertificate> {
        let failed = |failure: Failure| NoCertificate(failure.lines().join("; "));
        if let Some((at, id)) = self.candidate(now) {
            let signer = self.credential(at).map_err(failed)?;
            if let Some(used) = &mut self.used {
                used.add(id).map_err(failed)?;
            }
            self.current = Some(id);
            return Ok(signer);
        }
        let why = match self.held.len() {
            1 => "the station has one certificate; `waywarden pki pseudonyms` gives it more",
            _ => "no other certificate of the station is valid now; issue some for this week",
        };
        Err(NoCertificate(why.to_owned()))
    }
}
