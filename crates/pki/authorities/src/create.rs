//! The authorities of a new PKI.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_ecverify::Curve;
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, Index, KeyForm};
use waywarden_pki_folder::key_file::KeyWriter;
use waywarden_pki_folder::passphrase::Passphrase;
use waywarden_pki_folder::token::{NO_IMPLICIT, TokenSource};
use waywarden_pki_folder::validity::YEARS_MAX;
use waywarden_pki_folder::{folder_lock, recorded, transaction, validity};
use waywarden_v2x_input::time;
use waywarden_v2x_pki::{Authority, Region, ValidityGrid};
use waywarden_v2x_security::Verified;
use waywarden_v2x_token::TokenSelector;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};

use crate::error::PkiError;
use crate::issuer::{Subject, Workshop};
use crate::profile::{Profile, YEARS};
use crate::specification::{Specification, authorities};

/// A PKI to be made. What is not given is as the profile says, or the default.
#[derive(Debug, Default)]
pub struct NewPki {
    /// The authorities, and their settings.
    pub profile: Profile,
    /// The standard that the PKI follows.
    pub shape: Option<CertificateShape>,
    /// The curve of the keys.
    pub curve: Option<CurveName>,
    /// Region in which the root's certificate is valid, and so all others.
    pub region: Option<Region>,
    /// Start of the certificates' validity.
    pub start: Option<Time64>,
    /// Validity of the root: 1 to 100 years.
    pub years: Option<u16>,
    /// Grid on which certificates of stations begin and end.
    pub validity_grid: Option<ValidityGrid>,
    /// The token for the signing keys; by default they go to files.
    pub token: TokenSource,
    /// Label of the token, where several are present.
    pub token_label: Option<String>,
    /// True if the key of a pseudonym CA, which issues implicit certificates, goes to a file
    /// although there is a token.
    pub implicit_issuers_in_files: bool,
}

/// The form of the keys of a new PKI.
pub enum NewKeys {
    /// PKCS#8, encrypted under this passphrase (PBES2, scrypt, AES-256-CBC).
    Encrypted(Passphrase),
    /// PKCS#8, not encrypted.
    Unencrypted,
    /// The bytes of the scalar, as ETSI's test suite has them.
    Plain,
}

/// Makes the authorities of a new PKI in a folder, each with a key and a certificate. `keys` is
/// asked once the folder is known to be free.
///
/// The folder appears when it is whole, or not at all.
///
/// # Errors
/// [`PkiError`] for a folder that is not empty, for values that certificates cannot have, for what
/// `keys` returns, and for what the operating system refuses.
pub fn create(
    folder: &Path,
    new: &NewPki,
    keys: impl FnOnce() -> Result<NewKeys, PkiError>,
) -> Result<PkiDirectory, PkiError> {
    let profile = &new.profile;
    let shape = new.shape.or(profile.shape).unwrap_or_default();
    let start = new.start.or(profile.start.as_ref().map(|start| start.0));
    let grid = profile.validity_grid.as_ref().map(|grid| grid.0);
    let grid = new.validity_grid.or(grid);
    let start = start.unwrap_or_else(|| default_start(shape, grid.unwrap_or_default()));
    let start = validity::start(start).map_err(Failure::new)?;
    let specifications = new.specifications(shape)?;
    check_curves(shape, &specifications)?;
    new.check_token(&specifications, shape)?;
    check_free(folder)?;
    let parent = transaction::parent(folder);
    let _lock = folder_lock::lock(parent)?;
    check_free(folder)?;
    let keys = keys()?;
    let (form, writer) = match &keys {
        NewKeys::Encrypted(passphrase) => (KeyForm::Encrypted, KeyWriter::Encrypted(passphrase)),
        NewKeys::Unencrypted => (KeyForm::Unencrypted, KeyWriter::Unencrypted),
        NewKeys::Plain => (KeyForm::Plain, KeyWriter::Plain),
    };
    let mut workshop = Workshop::new(writer)?;
    if new.token.module().is_some() {
        let selector = TokenSelector {
            label: new.token_label.clone(),
            serial: None,
        };
        workshop.store.add_token(new.token.open(&selector)?);
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
    let written = transaction::create(folder, &workshop.files, &index);
    if written.is_ok() || Index::read(folder).is_ok() {
        workshop.store.keep();
    }
    written?;
    recorded::open(folder, &index).map_err(|failure| recorded::decided(&failure))?;
    Ok(PkiDirectory::open(folder)?)
}

impl NewPki {
    fn specifications(&self, shape: CertificateShape) -> Result<Vec<Specification>, Failure> {
        let profile = &self.profile;
        let years = self.years.or(profile.years).unwrap_or(YEARS);
        if !(1..=YEARS_MAX).contains(&years) {
            return Err(Failure::new(format_args!(
                "--years: {years}; give 1 to {YEARS_MAX}"
            )));
        }
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
        Ok(specifications)
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
