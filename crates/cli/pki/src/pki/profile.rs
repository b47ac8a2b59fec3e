//! Profiles in TOML: the authorities of a new PKI, and what stations get.

use std::path::Path;

use serde::Deserialize;
use waywarden_ecverify::Curve;
use waywarden_v2x_pki::{Region, ValidityGrid};
use waywarden_v2x_wire::ieee1609dot2::{Duration, EndEntityType, Time64};

use super::specification::{Specification, both, group};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::index::{Role, Shape, name};
use waywarden_pki_folder::permission::{Permission, Range, permission, range};
use waywarden_pki_folder::validity::YEARS_MAX;
use waywarden_pki_folder::{region, validity};
use waywarden_v2x_input::time;

/// A value that is written as text; errors name its line.
macro_rules! text {
    ($($name:ident($type:ty) = $parse:expr;)*) => {$(
        #[derive(Clone, Debug, Deserialize)]
        #[serde(try_from = "String")]
        pub(crate) struct $name(pub(crate) $type);

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let parse: fn(&str) -> Result<$type, String> = $parse;
                parse(&text).map(Self)
            }
        }
    )*};
}

text! {
    NameText(String) = name;
    PermissionText(Permission) = permission;
    RangeText(Range) = range;
    RegionText(Region) = region::parse;
    DurationText(Duration) = validity::duration;
    TimeText(Time64) = time::parse_time;
    GridText(ValidityGrid) = validity::grid;
}

/// Whom an authority's certificates are for.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EndEntities {
    /// Those who send messages.
    Messages,
    /// Those who ask for certificates.
    Enrolment,
    Both,
}

/// The fewest and the most certificates that follow in a chain.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "Vec<u8>")]
struct Chain([u8; 2]);

impl TryFrom<Vec<u8>> for Chain {
    type Error = String;

    /// Serde would take the first two of more numbers.
    fn try_from(numbers: Vec<u8>) -> Result<Self, String> {
        let pair = <[u8; 2]>::try_from(numbers);
        let pair = pair.map_err(|all| format!("{all:?}: give two numbers, such as [1, 2]"));
        pair.map(Self)
    }
}

/// An authority in a profile.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AuthorityTable {
    name: NameText,
    role: Role,
    issuer: Option<NameText>,
    curve: Option<CurveName>,
    validity: Option<DurationText>,
    region: Option<RegionText>,
    #[serde(default)]
    permissions: Vec<PermissionText>,
    #[serde(default)]
    issues: Vec<RangeText>,
    /// The fewest and the most certificates that follow in a chain.
    chain: Option<Chain>,
    end_entities: Option<EndEntities>,
    #[serde(default)]
    encryption_key: bool,
}

/// Settings of `pki issue` for stations, unless its options say otherwise.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StationTable {
    pub(crate) issuer: Option<NameText>,
    pub(crate) curve: Option<CurveName>,
    pub(crate) validity: Option<DurationText>,
    pub(crate) region: Option<RegionText>,
    #[serde(default)]
    pub(crate) permissions: Vec<PermissionText>,
    #[serde(default)]
    pub(crate) encryption_key: bool,
}

/// A profile.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    pub(crate) shape: Option<Shape>,
    pub(crate) curve: Option<CurveName>,
    pub(crate) start: Option<TimeText>,
    pub(crate) years: Option<u16>,
    /// Times on which the certificates of stations begin and end.
    pub(crate) validity_grid: Option<GridText>,
    pub(crate) region: Option<RegionText>,
    #[serde(default, rename = "authority")]
    authorities: Vec<AuthorityTable>,
    #[serde(default)]
    pub(crate) station: StationTable,
}

impl Profile {
    /// Reads a profile.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        Self::parse(&files::text(path)?)
            .map_err(|why| Failure::new(format_args!("{}: {}", path.display(), why.trim())))
    }

    /// Reads the text of a profile.
    fn parse(text: &str) -> Result<Self, String> {
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
                (None, Role::Root) if at == 0 => {}
                (None, Role::Root) | (Some(_), Role::Root) => {
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
        let is_above = matches!(self.role, Role::Root | Role::Intermediate);
        let Chain([least, most]) = self.chain.unwrap_or(match is_above {
            true => Chain([1, 3]),
            false => Chain([1, 1]),
        });
        let ee_type = match (self.end_entities, self.role) {
            (Some(EndEntities::Messages), _) | (None, Role::Authorization) => EndEntityType::APP,
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
