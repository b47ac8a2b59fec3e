//! The choices that a car is varied by: its ECUs' key protocol and its messages' authentication.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use waywarden_vehicle_file::{EcuIndex, KeyStoreKind, VehicleFile};

/// Source of the ECUs' keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChoice {
    /// Not at all while the car runs.
    None,
    /// As the file says.
    File,
    /// A group on each bus: scheme and suite, as vehicle files write them.
    Group(&'static str, &'static str),
    /// Security modules: profile and suite, as vehicle files write them.
    Lasan(&'static str, &'static str),
}

/// Message authentication protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthenticationChoice {
    /// Not at all.
    None,
    /// Not at all, over the CAN FD frames that SecOC in the message makes of classic ones: the fair
    /// comparison with it, whose frames are faster for that alone. The profile `production` stands
    /// for those with synchronised freshness; with counters fewer messages may be protected.
    NoneOnFd(&'static str),
    /// As the file says.
    File,
    /// vatiCAN, hardened.
    Vatican,
    /// LeiA, hardened.
    Leia,
    /// SecOC with a profile, as vehicle files write it.
    Secoc(&'static str),
    /// The same with freshness and code in PDUs of their own.
    SecocPdus(&'static str),
    /// By the keys that security modules grant.
    Lasan,
}

/// Storage of the authentication keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyLocation {
    /// As in the file's first `[[authentication]]`; in software, if there is none.
    #[default]
    File,
    /// In the memory of the ECU's software.
    Software,
    /// In a protected module.
    Module,
}

/// A choice of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Variant {
    /// Source of the ECUs' keys.
    pub keys: KeyChoice,
    /// Message authentication protocol.
    pub authentication: AuthenticationChoice,
}

impl Variant {
    /// The car without any: what all others are compared with.
    pub const BASELINE: Variant = Variant {
        keys: KeyChoice::None,
        authentication: AuthenticationChoice::None,
    };

    /// The car without any, and with the CAN FD frames of the variants with SecOC.
    pub const BASELINE_ON_FD: Variant = Variant {
        keys: KeyChoice::None,
        authentication: AuthenticationChoice::NoneOnFd("production"),
    };

    /// The same with the frames of SecOC with counters, where they are others.
    pub const BASELINE_ON_FD_WITH_COUNTERS: Variant = Variant {
        keys: KeyChoice::None,
        authentication: AuthenticationChoice::NoneOnFd("autosar-1"),
    };

    /// Returns both names.
    #[must_use]
    pub fn title(self) -> String {
        let (keys, authentication) = (self.keys.name(), self.authentication.name());
        format!("keys {keys} with authentication {authentication}")
    }
}

impl KeyChoice {
    /// All of them, in the order in which they are tried.
    pub const ALL: &'static [KeyChoice] = &[
        KeyChoice::None,
        KeyChoice::File,
        KeyChoice::Group("tree-with-orchestrator", "fourq"),
        KeyChoice::Group("tree-with-orchestrator", "p256"),
        KeyChoice::Group("tree-without-orchestrator", "fourq"),
        KeyChoice::Group("tree-without-orchestrator", "p256"),
        KeyChoice::Group("symmetric-distribution", "fourq"),
        KeyChoice::Group("symmetric-distribution", "p256"),
        KeyChoice::Lasan("hardened", "p256"),
        KeyChoice::Lasan("compact", "ml-kem-512+fn-dsa-512"),
        KeyChoice::Lasan("hardened", "ml-kem-768+ml-dsa-44"),
    ];

    /// Returns its name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            KeyChoice::None => "none".to_owned(),
            KeyChoice::File => "file".to_owned(),
            KeyChoice::Group(scheme, suite) => format!("{scheme}/{suite}"),
            KeyChoice::Lasan(profile, suite) => format!("lasan-{profile}/{suite}"),
        }
    }

    /// Returns true for a security module made here, which can protect streams.
    pub(super) const fn is_lasan(self) -> bool {
        matches!(self, KeyChoice::Lasan(..))
    }
}

impl AuthenticationChoice {
    /// All of them, in the order in which they are tried.
    pub const ALL: &'static [AuthenticationChoice] = &[
        AuthenticationChoice::None,
        AuthenticationChoice::NoneOnFd("production"),
        AuthenticationChoice::NoneOnFd("autosar-1"),
        AuthenticationChoice::File,
        AuthenticationChoice::Vatican,
        AuthenticationChoice::Leia,
        AuthenticationChoice::Secoc("production"),
        AuthenticationChoice::Secoc("jaspar"),
        AuthenticationChoice::Secoc("autosar-1"),
        AuthenticationChoice::SecocPdus("production"),
        AuthenticationChoice::SecocPdus("jaspar"),
        AuthenticationChoice::SecocPdus("autosar-1"),
        AuthenticationChoice::Lasan,
    ];

    /// Returns true if no stream has tags by it.
    pub(super) const fn is_none(self) -> bool {
        matches!(self, Self::None | Self::NoneOnFd(_))
    }

    /// Returns its name on the command line and in reports.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            AuthenticationChoice::None => "none".to_owned(),
            AuthenticationChoice::NoneOnFd("production") => "none-on-can-fd".to_owned(),
            AuthenticationChoice::NoneOnFd(profile) => format!("none-on-can-fd-{profile}"),
            AuthenticationChoice::File => "file".to_owned(),
            AuthenticationChoice::Vatican => "vatican".to_owned(),
            AuthenticationChoice::Leia => "leia".to_owned(),
            AuthenticationChoice::Secoc(profile) => format!("secoc-{profile}"),
            AuthenticationChoice::SecocPdus(profile) => format!("secoc-pdus-{profile}"),
            AuthenticationChoice::Lasan => "lasan".to_owned(),
        }
    }
}

impl KeyLocation {
    /// Returns the word for it in vehicle files.
    pub(crate) fn word(self, file: &VehicleFile) -> &'static str {
        let own = file.authentications.first().map(|table| table.key_store);
        match (self, own) {
            (KeyLocation::Module, _) | (KeyLocation::File, Some(KeyStoreKind::Module)) => "module",
            _ => "software",
        }
    }
}

impl Serialize for KeyChoice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl JsonSchema for KeyChoice {
    fn schema_name() -> Cow<'static, str> {
        "KeyChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "Where keys come from, as `--keys` has it.",
        })
    }
}

impl JsonSchema for AuthenticationChoice {
    fn schema_name() -> Cow<'static, str> {
        "AuthenticationChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<String> = Self::ALL.iter().map(|one| one.name()).collect();
        json_schema!({
            "type": "string",
            "description": "How messages are authenticated, as `--authentication` has it.",
            "enum": names,
        })
    }
}

impl Serialize for AuthenticationChoice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

/// Names variants: those that differ in nothing but their keys together.
#[must_use]
pub fn titles(variants: &[Variant]) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for variant in variants {
        let authentication = variant.authentication.name();
        let keys = variant.keys.name();
        match groups.iter_mut().find(|group| group.0 == authentication) {
            Some(group) => group.1.push(keys),
            None => groups.push((authentication, vec![keys])),
        }
    }
    let title = |(authentication, keys): &(String, Vec<String>)| {
        format!(
            "keys {} with authentication {authentication}",
            keys.join(", ")
        )
    };
    groups.iter().map(title).collect::<Vec<_>>().join("; ")
}

/// Returns who is in charge on a bus: an ECU that is so in the file, else the one there with the
/// most ports, of those the first.
pub(super) fn head(file: &VehicleFile, is_on: impl Fn(EcuIndex) -> bool) -> Option<EcuIndex> {
    let conductors = file.groups.iter().map(|group| group.orchestrator.ecu);
    let modules = file.lasan.iter().map(|network| network.security_module.ecu);
    let mut named = conductors.chain(modules).filter(|ecu| is_on(*ecu));
    let there = (0..file.ecus.len()).map(EcuIndex).filter(|ecu| is_on(*ecu));
    // Of equal ones `max_by_key` takes the last.
    let widest = there.rev().max_by_key(|ecu| file.ecu(*ecu).ports.len());
    named.next().or(widest)
}

/// Returns the choices whose names are given, or begin as is given; all if nothing is.
///
/// # Errors
/// A word that no name begins with; the text has the names.
pub fn choose<T: Copy>(
    words: &[String],
    all: &[T],
    name: impl Fn(T) -> String,
) -> Result<Vec<T>, String> {
    if words.is_empty() {
        return Ok(all.to_vec());
    }
    let mut chosen = Vec::new();
    for word in words {
        let begins = |one: &&T| name(**one).starts_with(word.as_str());
        let is_it = |one: &&T| name(**one) == *word;
        let exact: Vec<T> = all.iter().filter(is_it).copied().collect();
        let found = match exact.is_empty() && !word.is_empty() {
            true => all.iter().filter(begins).copied().collect(),
            false => exact,
        };
        if found.is_empty() {
            let names: Vec<String> = all.iter().map(|one| name(*one)).collect();
            let names = names.join(", ");
            return Err(format!("there is no {word:?}; there are {names}"));
        }
        chosen.extend(found);
    }
    Ok(chosen)
}
