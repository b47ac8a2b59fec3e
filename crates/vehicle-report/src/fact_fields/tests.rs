//! Every fact has its fields: what a program needs of it, and no sentence.

use waywarden_can::node::Port;
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::Payload;
use waywarden_can_sim::clock::Time;
use waywarden_group_keys::{Address, Event, Failure as GroupFailure};
use waywarden_lasan::{
    CertificateError, EcuEvent, Failure, ModuleEvent, Reason, Received, ReplaceError, StreamId,
};
use waywarden_vehicle_file::Key;
use waywarden_vehicle_trace::{AuthorisationEvent, Genuine, GroupKeyEvent, ProtectedEvent};
use waywarden_vehicle_trace::{SentMessage, Source};
use waywarden_work::Duration;

use super::*;
use crate::prose::tests::prose;

/// The fields of a fact as they stand in a trace.
fn json(fact: &Fact, truth: Option<Truth>) -> String {
    let fields = prose().fields(&JudgedFact { fact, truth });
    serde_json::to_string(&fields.unwrap_or_else(|| panic!("{fact:?}"))).unwrap()
}

fn genuine() -> Truth {
    Truth::Genuine(Genuine {
        number: 4,
        cause: Some(2),
        released: Time::ZERO,
    })
}

fn frame() -> Frame {
    Frame::classic(Id::standard(0x123).unwrap(), &[1, 2]).unwrap()
}

#[test]
fn group_keys_have_group_epoch_and_who() {
    let told = [
        (
            Event::Formed(Address(9)),
            r#""what":"formed","logical_ecu":9"#,
        ),
        (
            Event::Confirmed { epoch: 3 },
            r#""what":"confirmed","epoch":3"#,
        ),
        (Event::Missed { epoch: 3 }, r#""what":"missed","epoch":3"#),
        (Event::Renewing, r#""what":"renewing""#),
        (
            Event::Starved { renewals: 8 },
            r#""what":"starved","renewals":8"#,
        ),
        (
            Event::Unresponsive(Address(1)),
            r#""what":"unresponsive","address":1"#,
        ),
        (
            Event::Removed(Address(1)),
            r#""what":"removed","address":1"#,
        ),
        (
            Event::Included(Address(1)),
            r#""what":"included","address":1"#,
        ),
        (Event::PortLags(Port(1)), r#""what":"port-lags","port":1"#),
        (
            Event::PortFollows(Port(1)),
            r#""what":"port-follows","port":1"#,
        ),
        (
            Event::Unacknowledged {
                epoch: 3,
                members: 2,
            },
            r#""what":"unacknowledged","epoch":3,"members":2"#,
        ),
    ];
    let told = told.map(|(event, fields)| (GroupKeyEvent::Role(event), fields.to_owned()));
    let failures = [
        (GroupFailure::Orchestration, r#""failure":"orchestration""#),
        (GroupFailure::Share, r#""failure":"share""#),
        (GroupFailure::Confirmation, r#""failure":"confirmation""#),
        (GroupFailure::Timeout, r#""failure":"timeout""#),
        (
            GroupFailure::SecretMissing(Address(5)),
            r#""failure":"secret-missing","address":5"#,
        ),
        (
            GroupFailure::PublicKeyMissing(Address(5)),
            r#""failure":"public-key-missing","address":5"#,
        ),
    ];
    let failed = failures.map(|(failure, fields)| {
        let result = Address(7);
        let event = GroupKeyEvent::Role(Event::Failed { result, failure });
        (
            event,
            format!(r#""what":"failed","logical_ecu":7,{fields}"#),
        )
    });
    let own = [
        (GroupKeyEvent::Begun, r#""what":"begun""#.to_owned()),
        (
            GroupKeyEvent::InUse { epoch: 3, key: 0 },
            r#""what":"agreed","epoch":3"#.to_owned(),
        ),
    ];
    for (event, fields) in told.into_iter().chain(failed).chain(own) {
        let fact = Fact::GroupKey { group: 0, event };
        assert_eq!(
            json(&fact, None),
            format!(r#"{{{fields},"group":"group"}}"#)
        );
    }
}

#[test]
fn authorisation_has_network_party_stream_and_why() {
    let (stream, ecu, generation) = (StreamId(0x123), Address(7), 2);
    let (reason, sender) = (Reason::NotNow, Address(7));
    let expired = Failure::Certificate(CertificateError::Expired);
    let of_ecu = [
        (EcuEvent::Authenticated { epoch: 3 }, r#""epoch":3"#),
        (EcuEvent::Failed(Failure::Proof), r#""failure":"proof""#),
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
    let of_ecu = of_ecu.map(|(event, fields)| (AuthorisationEvent::Ecu(event), fields));
    let failure = Failure::Timeout;
    let of_module = [
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
    let of_module = of_module.map(|(event, fields)| (AuthorisationEvent::Module(event), fields));
    let error = ReplaceError::TooMany;
    let others = [
        (
            AuthorisationEvent::NotReplaced { ecu, error },
            r#""party":"brakes","failure":"too-many-replaced""#,
        ),
        (
            AuthorisationEvent::Refused(Received::Forged(stream)),
            r#""stream":"Speed""#,
        ),
        (
            AuthorisationEvent::SharesSession {
                attacker: 0,
                ecu: 0,
            },
            r#""attacker":"thief","party":"brakes""#,
        ),
    ];
    for (event, fields) in of_ecu.into_iter().chain(of_module).chain(others) {
        let what = event.code();
        let fact = Fact::Authorisation { network: 0, event };
        let expected = format!(r#"{{"what":"{what}","network":"module",{fields}}}"#);
        assert_eq!(json(&fact, None), expected);
    }
    let event = AuthorisationEvent::Ecu(EcuEvent::SessionLost);
    let fact = Fact::Authorisation { network: 0, event };
    assert_eq!(
        json(&fact, None),
        r#"{"what":"session-lost","network":"module"}"#
    );
}

#[test]
fn verdicts_have_authentication_stream_and_whether_they_are_right() {
    let payload = Payload::new(&[1]);
    let outcomes = [
        (CheckOutcome::Authentic(payload), "authentic"),
        (CheckOutcome::BadTag, "bad-tag"),
        (CheckOutcome::Replay, "replay"),
        (CheckOutcome::Missing, "tag-missing"),
        (CheckOutcome::UnexpectedTag, "unexpected-tag"),
        (CheckOutcome::Desync, "out-of-step"),
        (CheckOutcome::Resynced, "resynced"),
        (CheckOutcome::NoRoom, "no-room"),
        (CheckOutcome::NotReady, "not-ready"),
    ];
    for (outcome, what) in outcomes {
        let fact = Fact::Checked {
            authentication: 0,
            stream: 0,
            outcome,
        };
        let fields = format!(r#"{{"what":"{what}","authentication":"secoc","stream":"Speed""#);
        assert_eq!(json(&fact, None), format!("{fields}}}"));
        assert_eq!(
            json(&fact, Some(Truth::Forged)),
            format!(r#"{fields},"forged":true}}"#)
        );
        let genuine = json(&fact, Some(genuine()));
        assert_eq!(
            genuine,
            format!(r#"{fields},"forged":false,"message":4,"caused_by":2}}"#)
        );
    }
}

#[test]
fn what_programs_and_attackers_do_has_its_fields() {
    let (attacker, frame) = (0, frame());
    let source = Some(Source::Message {
        stream: 0,
        number: 1,
    });
    let value = "9".to_owned();
    let facts = [
        (
            Fact::Taken {
                stream: 0,
                frame,
                length: 2,
            },
            Some(Truth::Forged),
            r#"{"what":"taken","stream":"Speed","frame":"123#0102","forged":true}"#,
        ),
        (
            Fact::Skipped {
                stream: 0,
                instances: 2,
                since_boot: 5,
            },
            None,
            r#"{"what":"skipped","stream":"Speed","instances":2,"since_boot":5}"#,
        ),
        (
            Fact::Displayed {
                module: "display",
                value: value.clone(),
                source,
            },
            Some(Truth::Forged),
            concat!(
                r#"{"what":"displayed","module":"display","value":"9","#,
                r#""source":"message","stream":"Speed","forged":true}"#
            ),
        ),
        (
            Fact::Displayed {
                module: "display",
                value: value.clone(),
                source: Some(Source::AttackerCode),
            },
            None,
            r#"{"what":"displayed","module":"display","value":"9","source":"attacker-code"}"#,
        ),
        (
            Fact::Displayed {
                module: "display",
                value,
                source: None,
            },
            None,
            r#"{"what":"displayed","module":"display","value":"9"}"#,
        ),
        (
            Fact::KeyPressed {
                module: "keypad",
                number: 1,
                key: Key::Faster,
                is_down: true,
            },
            None,
            r#"{"what":"pressed","module":"keypad","number":1,"key":"3"}"#,
        ),
        (
            Fact::KeyPressed {
                module: "keypad",
                number: 1,
                key: Key::Faster,
                is_down: false,
            },
            None,
            r#"{"what":"released","module":"keypad","number":1,"key":"3"}"#,
        ),
        (
            Fact::Intruded {
                attacker,
                made_up: 1,
                handed_in: 2,
            },
            None,
            r#"{"what":"intruded","attacker":"thief","made_up":1,"handed_in":2}"#,
        ),
        (
            Fact::CallRefused { attacker },
            None,
            r#"{"what":"call-refused","attacker":"thief"}"#,
        ),
        (
            Fact::Suppressed { attacker, frame },
            None,
            r#"{"what":"suppressed","attacker":"thief","frame":"123#0102"}"#,
        ),
        (
            Fact::Modified {
                attacker,
                frame,
                changed: frame,
            },
            None,
            r#"{"what":"modified","attacker":"thief","frame":"123#0102","changed":"123#0102"}"#,
        ),
        (
            Fact::Impersonated { attacker, frame },
            None,
            r#"{"what":"impersonated","attacker":"thief","frame":"123#0102"}"#,
        ),
    ];
    for (fact, truth, expected) in facts {
        assert_eq!(json(&fact, truth), expected);
    }
}

#[test]
fn what_frames_show_has_no_fields() {
    let sent = SentMessage {
        stream: 0,
        own: None,
        waited: Duration::ZERO,
    };
    let facts = [
        Fact::MessageSent(sent),
        Fact::HandedIn { stream: 0 },
        Fact::Withheld {
            stream: 0,
            instances: 1,
        },
        Fact::Protected {
            stream: 0,
            event: ProtectedEvent::Unsent,
        },
        Fact::Taken {
            stream: 0,
            frame: frame(),
            length: 2,
        },
    ];
    for fact in facts {
        let judged = JudgedFact {
            fact: &fact,
            truth: None,
        };
        assert_eq!(prose().fields(&judged), None, "{fact:?}");
        assert_eq!(prose().describe(&judged), None, "{fact:?}");
    }
}
