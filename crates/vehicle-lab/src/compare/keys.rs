//! Writes the `[[keys]]` of a variant: a group on each bus, or security modules.

use toml::{Table, Value};

use super::choice::{KeyChoice, head};
use super::tables;
use crate::composing::names;
use waywarden_vehicle_file::{BusIndex, EcuIndex, GroupKey, KeyGroup, VehicleFile};

/// Replaces `[[keys]]`, and asks of the new ones what the file asks of its own.
pub(super) fn write(table: &mut Table, file: &VehicleFile, choice: KeyChoice) {
    let written = match choice {
        KeyChoice::File => return,
        KeyChoice::None => Vec::new(),
        KeyChoice::Group(scheme, suite) => groups(file, scheme, suite),
        KeyChoice::Lasan(profile, suite) => modules(file, profile, suite),
    };
    table.remove("keys");
    if !written.is_empty() {
        table.insert("keys".to_owned(), Value::Array(written));
    }
    if let Some(Value::Table(require)) = table.get_mut("require") {
        let of_groups = require.remove("group_key_within");
        let of_modules = require.remove("authorised_within");
        let wanted = match choice {
            KeyChoice::Group(..) => Some(("group_key_within", of_groups.or(of_modules))),
            KeyChoice::Lasan(..) => Some(("authorised_within", of_modules.or(of_groups))),
            _ => None,
        };
        if let Some((key, Some(bound))) = wanted {
            require.insert(key.to_owned(), bound);
        }
    }
    // The groups whose keys these followed are gone: their own are in place at the start.
    for authentication in tables(table, "authentication") {
        authentication.remove("group");
        authentication.remove("subgroup");
        authentication.remove("before_first_key");
    }
    drop_attackers(table, choice.is_lasan());
}

/// Takes out attackers that name what the file's own `[[keys]]` has; those that register need
/// any security module.
fn drop_attackers(table: &mut Table, is_lasan: bool) {
    let stays = |one: &Value| {
        let kind = one.get("kind").and_then(Value::as_str);
        let plays = matches!(kind, Some("masquerade" | "man-in-the-middle"));
        let registers = kind == Some("register");
        one.get("key_frames").is_none() && !plays && (is_lasan || !registers)
    };
    for key in ["attacker", "interferer"] {
        if let Some(Value::Array(list)) = table.get_mut(key) {
            list.retain(stays);
        }
    }
}

/// A group of a variant, by its name and by who holds its key.
pub(super) struct Group {
    pub(super) name: String,
    holders: Holders,
}

enum Holders {
    /// All ECUs of a bus.
    Bus(BusIndex),
    /// Those of a group of the file, by its place.
    Own(usize),
}

impl Group {
    /// Whether an ECU holds the key.
    pub(super) fn holds(&self, file: &VehicleFile, ecu: EcuIndex) -> bool {
        match self.holders {
            Holders::Bus(bus) => is_on(file, ecu, &[bus]),
            Holders::Own(group) => {
                let logical = None;
                file.holds(GroupKey { group, logical }, ecu)
            }
        }
    }
}

/// Returns the groups of a variant.
pub(super) fn groups_of(file: &VehicleFile, choice: KeyChoice) -> Vec<Group> {
    match choice {
        KeyChoice::Group(scheme, _) => {
            let buses = (0..file.buses.len()).map(BusIndex);
            let buses = buses.filter(|bus| has_two(file, &[*bus]));
            let group = |bus| Group {
                name: name_of(scheme, bus),
                holders: Holders::Bus(bus),
            };
            buses.map(group).collect()
        }
        KeyChoice::File => {
            let groups = file.groups.iter().enumerate();
            let group = |(at, group): (usize, &KeyGroup)| Group {
                name: group.name.value.clone(),
                holders: Holders::Own(at),
            };
            groups.map(group).collect()
        }
        KeyChoice::None | KeyChoice::Lasan(..) => Vec::new(),
    }
}

fn name_of(scheme: &str, bus: BusIndex) -> String {
    format!("{scheme}-{}", bus.0 + 1)
}

fn has_two(file: &VehicleFile, buses: &[BusIndex]) -> bool {
    let ecus = (0..file.ecus.len()).map(EcuIndex);
    ecus.filter(|ecu| is_on(file, *ecu, buses)).count() > 1
}

/// A group on each bus that has two ECUs.
fn groups(file: &VehicleFile, scheme: &str, suite: &str) -> Vec<Value> {
    let group = |bus: BusIndex| {
        let mut table = common(file, &[bus], ("orchestrator", scheme, suite))?;
        table.insert("scheme".to_owned(), scheme.into());
        Some(Value::Table(table))
    };
    (0..file.buses.len())
        .filter_map(|at| group(BusIndex(at)))
        .collect()
}

/// A security module on each classic bus, and one for all CAN FD buses if an ECU is on all of them:
/// one that had classic buses too would speak classic CAN everywhere.
fn modules(file: &VehicleFile, profile: &str, suite: &str) -> Vec<Value> {
    let module = |buses: &Vec<BusIndex>| {
        let mut table = common(file, buses, ("security_module", "lasan", suite))?;
        table.insert("scheme".to_owned(), "lasan".into());
        table.insert("profile".to_owned(), profile.into());
        if let [_, _, ..] = buses.as_slice() {
            let gateway = on_all(file, buses)?;
            let name = file.ecu(gateway).name.value.as_str();
            table.insert("gateway".to_owned(), name.into());
        }
        Some(Value::Table(table))
    };
    networks(file).iter().filter_map(module).collect()
}

/// The buses of each security module.
pub(super) fn networks(file: &VehicleFile) -> Vec<Vec<BusIndex>> {
    let all = (0..file.buses.len()).map(BusIndex);
    let (fd, classic): (Vec<_>, Vec<_>) = all.partition(|bus| file.bus(*bus).fd.is_some());
    let alone = |buses: Vec<BusIndex>| buses.into_iter().map(|bus| vec![bus]);
    let mut networks: Vec<Vec<BusIndex>> = match on_all(file, &fd) {
        Some(_) => vec![fd],
        None => alone(fd).collect(),
    };
    networks.extend(alone(classic));
    networks
}

/// Returns who is the security module of a network.
pub(super) fn module_of(file: &VehicleFile, buses: &[BusIndex]) -> Option<EcuIndex> {
    head(file, |ecu| is_on(file, ecu, buses))
}

fn common(
    file: &VehicleFile,
    buses: &[BusIndex],
    (role, scheme, suite): (&str, &str, &str),
) -> Option<Table> {
    if !has_two(file, buses) {
        return None;
    }
    let head = module_of(file, buses)?;
    let first = buses.first()?;
    let name = name_of(scheme, *first);
    let listed = buses.iter().map(|bus| file.bus(*bus).name.value.as_str());
    let mut table = Table::new();
    table.insert("name".to_owned(), name.into());
    table.insert(role.to_owned(), file.ecu(head).name.value.as_str().into());
    table.insert("buses".to_owned(), names(listed));
    table.insert("suite".to_owned(), suite.into());
    table.insert("gives_way".to_owned(), gives_way(file).into());
    Some(table)
}

/// As in the file's first `[[keys]]`; without any, keys give way to what the car is for.
fn gives_way(file: &VehicleFile) -> bool {
    let groups = file.groups.iter().map(|group| group.gives_way);
    let modules = file.lasan.iter().map(|network| network.gives_way);
    groups.chain(modules).next().unwrap_or(true)
}

fn is_on(file: &VehicleFile, ecu: EcuIndex, buses: &[BusIndex]) -> bool {
    file.ecu(ecu).ports.iter().any(|port| buses.contains(port))
}

fn on_all(file: &VehicleFile, buses: &[BusIndex]) -> Option<EcuIndex> {
    if buses.is_empty() {
        return None;
    }
    let on_all = |ecu: &EcuIndex| buses.iter().all(|bus| file.ecu(*ecu).ports.contains(bus));
    (0..file.ecus.len()).map(EcuIndex).find(on_all)
}
