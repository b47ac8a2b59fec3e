//! Every fact has its fields: what a program needs of it, and no sentence.
mod authorization;

use waywarden_can::node::Port;
use waywarden_can::{Frame, Id, MessageHandle};
use waywarden_can_auth::event::CanPayload;
use waywarden_group_keys::{Address, ExchangeFailure as GroupFailure, GroupRoleEvent};
use waywarden_vehicle_file::KeypadKey;
use waywarden_vehicle_trace::{CheckRefusal, GroupKeyEvent, MessageId, ProtectedEvent};

use super::*;
use crate::prose::tests::prose;

/// The fields of a fact as they stand in a trace.
fn json(fact: &Fact, truth: Option<Truth>) -> String {
    let fields = prose().fields(&JudgedFact { fact, truth });
    serde_json::to_string(&fields.unwrap_or_else(|| panic!("{fact:?}"))).unwrap()
}

fn genuine() -> Truth {
    crate::prose::tests::genuine(4, Some(2))
}

const MESSAGE: MessageId = MessageId {
    stream: 0,
    number: 4,
    boot: 1,
};

fn frame() -> Frame {
    Frame::classic(Id::standard(0x123).unwrap(), &[1, 2]).unwrap()
}

fn group_key_json(event: GroupKeyEvent) -> String {
    json(&Fact::GroupKey { group: 0, event }, None)
}

#[test]
fn group_keys_have_group_epoch_and_who() {
    let reported = [
        (
            GroupRoleEvent::Formed(Address(9)),
            r#""what":"formed","logical_ecu":9"#,
        ),
        (
            GroupRoleEvent::Confirmed { epoch: 3 },
            r#""what":"confirmed","epoch":3"#,
        ),
        (
            GroupRoleEvent::Missed { epoch: 3 },
            r#""what":"missed","epoch":3"#,
        ),
        (GroupRoleEvent::Renewing, r#""what":"renewing""#),
        (
            GroupRoleEvent::Starved { renewals: 8 },
            r#""what":"starved","renewals":8"#,
        ),
        (
            GroupRoleEvent::Unresponsive(Address(1)),
            r#""what":"unresponsive","address":1"#,
        ),
        (
            GroupRoleEvent::Removed(Address(1)),
            r#""what":"removed","address":1"#,
        ),
        (
            GroupRoleEvent::Included(Address(1)),
            r#""what":"included","address":1"#,
        ),
        (
            GroupRoleEvent::PortLags(Port(1)),
            r#""what":"port-lags","port":1"#,
        ),
        (
            GroupRoleEvent::PortFollows(Port(1)),
            r#""what":"port-follows","port":1"#,
        ),
        (
            GroupRoleEvent::Unacknowledged {
                epoch: 3,
                members: 2,
            },
            r#""what":"unacknowledged","epoch":3,"members":2"#,
        ),
    ];
    for (event, fields) in reported {
        assert_eq!(
            group_key_json(GroupKeyEvent::Role(event)),
            format!(r#"{{{fields},"group":"group"}}"#)
        );
    }
}

#[test]
fn failed_key_exchanges_have_the_logical_ecu_and_why() {
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
    for (failure, fields) in failures {
        let result = Address(7);
        let event = GroupKeyEvent::Role(GroupRoleEvent::Failed { result, failure });
        assert_eq!(
            group_key_json(event),
            format!(r#"{{"what":"failed","logical_ecu":7,{fields},"group":"group"}}"#)
        );
    }
}

#[test]
fn group_keys_in_use_have_group_and_epoch() {
    let own = [
        (GroupKeyEvent::Begun, r#""what":"begun""#),
        (
            GroupKeyEvent::InUse { epoch: 3, key: 0 },
            r#""what":"agreed","epoch":3"#,
        ),
    ];
    for (event, fields) in own {
        assert_eq!(
            group_key_json(event),
            format!(r#"{{{fields},"group":"group"}}"#)
        );
    }
}

#[test]
fn verdicts_have_authentication_stream_and_whether_they_are_right() {
    let payload = CanPayload::new(&[1]);
    let outcomes = [
        (CheckOutcome::Authentic(payload), "authentic"),
        (CheckOutcome::Refused(CheckRefusal::WrongTag), "wrong-tag"),
        (CheckOutcome::Refused(CheckRefusal::Replay), "replay"),
        (CheckOutcome::Refused(CheckRefusal::Missing), "missing"),
        (
            CheckOutcome::Refused(CheckRefusal::TagWithoutData),
            "tag-without-data",
        ),
        (
            CheckOutcome::Refused(CheckRefusal::OutOfStep),
            "out-of-step",
        ),
        (CheckOutcome::Resynced, "resynced"),
        (CheckOutcome::Refused(CheckRefusal::NoRoom), "no-room"),
        (CheckOutcome::Refused(CheckRefusal::NotReady), "not-ready"),
    ];
    for (outcome, what) in outcomes {
        let fact = Fact::Checked {
            authentication: 0,
            stream: 0,
            passes_to: None,
            outcome,
            message: MessageHandle::NONE,
        };
        let fields = format!(r#"{{"what":"{what}","authentication":"secoc","stream":"Speed""#);
        assert_eq!(json(&fact, None), format!("{fields}}}"));
        assert_eq!(
            json(&fact, Some(Truth::Forged { by: None })),
            format!(r#"{fields},"forged":true}}"#)
        );
        let genuine = json(&fact, Some(genuine()));
        assert_eq!(
            genuine,
            format!(r#"{fields},"forged":false,"message":4,"caused_by":2}}"#)
        );
    }
}

/// Facts with what is true of them, and their fields.
type Case = (Fact, Option<Truth>, &'static str);

fn assert_fields<const COUNT: usize>(cases: [Case; COUNT]) {
    for (fact, truth, expected) in cases {
        assert_eq!(json(&fact, truth), expected);
    }
}

#[test]
fn taken_and_skipped_messages_have_their_stream() {
    let frame = frame();
    assert_fields([
        (
            Fact::Taken {
                stream: 0,
                frame,
                length: 2,
            },
            Some(Truth::Forged { by: None }),
            r#"{"what":"taken","stream":"Speed","frame":"123#0102","forged":true}"#,
        ),
        (
            Fact::Skipped {
                message: MESSAGE,
                since_boot: 5,
            },
            None,
            r#"{"what":"skipped","stream":"Speed","message":4,"since_boot":5}"#,
        ),
    ]);
}

#[test]
fn what_modules_display_and_have_pressed_has_its_fields() {
    let source = Some(ValueSource::Message {
        stream: 0,
        number: 1,
    });
    let value = "9".to_owned();
    assert_fields([
        (
            Fact::Displayed {
                module: "display",
                value: value.clone(),
                source,
            },
            Some(Truth::Forged { by: None }),
            concat!(
                r#"{"what":"displayed","module":"display","value":"9","#,
                r#""source":"message","stream":"Speed","forged":true}"#
            ),
        ),
        (
            Fact::Displayed {
                module: "display",
                value: value.clone(),
                source: Some(ValueSource::AttackerCode),
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
                key: KeypadKey::Faster,
                is_down: true,
            },
            None,
            r#"{"what":"pressed","module":"keypad","number":1,"key":"3"}"#,
        ),
        (
            Fact::KeyPressed {
                module: "keypad",
                number: 1,
                key: KeypadKey::Faster,
                is_down: false,
            },
            None,
            r#"{"what":"released","module":"keypad","number":1,"key":"3"}"#,
        ),
    ]);
}

#[test]
fn what_attackers_do_has_its_fields() {
    let (attacker, frame) = (0, frame());
    assert_fields([
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
            Fact::Suppressed {
                attacker,
                port: Port(0),
                frame,
            },
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
    ]);
}

#[test]
fn what_frames_show_has_no_fields() {
    let (message, handle) = (MESSAGE, MESSAGE.handle());
    let facts = [
        Fact::Released { message },
        Fact::Sampled {
            message,
            cause: None,
        },
        Fact::Withheld { message },
        Fact::Dropped {
            port: None,
            message: handle,
        },
        Fact::HandedIn {
            stream: 0,
            passes_to: None,
            message: handle,
        },
        Fact::Discarded {
            stream: 0,
            passes_to: None,
            message: handle,
        },
        Fact::Protected {
            stream: 0,
            event: ProtectedEvent::Unsent,
            message: handle,
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
