//! The part of a vehicle that bounds cover.

use waywarden_vehicle_file::{
    AuthenticationProtocol, CryptoEngine, Ecu, KeyOrigin, Protection, Require, VehicleFile,
};
use waywarden_work::Duration;

/// Something that the bounds leave out; they hold while it does not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption(pub String);

/// Returns the vehicle without what no bound covers, and what that was. The result can be simulated
/// like any other: its latencies are those that bounds are compared with.
#[must_use]
pub fn covered(file: &VehicleFile) -> (VehicleFile, Vec<Assumption>) {
    let mut own = file.clone();
    let mut left_out = Vec::new();
    let mut leave_out = |number: usize, what: &str| {
        if number > 0 {
            left_out.push(Assumption(format!("{number} {what}")));
        }
    };
    leave_out(own.attackers.len(), "attackers do not act");
    leave_out(
        own.interferers.len(),
        "interferers do not act: errors are those of --error-every",
    );
    leave_out(own.faults.len(), "faults do not happen");
    leave_out(own.replays.len(), "recorded logs are not played back");
    leave_out(
        own.groups.len() + own.lasan.len(),
        "key tables exchange no keys while a bound counts: their frames are not in it",
    );
    leave_out(
        on_modules_beside_keys(file),
        "ECUs compute on hardware security modules: codes wait for no signature of a key exchange \
         that runs there",
    );
    let late = own.ecus.iter().filter(|ecu| ecu.start > Duration::ZERO);
    leave_out(
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
    leave_out(
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
    leave_out(
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
    clear(&mut own);
    (own, left_out)
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
    own.attackers.clear();
    own.interferers.clear();
    own.faults.clear();
    own.replays.clear();
    own.groups.clear();
    own.lasan.clear();
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
