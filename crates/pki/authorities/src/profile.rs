//! Profiles in TOML: the authorities of a new PKI, and what stations get.

mod form;

use std::borrow::Cow;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use waywarden_ecverify::Curve;
use waywarden_v2x_pki::{Region, ValidityGrid};
use waywarden_v2x_wire::ieee1609dot2::{Duration, EndEntityType, Time64};

use super::error::PkiError;
use super::specification::{Specification, both, group};
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::files;
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, name};
use waywarden_pki_folder::permission::{PsidPermission, Range, permission, range};
use waywarden_pki_folder::validity::YEARS_MAX;
use waywarden_pki_folder::{region, validity};
use waywarden_v2x_input::time;

/// Years for which a root is valid, unless a profile or an option says otherwise.
pub const YEARS: u16 = 10;

/// The schema of profiles.
pub const SCHEMA: DocumentSchema =
    DocumentSchema::of_files::<Profile>("pki-profile", 1, "a profile of a V2X PKI");

/// A value that is written as text, with its form in the schema; errors name its line.
macro_rules! text {
    ($($name:ident($type:ty) = $parse:expr, $form:expr;)*) => {$(
        /// A value that is written as text.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(pub $type);

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let parse: fn(&str) -> Result<$type, String> = $parse;
                parse(&text).map(Self)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $form()
            }
        }
    )*};
}

text! {
    NameText(String) = name, form::name;
    PermissionText(PsidPermission) = permission, form::permission;
    RangeText(Range) = range, form::range;
    RegionText(Region) = region::parse, form::region;
    DurationText(Duration) = validity::duration, form::validity;
    TimeText(Time64) = time::parse_time, form::time;
    GridText(ValidityGrid) = validity::grid, form::validity;
}

/// End entities that certificates are for.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum EndEntities {
    /// Senders of messages.
    Messages,
    /// Stations that request certificates.
    Enrolment,
    /// Either.
    Both,
}

/// The fewest and the most certificates that follow in a chain.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "Vec<u8>")]
struct Chain([u8; 2]);

impl JsonSchema for Chain {
    fn schema_name() -> Cow<'static, str> {
        "Chain".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        form::chain()
    }
}

impl TryFrom<Vec<u8>> for Chain {
    type Error = String;

    /// Serde would take the first two of more numbers.
    fn try_from(numbers: Vec<u8>) -> Result<Self, String> {
        let pair = <[u8; 2]>::try_from(numbers);
        let pair = pair.map_err(|all| format!("{all:?}: give two numbers, such as [1, 2]"));
        pair.map(Self)
    }
}

/// An authority.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    extend("if" = {"required": ["role"], "properties": {"role": {"const": "root"}}}),
    extend("then" = {"properties": {"issuer": false}}),
    extend("else" = {"required": ["issuer"]})
)]
struct AuthorityTable {
    /// Its name: 1 to 64 letters, digits, -, _ and dots. Each has its own.
    name: NameText,
    /// Role: `root` and `intermediate` authorities issue authorities, `enrolment` enrolment
    /// credentials, `authorization` tickets.
    #[schemars(extend("enum" = ["root", "intermediate", "enrolment", "authorization"]))]
    role: HolderRole,
    /// The authority before it that issues its certificate. The root has none.
    issuer: Option<NameText>,
    /// Curve of its key. Default: the profile's.
    curve: Option<CurveName>,
    /// Duration for which its certificate is valid, such as 4y. Default: `years` of the profile.
    validity: Option<DurationText>,
    /// Region in which its certificate is valid. Default: that of its issuer.
    region: Option<RegionText>,
    /// Messages that it may sign itself, such as SCR:0132. Default: none.
    #[serde(default)]
    permissions: Vec<PermissionText>,
    /// Permissions of certificates below it: one application or more.
    #[serde(default)]
    #[schemars(!default, length(min = 1))]
    issues: Vec<RangeText>,
    /// The fewest and the most certificates that follow in a chain: 1 to 255. Default: [1, 3] above
    /// others, else [1, 1].
    chain: Option<Chain>,
    /// End entities of certificates below it. Default: messages of `authorization`, else both.
    end_entities: Option<EndEntities>,
    /// True if requests can be encrypted to it. Default: false.
    #[serde(default)]
    encryption_key: bool,
}

/// Settings of `waywarden pki issue --profile` for stations, unless its options say otherwise.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationTable {
    /// The authority that issues. Default: the newest that issues tickets.
    pub issuer: Option<NameText>,
    /// Curve of its keys. Default: p256; of implicit certificates their issuer's.
    pub curve: Option<CurveName>,
    /// Longest duration for which its certificate is valid, in whole cells of `validity_grid`, such
    /// as 7d. Default: 14d.
    pub validity: Option<DurationText>,
    /// Region in which its certificate is valid. Default: that of its issuer.
    pub region: Option<RegionText>,
    /// Messages that it may send. Default: CAM and DENM; of `us` BSM.
    #[serde(default)]
    pub permissions: Vec<PermissionText>,
    /// True if others can encrypt to it. Default: false.
    #[serde(default)]
    pub encryption_key: bool,
}

/// A profile of a V2X PKI: its authorities, and the certificates of stations (docs/pki.md).
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Standard that the PKI follows: `etsi`, TS 103 097; `us`, IEEE 1609.2.1 with butterfly keys.
    /// Default: etsi.
    #[schemars(extend("default" = CertificateShape::default()))]
    pub shape: Option<CertificateShape>,
    /// Curve of authorities that name none. Default: p256.
    pub curve: Option<CurveName>,
    /// Time from which certificates are valid. Default: the beginning of the current cell of
    /// `validity_grid`; of `us` that of the week.
    pub start: Option<TimeText>,
    /// Years for which the root is valid: 1 to 100. Without authorities here the others are valid
    /// for half of it. Default: 10.
    #[schemars(range(min = 1, max = YEARS_MAX), extend("default" = YEARS))]
    pub years: Option<u16>,
    /// Grid of times since 2004 (TAI) on which certificates of stations begin and end, so that no
    /// validity period tells one vehicle from another; 1s for none. Default: 1w.
    pub validity_grid: Option<GridText>,
    /// Region in which the certificate of the root is valid, and so all others. Default:
    /// everywhere.
    pub region: Option<RegionText>,
    /// The authorities: the root first, each behind its issuer. Default: those of the shape.
    #[serde(default, rename = "authority")]
    authorities: Vec<AuthorityTable>,
    /// Settings for stations.
    #[serde(default)]
    pub station: StationTable,
}

impl Profile {
    /// Reads a profile from a file.
    ///
    /// # Errors
    /// [`PkiError`] for a file that cannot be read, and for a profile that is wrong.
    pub fn read(path: &Path) -> Result<Self, PkiError> {
        Self::parse(&files::text(path)?)
            .map_err(|why| PkiError::new(format_args!("{}: {}", path.display(), why.trim())))
    }

    /// Reads the text of a profile.
    ///
    /// # Errors
    /// A line with what is wrong, and its place in the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        // Serde would take the values of a list for those of a table's keys.
        let file: toml::Table = text.parse().unwrap_or_default();
        let is_list = |key: &str| file.get(key).is_some_and(toml::Value::is_array);
        if is_list("station") {
            return Err("station: expected one table [station], found a list".to_owned());
        }
        let authorities = file.get("authority").and_then(toml::Value::as_array);
        if authorities.is_some_and(|all| all.iter().any(toml::Value::is_array)) {
            return Err("authority: expected tables [[authority]], found a list in it".to_owned());
        }
        let profile: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        profile.check().map(|()| profile)
    }

    /// Checks that the years are in range, each authority stands behind its issuer, and one root
    /// before all.
    fn check(&self) -> Result<(), String> {
        if let Some(years) = self.years.filter(|years| !(1..=YEARS_MAX).contains(years)) {
            return Err(format!("years: {years}: give 1 to {YEARS_MAX}"));
        }
        for (at, authority) in self.authorities.iter().enumerate() {
            let name = &authority.name.0;
            let before = &self.authorities[..at];
            if before.iter().any(|one| one.name.0 == *name) {
                return Err(format!("authority {name:?}: there are two of this name"));
            }
            if !authority.role.issues() {
                return Err(format!(
                    "authority {name:?}: role: root, intermediate, enrolment or authorization"
                ));
            }
            if authority.issues.is_empty() {
                return Err(format!("authority {name:?}: issues: name an application"));
            }
            match (&authority.issuer, authority.role) {
                (None, HolderRole::Root) if at == 0 => {}
                (None, HolderRole::Root) | (Some(_), HolderRole::Root) => {
                    return Err(format!(
                        "authority {name:?}: the root comes first, alone and without an issuer"
                    ));
                }
                (Some(issuer), _) if before.iter().any(|one| one.name.0 == issuer.0) => {}
                _ => {
                    return Err(format!(
                        "authority {name:?}: issuer: name an authority that stands before it"
                    ));
                }
            }
            if let Some(Chain([least, most])) = authority.chain
                && (least < 1 || most < least)
            {
                return Err(format!(
                    "authority {name:?}: chain: at least 1 certificate follows, such as [1, 2]"
                ));
            }
        }
        Ok(())
    }

    /// Returns its authorities; none: those of its shape.
    pub(crate) fn authorities(&self, validity: Duration) -> Vec<Specification> {
        let authorities = self.authorities.iter();
        authorities.map(|one| one.specification(validity)).collect()
    }
}

impl AuthorityTable {
    fn specification(&self, validity: Duration) -> Specification {
        let is_above = matches!(self.role, HolderRole::Root | HolderRole::Intermediate);
        let Chain([least, most]) = self.chain.unwrap_or(match is_above {
            true => Chain([1, 3]),
            false => Chain([1, 1]),
        });
        let ee_type = match (self.end_entities, self.role) {
            (Some(EndEntities::Messages), _) | (None, HolderRole::Authorization) => {
                EndEntityType::APP
            }
            (Some(EndEntities::Enrolment), _) => EndEntityType::ENROL,
            _ => both(),
        };
        let issues = self.issues.iter().map(|one| (one.0.0, one.0.1.clone()));
        let permissions = self.permissions.iter();
        let permissions = permissions.map(|one| (one.0.0, one.0.1.clone()));
        let issuer = self.issuer.as_ref().map(|issuer| issuer.0.as_str());
        let validity = self.validity.as_ref().map_or(validity, |own| own.0);
        Specification {
            curve: self.curve.map_or(Curve::P256, Curve::from),
            region: self.region.as_ref().map(|region| region.0.clone()),
            permissions: permissions.collect(),
            issues: vec![group(
                issues.collect(),
                least.into(),
                i64::from(most) - i64::from(least),
                ee_type,
            )],
            encryption_key: self.encryption_key,
            ..Specification::new(&self.name.0, self.role, issuer, validity)
        }
    }

    /// Returns true if the authority names its own curve.
    fn has_curve(&self) -> bool {
        self.curve.is_some()
    }
}

impl Profile {
    /// Returns true if the authority at this place names its own curve.
    pub(crate) fn has_curve(&self, at: usize) -> bool {
        self.authorities
            .get(at)
            .is_some_and(AuthorityTable::has_curve)
    }
}

#[cfg(test)]
mod tests;
