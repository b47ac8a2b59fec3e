//! `waywarden pki renew`: a new key and a new period for what a certificate says.

use std::path::PathBuf;

use waywarden_v2x_pki::Contents;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateType, Time64};

use super::issue::{Order, Period, fill};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_authorities::issuer::curve_of;
use waywarden_pki_authorities::specification::Specification;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{HolderRole, IndexEntry};
use waywarden_pki_folder::key_store::KeyStoreChoice;
use waywarden_pki_folder::passphrase::PassphraseSource;
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
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let entry = directory.entry(&self.name)?;
        let path = directory.file(&entry.certificate);
        let wrong = |why: &str| Failure::new(format_args!("{}: {why}", path.display()));
        let issuer = entry
            .issuer
            .as_deref()
            .and_then(|id| directory.index.of_id(id));
        let issuer = issuer.ok_or_else(|| {
            wrong("issuer: a root cannot be renewed; make a new PKI with `waywarden pki init`")
        })?;
        let issuer_start = start_of(&directory, issuer)?;
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
        let validity = self.period.validity.unwrap_or(before);
        let is_implicit = old.kind == CertificateType::Implicit;
        let order = Order {
            issuer,
            specification: Specification {
                region: contents.region,
                permissions: contents.permissions,
                issues: contents.issues,
                requests: contents.requests,
                encryption_key: contents.encryption_key.is_some(),
                ..Specification::new(&entry.name, entry.role, None, validity)
            },
            curve: curve_of(std::slice::from_ref(&bytes))?,
            start: self.period.start,
            is_implicit,
            public: None,
            count: 1,
            key_store: KeyStoreChoice::default(),
        };
        fill(&directory, &order, &self.passphrase, &self.token)
    }
}

/// Returns from when a certificate of the PKI is valid.
fn start_of(directory: &PkiDirectory, entry: &IndexEntry) -> Result<Time64, Failure> {
    let bytes = certificate(&directory.file(&entry.certificate))?;
    let view: Certificate<'_> = parse(&bytes).map_err(Failure::new)?;
    Ok(view.to_be_signed.validity_period.start())
}
