//! Tests of the fields of events under a security module.

use waywarden_can::node::Port;
use waywarden_group_keys::Address;
use waywarden_lasan::{
    CertificateError, DenialReason, EcuEvent, HandshakeFailure, ModuleEvent, ProtectedOutcome,
    ReplaceError, StreamId,
};
use waywarden_vehicle_trace::{AuthorizationEvent, Fact};

use super::json;

/// The fields are those of the event, behind its name and network.
fn assert_fields(event: AuthorizationEvent, fields: &str) {
    let what = event.code();
    let fact = Fact::Authorization { network: 0, event };
    let expected = format!(r#"{{"what":"{what}","network":"module",{fields}}}"#);
    assert_eq!(json(&fact, None), expected);
}

#[test]
fn events_of_an_ecu_have_epoch_stream_and_why() {
    let (stream, sender, generation) = (StreamId(0x123), Address(7), 2);
    let reason = DenialReason::NotNow;
    let expired = HandshakeFailure::Certificate(CertificateError::Expired);
    let events = [
        (EcuEvent::Authenticated { epoch: 3 }, r#""epoch":3"#),
        (
            EcuEvent::Failed(HandshakeFailure::Proof),
            r#""failure":"proof""#,
        ),
        (
            EcuEvent::Failed(expired),
            r#""failure":"certificate","certificate":"expired""#,
        ),
        (
            EcuEvent::Granted {
                stream,
                sender,
                generation,
            },
            r#""stream":"Speed","generation":2,"sender":"brakes""#,
        ),
        (
            EcuEvent::Denied { stream, reason },
            r#""stream":"Speed","reason":"not-now""#,
        ),
        (EcuEvent::Expired(StreamId(9)), r#""stream_id":9"#),
    ];
    for (event, fields) in events {
        assert_fields(AuthorizationEvent::Ecu(event), fields);
    }
    let event = AuthorizationEvent::Ecu(EcuEvent::SessionLost);
    let fact = Fact::Authorization { network: 0, event };
    assert_eq!(
        json(&fact, None),
        r#"{"what":"session-lost","network":"module"}"#
    );
}

#[test]
fn events_of_a_security_module_have_party_stream_and_why() {
    let (stream, ecu, generation) = (StreamId(0x123), Address(7), 2);
    let (reason, failure) = (DenialReason::NotNow, HandshakeFailure::Timeout);
    let events = [
        (ModuleEvent::Started { epoch: 1 }, r#""epoch":1"#),
        (ModuleEvent::Authenticated(ecu), r#""party":"brakes""#),
        (
            ModuleEvent::Failed {
                ecu: Address(99),
                failure,
            },
            r#""address":99,"failure":"timeout""#,
        ),
        (
            ModuleEvent::Keyed { stream, generation },
            r#""stream":"Speed","generation":2"#,
        ),
        (
            ModuleEvent::Granted {
                stream,
                ecu,
                generation,
            },
            r#""stream":"Speed","party":"brakes","generation":2"#,
        ),
        (
            ModuleEvent::Refused {
                stream,
                ecu,
                reason,
            },
            r#""stream":"Speed","party":"brakes","reason":"not-now""#,
        ),
        (ModuleEvent::Revoked(stream), r#""stream":"Speed""#),
        (ModuleEvent::Enrolled(ecu), r#""party":"brakes""#),
        (ModuleEvent::Retired(ecu), r#""party":"brakes""#),
        (ModuleEvent::PortLags(Port(1)), r#""port":1"#),
        (ModuleEvent::PortFollows(Port(1)), r#""port":1"#),
    ];
    for (event, fields) in events {
        assert_fields(AuthorizationEvent::Module(event), fields);
    }
}

#[test]
fn other_authorization_events_have_party_stream_and_why() {
    let (stream, ecu, error) = (StreamId(0x123), Address(7), ReplaceError::TooMany);
    let events = [
        (
            AuthorizationEvent::NotReplaced { ecu, error },
            r#""party":"brakes","failure":"too-many-replaced""#,
        ),
        (
            AuthorizationEvent::Refused(ProtectedOutcome::WrongTag(stream)),
            r#""stream":"Speed""#,
        ),
        (
            AuthorizationEvent::SharesSession {
                attacker: 0,
                ecu: 0,
            },
            r#""attacker":"thief","party":"brakes""#,
        ),
    ];
    for (event, fields) in events {
        assert_fields(event, fields);
    }
}
