//! `waywarden pki init`: the authorities of a new PKI.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use waywarden_ecverify::Curve;
use waywarden_v2x_pki::{Authority, Region, ValidityGrid};
use waywarden_v2x_security::Verified;
use waywarden_v2x_token::TokenSelector;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};

use super::show;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_authorities::issuer::{Subject, Workshop};
use waywarden_pki_authorities::profile::{Profile, YEARS};
use waywarden_pki_authorities::specification::{Specification, authorities};
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, Index, KeyForm};
use waywarden_pki_folder::key_file::KeyWriter;
use waywarden_pki_folder::passphrase::{NewPassphrase, Passphrase};
use waywarden_pki_folder::token::{NO_IMPLICIT, TokenSource};
use waywarden_pki_folder::validity::YEARS_MAX;
use waywarden_pki_folder::{recorded, region, transaction, validity};
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
        let profile = profile.unwrap_or_default();
        let shape = match self.us {
            true => CertificateShape::Us,
            false => profile.shape.unwrap_or_default(),
        };
        let start = self.start.or(profile.start.as_ref().map(|start| start.0));
        let grid = self.validity_grid;
        let grid = grid.or(profile.validity_grid.as_ref().map(|grid| grid.0));
        let start = start.unwrap_or_else(|| default_start(shape, grid.unwrap_or_default()));
        let start = validity::start(start).map_err(Failure::new)?;
        let specifications = self.specifications(&profile, shape);
        check_curves(shape, &specifications)?;
        self.check_token(&specifications, shape)?;
        check_free(&self.dir)?;
        let parent = transaction::parent(&self.dir);
        let _lock = transaction::lock(parent)?;
        check_free(&self.dir)?;
        let passphrase = self.chosen()?;
        let (form, writer) = match (&passphrase, self.plain_keys) {
            (Some(passphrase), _) => (KeyForm::Encrypted, KeyWriter::Encrypted(passphrase)),
            (None, false) => (KeyForm::Unencrypted, KeyWriter::Unencrypted),
            (None, true) => (KeyForm::Plain, KeyWriter::Plain),
        };
        let mut workshop = Workshop::new(writer)?;
        if self.token.module().is_some() {
            let selector = TokenSelector {
                label: self.token_label.clone(),
                serial: None,
            };
            workshop.store.add_token(self.token.open(&selector)?);
        }
        let mut index = Index::new(shape, form).with_grid(grid);
        let mut made: Vec<(&str, Authority)> = Vec::new();
        for specification in &specifications {
            let authority = match &specification.issuer {
                None => workshop.root(&mut index, specification, start)?,
                Some(issuer) => {
                    let issuer = made.iter().find(|(name, _)| name == issuer);
                    let (_, issuer) = issuer.ok_or_else(|| Failure::new("an issuer is missing"))?;
                    let subject = Subject::New;
                    let (key, certificate) =
                        workshop.issue(&mut index, issuer, specification, start, subject)?;
                    let own = issuer.credential().certificate();
                    let above = own.chain().map(Verified::bytes);
                    let chain: Vec<&[u8]> = [&certificate[..]].into_iter().chain(above).collect();
                    let key = key.ok_or_else(|| Failure::new("an authority has no key"))?;
                    Authority::new(&workshop.store, key, &chain).map_err(Failure::new)?
                }
            };
            made.push((&specification.name, authority));
        }
        let written = transaction::create(&self.dir, &workshop.files, &index);
        if written.is_ok() || Index::read(&self.dir).is_ok() {
            workshop.store.keep();
        }
        written?;
        recorded::open(&self.dir, &index).map_err(|failure| recorded::decided(&failure))?;
        let mut out = super::stdout();
        writeln!(out, "made {}:", self.dir.display())?;
        show::directory(&mut out, &PkiDirectory::open(&self.dir)?)?;
        Ok(Answer::Yes)
    }

    fn specifications(&self, profile: &Profile, shape: CertificateShape) -> Vec<Specification> {
        let years = self.years.or(profile.years).unwrap_or(YEARS);
        let named = profile.authorities(Duration::Years(years));
        let mut specifications = match named.is_empty() {
            true => authorities(shape, years),
            false => named,
        };
        for (at, specification) in specifications.iter_mut().enumerate() {
            let of_profile = profile.curve.filter(|_| !profile.has_curve(at));
            if let Some(curve) = self.curve.or(of_profile) {
                specification.curve = Curve::from(curve);
            }
        }
        let region = profile.region.as_ref().map(|region| region.0.clone());
        if let (Some(region), Some(root)) =
            (self.region.clone().or(region), specifications.first_mut())
        {
            root.region = Some(region);
        }
        specifications
    }

    /// The key of an authority that issues implicit certificates has no place in a token.
    fn check_token(
        &self,
        specifications: &[Specification],
        shape: CertificateShape,
    ) -> Result<(), Failure> {
        let mut issuers = specifications.iter();
        let issuer = issuers.find(|one| one.role == HolderRole::Authorization);
        match issuer {
            Some(issuer)
                if shape == CertificateShape::Us
                    && self.token.module().is_some()
                    && !self.implicit_issuers_in_files =>
            {
                Err(Failure::new(format_args!(
                    "--us --token: {}: {NO_IMPLICIT}; give --implicit-issuers-in-files to keep its \
                     key in a file, and the keys of the other authorities in the token",
                    issuer.name
                )))
            }
            _ => Ok(()),
        }
    }

    fn chosen(&self) -> Result<Option<Passphrase>, Failure> {
        match self.plain_keys {
            true => Ok(None),
            false => self.passphrase.chosen(),
        }
    }
}

/// Checks that the pseudonym CAs of the American shape can issue implicit certificates, as they do
/// by default: these have curves of 256 bits \[1609.2 §6.4.36\].
fn check_curves(shape: CertificateShape, specifications: &[Specification]) -> Result<(), Failure> {
    let issues_implicit = |one: &&Specification| one.role == HolderRole::Authorization;
    let mut issuers = specifications.iter().filter(issues_implicit);
    let is_long = |one: &&Specification| one.curve.field_bytes() > 32;
    match issuers.find(is_long) {
        Some(issuer) if shape == CertificateShape::Us => Err(Failure::new(format_args!(
            "{}: issues implicit certificates, which have curves of 256 bits, and its curve is \
             {:?}; give --curve p256 or brainpool-p256r1, or leave out --us",
            issuer.name, issuer.curve
        ))),
        _ => Ok(()),
    }
}

/// Returns the default start of certificates: the beginning of the current cell of the grid, so
/// that certificates of stations begin with it, too; in an American PKI that of the current week,
/// so that there can be pseudonyms of this week.
fn default_start(shape: CertificateShape, grid: ValidityGrid) -> Time64 {
    let now = time::now();
    let grid = match shape {
        CertificateShape::Us => ValidityGrid::WEEK,
        CertificateShape::Etsi => grid,
    };
    // A time that certificates cannot have is refused by its name.
    let cell = validity::start(now).map(|now| grid.cell_start(now));
    cell.map_or(now, |cell| Time64(u64::from(cell.0) * 1_000_000))
}

/// Checks that a folder can be made at this place.
fn check_free(dir: &Path) -> Result<(), Failure> {
    let wrong = |why: &str| Err(Failure::new(format_args!("{}: {why}", dir.display())));
    if dir.file_name().is_none() {
        return wrong("no name for a new folder");
    }
    match std::fs::read_dir(dir) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => wrong("is there and not empty; give the name of a new folder"),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::file(dir.display(), &error)),
    }
}
