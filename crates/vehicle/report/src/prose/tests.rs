//! Every fact has its kind, its code and its sentence.

use waywarden_can::MessageHandle;
use waywarden_can_auth::event::CanPayload;
use waywarden_group_keys::{Address, ExchangeFailure, GroupRoleEvent};
use waywarden_lasan::{
    self as lasan, DenialReason, EcuEvent, ModuleEvent, ProtectedOutcome, ReplaceError, StreamId,
};

use super::*;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_vehicle_file::KeypadKey;
use waywarden_vehicle_trace::{DeliveryStep, Genuine, MessageId, ValueSource};
use waywarden_work::Duration;

/// Names of a vehicle with one of everything.
pub(crate) fn prose() -> Prose {
    let network = NetworkNames {
        name: "module".to_owned(),
        ecus: [(Address(7), "brakes".to_owned())].into(),
        streams: [(StreamId(0x123), "Speed".to_owned())].into(),
    };
    let one = |name: &str| vec![name.to_owned()];
    Prose {
        streams: one("Speed"),
        groups: one("group"),
        networks: vec![network],
        authentications: one("secoc"),
        attackers: one("thief"),
        ecus: one("brakes"),
    }
}

fn described(fact: &Fact, truth: Option<Truth>) -> (&'static str, String, String) {
    let RemarkText { kind, by, text } = prose().describe(&JudgedFact { fact, truth }).unwrap();
    (kind, by, text)
}

/// The truth of a message of the first stream that its sender sent.
pub(crate) fn genuine(number: u32, cause: Option<u64>) -> Truth {
    let stream = 0;
    Truth::Genuine(Genuine {
        message: MessageId {
            stream,
            number,
            boot: 1,
        },
        cause,
        released: Time::ZERO,
        longest: (DeliveryStep::Checking(EcuIndex(0)), Duration::ZERO),
        is_for_itself: true,
    })
}

#[test]
fn every_group_key_event_has_a_code_and_a_sentence() {
    let failure = ExchangeFailure::Timeout;
    let (result, epoch, members) = (Address(7), 1, 2);
    let port = waywarden_can::node::Port(1);
    let reported = [
        (GroupRoleEvent::Formed(Address(0)), "formed"),
        (GroupRoleEvent::Formed(Address(9)), "formed"),
        (GroupRoleEvent::Failed { result, failure }, "failed"),
        (GroupRoleEvent::Missed { epoch }, "missed"),
        (GroupRoleEvent::Starved { renewals: 8 }, "starved"),
        (GroupRoleEvent::Unresponsive(Address(1)), "unresponsive"),
        (GroupRoleEvent::PortLags(port), "port-lags"),
        (GroupRoleEvent::PortFollows(port), "port-follows"),
        (GroupRoleEvent::Removed(Address(1)), "removed"),
        (GroupRoleEvent::Included(Address(1)), "included"),
        (
            GroupRoleEvent::Unacknowledged { epoch, members },
            "unacknowledged",
        ),
    ];
    let reported = reported.map(|(event, code)| (GroupKeyEvent::Role(event), code));
    let own = [
        (GroupKeyEvent::Begun, "begun"),
        (GroupKeyEvent::InUse { epoch, key: 0 }, "agreed"),
    ];
    for (event, code) in reported.into_iter().chain(own) {
        assert_eq!(event.code(), code, "{event:?}");
        let (kind, by, text) = described(&Fact::GroupKey { group: 0, event }, None);
        assert_eq!((kind, by.as_str()), ("keys", "group"));
        assert!(!text.contains('{') && !text.is_empty(), "{text}");
    }
}

#[test]
fn every_authorization_event_has_a_code_before_its_sentence() {
    let (stream, ecu, generation) = (StreamId(0x123), Address(7), 2);
    let (reason, failure) = (DenialReason::NotNow, lasan::HandshakeFailure::Timeout);
    let error = ReplaceError::TooMany;
    let of_ecu = [
        (EcuEvent::Authenticated { epoch: 3 }, "authenticated"),
        (EcuEvent::Failed(failure), "failed"),
        (EcuEvent::SessionLost, "session-lost"),
        (EcuEvent::Denied { stream, reason }, "denied"),
        (EcuEvent::Expired(stream), "expired"),
    ];
    let granted = ModuleEvent::Granted {
        stream,
        ecu,
        generation,
    };
    let refused = ModuleEvent::Refused {
        stream,
        ecu,
        reason,
    };
    let of_module = [
        (ModuleEvent::Started { epoch: 1 }, "started"),
        (ModuleEvent::Failed { ecu, failure }, "failed"),
        (ModuleEvent::Keyed { stream, generation }, "keyed"),
        (granted, "delivered"),
        (refused, "refused"),
        (ModuleEvent::Revoked(stream), "revoked"),
        (ModuleEvent::Enrolled(ecu), "enrolled"),
        (ModuleEvent::Retired(ecu), "retired"),
    ];
    let others = [
        (
            AuthorizationEvent::NotReplaced { ecu, error },
            "not-replaced",
        ),
        (
            AuthorizationEvent::Refused(ProtectedOutcome::WrongTag(stream)),
            "wrong-tag",
        ),
        (
            AuthorizationEvent::Refused(ProtectedOutcome::Replay(stream)),
            "replay",
        ),
        (
            AuthorizationEvent::Refused(ProtectedOutcome::UnknownKey(stream)),
            "unknown-key",
        ),
        (
            AuthorizationEvent::SharesSession {
                attacker: 0,
                ecu: 0,
            },
            "masquerade",
        ),
    ];
    let of_ecu = of_ecu.map(|(event, code)| (AuthorizationEvent::Ecu(event), code));
    let of_module = of_module.map(|(event, code)| (AuthorizationEvent::Module(event), code));
    for (event, code) in of_ecu.into_iter().chain(of_module).chain(others) {
        assert_eq!(event.code(), code, "{event:?}");
        let (kind, by, text) = described(&Fact::Authorization { network: 0, event }, None);
        assert_eq!((kind, by.as_str()), ("authorization", "module"));
        assert!(text.starts_with(&format!("{code}: ")), "{text}");
    }
    let event = AuthorizationEvent::Refused(ProtectedOutcome::WrongTag(stream));
    let text = prose().authorization_text(0, &event);
    assert_eq!(text, "a frame of Speed is not its sender's");
}

#[test]
fn a_forgery_is_named_by_the_truth_and_not_by_the_protocol() {
    let outcome = CheckOutcome::Authentic(CanPayload::new(&[1]));
    let fact = Fact::Checked {
        authentication: 0,
        stream: 0,
        passes_to: None,
        outcome,
        message: MessageHandle::NONE,
    };
    let (kind, by, text) = described(&fact, Some(genuine(0, None)));
    assert_eq!((kind, by.as_str()), ("authentication", "secoc"));
    assert_eq!(text, "Speed: authentic");
    let (_, _, text) = described(&fact, Some(Truth::Forged { by: None }));
    assert!(text.starts_with("Speed: taken"), "{text}");
}

#[test]
fn a_display_shows_where_its_value_comes_from() {
    let display = |source: Option<ValueSource>, truth| {
        let (module, value) = ("PMled", "20".to_owned());
        let fact = Fact::Displayed {
            module,
            value,
            source,
        };
        described(&fact, truth).2
    };
    let source = Some(ValueSource::Message {
        stream: 0,
        number: 0,
    });
    let caused = |cause| Some(genuine(0, cause));
    assert_eq!(display(source, caused(Some(3))), "shows 20 (event 3)");
    assert_eq!(display(source, caused(None)), "shows 20 (from the start)");
    assert_eq!(
        display(source, Some(Truth::Forged { by: None })),
        "shows 20 (its sender did not send it)"
    );
    assert_eq!(display(None, None), "shows 20");
    let fact = Fact::KeyPressed {
        module: "PMkey",
        number: 4,
        key: KeypadKey::Hazard,
        is_down: true,
    };
    assert_eq!(described(&fact, None).2, "event 4: key D pressed");
}

#[test]
fn traces_leave_out_what_frames_show() {
    let message = MessageHandle::NONE;
    let fact = &Fact::HandedIn {
        stream: 0,
        passes_to: None,
        message,
    };
    let truth = None;
    assert_eq!(prose().describe(&JudgedFact { fact, truth }), None);
    assert_eq!(prose().responsible(fact), "Speed");
}
