//! `waywarden pki init`: the authorities of a new PKI.

use std::io::Write as _;
use std::path::PathBuf;

use waywarden_v2x_pki::{Region, ValidityGrid};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::show;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_authorities::profile::Profile;
use waywarden_pki_authorities::{NewKeys, NewPki, PkiError, create};
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::index::CertificateShape;
use waywarden_pki_folder::passphrase::NewPassphrase;
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::validity::YEARS_MAX;
use waywarden_pki_folder::{region, validity};
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  waywarden pki init my-pki                               # asks for a passphrase
  waywarden pki init my-pki --passphrase-file secret.txt --region country:276
  waywarden pki init test-pki --no-passphrase --us
  waywarden pki init my-pki --profile examples/v2x/pki.toml --passphrase-fd 3 3< secret.txt
  waywarden pki init my-pki --token /usr/lib/softhsm/libsofthsm2.so --pin-file pin.txt";

/// Make the authorities of a new PKI in a folder, each with a key and a certificate.
///
/// Without --us or a profile: a root CA, an enrolment authority (`ea`) and an authorization
/// authority (`aa`) as ETSI TS 103 097 has them. With --us: a root CA, a CRL generator, an
/// intermediate CA, an enrolment CA, a pseudonym CA that issues implicit certificates, a
/// registration authority and two linkage authorities.
///
/// Keys are written in PKCS#8, encrypted under a passphrase (PBES2, scrypt, AES-256-CBC), for their
/// owner alone. The folder appears when it is whole, or not at all.
///
/// Exit code 0 if it was made, 2 if not.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Init {
    /// The folder to make; it must not be there, or be empty.
    dir: PathBuf,
    /// The authorities, in TOML; options given beside it count more.
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// The American shape instead of the European one.
    #[arg(long)]
    us: bool,
    /// The curve of the keys [default: p256].
    #[arg(long, value_enum)]
    curve: Option<CurveName>,
    /// Region in which the root's certificate is valid, and so all others [default: everywhere].
    #[arg(long, value_parser = region::parse)]
    region: Option<Region>,
    /// Start of the certificates' validity, such as 2026-03-01T12:00:00Z [default: the beginning of
    /// the current cell of --validity-grid; with --us that of the week].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    start: Option<Time64>,
    /// Validity of the root, in years; the others are for half of it [default: 10].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=i64::from(YEARS_MAX)))]
    years: Option<u16>,
    /// Certificates of stations begin and end on whole multiples of this time since 2004 (TAI), so
    /// that no validity period tells one vehicle from another; 1s for none [default: 1w].
    #[arg(long, value_name = "DURATION", value_parser = validity::grid)]
    validity_grid: Option<ValidityGrid>,
    #[command(flatten)]
    passphrase: NewPassphrase,
    /// Write the keys as raw bytes, without encryption: `.vkey` and `.ekey`, as ETSI's test suite
    /// has them.
    #[arg(long, conflicts_with_all = ["passphrase_file", "passphrase_fd", "no_passphrase"])]
    plain_keys: bool,
    /// Keep the signing keys of the authorities in a PKCS#11 token; --token names its module. The
    /// option names the token by its label, where several are present.
    #[arg(long, value_name = "LABEL", requires = "token")]
    token_label: Option<String>,
    /// With --us and --token: keep the key of the pseudonym CA, which issues implicit certificates,
    /// in a file.
    #[arg(long, requires = "token")]
    implicit_issuers_in_files: bool,
    #[command(flatten)]
    token: TokenSource,
}

impl Init {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let profile = self.profile.as_deref().map(Profile::read).transpose()?;
        let new = NewPki {
            profile: profile.unwrap_or_default(),
            shape: self.us.then_some(CertificateShape::Us),
            curve: self.curve,
            region: self.region.clone(),
            start: self.start,
            years: self.years,
            validity_grid: self.validity_grid,
            token: self.token.clone(),
            token_label: self.token_label.clone(),
            implicit_issuers_in_files: self.implicit_issuers_in_files,
        };
        let directory = create(&self.dir, &new, || self.keys())?;
        let mut out = super::stdout();
        writeln!(out, "made {}:", self.dir.display())?;
        show::directory(&mut out, &directory)?;
        Ok(Answer::Yes)
    }

    fn keys(&self) -> Result<NewKeys, PkiError> {
        if self.plain_keys {
            return Ok(NewKeys::Plain);
        }
        Ok(match self.passphrase.chosen()? {
            Some(passphrase) => NewKeys::Encrypted(passphrase),
            None => NewKeys::Unencrypted,
        })
    }
}
