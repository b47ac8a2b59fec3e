//! `waywarden pki revoke`: certificates that the next revocation list has.

use std::io::Write as _;
use std::path::PathBuf;

use super::clock;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_pki_authorities::revoke;

const EXAMPLES: &str = "\
Examples:
  waywarden pki revoke my-pki car1               # all certificates of the name, and its pseudonyms
  waywarden pki revoke my-pki 8082cb0fb4263789   # this one
  waywarden pki revoke my-pki found.oer
  waywarden pki crl my-pki -o list.oer           # makes the list";

/// Revoke certificates and vehicles of a PKI: the next lists that `pki crl` makes have them.
///
/// A certificate is revoked by its hash. A vehicle that `pki pseudonyms` issued to is revoked by
/// linkage: all its pseudonyms from the week of the list on. A name may have both. No passphrase is
/// needed, and a revocation is not taken back.
///
/// A PKI made with --us has a CRL generator, and its certificates name the root as the CRACA that
/// revokes them. Of a European PKI, authorities right below the root are revoked. Its tickets and
/// credentials are on no list: tickets run out, and `pki register --block` refuses new ones.
///
/// Exit code 0 if they are revoked, also if they were before; 2 if not, and none is then.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Revoke {
    /// The folder of the PKI.
    dir: PathBuf,
    /// Names of stations, authorities or vehicles; HashedId8s, or files with a certificate.
    #[arg(required = true, value_name = "NAME|FILE")]
    certificates: Vec<String>,
}

impl Revoke {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let done = revoke(&self.dir, &self.certificates, clock::CLOCK)?;
        let mut out = super::stdout();
        for one in &done.revoked {
            let name = plain(&one.name);
            match (&one.id, one.is_new) {
                (Some(id), true) => writeln!(out, "{name}, HashedId8 {}: revoked", plain(id))?,
                (Some(id), false) => {
                    writeln!(out, "{name}, HashedId8 {}: was revoked before", plain(id))?;
                }
                (None, true) => writeln!(out, "{name}, pseudonyms: revoked")?,
                (None, false) => writeln!(out, "{name}, pseudonyms: were revoked before")?,
            }
        }
        out.flush()?;
        if let Some(why) = done.unlistable? {
            warn("no list will have these pseudonyms", why.lines());
        }
        Ok(Answer::Yes)
    }
}

/// Prints a warning with its reasons.
pub(super) fn warn(consequence: &str, why: &[String]) {
    for line in why {
        messages::warning(format_args!("{consequence}: {}", plain(line)));
    }
}
