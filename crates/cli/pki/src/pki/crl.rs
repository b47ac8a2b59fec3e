//! `waywarden pki crl`: a signed revocation list of IEEE 1609.2.

use std::path::{Path, PathBuf};

use waywarden_v2x_wire::ieee1609dot2::Duration;

use super::clock;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_pki_authorities::{NewCrl, make_crl};
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::validity;
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  waywarden pki revoke my-pki car1
  waywarden pki crl my-pki -o list.oer --passphrase-file secret.txt
  waywarden verify said.pcap --trust my-pki/trust --crl list.oer
  waywarden pki revoke my-pki vehicle1                # has pseudonyms
  waywarden pki crl my-pki -o list.oer                # makes list.linked.oer, too
  waywarden verify said.pcap --trust my-pki/trust --crl list.oer --crl list.linked.oer
  waywarden pki crl my-pki -o other.oer --seeds seeds.toml
  waywarden pki revoke european aa2
  waywarden pki crl european -o root.crl              # of ETSI TS 102 941

A file of seeds, all of period 130:
  i_rev = 130
  [[holder]]
  seeds = [{ la = \"8e09\", seed = \"4840ed221502d9ab6786bf68fba9f210\" },
           { la = \"59ce\", seed = \"6b71a7eb5755f16e89981d2189a6daea\" }]
  j_max = 20
  i_max = 260";

/// Make and sign the revocation list of a PKI: of IEEE 1609.2, in series 1, for one made with --us;
/// of ETSI TS 102 941 for a European one.
///
/// That of a European PKI is signed by the root, and has the HashedId8 of each authority right
/// below it that `pki revoke` revoked and that has not expired. It is full; the list is put in the
/// folder as trust/HASHEDID8.crl, too, where `pki serve` gives it out. What follows is about --us.
///
/// Without --seeds the list has the hashes of all certificates that `pki revoke` revoked and that
/// have not expired. Where `pki revoke` revoked vehicles with pseudonyms, there is a second list,
/// by linkage values: of `list.oer` it is `list.linked.oer`. Its seeds are those of the current
/// week: messages of earlier weeks stay unlinkable, and are not refused.
///
/// With --seeds there is one list, which revokes the holders, or groups, of a file by linkage
/// values: a group is a table `[[group]]` with `seeds` and `i_max`. A holder has one seed or two.
/// Receivers take the latest full list for the whole one, so add --delta where both kinds of
/// command are used.
///
/// Each list is verified as a receiver would before it is written. Receivers may skip a list that
/// is older than the one they have: if the clock is behind the time of the list before, no list is
/// made, and the error has both times.
///
/// Exit code 0 if all were written, 2 if not.
#[derive(Debug, clap::Args)]
#[command(name = "crl", after_long_help = EXAMPLES)]
pub(crate) struct CrlCommand {
    /// The folder of the PKI.
    dir: PathBuf,
    /// The file for the list; one by linkage values goes beside it. A file that is there is
    /// replaced; a symbolic link is refused.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Revoke by the linkage seeds in this file (TOML), not by hash.
    #[arg(long, value_name = "FILE")]
    seeds: Option<PathBuf>,
    /// Only what no list has yet; with --seeds: the file has only that.
    #[arg(long)]
    delta: bool,
    /// Make a list although the one before is of a later time: the clock was ahead, and no receiver
    /// has that list.
    #[arg(long, conflicts_with = "delta")]
    discard_later: bool,
    /// Time from now until the next list is due: at most 100y.
    #[arg(long, value_name = "DURATION", default_value = "24h")]
    #[arg(value_parser = validity::until_next)]
    next: Duration,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    token: TokenSource,
}

impl CrlCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let new = NewCrl {
            output: Some(self.output.clone()),
            seeds: self.seeds.clone(),
            is_delta: self.delta,
            discard_later: self.discard_later,
            next: self.next,
        };
        let mut passphrases = Passphrases::new(&self.passphrase);
        make_lists(
            &self.dir,
            (&new, &self.output),
            &mut passphrases,
            &self.token,
        )?;
        Ok(Answer::Yes)
    }
}

/// Makes revocation lists, and says which there are. A list without a path of its own is shown as
/// `output`.
pub(super) fn make_lists(
    folder: &Path,
    (new, output): (&NewCrl, &Path),
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
) -> Result<(), Failure> {
    let note = &mut |note| super::print(&note);
    let made = make_crl(folder, new, clock::CLOCK, passphrases, token, note)?;
    for list in &made.lists {
        let path = list.path.as_deref().unwrap_or(output);
        messages::status(format_args!(
            "{}: revokes {}; the next list is due {}",
            path.display(),
            list.revokes,
            time::show(made.next)
        ));
    }
    match made.unlisted {
        Some(why) => Err(Failure::from(why).prefixed("no list by linkage values was made: ")),
        None => Ok(()),
    }
}
