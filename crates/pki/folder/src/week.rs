//! The certificates of a station for a week.

use std::path::PathBuf;

use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::credential::{CredentialIdentity, Held};
use super::passphrase::Passphrases;
use waywarden_command_line::exit::Failure;

/// Indices of a vehicle's certificates for one week.
const INDICES: std::ops::RangeInclusive<u8> = 0..=u8::MAX;

/// Finds one certificate, or those of a vehicle with pseudonyms for the week of a time.
pub fn certificates(
    identity: &CredentialIdentity,
    chain: &[PathBuf],
    now: Time64,
    passphrases: &mut Passphrases<'_>,
) -> Result<Vec<Held>, Failure> {
    let mut held: Vec<Held> = Vec::new();
    for index in INDICES {
        match identity.signer(chain, now, index, passphrases) {
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
    Ok(held)
}
