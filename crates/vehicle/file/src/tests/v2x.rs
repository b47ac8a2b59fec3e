//! `[v2x]`: signals, and what is wrong with them.

use super::*;

/// A telematics ECU that hears the speed, and asks an ECU to brake.
const TELEMATICS: &str = r#"
[[ecu]]
name = "telematics"
ports = ["fast"]
[[stream]]
name = "wheels"
id = 0x100
sender = "engine"
length = 4
period = "10ms"
receivers = ["telematics"]
[[stream]]
name = "request"
id = 0x110
sender = "telematics"
length = 2
period = "20ms"
receivers = ["engine"]
"#;

const V2X: &str = r#"
[v2x]
ecu = "telematics"
speed = { stream = "wheels", at = 2 }
brake_request = { stream = "request", at = 1 }
brake_ecu = "engine"
"#;

#[test]
fn signals_and_defaults_are_read() {
    let file = good(&[CAR, TELEMATICS, V2X]);
    let v2x = file.v2x.expect("a table");
    assert_eq!(file.ecus[v2x.ecu.0].name.value, "telematics");
    assert_eq!((v2x.speed.at, v2x.speed.bytes), (2, 2));
    assert_eq!((v2x.within_m, v2x.hard_braking_m_s2), (150, 4));
    assert_eq!(v2x.hold, Duration::from_millis(1_000));
    assert_eq!(v2x.end_to_end, None);
    assert!(good(&[CAR]).v2x.is_none());
}

#[test]
fn mistakes_have_their_place_and_remedy() {
    let with = |from: &str, to: &str| {
        assert!(V2X.contains(from), "{from}");
        error(&[CAR, TELEMATICS, &V2X.replace(from, to)])
    };
    for (from, to, expected) in [
        (
            "\"wheels\", at = 2",
            "\"wheels\", at = 3",
            "bytes 3 to 4 are beyond the 4 bytes of stream \"wheels\"",
        ),
        (
            "\"wheels\", at = 2",
            "\"request\", at = 0",
            "does not receive stream \"request\"",
        ),
        (
            "brake_ecu = \"engine\"",
            "brake_ecu = \"cluster\"",
            "ECU \"cluster\" does not receive stream \"request\"",
        ),
        (
            "\"wheels\"",
            "\"wheel\"",
            "there is no stream \"wheel\"; did you mean \"wheels\"?",
        ),
        ("ecu = \"telematics\"\n", "", "ecu"),
        ("speed = { stream = \"wheels\", at = 2 }\n", "", "speed"),
        (
            "brake_ecu = \"engine\"",
            "brake_ecu = \"engine\"\nend_to_end = \"0s\"",
            "end_to_end",
        ),
    ] {
        let found = with(from, to);
        assert!(found.contains(expected), "{to}: {found}");
    }
    let found = errors(&[CAR, TELEMATICS, &V2X.replace("at = 2", "at = 3")]);
    let line = [CAR, TELEMATICS].concat().lines().count() + 4;
    assert!(found[0].starts_with(&format!("{line}:")), "{found:?}");
    let found = errors(&[
        CAR,
        TELEMATICS,
        &V2X.replace("\"request\", at = 1", "\"wheels\""),
    ]);
    let expected = "does not send stream \"wheels\"; name a stream that it sends";
    assert!(found[0].contains(expected), "{found:?}");
}
