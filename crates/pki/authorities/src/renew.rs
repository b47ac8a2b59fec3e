//! A new key and a new period for what a certificate says.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{HolderRole, IndexEntry};
use waywarden_pki_folder::key_store::KeyStoreChoice;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::token::TokenSource;
use waywarden_v2x_pki::Contents;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateType, Time64};

use crate::error::PkiError;
use crate::issue::NewPeriod;
use crate::issuer::curve_of;
use crate::order::{Issued, Order, fill};
use crate::specification::Specification;

/// Issues a certificate again: a new key, the same contents, a new period.
///
/// The newest certificate of `name`, or that of a HashedId8, is renewed by the newest one of its
/// issuer's name. The old certificate and its key stay.
///
/// # Errors
/// [`PkiError`] for a root, a certificate whose key is elsewhere, a wrong passphrase, and for what
/// the operating system refuses; nothing is written then.
pub fn renew(
    folder: &Path,
    name: &str,
    period: NewPeriod,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
) -> Result<Issued, PkiError> {
    let directory = PkiDirectory::open_to_change(folder)?;
    let (issuer, order) = order(&directory, name, period)?;
    let notes = &mut crate::note::ignore;
    Ok(fill(directory, &issuer, &order, passphrases, token, notes)?)
}

/// Returns who renews a certificate, and what it says.
fn order(
    directory: &PkiDirectory,
    name: &str,
    period: NewPeriod,
) -> Result<(IndexEntry, Order), Failure> {
    let entry = directory.entry(name)?;
    let path = directory.file(&entry.certificate);
    let wrong = |why: &str| Failure::new(format_args!("{}: {why}", path.display()));
    let issuer = entry
        .issuer
        .as_deref()
        .and_then(|id| directory.index.of_id(id));
    let issuer = issuer.ok_or_else(|| {
        wrong("issuer: a root cannot be renewed; make a new PKI with `waywarden pki init`")
    })?;
    let issuer_start = start_of(directory, issuer)?;
    // An issuer that was renewed itself issues with its new certificate.
    let issuer = directory.entry(&issuer.name)?;
    if entry.key.is_none() && entry.token.is_none() {
        return Err(wrong(
            "its private key is elsewhere; issue again with `waywarden pki issue --public`",
        ));
    }
    let bytes = certificate(&path)?;
    let old: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
    let own = &old.to_be_signed;
    let contents = Contents::of(own).map_err(|error| wrong(&error.to_string()))?;
    let before = match entry.role {
        HolderRole::Station => directory
            .index
            .grid()
            .renewed(issuer_start, own.validity_period),
        _ => contents.duration,
    };
    let validity = period.validity.unwrap_or(before);
    let order = Order {
        specification: Specification {
            region: contents.region,
            permissions: contents.permissions,
            issues: contents.issues,
            requests: contents.requests,
            encryption_key: contents.encryption_key.is_some(),
            ..Specification::new(&entry.name, entry.role, None, validity)
        },
        curve: curve_of(std::slice::from_ref(&bytes))?,
        start: period.start,
        is_implicit: old.kind == CertificateType::Implicit,
        public: None,
        count: 1,
        key_store: KeyStoreChoice::default(),
    };
    Ok((issuer.clone(), order))
}

/// Returns from when a certificate of the PKI is valid.
fn start_of(directory: &PkiDirectory, entry: &IndexEntry) -> Result<Time64, Failure> {
    let bytes = certificate(&directory.file(&entry.certificate))?;
    let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
    Ok(view.to_be_signed.validity_period.start())
}
