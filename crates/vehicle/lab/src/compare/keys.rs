//! Writes the `[[keys]]` of a variant: a group on each bus, or security modules.

use toml::{Table, Value};

use super::choice::{KeyChoice, head};
use crate::composing::{names, tables};
use waywarden_lasan::LasanProfile;
use waywarden_vehicle_file::{BusIndex, EcuIndex, GroupKey, HELD_MAX, Stream, VehicleFile};

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
        let of_modules = require.remove("authorized_within");
        let wanted = match choice {
            KeyChoice::Group(..) => Some(("group_key_within", of_groups.or(of_modules))),
            KeyChoice::Lasan(..) => Some(("authorized_within", of_modules.or(of_groups))),
            _ => None,
        };
        if let Some((key, Some(bound))) = wanted {
            require.insert(key.to_owned(), bound);
        }
    }
    // What gave these their keys is gone: their own are in place at the start.
    for authentication in tables(table, "authentication") {
        authentication.remove("granted_by");
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

/// Source of a variant's keys while the car runs: a group that agrees on one, or a security module
/// that grants them.
pub(super) struct KeyProvider {
    name: String,
    holders: Holders,
}

/// ECUs that get keys of a provider.
enum Holders {
    /// All ECUs of a bus, which are a group.
    Bus(BusIndex),
    /// Those of a group of the file, by its place.
    Group(usize),
    /// All ECUs of buses but for their security module.
    Buses(Vec<BusIndex>),
    /// The members of a security module of the file, by its place.
    Network(usize),
}

impl KeyProvider {
    /// Returns true if an ECU gets its keys.
    pub(super) fn holds(&self, file: &VehicleFile, ecu: EcuIndex) -> bool {
        match &self.holders {
            Holders::Bus(bus) => is_on(file, ecu, &[*bus]),
            Holders::Group(group) => {
                let (group, logical) = (*group, None);
                file.holds(GroupKey { group, logical }, ecu)
            }
            Holders::Buses(buses) => is_on(file, ecu, buses) && module_of(file, buses) != Some(ecu),
            Holders::Network(at) => {
                let mut members = file.lasan[*at].members.iter();
                members.any(|member| member.ecu == ecu)
            }
        }
    }

    /// Returns how many of its keys an ECU has room for; none if one key serves for all streams.
    pub(super) fn room(&self, file: &VehicleFile, ecu: EcuIndex) -> Option<usize> {
        // One key is that of the announcements of freshness.
        let room = HELD_MAX - 1;
        match &self.holders {
            Holders::Bus(_) | Holders::Group(_) => None,
            Holders::Buses(_) => Some(room),
            Holders::Network(at) => {
                let lines = file.lasan[*at].protected.iter();
                let encrypted = lines.map(|line| file.stream(line.stream));
                let is_held = |stream: &&Stream| {
                    let mut receivers = stream.receivers.iter();
                    stream.sender == ecu || receivers.any(|one| one.ecu == ecu)
                };
                let held = encrypted.filter(is_held).count();
                Some(room.saturating_sub(held))
            }
        }
    }

    /// Names it in an `[[authentication]]`.
    pub(super) fn write(&self, authentication: &mut Table) {
        let mut insert = |key: &str, value: &str| {
            authentication.insert(key.to_owned(), value.into());
        };
        match &self.holders {
            Holders::Bus(_) | Holders::Group(_) => {
                insert("group", &self.name);
                insert("before_first_key", "retained");
            }
            Holders::Buses(_) | Holders::Network(_) => insert("granted_by", &self.name),
        }
    }
}

/// Returns what gives a variant keys while the car runs. What is granted as published changes
/// without a time in which both keys are good, so no message authentication uses it.
pub(super) fn providers(file: &VehicleFile, choice: KeyChoice) -> Vec<KeyProvider> {
    match choice {
        KeyChoice::Group(scheme, _) => {
            let buses = (0..file.buses.len()).map(BusIndex);
            let buses = buses.filter(|bus| has_two(file, &[*bus]));
            let group = |bus| KeyProvider {
                name: name_of(scheme, bus),
                holders: Holders::Bus(bus),
            };
            buses.map(group).collect()
        }
        KeyChoice::Lasan(profile, _) if profile != "as-published" => {
            let provider = |buses: Vec<BusIndex>| {
                let is_written = has_two(file, &buses) && module_of(file, &buses).is_some();
                Some(KeyProvider {
                    name: name_of("lasan", *buses.first()?),
                    holders: Holders::Buses(buses),
                })
                .filter(|_| is_written)
            };
            networks(file).into_iter().filter_map(provider).collect()
        }
        KeyChoice::File => own_providers(file),
        KeyChoice::None | KeyChoice::Lasan(..) => Vec::new(),
    }
}

fn own_providers(file: &VehicleFile) -> Vec<KeyProvider> {
    let groups = file.groups.iter().enumerate();
    let groups = groups.map(|(at, group)| KeyProvider {
        name: group.name.value.clone(),
        holders: Holders::Group(at),
    });
    let networks = file.lasan.iter().enumerate();
    let networks = networks.filter(|(_, one)| one.profile != LasanProfile::AsPublished);
    let networks = networks.map(|(at, network)| KeyProvider {
        name: network.name.value.clone(),
        holders: Holders::Network(at),
    });
    groups.chain(networks).collect()
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
