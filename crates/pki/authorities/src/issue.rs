//! Certificates of stations, of further authorities and of those who enrol.

use std::path::{Path, PathBuf};

use waywarden_command_line::exit::Failure;
use waywarden_ecverify::Curve;
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{self, CertificateShape, HolderRole};
use waywarden_pki_folder::key_store::KeyStoreChoice;
use waywarden_pki_folder::passphrase::Passphrases;
use waywarden_pki_folder::permission::{PsidPermission, Range, default_range, permission};
use waywarden_pki_folder::token::TokenSource;
use waywarden_v2x_pki::{PermissionRange, Region, SspPermission};
use waywarden_v2x_wire::ieee1609dot2::{Duration, EndEntityType, Psid, Time64};

use crate::error::PkiError;
use crate::note::Notes;
use crate::order::{Issued, Order, fill};
use crate::profile::StationTable;
use crate::specification::{self, Specification, group};

/// The most certificates of one call.
pub const COUNT_MAX: u32 = 10_000;

/// Default validity of a station's certificate: the current week and the next one, so that a week
/// of use is left on any day.
const STATION_VALIDITY: Duration = Duration::Hours(2 * 168);

/// Default validity of a further authority, and of an enrolment credential.
const LONG_VALIDITY: Duration = Duration::Years(3);

/// Validity period of a certificate.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewPeriod {
    /// Start of the validity. Default: now; of an authority the beginning of the current cell of
    /// the PKI's grid.
    pub start: Option<Time64>,
    /// Longest validity.
    pub validity: Option<Duration>,
}

/// Form of a station's certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CertificateForm {
    /// Implicit in an American PKI, unless the key is given or has its own curve; else explicit.
    #[default]
    OfShape,
    /// Implicit (ECQV).
    Implicit,
    /// Explicit.
    Explicit,
}

/// Certificates to be issued to a station, or one to a further authority.
#[derive(Debug)]
pub struct NewCertificates {
    /// Name of the holder in commands; a station's certificate does not have it.
    pub name: String,
    /// Settings for what is not given; none of an authority.
    pub station: StationTable,
    /// Name of the authority that issues. Default: the newest that issues tickets.
    pub issuer: Option<String>,
    /// Messages that the holder may send. Default: CAM and DENM, or BSM.
    pub permissions: Vec<PsidPermission>,
    /// Form of the certificates.
    pub form: CertificateForm,
    /// Number of certificates, each with a key of its own: 1 to 10,000.
    pub count: u32,
    /// Validity period.
    pub period: NewPeriod,
    /// Region in which they are valid. Default: that of the issuer.
    pub region: Option<Region>,
    /// The curve of the keys. Default: that of the issuer.
    pub curve: Option<CurveName>,
    /// True if each has a key to encrypt to, too.
    pub encryption_key: bool,
    /// File with the holder's public key, whose private key is elsewhere.
    pub public: Option<PathBuf>,
    /// True if the holder issues certificates to stations.
    pub is_authority: bool,
    /// Applications that such an authority may issue. Default: CAM and DENM, or BSM.
    pub issues: Vec<Range>,
    /// The store that signs.
    pub key_store: KeyStoreChoice,
}

impl NewCertificates {
    /// One certificate of a station with the default contents.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            station: StationTable::default(),
            issuer: None,
            permissions: Vec::new(),
            form: CertificateForm::OfShape,
            count: 1,
            period: NewPeriod::default(),
            region: None,
            curve: None,
            encryption_key: false,
            public: None,
            is_authority: false,
            issues: Vec::new(),
            key_store: KeyStoreChoice::default(),
        }
    }
}

/// An enrolment credential to be issued.
#[derive(Clone, Debug)]
pub struct NewCredential {
    /// Name of the holder, in commands and in the certificate.
    pub name: String,
    /// Name of the authority that issues. Default: the enrolment authority.
    pub issuer: Option<String>,
    /// Validity period; three years by default.
    pub period: NewPeriod,
    /// Region in which it is valid. Default: that of the issuer.
    pub region: Option<Region>,
    /// The curve of the key. Default: that of the issuer.
    pub curve: Option<CurveName>,
}

/// Issues certificates to a station, or to a further authority.
///
/// # Errors
/// [`PkiError`] for what the issuer may not give, with the name of the field, for a wrong
/// passphrase, and for what the operating system refuses; nothing is written then.
pub fn issue(
    folder: &Path,
    new: &NewCertificates,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
    notes: Notes<'_>,
) -> Result<Issued, PkiError> {
    new.check()?;
    let directory = PkiDirectory::open_to_change(folder)?;
    let shape = directory.index.shape;
    check_name(&directory, &new.name, new.role())?;
    let station = &new.station;
    let named = station.issuer.as_ref().map(|name| name.0.as_str());
    let named = new.issuer.as_deref().or(named);
    let issuer = directory.issuer(named, HolderRole::Authorization)?.clone();
    let default = match new.is_authority {
        true => LONG_VALIDITY,
        false => STATION_VALIDITY,
    };
    let validity = station.validity.as_ref().map(|validity| validity.0);
    let validity = new.period.validity.or(validity).unwrap_or(default);
    let region = station.region.as_ref().map(|region| region.0.clone());
    let wants_key = new.encryption_key || station.encryption_key;
    let specification = Specification {
        region: new.region.clone().or(region),
        encryption_key: new.is_authority || (wants_key && new.public.is_none()),
        permissions: new.permissions(shape),
        issues: match new.is_authority {
            true => vec![group(new.ranges(shape), 1, 0, EndEntityType::APP)],
            false => Vec::new(),
        },
        ..Specification::new(&new.name, new.role(), None, validity)
    };
    let curve = new.curve.or(station.curve);
    // Implicit certificates have their issuer's curve.
    let is_explicit = new.form == CertificateForm::Explicit
        || new.public.is_some()
        || new.is_authority
        || curve.is_some();
    let is_implicit = new.form == CertificateForm::Implicit;
    let order = Order {
        specification,
        curve: curve.map(Curve::from),
        start: new.period.start,
        is_implicit: is_implicit || (shape == CertificateShape::Us && !is_explicit),
        public: new.public.clone(),
        count: new.count,
        key_store: new.key_store.clone(),
    };
    Ok(fill(directory, &issuer, &order, passphrases, token, notes)?)
}

/// Issues an enrolment credential to a station.
///
/// # Errors
/// As [`issue`].
pub fn enrol(
    folder: &Path,
    new: &NewCredential,
    passphrases: &mut Passphrases<'_>,
    token: &TokenSource,
) -> Result<Issued, PkiError> {
    let directory = PkiDirectory::open_to_change(folder)?;
    check_name(&directory, &new.name, HolderRole::Credential)?;
    let validity = new.period.validity.unwrap_or(LONG_VALIDITY);
    let issuer = directory.issuer(new.issuer.as_deref(), HolderRole::Enrolment)?;
    let issuer = issuer.clone();
    let (permissions, requests) = specification::credential(directory.index.shape);
    let order = Order {
        specification: Specification {
            region: new.region.clone(),
            permissions,
            requests,
            ..Specification::new(&new.name, HolderRole::Credential, None, validity)
        },
        curve: new.curve.map(Curve::from),
        start: new.period.start,
        is_implicit: false,
        public: None,
        count: 1,
        key_store: KeyStoreChoice::default(),
    };
    let notes = &mut crate::note::ignore;
    Ok(fill(directory, &issuer, &order, passphrases, token, notes)?)
}

impl NewCertificates {
    fn role(&self) -> HolderRole {
        match self.is_authority {
            true => HolderRole::Authorization,
            false => HolderRole::Station,
        }
    }

    /// Checks that the number is in range, and that no two settings contradict each other.
    fn check(&self) -> Result<(), Failure> {
        let count = self.count;
        let own_key = self.public.is_some();
        let is_implicit = self.form == CertificateForm::Implicit;
        let wrong = match () {
            () if !(1..=COUNT_MAX).contains(&count) => {
                format!("--count: {count}; give 1 to {COUNT_MAX}")
            }
            () if self.is_authority && !self.permissions.is_empty() => {
                "--psid: an authority sends no messages; give --issues, or leave --authority out"
                    .to_owned()
            }
            () if self.is_authority && (count > 1 || own_key) => {
                "--authority: has one certificate, with a new key; leave --count and --public out"
                    .to_owned()
            }
            () if !self.is_authority && !self.issues.is_empty() => {
                "--issues: only authorities issue; give --authority, too".to_owned()
            }
            () if own_key && (count > 1 || self.encryption_key) => {
                "--public: is for one certificate with one key; leave --count and \
                 --encryption-key out"
                    .to_owned()
            }
            () if is_implicit && (own_key || self.is_authority || self.curve.is_some()) => {
                "--implicit: such a certificate has a new key on the curve of its issuer, and \
                 issues none; leave --public, --authority and --curve out"
                    .to_owned()
            }
            () => return Ok(()),
        };
        Err(Failure::new(wrong))
    }

    fn permissions(&self, shape: CertificateShape) -> Vec<(Psid, SspPermission)> {
        let texts: &[&str] = match (self.is_authority, shape) {
            (true, CertificateShape::Etsi) => &["SCR:0132"],
            (true, CertificateShape::Us) => &["SCMS"],
            (false, CertificateShape::Etsi) => &["CAM", "DENM"],
            (false, CertificateShape::Us) => &["BSM"],
        };
        let default = texts.iter().filter_map(|text| permission(text).ok());
        let given = self.permissions.iter().cloned();
        let of_profile = self.station.permissions.iter().map(|one| one.0.clone());
        let all: Vec<PsidPermission> = match (self.permissions.is_empty(), of_profile.len()) {
            (false, _) => given.collect(),
            (true, 0) => default.collect(),
            (true, _) => of_profile.collect(),
        };
        all.into_iter().map(|one| (one.0, one.1)).collect()
    }

    fn ranges(&self, shape: CertificateShape) -> Vec<(Psid, PermissionRange)> {
        let default: &[u64] = match shape {
            CertificateShape::Etsi => &[36, 37],
            CertificateShape::Us => &[32],
        };
        match self.issues.is_empty() {
            true => {
                let default = default.iter().map(|psid| Psid(*psid));
                default.map(|psid| (psid, default_range(psid))).collect()
            }
            false => {
                let issues = self.issues.iter();
                issues.map(|one| (one.0, one.1.clone())).collect()
            }
        }
    }
}

/// Checks that a name can be a folder's, and is one holder's: its certificates of another role need
/// another name.
fn check_name(directory: &PkiDirectory, name: &str, role: HolderRole) -> Result<(), Failure> {
    index::name(name).map_err(|why| Failure::new(format_args!("--name: {why}")))?;
    let entries = directory.index.entries.iter();
    let other = entries
        .filter(|one| one.name == name)
        .find(|one| one.role != role);
    match other {
        None => Ok(()),
        Some(other) => Err(Failure::new(format_args!(
            "--name {name}: is the name of {} {}; give another name",
            other.role.show(directory.index.shape),
            other.id
        ))),
    }
}
