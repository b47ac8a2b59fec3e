//! `waywarden pki ctl`: the trust list of a European root.

use std::path::PathBuf;

use waywarden_v2x_wire::ieee1609dot2::Duration;

use super::clock;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_pki_authorities::ctl::url;
use waywarden_pki_authorities::{NewCtl, make_ctl};
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::validity;
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  waywarden pki ctl my-pki --url http://pki.example:8102
  waywarden pki renew my-pki aa
  waywarden pki ctl my-pki -o root.ctl --delta changes.ctl    # the URLs are those of before
  waywarden pki ctl my-pki --delete aa2
  waywarden pki trust import trust my-pki/trust/*.oer root.ctl --trust-anchor 8082cb0fb4263789";

/// Make and sign the trust list (CTL) of a European root, as ETSI TS 102 941 has it.
///
/// It lists the enrolment and authorization authorities right below the root, with the URLs at
/// which they are reached, and where lists can be had. Authorities that expired, were revoked or
/// taken off with --delete are not on it. Receivers that had one of these on the list before refuse
/// it from then on, and what it issued: leave a renewed authority on the list as long as its
/// tickets are valid.
///
/// The full list is put in the folder of the PKI as trust/HASHEDID8.ctl, where `pki serve` gives it
/// out. Each list is verified as a receiver would before it is written.
///
/// Exit code 0 if all were written, 2 if not.
#[derive(Debug, clap::Args)]
#[command(name = "ctl", after_long_help = EXAMPLES)]
pub(crate) struct CtlCommand {
    /// The folder of the PKI.
    dir: PathBuf,
    /// A second file for the full list. A file that is there is replaced; a symbolic link is
    /// refused.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write what changed since the list before to this file, too: a list of changes (delta CTL).
    #[arg(long, value_name = "FILE")]
    delta: Option<PathBuf>,
    /// URL of `pki serve`: of both authorities, and of the lists [default: as in the list before].
    #[arg(long, value_name = "URL", value_parser = url)]
    url: Option<String>,
    /// URL of the enrolment authority, if elsewhere.
    #[arg(long, value_name = "URL", value_parser = url)]
    ea_url: Option<String>,
    /// URL of the authorization authority, if elsewhere.
    #[arg(long, value_name = "URL", value_parser = url)]
    aa_url: Option<String>,
    /// URL of a distribution centre for the lists, if elsewhere.
    #[arg(long, value_name = "URL", value_parser = url)]
    dc_url: Option<String>,
    /// Take an authority off this list and those after it: its name or HashedId8. May be given more
    /// than once.
    #[arg(long, value_name = "NAME")]
    delete: Vec<String>,
    /// Put an authority that was taken off on the list again. May be given more than once.
    #[arg(long, value_name = "NAME")]
    add: Vec<String>,
    /// Make a list although the one before is of a later time: the clock was ahead, and no receiver
    /// has that list.
    #[arg(long, conflicts_with = "delta")]
    discard_later: bool,
    /// Time from now until the next list is due: at most 100y. After that receivers trust none of
    /// the authorities by this one.
    #[arg(long, value_name = "DURATION", default_value = "7d")]
    #[arg(value_parser = validity::until_next)]
    next: Duration,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    token: TokenSource,
}

impl CtlCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let new = NewCtl {
            output: self.output.clone(),
            delta: self.delta.clone(),
            url: self.url.clone(),
            ea_url: self.ea_url.clone(),
            aa_url: self.aa_url.clone(),
            dc_url: self.dc_url.clone(),
            delete: self.delete.clone(),
            add: self.add.clone(),
            discard_later: self.discard_later,
            next: self.next,
        };
        let mut passphrases = Passphrases::new(&self.passphrase);
        let made = make_ctl(&self.dir, &new, clock::CLOCK, &mut passphrases, &self.token)?;
        messages::status(format_args!(
            "{}: ctlSequence {}, {} enrolment and {} authorization authorities; the next list is \
             due {}",
            made.path.display(),
            made.sequence,
            made.enrolment,
            made.authorization,
            time::show(made.next)
        ));
        Ok(Answer::Yes)
    }
}
