//! Events of group keys, as fields.

use waywarden_group_keys::{Event, Failure};
use waywarden_vehicle_trace::GroupKeyEvent;

use super::FactFields;

/// Returns the fields of an event; addresses are those of the group's table, 0 is the whole group.
pub(super) fn fields(event: &GroupKeyEvent) -> FactFields {
    let fields = FactFields::of(event.code());
    let event = match event {
        GroupKeyEvent::Begun => return fields,
        GroupKeyEvent::InUse { epoch, .. } => return fields.with("epoch", *epoch),
        GroupKeyEvent::Role(event) => event,
    };
    match *event {
        Event::Formed(logical) => fields.with("logical_ecu", logical.0),
        Event::Confirmed { epoch } | Event::Missed { epoch } => fields.with("epoch", epoch),
        Event::Failed { result, failure } => {
            let fields = fields.with("logical_ecu", result.0);
            with_failure(fields, failure)
        }
        Event::Starved { renewals } => fields.with("renewals", renewals),
        Event::Unresponsive(ecu) | Event::Removed(ecu) | Event::Included(ecu) => {
            fields.with("address", ecu.0)
        }
        Event::PortLags(port) | Event::PortFollows(port) => fields.with("port", port.0),
        Event::Unacknowledged { epoch, members } => {
            fields.with("epoch", epoch).with("members", members)
        }
        // A renewal that waited begins; and whatever a later release adds.
        _ => fields,
    }
}

fn with_failure(fields: FactFields, failure: Failure) -> FactFields {
    match failure {
        Failure::Orchestration => fields.with("failure", "orchestration"),
        Failure::SecretMissing(ecu) => {
            let fields = fields.with("failure", "secret-missing");
            fields.with("address", ecu.0)
        }
        Failure::Share => fields.with("failure", "share"),
        Failure::Confirmation => fields.with("failure", "confirmation"),
        Failure::Timeout => fields.with("failure", "timeout"),
        Failure::PublicKeyMissing(ecu) => {
            let fields = fields.with("failure", "public-key-missing");
            fields.with("address", ecu.0)
        }
        _ => fields.with("failure", "other"),
    }
}
