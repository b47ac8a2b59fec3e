//! Contents of a PKI and its certificates, read once for people and for programs.

use std::collections::HashSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CertificateType, EndEntityType, IssuerIdentifier,
    PsidGroupPermissions,
};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_pki_authorities::issuer::curve_of;
use waywarden_pki_authorities::pseudonyms;
use waywarden_pki_folder::directory::{PkiDirectory, certificate};
use waywarden_pki_folder::index::{CertificateShape, HolderRole, IndexEntry, KeyForm, show_id};
use waywarden_pki_folder::{permission, region};
use waywarden_v2x_input::certificates::id_of;
use waywarden_v2x_input::time;

/// A PKI.
#[derive(Serialize, JsonSchema)]
pub(super) struct Pki {
    path: PathBuf,
    shape: CertificateShape,
    keys: KeyForm,
    certificates: Vec<Issued>,
    vehicles: Vec<Vehicle>,
    revoked_vehicles: Vec<Vehicle>,
}

/// A vehicle with pseudonyms.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct Vehicle {
    pub(super) name: String,
    /// Since when they are revoked.
    pub(super) revoked: Option<String>,
}

/// A certificate of a PKI, with its files.
#[derive(Serialize, JsonSchema)]
struct Issued {
    holder: String,
    role: HolderRole,
    certificate: PathBuf,
    key: Option<PathBuf>,
    /// The URI of the key, if it is in a token.
    token: Option<String>,
    encryption_key: Option<PathBuf>,
    /// Since when it is revoked.
    revoked: Option<String>,
    #[serde(flatten)]
    own: Named,
}

/// A certificate, whose it is and by whom it was issued.
#[derive(Serialize, JsonSchema)]
pub(super) struct Named {
    /// The name in the certificate.
    pub(super) name: Option<String>,
    pub(super) id: String,
    /// The HashedId8 of the issuer; none for a root.
    pub(super) issuer: Option<String>,
    #[serde(flatten)]
    pub(super) contents: Summary,
}

/// Contents of a certificate.
#[derive(Serialize, JsonSchema)]
pub(super) struct Summary {
    pub(super) kind: &'static str,
    /// The curve of the key; none where it is implicit: it has its issuer's.
    pub(super) curve: Option<String>,
    pub(super) has_encryption_key: bool,
    pub(super) valid_from: String,
    pub(super) valid_until: String,
    pub(super) state: State,
    pub(super) region: Option<String>,
    pub(super) may_send: Option<Vec<String>>,
    pub(super) may_issue: Vec<String>,
    pub(super) may_request: Vec<String>,
}

/// Validity of a certificate now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum State {
    NotYet,
    Valid,
    Expired,
}

impl Pki {
    pub(super) fn of(directory: &PkiDirectory) -> Result<Self, Failure> {
        let issued = |entry: &IndexEntry| {
            Ok(Issued {
                holder: entry.name.clone(),
                role: entry.role,
                certificate: entry.certificate.clone(),
                key: entry.key.clone(),
                token: entry.token.clone(),
                encryption_key: entry.encryption_key.clone(),
                revoked: entry.revoked().map(time::show),
                own: of_entry(directory, entry)?,
            })
        };
        let certificates = directory.index.entries.iter().map(issued);
        let vehicles = vehicles(directory);
        let revoked = vehicles.iter().filter(|one| one.revoked.is_some()).cloned();
        Ok(Self {
            path: directory.path.clone(),
            shape: directory.index.shape,
            keys: directory.index.keys,
            certificates: certificates.collect::<Result<_, Failure>>()?,
            revoked_vehicles: revoked.collect(),
            vehicles,
        })
    }
}

/// Returns the vehicles with pseudonyms: those that are revoked, then the others. Where the
/// database cannot be read, a warning says so, for the index has the revoked ones.
pub(super) fn vehicles(directory: &PkiDirectory) -> Vec<Vehicle> {
    let revoked = directory.index.revoked_vehicles.iter();
    let mut vehicles: Vec<Vehicle> = revoked
        .map(|one| Vehicle {
            name: one.name.clone(),
            revoked: Some(time::show(one.revoked())),
        })
        .collect();
    match pseudonyms::vehicles(directory) {
        Ok(names) => {
            let revoked: HashSet<&str> = directory.index.revoked_names().collect();
            let others = names
                .into_iter()
                .filter(|name| !revoked.contains(name.as_str()));
            vehicles.extend(others.map(|name| Vehicle {
                name,
                revoked: None,
            }));
        }
        Err(failure) => {
            for line in failure.lines() {
                messages::warning(format_args!(
                    "vehicles are not shown: {}",
                    plain_lines(line)
                ));
            }
        }
    }
    vehicles
}

/// Reads the certificate of an entry, and checks that all its files are there.
pub(super) fn of_entry(directory: &PkiDirectory, entry: &IndexEntry) -> Result<Named, Failure> {
    let path = directory.file(&entry.certificate);
    let own = Named::of(&certificate(&path)?)?;
    if own.id != entry.id {
        return Err(Failure::new(format_args!(
            "{}: is not the certificate {} that the index names",
            path.display(),
            entry.id
        )));
    }
    for file in entry.key.iter().chain(&entry.encryption_key) {
        let path = directory.file(file);
        if !path.is_file() {
            let path = path.display();
            return Err(Failure::new(format_args!(
                "{path}: the private key is missing"
            )));
        }
    }
    Ok(own)
}

impl Named {
    pub(super) fn of(bytes: &[u8]) -> Result<Self, Failure> {
        let view: Certificate<'_> = parse(bytes).map_err(Failure::new)?;
        Ok(Self {
            name: match &view.to_be_signed.id {
                CertificateId::Name(name) => Some(name.as_str().to_owned()),
                _ => None,
            },
            id: id_of(&view).map_or("unknown".to_owned(), show_id),
            issuer: match view.issuer {
                IssuerIdentifier::SelfIssued(_) => None,
                IssuerIdentifier::Sha256AndDigest(id)
                | IssuerIdentifier::Sha384AndDigest(id)
                | IssuerIdentifier::Sm3AndDigest(id) => Some(show_id(id)),
            },
            contents: Summary::of(
                &view,
                curve_of(&[bytes.to_vec()])?.map(|one| format!("{one:?}")),
            ),
        })
    }
}

impl Summary {
    fn of(view: &Certificate<'_>, curve: Option<String>) -> Self {
        let own = &view.to_be_signed;
        let period = own.validity_period;
        let (start, end) = (period.start(), period.end());
        let now = time::now();
        let permissions = own.app_permissions.as_ref().map(|all| {
            let all = all.iter().flatten();
            all.map(|one| permission::show(&one)).collect()
        });
        let issues = own.cert_issue_permissions.iter().flatten().flatten();
        let requests = own.cert_request_permissions.iter().flatten().flatten();
        Self {
            kind: match view.kind {
                CertificateType::Implicit => "implicit",
                CertificateType::Explicit => "explicit",
            },
            curve,
            has_encryption_key: own.encryption_key.is_some(),
            valid_from: time::show(start),
            valid_until: time::show(end),
            state: match () {
                () if now < start => State::NotYet,
                () if now >= end => State::Expired,
                () => State::Valid,
            },
            region: own.region.as_ref().map(region::show),
            may_send: permissions,
            may_issue: issues.map(|group| group_text(&group)).collect(),
            may_request: requests.map(|group| group_text(&group)).collect(),
        }
    }
}

fn group_text(group: &PsidGroupPermissions<'_>) -> String {
    let least = group.min_chain_length;
    let lengths = match group.chain_length_range {
        -1 => format!("{least} or more"),
        0 => least.to_string(),
        range => format!("{least} to {}", least.saturating_add(range)),
    };
    let both =
        group.ee_type.contains(EndEntityType::APP) && group.ee_type.contains(EndEntityType::ENROL);
    let whom = match () {
        () if both => "messages and enrolment",
        () if group.ee_type.contains(EndEntityType::ENROL) => "enrolment",
        () => "messages",
    };
    format!(
        "{} (chain length {lengths}, for {whom})",
        permission::show_group(group)
    )
}
