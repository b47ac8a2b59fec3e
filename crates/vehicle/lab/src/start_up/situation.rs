//! The situations that a vehicle is started in, and how each is composed from its file.

use schemars::JsonSchema;
use serde::Serialize;
use toml::{Table, Value};
use waywarden_vehicle_file::{EcuIndex, KeyOrigin, Lasan, VehicleFile};
use waywarden_work::Duration;

use super::StartUpSetting;
use crate::composing::{add, nanos, seed, set, table, tables};

/// Interruption of the supply of all ECUs: 100 ms.
///
/// `Choice:` long enough that every ECU is reset and that no frame is left on a bus.
pub const OFF: Duration = Duration::from_millis(100);

/// Tables for events from outside the vehicle: left out, except as the file says.
const EVENTS: [&str; 3] = ["attacker", "interferer", "fault"];

/// Keys of a `[[keys]]` for members that change in a run: left out likewise.
const CHANGES: [&str; 5] = ["remove", "readmit", "retire", "enrol", "replace"];

/// A situation that a vehicle is started in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    /// As the file says, with its attackers and faults, for the whole run.
    AsFile,
    /// Power-on; every ECU has stored the group keys of the last trip.
    StoredKeys,
    /// Power-on; no ECU has a key that ECUs agree on or that a security module grants.
    KeyExchange,
    /// The supply of all ECUs is interrupted for [`OFF`] in the middle of the run.
    BrownOut,
    /// The supply is interrupted likewise, and this ECU is a new part when it is back.
    Replaced(EcuIndex),
}

/// A [`Situation`] whichever ECU is replaced. Serialized it is a code, such as `brown-out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SituationKind {
    /// As [`Situation::AsFile`].
    AsFile,
    /// As [`Situation::StoredKeys`].
    StoredKeys,
    /// As [`Situation::KeyExchange`].
    KeyExchange,
    /// As [`Situation::BrownOut`].
    BrownOut,
    /// As [`Situation::Replaced`].
    ReplacedEcu,
}

impl SituationKind {
    /// Returns its name in tables for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SituationKind::AsFile => "as the file says",
            SituationKind::StoredKeys => "stored keys",
            SituationKind::KeyExchange => "key exchange",
            SituationKind::BrownOut => "brown-out",
            SituationKind::ReplacedEcu => "replaced ECU",
        }
    }
}

impl Situation {
    /// Returns its kind.
    #[must_use]
    pub const fn kind(self) -> SituationKind {
        match self {
            Situation::AsFile => SituationKind::AsFile,
            Situation::StoredKeys => SituationKind::StoredKeys,
            Situation::KeyExchange => SituationKind::KeyExchange,
            Situation::BrownOut => SituationKind::BrownOut,
            Situation::Replaced(_) => SituationKind::ReplacedEcu,
        }
    }

    /// Returns true if ECUs are reset: waits are then measured from these boots.
    pub(super) const fn is_interrupted(self) -> bool {
        matches!(self, Situation::BrownOut | Situation::Replaced(_))
    }

    /// Returns why a vehicle cannot be in this situation, if it cannot.
    pub(super) fn unless(self, file: &VehicleFile, setting: &StartUpSetting) -> Option<String> {
        match self {
            Situation::AsFile => None,
            Situation::StoredKeys => are_all_granted(file).then(|| {
                "a security module grants the keys after each boot, and no ECU stores them"
                    .to_owned()
            }),
            Situation::KeyExchange => without_exchange(file),
            Situation::BrownOut => too_short(file, setting),
            Situation::Replaced(ecu) => {
                let mut modules = file.lasan.iter().map(|one| one.security_module.ecu);
                let name = &file.ecu(ecu).name.value;
                match modules.any(|module| module == ecu) {
                    true => Some(format!(
                        "{name} is a security module, which is not replaced"
                    )),
                    false => too_short(file, setting),
                }
            }
        }
    }

    /// Returns from when on the run may end as soon as every receiver has accepted a message; never
    /// as the file says.
    pub(super) fn complete_from(
        self,
        file: &VehicleFile,
        setting: &StartUpSetting,
    ) -> Option<Duration> {
        let last_start = file.ecus.iter().map(|ecu| ecu.start).max();
        match self {
            Situation::AsFile => None,
            Situation::StoredKeys | Situation::KeyExchange => Some(Duration::ZERO),
            // A new part that a security module enrols boots a microsecond later.
            Situation::BrownOut | Situation::Replaced(_) => {
                Some(supply_back(setting) + last_start.unwrap_or_default() + OFF)
            }
        }
    }
}

/// Composes the vehicle of a situation as the table of a vehicle file.
pub(super) fn compose(
    file: &VehicleFile,
    original: &Table,
    situation: Situation,
    setting: &StartUpSetting,
) -> Table {
    let mut vehicle = original.clone();
    if let Some(Value::Table(heading)) = vehicle.get_mut("vehicle") {
        set(heading, "seed", seed(setting.seed));
        set(heading, "duration", nanos(setting.duration));
    }
    if situation == Situation::AsFile {
        return vehicle;
    }
    for key in EVENTS {
        vehicle.remove(key);
    }
    for keys in tables(&mut vehicle, "keys") {
        for key in CHANGES {
            keys.remove(key);
        }
    }
    match situation {
        Situation::AsFile => {}
        Situation::StoredKeys => before_first_key(&mut vehicle, "retained"),
        Situation::KeyExchange => before_first_key(&mut vehicle, "withhold"),
        Situation::BrownOut => interrupt(&mut vehicle, file, setting, None),
        Situation::Replaced(ecu) => interrupt(&mut vehicle, file, setting, Some(ecu)),
    }
    vehicle
}

/// Says what ECUs do until their groups have agreed on a key.
fn before_first_key(vehicle: &mut Table, word: &str) {
    for authentication in tables(vehicle, "authentication") {
        if authentication.contains_key("group") {
            set(authentication, "before_first_key", word);
        }
    }
}

/// Interrupts the supply of all ECUs; each boots its `start` after the supply is back. `replaced`
/// is a new part from then on.
fn interrupt(
    vehicle: &mut Table,
    file: &VehicleFile,
    setting: &StartUpSetting,
    replaced: Option<EcuIndex>,
) {
    let back = supply_back(setting);
    for (at, ecu) in file.ecus.iter().enumerate() {
        let boot = back + ecu.start;
        let is_replaced = replaced == Some(EcuIndex(at));
        if is_replaced && replace(vehicle, file, EcuIndex(at), boot) {
            continue;
        }
        let kind = if is_replaced { "replaced" } else { "reset" };
        let fault = table([
            ("kind", kind.into()),
            ("ecu", ecu.name.value.as_str().into()),
            ("from", nanos(back - OFF)),
            ("until", nanos(boot)),
        ]);
        add(vehicle, "fault", fault);
    }
}

/// Has the security modules of an ECU enrol a new part, which boots at `boot`. Returns whether it
/// has one.
fn replace(vehicle: &mut Table, file: &VehicleFile, ecu: EcuIndex, boot: Duration) -> bool {
    let is_lasan = |keys: &&mut Table| keys.get("scheme").and_then(Value::as_str) == Some("lasan");
    let takes_part = |one: &Lasan| one.members.iter().any(|member| member.ecu == ecu);
    let name = file.ecu(ecu).name.value.as_str();
    let mut is_enrolled = false;
    let networks = tables(vehicle, "keys").filter(is_lasan).zip(&file.lasan);
    for (keys, _) in networks.filter(|(_, network)| takes_part(network)) {
        let part = table([("ecu", name.into()), ("at", nanos(boot))]);
        add(keys, "replace", part);
        is_enrolled = true;
    }
    is_enrolled
}

/// Returns when the supply is back: after half of the run, to the millisecond.
fn supply_back(setting: &StartUpSetting) -> Duration {
    Duration::from_millis(setting.duration.as_nanos() / 2_000_000)
}

/// Returns true if every key is granted by a security module.
fn are_all_granted(file: &VehicleFile) -> bool {
    let mut origins = file.authentications.iter().map(|one| &one.keys);
    origins.all(|keys| keys.granting_network().is_some())
}

/// Returns what is said if no keys are agreed on or granted.
fn without_exchange(file: &VehicleFile) -> Option<String> {
    let mut origins = file.authentications.iter().map(|one| &one.keys);
    let is_agreed_or_granted = origins.any(KeyOrigin::is_session_key);
    let is_encrypted = file.lasan.iter().any(|one| !one.protected.is_empty());
    (!is_agreed_or_granted && !is_encrypted).then(|| {
        "no [[authentication]] has a `group` or `granted_by`, and no security module protects a \
         stream: all keys are in place when the vehicle starts"
            .to_owned()
    })
}

/// Returns what is said if the supply is to be interrupted before all ECUs are up.
fn too_short(file: &VehicleFile, setting: &StartUpSetting) -> Option<String> {
    let last = file.ecus.iter().max_by_key(|ecu| ecu.start)?;
    let needed = last.start + OFF;
    (supply_back(setting) <= needed).then(|| {
        let least = Duration::from_millis(needed.as_nanos() / 1_000_000 * 2 + 4);
        format!(
            "ECU {} is up after {}, and the supply would be interrupted before that, in the middle \
             of the run: let it run for {least} or longer",
            last.name.value, last.start
        )
    })
}
