//! Events of group keys, as fields.

use waywarden_group_keys::{ExchangeFailure, GroupRoleEvent};
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
        GroupRoleEvent::Formed(logical) => fields.with("logical_ecu", logical.0),
        GroupRoleEvent::Confirmed { epoch } | GroupRoleEvent::Missed { epoch } => {
            fields.with("epoch", epoch)
        }
        GroupRoleEvent::Failed { result, failure } => {
            let fields = fields.with("logical_ecu", result.0);
            with_failure(fields, failure)
        }
        GroupRoleEvent::Starved { renewals } => fields.with("renewals", renewals),
        GroupRoleEvent::Unresponsive(ecu)
        | GroupRoleEvent::Removed(ecu)
        | GroupRoleEvent::Included(ecu) => fields.with("address", ecu.0),
        GroupRoleEvent::PortLags(port) | GroupRoleEvent::PortFollows(port) => {
            fields.with("port", port.0)
        }
        GroupRoleEvent::Unacknowledged { epoch, members } => {
            fields.with("epoch", epoch).with("members", members)
        }
        // A renewal that waited begins; and whatever a later release adds.
        _ => fields,
    }
}

fn with_failure(fields: FactFields, failure: ExchangeFailure) -> FactFields {
    match failure {
        ExchangeFailure::Orchestration => fields.with("failure", "orchestration"),
        ExchangeFailure::SecretMissing(ecu) => {
            let fields = fields.with("failure", "secret-missing");
            fields.with("address", ecu.0)
        }
        ExchangeFailure::Share => fields.with("failure", "share"),
        ExchangeFailure::Confirmation => fields.with("failure", "confirmation"),
        ExchangeFailure::Timeout => fields.with("failure", "timeout"),
        ExchangeFailure::PublicKeyMissing(ecu) => {
            let fields = fields.with("failure", "public-key-missing");
            fields.with("address", ecu.0)
        }
        _ => fields.with("failure", "other"),
    }
}
