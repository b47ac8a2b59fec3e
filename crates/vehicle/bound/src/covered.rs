//! The part of a vehicle that bounds cover.

use crate::key_traffic::{KEY_ATTEMPTS, KeyTraffic, key_traffic};
use waywarden_vehicle_file::{
    AuthenticationProtocol, CryptoEngine, Ecu, KeyGroup, KeyOrigin, Lasan, Protection, Require,
    VehicleFile,
};
use waywarden_work::Duration;

/// Something that the bounds leave out; they hold while it does not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption(pub String);

/// The part of a vehicle that bounds cover.
#[derive(Clone, Debug)]
pub struct Covered {
    /// It as a vehicle that can be simulated like any other: its latencies are those that bounds
    /// are compared with.
    pub file: VehicleFile,
    /// The frames of its key exchanges, those of the vehicle's own file: none if they are left out.
    pub keys: Vec<KeyTraffic>,
    /// Everything that is left out.
    pub assumptions: Vec<Assumption>,
}

/// Returns the vehicle without what no bound covers. Key exchanges are left out unless `with_keys`,
/// or if bounds could not cover what they compute.
#[must_use]
pub fn covered(file: &VehicleFile, with_keys: bool) -> Covered {
    let mut own = file.clone();
    let mut left_out = LeftOut::default();
    left_out.add(own.attackers.len(), "attackers do not act");
    left_out.add(
        own.interferers.len(),
        "interferers do not act: errors are those of --error-every",
    );
    left_out.add(own.faults.len(), "faults do not happen");
    left_out.add(own.replays.len(), "recorded logs are not played back");
    let keys = covered_keys(file, with_keys, &mut left_out);
    let late = own.ecus.iter().filter(|ecu| ecu.start > Duration::ZERO);
    left_out.add(
        late.count(),
        "ECUs that start late are up: start-up is not in a bound",
    );
    let granted = own.streams.iter_mut();
    let granted = granted.filter(|one| one.protection == Protection::Granted);
    let mut number = 0;
    for stream in granted {
        stream.length = stream.wire_length();
        stream.protection = Protection::None;
        number += 1;
    }
    left_out.add(
        number,
        "streams under keys of a security module count with their longer frames, without the \
         computing",
    );
    let published =
        |one: &AuthenticationProtocol| matches!(one, AuthenticationProtocol::Published { .. });
    let tables = own.authentications.iter();
    let tables: Vec<_> = tables
        .filter(|one| published(&one.protocol))
        .cloned()
        .collect();
    left_out.add(
        tables.len(),
        "authentications as published count without their tags",
    );
    for table in &tables {
        for stream in &table.streams {
            own.streams[stream.0].protection = Protection::None;
        }
    }
    own.authentications.retain(|one| !published(&one.protocol));
    unverify(&mut own);
    for table in &mut own.authentications {
        table.keys = KeyOrigin::Provisioned;
    }
    for ecu in &mut own.ecus {
        ecu.start = Duration::ZERO;
    }
    match keys.is_empty() {
        true => clear(&mut own),
        false => keep_keys(&mut own),
    }
    Covered {
        file: own,
        keys,
        assumptions: left_out.0,
    }
}

/// Sentences on what is left out.
#[derive(Default)]
struct LeftOut(Vec<Assumption>);

impl LeftOut {
    fn add(&mut self, number: usize, what: &str) {
        if number > 0 {
            self.0.push(Assumption(format!("{number} {what}")));
        }
    }
}

/// Returns how many key tables have other identifiers than those by default.
fn with_own_identifiers(file: &VehicleFile) -> usize {
    let groups = file.groups.iter();
    let groups = groups.filter(|one| one.identifiers != waywarden_group_keys::IDENTIFIERS);
    let networks = file.lasan.iter();
    let networks = networks.filter(|one| one.identifiers != waywarden_lasan::IDENTIFIERS);
    groups.count() + networks.count()
}

/// Returns the frames of key exchanges, if they are covered.
fn covered_keys(file: &VehicleFile, with_keys: bool, left_out: &mut LeftOut) -> Vec<KeyTraffic> {
    let tables = file.groups.len() + file.lasan.len();
    let on_modules = on_modules_beside_keys(file);
    let urgent = urgent_beside_keys(file);
    let planned = with_own_identifiers(file);
    if with_keys && on_modules + urgent + planned == 0 {
        let text = format!(
            "key tables send each message of an agreement {KEY_ATTEMPTS} times at most, and \
             exclude no ECU"
        );
        left_out.add(tables, &text);
        let changes = file.lasan.iter().map(|network| network.changes.len());
        left_out.add(changes.sum(), "changes of a workshop do not happen");
        return key_traffic(file);
    }
    left_out.add(
        tables,
        "key tables exchange no keys while a bound counts: their frames are not in it",
    );
    left_out.add(
        if with_keys { planned } else { 0 },
        "key tables have identifiers of their own: no bound covers that",
    );
    left_out.add(
        if with_keys { urgent } else { 0 },
        "ECUs compute keys as urgently as they receive, send or check messages: no bound \
         covers that",
    );
    left_out.add(
        on_modules,
        "ECUs compute on hardware security modules: codes wait for no signature of a key \
         exchange that runs there",
    );
    Vec::new()
}

/// Returns how many ECUs take part in key exchanges and compute for them no less urgently than for
/// messages.
fn urgent_beside_keys(file: &VehicleFile) -> usize {
    let groups = file.groups.iter().flat_map(KeyGroup::parties);
    let networks = file.lasan.iter().flat_map(Lasan::parties);
    let mut ecus: Vec<_> = groups.chain(networks).map(|party| party.ecu).collect();
    ecus.sort_unstable();
    ecus.dedup();
    let is_urgent = |ecu: &&_| {
        let tasks = &file.ecu(**ecu).tasks;
        tasks.crypto >= tasks.receive.min(tasks.send).min(tasks.mac)
    };
    ecus.iter().filter(is_urgent).count()
}

/// Returns how many ECUs compute on hardware security modules while keys are exchanged.
fn on_modules_beside_keys(file: &VehicleFile) -> usize {
    let on_module = |ecu: &&Ecu| ecu.crypto == CryptoEngine::Module;
    match file.groups.is_empty() && file.lasan.is_empty() {
        true => 0,
        false => file.ecus.iter().filter(on_module).count(),
    }
}

/// Returns the same vehicle without message authentication.
#[must_use]
pub fn without_security(file: &VehicleFile) -> VehicleFile {
    let mut own = file.clone();
    own.authentications.clear();
    for stream in &mut own.streams {
        stream.protection = Protection::None;
    }
    unverify(&mut own);
    clear(&mut own);
    own
}

fn clear(own: &mut VehicleFile) {
    own.groups.clear();
    own.lasan.clear();
    keep_keys(own);
}

/// Leaves the exchanges of keys, which then protect nothing.
fn keep_keys(own: &mut VehicleFile) {
    own.attackers.clear();
    own.interferers.clear();
    own.faults.clear();
    own.replays.clear();
    for group in &mut own.groups {
        group.holds_streams = false;
    }
    for network in &mut own.lasan {
        network.protected.clear();
        network.changes.clear();
    }
    own.moments.clear();
    own.require = Require::default();
}

/// Has routes forward as they are what no authentication protects any more.
fn unverify(own: &mut VehicleFile) {
    let tables = own.authentications.iter();
    let kept: Vec<_> = tables
        .flat_map(|table| table.streams.iter().copied())
        .collect();
    for route in &mut own.routes {
        if !route.streams.iter().all(|stream| kept.contains(stream)) {
            route.verify = None;
        }
    }
}
