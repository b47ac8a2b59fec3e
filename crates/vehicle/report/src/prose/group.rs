//! Events of group keys, in words.

use waywarden_group_keys::{Address, Event};

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
        Event::Formed(Address(0)) => "the group's secret is known".to_owned(),
        Event::Formed(Address(at)) => format!("the secret of logical ECU {at} is known"),
        Event::Failed { result, failure } => {
            format!(
                "the exchange for logical ECU {} failed: {failure:?}",
                result.0
            )
        }
        Event::Missed { epoch } => format!("the key of epoch {epoch} was missed"),
        Event::Starved { renewals } => {
            format!("{renewals} agreements in a row were ordered and gave this ECU no key")
        }
        Event::Unresponsive(Address(at)) => format!("going on without address {at}"),
        Event::PortLags(port) => format!(
            "the bus on port {} is too slow: going on without it",
            port.0
        ),
        Event::PortFollows(port) => format!("the bus on port {} takes frames again", port.0),
        Event::Removed(Address(at)) => format!("address {at} is removed"),
        Event::Included(Address(at)) => format!("address {at} takes part again"),
        Event::Unacknowledged { epoch, members } => {
            format!("{members} have not acknowledged epoch {epoch}")
        }
        other => format!("{other:?}"),
    }
}
