//! `pki.toml`: which certificate is whose, and where its files are. It has no secret.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waywarden_v2x_pki::ValidityGrid;
use waywarden_v2x_token::KeyUri;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

pub use super::key_form::KeyForm;
use super::latest::{LatestCrl, LatestCtlFile, LatestLinkedCrl, NumberedList};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_v2x_input::records;

/// The name of the index in the folder of a PKI.
pub const INDEX: &str = "pki.toml";

/// The folder with the certificates of authorities.
pub const TRUST: &str = "trust";

/// The folder with the folders of stations.
pub const STATIONS: &str = "stations";

/// The name of the folder with the keys.
pub const KEYS: &str = "keys";

/// The version of the index that this program writes and reads.
const VERSION: u32 = 1;

/// The role of a certificate's holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HolderRole {
    /// The trust anchor.
    Root,
    /// Issues authorities.
    Intermediate,
    /// Issues enrolment credentials.
    Enrolment,
    /// Issues tickets, or pseudonyms, to stations.
    Authorization,
    /// Takes requests for batches of pseudonyms.
    Registration,
    /// Makes linkage values of pseudonyms.
    Linkage,
    /// Signs revocation lists.
    CrlSigner,
    /// A station's, to ask for certificates with.
    Credential,
    /// A station's, for messages.
    Station,
}

impl HolderRole {
    /// Returns true if the holder is a part of the PKI.
    pub fn is_authority(self) -> bool {
        !matches!(self, Self::CrlSigner | Self::Credential | Self::Station)
    }

    /// Returns true if the holder issues certificates.
    pub fn issues(self) -> bool {
        self.is_authority() && !matches!(self, Self::Registration | Self::Linkage)
    }

    /// Writes the role as ETSI (`etsi`) or IEEE calls it.
    pub fn show(self, shape: CertificateShape) -> &'static str {
        match (self, shape) {
            (Self::Root, _) => "root CA",
            (Self::Intermediate, _) => "intermediate CA",
            (Self::Enrolment, CertificateShape::Etsi) => "enrolment authority",
            (Self::Enrolment, CertificateShape::Us) => "enrolment CA",
            (Self::Authorization, CertificateShape::Etsi) => "authorization authority",
            (Self::Authorization, CertificateShape::Us) => "pseudonym CA",
            (Self::Registration, _) => "registration authority",
            (Self::Linkage, _) => "linkage authority",
            (Self::CrlSigner, _) => "CRL generator",
            (Self::Credential, CertificateShape::Etsi) => "enrolment credential",
            (Self::Credential, CertificateShape::Us) => "enrolment certificate",
            (Self::Station, CertificateShape::Etsi) => "authorization ticket",
            (Self::Station, CertificateShape::Us) => "pseudonym certificate",
        }
    }
}

/// The standard that a PKI follows.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CertificateShape {
    /// ETSI TS 103 097 and TS 102 941.
    #[default]
    Etsi,
    /// IEEE 1609.2 as in America, with implicit certificates.
    Us,
}

/// One certificate of the PKI.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexEntry {
    /// Name of the holder in commands.
    pub name: String,
    /// Role of the holder.
    pub role: HolderRole,
    /// HashedId8 of the certificate.
    pub id: String,
    /// The HashedId8 of the issuer's certificate; none for a root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The certificate, below the folder of the PKI, as the following.
    pub certificate: PathBuf,
    /// The private key; none for a public key that came from elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// The private key in a PKCS#11 token, as a URI \[RFC 7512\], in the place of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The private key that decrypts, if the certificate has an encryption key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encryption_key: Option<PathBuf>,
    /// Time of revocation: seconds of TAI since 2004.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<u32>,
    /// True if a revocation list that was made has it: the next delta list leaves it out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub listed: bool,
    /// True for an authority that was taken off the trust list of its root.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unlisted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_zero(value: &u8) -> bool {
    *value == 0
}

impl IndexEntry {
    /// Returns the time of revocation; `None` if it is not revoked.
    pub fn revoked(&self) -> Option<Time64> {
        self.revoked.map(time_of)
    }

    /// The files of the entry: the certificate, then its keys.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let keys = self.key.iter().chain(&self.encryption_key);
        [&self.certificate]
            .into_iter()
            .chain(keys)
            .map(PathBuf::as_path)
    }

    /// Returns the URI of the key, if it is in a token.
    pub fn uri(&self) -> Result<Option<KeyUri>, String> {
        let uri = self.token.as_deref().map(KeyUri::parse);
        uri.transpose().map_err(|error| error.to_string())
    }

    /// Checks the parts of paths: a folder from elsewhere must not name files outside of it.
    fn check(&self) -> Result<(), String> {
        name(&self.name)?;
        if !is_id(&self.id) {
            return Err(format!("{:?}: not a HashedId8", self.id));
        }
        self.uri()?;
        let is_inside = |path: &Path| {
            let mut parts = path.components();
            parts.all(|part| matches!(part, std::path::Component::Normal(_)))
        };
        match self.paths().find(|path| !is_inside(path)) {
            None => Ok(()),
            Some(path) => Err(format!(
                "{}: not a path below the folder of the PKI",
                path.display()
            )),
        }
    }
}

/// Returns the time of seconds of TAI since 2004.
fn time_of(seconds: u32) -> Time64 {
    Time64(u64::from(seconds) * 1_000_000)
}

/// A vehicle whose pseudonyms are revoked by linkage values.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokedVehicle {
    /// Name of the vehicle in commands.
    pub name: String,
    /// Time of revocation: seconds of TAI since 2004.
    pub revoked: u32,
    /// True if a revocation list that was made has it: the next delta list leaves it out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub listed: bool,
}

impl RevokedVehicle {
    /// Returns the time of revocation.
    pub fn revoked(&self) -> Time64 {
        time_of(self.revoked)
    }
}

/// The index.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    version: u32,
    /// Standard that the PKI follows.
    pub shape: CertificateShape,
    /// Form of the written keys.
    pub keys: KeyForm,
    /// Kinds of lists of which the next one is the first since `pki restore`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<NumberedList>,
    /// Number of delta lists by linkage values since the full one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub linked_deltas: u8,
    /// Grid of the validity of stations' certificates, in seconds; `None` for every week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    validity_grid_seconds: Option<u64>,
    /// The latest trust list of a European root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_ctl: Option<LatestCtlFile>,
    /// The latest revocation list by hash, or of a European root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_crl: Option<LatestCrl>,
    /// The latest revocation list by linkage values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_linked_crl: Option<LatestLinkedCrl>,
    /// The latest list by linkage values that was made with `--seeds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_seeds_crl: Option<LatestLinkedCrl>,
    /// In the order in which they were revoked.
    #[serde(
        default,
        rename = "revoked-vehicle",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub revoked_vehicles: Vec<RevokedVehicle>,
    /// From the oldest to the newest.
    #[serde(default, rename = "certificate")]
    pub entries: Vec<IndexEntry>,
}

impl Index {
    /// Begins the index of a PKI without certificates.
    pub fn new(shape: CertificateShape, keys: KeyForm) -> Self {
        Self {
            version: VERSION,
            shape,
            keys,
            restored: Vec::new(),
            linked_deltas: 0,
            validity_grid_seconds: None,
            latest_ctl: None,
            latest_crl: None,
            latest_linked_crl: None,
            latest_seeds_crl: None,
            revoked_vehicles: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Takes another grid than that of weeks for the certificates of stations.
    pub fn with_grid(mut self, grid: Option<ValidityGrid>) -> Self {
        self.validity_grid_seconds = grid.map(ValidityGrid::seconds);
        self
    }

    /// Returns on which times the certificates of stations begin and end.
    pub fn grid(&self) -> ValidityGrid {
        let grid = self.validity_grid_seconds;
        grid.and_then(ValidityGrid::of_seconds).unwrap_or_default()
    }

    /// Reads the index of a PKI.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(INDEX);
        if !path.exists() {
            return Err(Failure::new(format_args!(
                "{}: no PKI: it has no {INDEX}; make one with `waywarden pki init {}`",
                folder.display(),
                folder.display()
            )));
        }
        let name = path.display();
        let text = files::text(&path)?;
        let index: Self = toml::from_str(&text)
            .map_err(|error| Failure::new(format_args!("{name}: {}", error.to_string().trim())))?;
        if index.version != VERSION {
            return Err(Failure::new(format_args!(
                "{name}: version {} of the index; this program reads version {VERSION}",
                index.version
            )));
        }
        let grid = index.validity_grid_seconds;
        if grid.is_some_and(|seconds| ValidityGrid::of_seconds(seconds).is_none()) {
            return Err(Failure::new(format_args!(
                "{name}: validity_grid_seconds: no length that a certificate can be valid for"
            )));
        }
        for entry in &index.entries {
            let checked = entry.check();
            checked.map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
        }
        for vehicle in &index.revoked_vehicles {
            let checked = self::name(&vehicle.name);
            checked.map_err(|error| Failure::new(format_args!("{name}: {error}")))?;
        }
        Ok(index)
    }

    /// Writes the index.
    pub fn text(&self) -> Result<String, Failure> {
        let text = toml::to_string(self);
        let text = text.map_err(|error| Failure::new(format_args!("{INDEX}: {error}")))?;
        Ok(format!(
            "# Written by `waywarden pki`: which certificate is whose. It has no secret.\n{text}"
        ))
    }

    /// Returns true if a file is of a certificate of the PKI.
    pub fn lists(&self, file: &Path) -> bool {
        let mut paths = self.entries.iter().flat_map(IndexEntry::paths);
        paths.any(|path| path == file)
    }

    /// Returns the newest certificate of a name, or the one with this HashedId8.
    pub fn find(&self, name: &str) -> Option<&IndexEntry> {
        let mut newest = self.entries.iter().rev();
        newest.find(|one| one.name == name || one.id.eq_ignore_ascii_case(name))
    }

    /// Returns true if the pseudonyms of the vehicle with this name are revoked.
    pub fn has_revoked_vehicle(&self, name: &str) -> bool {
        self.revoked_vehicles.iter().any(|one| one.name == name)
    }

    /// The names of the vehicles whose pseudonyms are revoked.
    pub fn revoked_names(&self) -> impl Iterator<Item = &str> {
        self.revoked_vehicles.iter().map(|one| one.name.as_str())
    }

    /// Returns the newest certificate of a role.
    pub fn of_role(&self, role: HolderRole) -> Option<&IndexEntry> {
        self.entries.iter().rev().find(|one| one.role == role)
    }

    /// Returns the newest certificate of a role that is not revoked.
    pub fn in_force(&self, role: HolderRole) -> Option<&IndexEntry> {
        let mut newest = self.entries.iter().rev();
        newest.find(|one| one.role == role && one.revoked.is_none())
    }

    /// Returns the certificate with this HashedId8.
    pub fn of_id(&self, id: &str) -> Option<&IndexEntry> {
        self.entries.iter().find(|one| one.id == id)
    }
}

/// Writes what a certificate is called by.
pub fn show_id(id: HashedId8) -> String {
    records::show(&id.0)
}

/// Returns true if the text is a HashedId8 in hexadecimal digits.
fn is_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Takes a name that can be a folder's on any system, and no HashedId8.
pub fn name(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let begins = text.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    match begins && text.len() <= 64 && text.chars().all(is_plain) && !is_id(text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "{text:?}: give 1 to 64 letters, digits, -, _ and ., a letter or digit first, and no \
             HashedId8"
        )),
    }
}
