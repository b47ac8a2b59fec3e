//! Events of group keys, in words.

use waywarden_group_keys::{Address, GroupRoleEvent};

use waywarden_vehicle_trace::GroupKeyEvent;

/// Returns the text of an event.
pub(super) fn text(event: &GroupKeyEvent) -> String {
    let event = match event {
        GroupKeyEvent::Begun => return "a new key is begun".to_owned(),
        GroupKeyEvent::InUse { epoch, .. } => {
            return format!("the group key of epoch {epoch} is in use");
        }
        GroupKeyEvent::Role(event) => event,
    };
    match event {
        GroupRoleEvent::Formed(Address(0)) => "the group's secret is known".to_owned(),
        GroupRoleEvent::Formed(Address(at)) => format!("the secret of logical ECU {at} is known"),
        GroupRoleEvent::Failed { result, failure } => {
            format!(
                "the exchange for logical ECU {} failed: {failure:?}",
                result.0
            )
        }
        GroupRoleEvent::Missed { epoch } => format!("the key of epoch {epoch} was missed"),
        GroupRoleEvent::Starved { renewals } => {
            format!("{renewals} agreements in a row were ordered and gave this ECU no key")
        }
        GroupRoleEvent::Unresponsive(Address(at)) => format!("going on without address {at}"),
        GroupRoleEvent::PortLags(port) => format!(
            "the bus on port {} is too slow: going on without it",
            port.0
        ),
        GroupRoleEvent::PortFollows(port) => {
            format!("the bus on port {} takes frames again", port.0)
        }
        GroupRoleEvent::Removed(Address(at)) => format!("address {at} is removed"),
        GroupRoleEvent::Included(Address(at)) => format!("address {at} takes part again"),
        GroupRoleEvent::Unacknowledged { epoch, members } => {
            format!("{members} have not acknowledged epoch {epoch}")
        }
        other => format!("{other:?}"),
    }
}
