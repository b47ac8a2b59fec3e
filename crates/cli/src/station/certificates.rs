//! The certificates of a station from the folder of a PKI, or from files.

use waywarden_v2x_neighbourhood::{Identity as Signer, IdentitySource, NoCertificate};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::Station;
use crate::exit::Failure;
use crate::pki::credential::Held;
use crate::pki::passphrase::Passphrases;

/// How many certificates a vehicle has for one week at most.
const INDICES: std::ops::RangeInclusive<u8> = 0..=u8::MAX;

/// All certificates that a station has for now, found at the start: the terminal asks for a
/// passphrase then, and never while the station drives.
pub(super) struct OwnCertificates {
    held: Vec<Held>,
    passphrases: Passphrases<'static>,
    /// Which one comes next.
    next: usize,
    last: Option<HashedId8>,
}

impl OwnCertificates {
    /// Finds them: one, or those of a vehicle with pseudonyms for this week.
    pub(super) fn load(options: &Station, now: Time64) -> Result<Self, Failure> {
        let mut passphrases = options.identity.passphrases();
        let mut held: Vec<Held> = Vec::new();
        for index in INDICES {
            let found = options
                .identity
                .signer(&options.chain, now, index, &mut passphrases);
            match found {
                // What has one certificate has it under every index.
                Ok(one)
                    if held
                        .iter()
                        .any(|known| known.certificate == one.certificate) =>
                {
                    break;
                }
                Ok(one) => held.push(one),
                Err(failure) if held.is_empty() => return Err(failure),
                // Beyond the last pseudonym of the week.
                Err(_) => break,
            }
        }
        let mut own = Self {
            held,
            passphrases: Passphrases::known(passphrases.into_known()),
            next: 0,
            last: None,
        };
        // Faults show now, not when the station drives.
        own.credential(0)?;
        Ok(own)
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
        for _ in 0..self.held.len() {
            let at = self.next % self.held.len();
            self.next = at + 1;
            let signer = self.credential(at);
            let signer = signer.map_err(|failure| NoCertificate(failure.lines().join("; ")))?;
            let (start, end) = signer.credential.certificate().validity();
            let id = signer.credential.id();
            if start <= now && now < end && self.last != Some(id) {
                self.last = Some(id);
                return Ok(signer);
            }
        }
        let why = match self.held.len() {
            1 => "the station has one certificate; `waywarden pki pseudonyms` gives it more",
            _ => "no other certificate of the station is valid now; issue some for this week",
        };
        Err(NoCertificate(why.to_owned()))
    }
}
