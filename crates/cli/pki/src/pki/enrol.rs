//! `waywarden pki enrol`: an enrolment credential, of a PKI in a folder or behind a server.

use std::path::PathBuf;

use waywarden_v2x_pki::Region;

use super::issue::{Period, shown};
use super::station::{Asked, Remote};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_authorities::{NewCredential, enrol};
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::index::name;
use waywarden_pki_folder::passphrase::{NewPassphrase, Passphrases};
use waywarden_pki_folder::region;
use waywarden_pki_folder::token::TokenSource;

const EXAMPLES: &str = "\
Examples:
  waywarden pki enrol my-pki --name station1
  waywarden pki enrol car --name car --from http://127.0.0.1:8102 --id WAYWARDEN-0001 \\
    --key car.p8 --trust my-pki/trust --tickets 20
  waywarden sign payloads.hex --lines --pki car --as car --psid CAM -o signed.hex";

/// Issue an enrolment credential to a station, or get one from a server with --from.
///
/// A credential signs requests for certificates: in Europe the ITS-AID 623 (SCR), in America the
/// right to ask for basic safety messages.
///
/// With --from a registered station asks a server (`pki serve`) for its credential, unless it has
/// one that is valid, and with that for authorization tickets. DIR is the folder of the station,
/// new or of an earlier command, for `sign --pki DIR --as NAME`. A request that the network loses
/// is sent again, up to three times, and given up after --timeout; standard error says so. Tickets
/// are valid for whole weeks, or cells of the server's grid, from the one of --ticket-start.
///
/// Exit code 0 if all was issued, 2 if not; what was issued before a refusal is kept.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Enrol {
    /// The folder of the PKI.
    dir: PathBuf,
    /// Name of the holder in commands, and without --from in its certificate.
    #[arg(long, value_parser = name)]
    name: String,
    /// The name of the authority that issues [default: the enrolment authority].
    #[arg(long, conflicts_with = "from")]
    issuer: Option<String>,
    #[command(flatten)]
    period: Period,
    /// Region in which the certificate is valid [default: that of the issuer].
    #[arg(long, value_parser = region::parse)]
    region: Option<Region>,
    /// The curve of the key [default: that of the issuer].
    #[arg(long, value_enum, conflicts_with = "from")]
    curve: Option<CurveName>,
    #[command(flatten)]
    remote: Remote,
    #[command(flatten)]
    passphrase: NewPassphrase,
    #[command(flatten)]
    token: TokenSource,
}

impl Enrol {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let Some(url) = &self.remote.from else {
            return self.issue();
        };
        let asked = Asked {
            folder: &self.dir,
            name: &self.name,
            period: &self.period,
            region: self.region.as_ref(),
            passphrase: &self.passphrase,
        };
        self.remote.enrol(url, &asked)?;
        Ok(Answer::Yes)
    }

    fn issue(&self) -> Result<Answer, Failure> {
        if self.passphrase.is_without() {
            return Err(Failure::new(
                "--no-passphrase: the keys of a PKI are all as `pki init` was told; leave it out",
            ));
        }
        let new = NewCredential {
            name: self.name.clone(),
            issuer: self.issuer.clone(),
            period: self.period.as_new(),
            region: self.region.clone(),
            curve: self.curve,
        };
        let mut passphrases = Passphrases::new(&self.passphrase.source);
        shown(&enrol(&self.dir, &new, &mut passphrases, &self.token)?)
    }
}
