//! `waywarden pki renew`: a new key and a new period for what a certificate says.

use std::path::PathBuf;

use super::issue::{Period, shown};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_authorities::renew;
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::token::TokenSource;

const EXAMPLES: &str = "\
Examples:
  waywarden pki renew my-pki car1
  waywarden pki renew my-pki aa --start 2027-01-01T00:00:00Z --validity 3y";

/// Issue a certificate again: a new key, the same contents, a new period.
///
/// The newest certificate of the name is renewed, by the newest one of its issuer's name. The old
/// certificate and its key stay. A root cannot be renewed: make a new PKI.
///
/// Exit code 0 if it was issued, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Renew {
    /// The folder of the PKI.
    dir: PathBuf,
    /// The name or the HashedId8 of the certificate.
    name: String,
    #[command(flatten)]
    period: Period,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    token: TokenSource,
}

impl Renew {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut passphrases = Passphrases::new(&self.passphrase);
        let period = self.period.as_new();
        let issued = renew(&self.dir, &self.name, period, &mut passphrases, &self.token)?;
        shown(&issued)
    }
}
