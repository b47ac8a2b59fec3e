//! Faults and attacks of every kind, and those that are impossible.

use waywarden_work::Duration;

use super::{CAR, ROUTE, SPEED, error, errors, good};
use crate::*;

const EVERY_KIND: &str = r#"
[[attacker]]
kind = "spoof"
stream = "speed"
data = "FF FF 00 00 00 00 00 00"
from = "1s"
until = "2s"
[[attacker]]
name = "dongle"
kind = "spoof"
bus = "slow"
id = 0x7FF
length = 2
period = "5ms"
[[attacker]]
kind = "replay"
bus = "fast"
delay = "200ms"
reorder = 4
[[attacker]]
kind = "flood"
bus = "slow"
rate = "2000/s"
[[attacker]]
kind = "suppress"
gateway = "gateway"
streams = ["speed"]
probability = "50%"
[[attacker]]
kind = "modify"
gateway = "gateway"
streams = ["speed"]
at = 2
xor = "FF00"
[[interferer]]
kind = "bit-errors"
bus = "fast"
rate = 1e-6
[[interferer]]
kind = "receiver-local"
bus = "slow"
ecu = "cluster"
rate = "0.1%"
[[interferer]]
kind = "bus-off"
stream = "speed"
[[interferer]]
kind = "error-passive-overwrite"
stream = "speed"
bus = "slow"
data = "zero"
[[interferer]]
kind = "babbling"
bus = "slow"
period = "5ms"
bits = 20
[[interferer]]
kind = "double-receive"
bus = "fast"
probability = 0.1
[[interferer]]
kind = "janus"
stream = "speed"
data = "00"
receivers = ["gateway"]
[[fault]]
kind = "reset"
ecu = "engine"
from = "1s"
until = "1.2s"
[[fault]]
kind = "clock-drift"
ecu = "engine"
ppm = 200
[[fault]]
kind = "bus-open"
ecu = "gateway"
bus = "slow"
"#;

#[test]
fn disturbance_of_every_kind_is_read() {
    let file = good(&[CAR, SPEED, ROUTE, EVERY_KIND]);
    assert_eq!(
        (
            file.attackers.len(),
            file.interferers.len(),
            file.faults.len()
        ),
        (6, 7, 3)
    );
    let Attack::Spoof { bus, frame, period } = &file.attackers[0].attack else {
        panic!("{:?}", file.attackers[0]);
    };
    assert_eq!((*bus, *period), (BusIndex(0), Duration::from_millis(10)));
    assert_eq!((frame.id, frame.length), (file.streams[0].id.value, 8));
    assert_eq!(file.attackers[0].name.value, "attacker-1");
    assert_eq!(file.attackers[1].name.value, "dongle");
    let Attack::Modify { change, .. } = &file.attackers[5].attack else {
        panic!("{:?}", file.attackers[5]);
    };
    assert_eq!(
        *change,
        PayloadChange {
            at: 2,
            edit: Edit::Xor(vec![0xFF, 0])
        }
    );
    assert_eq!(file.interferers[3].bus, BusIndex(1));
    assert_eq!(
        file.faults[2].kind,
        EcuFailureKind::BusOpen {
            buses: vec![BusIndex(1)]
        }
    );
    assert_eq!(
        file.faults[0].window.until,
        Some(Duration::from_millis(1_200))
    );
}

#[test]
fn disturbance_that_cannot_happen_is_refused() {
    let cases = [
        (
            "[[attacker]]\nkind = \"spoof\"\nbus = \"fast\"\nperiod = \"1s\"\n",
            "the stream it is about",
        ),
        (
            "[[attacker]]\nkind = \"spoof\"\nstream = \"speed\"\nbus = \"slow\"\n",
            "is not on bus \"slow\"",
        ),
        (
            "[[attacker]]\nkind = \"spoof\"\nstream = \"speed\"\nid = 1\n",
            "exclude each other",
        ),
        (
            "[[attacker]]\nkind = \"spoof\"\nstream = \"speed\"\ndata = \"00\"\n",
            "`data` has 1 bytes",
        ),
        ("[[attacker]]\nbus = \"fast\"\n", "needs the key `kind`"),
        ("[[attacker]]\nkind = \"flud\"\n", "possible: \"spoof\""),
        (
            "[[attacker]]\nkind = \"flood\"\nbus = \"fast\"\nrate = \"2000\"\n",
            "frames a second",
        ),
        (
            "[[attacker]]\nkind = \"replay\"\nbus = \"fast\"\n",
            "needs the key `delay`",
        ),
        (
            "[[attacker]]\nkind = \"suppress\"\ngateway = \"engine\"\nstreams = [\"speed\"]\n",
            "does not forward stream \"speed\"",
        ),
        (
            "[[attacker]]\nkind = \"flood\"\nbus = \"fast\"\nfrom = \"2s\"\nuntil = \"1s\"\n",
            "`until` must be later than `from`",
        ),
        (
            "[[interferer]]\nkind = \"bit-errors\"\nbus = \"fast\"\n",
            "needs the key `rate`",
        ),
        (
            "[[interferer]]\nkind = \"bit-errors\"\nbus = \"fast\"\nrate = 1.5\n",
            "a number from 0 to 1",
        ),
        (
            "[[interferer]]\nkind = \"receiver-local\"\nrate = 0.1\nbus = \"fast\"\n\
             ecu = \"cluster\"\n",
            "\"cluster\" has no port on bus \"fast\"",
        ),
        (
            "[[interferer]]\nkind = \"bus-off\"\nbus = \"fast\"\nid = 1\nrate = 1\n",
            "has no key `rate`",
        ),
        ("[[fault]]\nkind = \"reset\"\n", "needs the key `ecu`"),
        (
            "[[fault]]\nkind = \"clock-drift\"\necu = \"engine\"\n",
            "needs the key `ppm`",
        ),
    ];
    for (text, remedy) in cases {
        let message = error(&[CAR, SPEED, text]);
        assert!(message.contains(remedy), "{text}: {message}");
    }
}

#[test]
fn missing_bus_of_a_relay_is_reported_once() {
    for (given, missing) in [("source", "bus"), ("bus", "source")] {
        let relay = format!("[[attacker]]\nkind = \"relay\"\n{given} = \"slow\"\n");
        let found = errors(&[CAR, &relay]);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(
            found[0].contains(&format!("needs the key `{missing}`")),
            "{found:#?}"
        );
    }
}
