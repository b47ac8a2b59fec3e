//! Forgeries by an intruder on a group's ECU, with the group's key: streams that come under it, or
//! under the key of a subgroup, and that its ECU neither sends nor checks.

use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_ecu::{COUNTERS, SLOTS};

use super::configuration::{self, AuthenticationConfiguration};
use super::{SessionKeys, roles};
use crate::lower::part::Part;
use crate::lower::port_on;
use crate::nodes::{KeyRole, OverhearingRole};
use waywarden_vehicle_file::{Attack, Authentication, EcuIndex, GroupKey, TagCheck, VehicleFile};

/// Returns the streams of an authentication that an intruder overhears, each by one bus; none where
/// no attacker runs code, or where the ECU is not in the group.
pub(in crate::lower) fn streams<'a>(
    file: &'a VehicleFile,
    table: &'a Authentication,
    ecu: EcuIndex,
) -> impl Iterator<Item = TagCheck> + 'a {
    let own = best_key(file, table, ecu);
    let streams = table.streams.iter().filter(move |_| own.is_some());
    let overheard = streams.filter_map(move |&stream| {
        let handled = file.stream(stream);
        let mut checks = file.checks(table);
        let has_part =
            handled.sender == ecu || checks.any(|check| check.stream == stream && check.ecu == ecu);
        let mut carried = handled.carried.iter().map(|one| one.bus);
        let ports = &file.ecu(ecu).ports;
        let bus = carried.find(|bus| ports.contains(bus) && !file.is_verified(stream, *bus))?;
        let passes_to = None;
        (!has_part).then_some(TagCheck {
            stream,
            ecu,
            bus,
            passes_to,
        })
    });
    // As many as may each have a counter that lasts.
    overheard.take(COUNTERS)
}

/// Returns the key that comes nearest to that of an authentication, of those that an ECU has: one
/// of a group, for a granted key is that of one stream and gives nothing for another.
fn best_key(file: &VehicleFile, table: &Authentication, ecu: EcuIndex) -> Option<GroupKey> {
    let is_intruded = file.attackers.iter().any(|one| match &one.attack {
        Attack::Compromise { ecus, .. } => ecus.contains(&ecu),
        _ => false,
    });
    let key = table.keys.group_key().filter(|_| is_intruded)?;
    let whole = GroupKey {
        logical: None,
        ..key
    };
    [key, whole].into_iter().find(|key| file.holds(*key, ecu))
}

/// Makes the part of an intruder on an ECU.
pub(super) fn part(
    file: &VehicleFile,
    (at, table): (usize, &Authentication),
    ecu: EcuIndex,
    session_keys: &SessionKeys<'_>,
) -> Option<Part> {
    let key = best_key(file, table, ecu)?;
    let checks: Vec<TagCheck> = streams(file, table, ecu).collect();
    if checks.is_empty() {
        return None;
    }
    let mut ports = Ports::NONE;
    let announced = configuration::announcements(table);
    let announced = announced.filter(|bus| file.ecu(ecu).ports.contains(bus));
    for &bus in checks.iter().map(|check| &check.bus).chain(announced) {
        ports = ports.with(port_on(file, ecu, bus));
    }
    let configuration = AuthenticationConfiguration::overhearing(file, (at, table), ecu, checks);
    let keys = session_keys.agreed(
        (key.group, key.logical),
        table.keys.before_first_key(),
        &configuration,
    );
    let make = move |boot: &Boot<'_>, slot: Slot| -> Box<dyn KeyRole> {
        Box::new(OverhearingRole::new(
            roles::role(boot, slot, &configuration),
            keys(),
        ))
    };
    Some(Part::new(Box::new(make), ports, usize::from(SLOTS)))
}
