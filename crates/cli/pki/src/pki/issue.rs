//! `waywarden pki issue`: certificates of stations and further authorities.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use waywarden_v2x_pki::Region;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};

use super::show;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::progress::ProgressLine;
use waywarden_pki_authorities::profile::Profile;
use waywarden_pki_authorities::{
    COUNT_MAX, CertificateForm, Issued, NewCertificates, NewPeriod, Note, issue,
};
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::index::name;
use waywarden_pki_folder::key_store::KeyStoreChoice;
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::permission::{PsidPermission, Range, permission, range};
use waywarden_pki_folder::token::TokenSource;
use waywarden_pki_folder::{region, validity};
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  waywarden pki issue my-pki --name car1                   # CAM and DENM, this week and the next
  waywarden pki issue my-pki --name car1 --count 20 --validity 168h
  waywarden pki issue my-pki --name police --psid CAM:010200 --psid DENM
  waywarden pki issue my-pki --name city --region circle:48.137,11.575,5000
  waywarden pki issue my-pki --name light --profile examples/v2x/pki.toml
  waywarden pki issue my-pki --name aa2 --issuer root --authority --issues CAM --validity 3y
  waywarden pki issue my-pki --name chip --public chip.der  # a key from elsewhere";

/// Issue certificates to stations, or to a further authority.
///
/// Certificates of stations are valid for whole weeks, or cells of `pki init --validity-grid`, from
/// the one in which --start lies: no validity period tells one vehicle from another. Less than
/// --validity may be left: ask for one cell more than you need. Without --validity it is two weeks,
/// of an authority three years.
///
/// What the issuer may not give is refused with the name of the field, and nothing is written. In
/// a PKI made with --us the certificates are implicit unless --explicit is given.
///
/// Exit code 0 if all were issued, 2 if none was.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("signer").args(["key_store", "token"]))]
pub(crate) struct Issue {
    /// The folder of the PKI.
    dir: PathBuf,
    /// Name of the holder in commands; a station's certificate does not have it.
    #[arg(long, value_parser = name)]
    name: String,
    /// A profile whose table `[station]` says what is not given as an option.
    #[arg(long, value_name = "FILE", conflicts_with = "authority")]
    profile: Option<PathBuf>,
    /// The name of the authority that issues [default: the authorization authority, pseudonym CA].
    #[arg(long)]
    issuer: Option<String>,
    /// An application that the holder may send, by name or number, and its permissions as
    /// hexadecimal digits. May be given more than once [default: CAM and DENM, or BSM].
    #[arg(long, value_name = "APPLICATION[:BITMAP]", value_parser = permission)]
    psid: Vec<PsidPermission>,
    /// An implicit certificate (ECQV, IEEE 1609.2).
    #[arg(long, conflicts_with_all = ["explicit", "public", "authority", "curve"])]
    implicit: bool,
    /// An explicit certificate, also in a PKI made with --us.
    #[arg(long)]
    explicit: bool,
    /// Number of certificates, each with a key of its own.
    #[arg(long, default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(COUNT_MAX)))]
    count: u32,
    #[command(flatten)]
    period: Period,
    /// Region in which the certificate is valid [default: that of the issuer].
    #[arg(long, value_parser = region::parse)]
    region: Option<Region>,
    /// The curve of the key [default: that of the issuer].
    #[arg(long, value_enum)]
    curve: Option<CurveName>,
    /// Give the certificate a key to encrypt to, too.
    #[arg(long)]
    encryption_key: bool,
    /// The holder's public key, from elsewhere: a point or SubjectPublicKeyInfo (DER). That the
    /// holder has the private key is for you to check.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "encryption_key"])]
    public: Option<PathBuf>,
    /// The holder issues certificates to stations.
    #[arg(long, conflicts_with_all = ["psid", "count", "public"])]
    authority: bool,
    /// An application that such an authority may issue, and value and mask of its permissions. May
    /// be given more than once [default: CAM and DENM, or BSM].
    #[arg(long, value_name = "APPLICATION[:VALUE/MASK]", value_parser = range)]
    #[arg(requires = "authority")]
    issues: Vec<Range>,
    #[command(flatten)]
    key_store: KeyStoreChoice,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    token: TokenSource,
}

/// Validity period of a certificate.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Period {
    /// Start of the validity, such as 2026-03-01T12:00:00Z [default: now; of an authority the
    /// beginning of the current cell of the PKI's grid].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    pub(crate) start: Option<Time64>,
    /// Longest validity, such as 168h, 7d or 3y.
    #[arg(long, value_name = "DURATION", value_parser = validity::duration)]
    pub(crate) validity: Option<Duration>,
}

impl Period {
    /// Returns it as the library takes it.
    pub(crate) fn as_new(&self) -> NewPeriod {
        NewPeriod {
            start: self.start,
            validity: self.validity,
        }
    }
}

impl Issue {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let profile = self.profile.as_deref().map(Profile::read).transpose()?;
        let new = NewCertificates {
            name: self.name.clone(),
            station: profile.unwrap_or_default().station,
            issuer: self.issuer.clone(),
            permissions: self.psid.clone(),
            form: match (self.implicit, self.explicit) {
                (true, _) => CertificateForm::Implicit,
                (false, true) => CertificateForm::Explicit,
                (false, false) => CertificateForm::OfShape,
            },
            count: self.count,
            period: self.period.as_new(),
            region: self.region.clone(),
            curve: self.curve,
            encryption_key: self.encryption_key,
            public: self.public.clone(),
            is_authority: self.authority,
            issues: self.issues.clone(),
            key_store: self.key_store.clone(),
        };
        let mut passphrases = Passphrases::new(&self.passphrase);
        let mut progress = ProgressLine::new("certificates", self.count as usize);
        let mut begun = None;
        let mut note = |note: Note| match note {
            Note::Progress { done, .. } => {
                let begun = begun.get_or_insert_with(Instant::now);
                if let Some(line) = progress.line(begun.elapsed(), done) {
                    messages::status(line);
                }
            }
            other => super::print(&other),
        };
        let issued = issue(&self.dir, &new, &mut passphrases, &self.token, &mut note)?;
        shown(&issued)
    }
}

/// Shows what was issued.
pub(crate) fn shown(issued: &Issued) -> Result<Answer, Failure> {
    let mut out = super::stdout();
    for entry in issued.entries() {
        show::entry(&mut out, &issued.directory, entry, 0)?;
    }
    out.flush()?;
    Ok(Answer::Yes)
}
