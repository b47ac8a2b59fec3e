//! Routes over gateways, and identifiers that routes bring together.

use super::{CAR, ROUTE, SPEED, error, good};
use crate::*;

#[test]
fn routes_carry_streams_to_their_receivers() {
    let speed = SPEED.replace("[\"gateway\"]", "[\"cluster\", \"gateway\"]");
    let file = good(&[CAR, &speed, ROUTE]);
    let speed = &file.streams[0];
    assert_eq!(
        speed.carried,
        [
            BusPassage {
                bus: BusIndex(0),
                by: None
            },
            BusPassage {
                bus: BusIndex(1),
                by: Some(RouteIndex(0))
            }
        ]
    );
    assert_eq!(
        speed.receivers[0],
        StreamReceiver {
            ecu: EcuIndex(2),
            bus: BusIndex(1)
        }
    );
    let forwarded: Vec<_> = file.forwarded_by(EcuIndex(0)).collect();
    assert_eq!(forwarded, [(RouteIndex(0), StreamIndex(0))]);
}

#[test]
fn opposite_routes_of_all_streams_do_not_send_them_back() {
    let back = ROUTE
        .replace("\"fast\"", "\"x\"")
        .replace("\"slow\"", "\"fast\"");
    let back = back.replace("\"x\"", "\"slow\"");
    let file = good(&[CAR, SPEED, ROUTE, &back]);
    assert_eq!(file.streams[0].carried.len(), 2);
    assert!(file.routes[1].streams.is_empty());
}

#[test]
fn a_chain_of_gateways_carries_named_streams() {
    let third = "
[[bus]]
name = \"far\"
bitrate = \"125k\"
[[ecu]]
name = \"relay\"
ports = [\"slow\", \"far\"]
[[ecu]]
name = \"radio\"
ports = [\"far\"]
[[route]]
gateway = \"relay\"
from = \"slow\"
to = \"far\"
streams = [\"speed\"]
";
    let speed = SPEED.replace("[\"gateway\"]", "[\"radio\"]");
    let file = good(&[CAR, &speed, third, ROUTE]);
    assert_eq!(file.streams[0].carried.len(), 3);
    assert_eq!(file.streams[0].receivers[0].bus, BusIndex(2));
    let message = error(&[CAR, SPEED, third]);
    assert_eq!(
        message,
        "stream \"speed\" is not on bus \"slow\"; it is on \"fast\""
    );
}

#[test]
fn equal_identifiers_on_one_bus_are_refused_even_when_a_route_brings_them_together() {
    let other = SPEED
        .replace("speed", "clock")
        .replace("\"engine\"", "\"cluster\"");
    good(&[CAR, SPEED, &other]);
    let message = error(&[CAR, SPEED, &other, ROUTE]);
    assert!(
        message.starts_with("identifier 0x1A0 is on bus \"slow\" already"),
        "{message}"
    );
    // An extended identifier of the same number is another one.
    let extended = other.replace("id = 0x1A0", "id = 0x1A0\nextended = true");
    good(&[CAR, SPEED, &extended, ROUTE]);
}

#[test]
fn routes_that_cannot_work_are_refused() {
    let fd = SPEED.replace("format = \"classic\"\n", "");
    let message = error(&[CAR, &fd, ROUTE]);
    assert!(
        message.contains("write `format = \"classic\"`"),
        "{message}"
    );
    let message = error(&[CAR, SPEED, ROUTE, ROUTE]);
    assert!(message.contains("which has it already"), "{message}");
    let message = error(&[CAR, &ROUTE.replace("\"slow\"", "\"fast\"")]);
    assert!(message.contains("`to` must be another bus"), "{message}");
    let message = error(&[CAR, &ROUTE.replace("\"gateway\"", "\"engine\"")]);
    assert!(message.contains("has no port on bus \"slow\""), "{message}");
    let message = error(&[CAR, &ROUTE.replace("\"all\"", "\"some\"")]);
    assert!(message.contains("possible: \"all\""), "{message}");
}

#[test]
fn only_secoc_takes_29_bit_identifiers_and_no_gateway_verifies_them() {
    let long = SPEED
        .replace("0x1A0", "0x18FF1234\nextended = true")
        .replace("length = 8", "length = 4")
        .replace("[\"gateway\"]", "[\"cluster\", \"gateway\"]");
    let table = |rest: &str| format!("[[authentication]]\nprotect = [\"speed\"]\n{rest}\n");
    let secoc = table("scheme = \"secoc\"\nprofile = \"toyota\"\nmaster = \"gateway\"");
    let file = good(&[CAR, &long, ROUTE, &secoc]);
    assert_eq!(file.streams[0].protection, Protection::Trailer(4));
    let found = error(&[CAR, &long, ROUTE, &table("scheme = \"vatican\"")]);
    assert!(
        found.contains("29-bit") && found.contains("secoc"),
        "{found}"
    );
    let verifying = ROUTE.replace("\"all\"", "[\"speed\"]\nverify = true");
    let found = error(&[CAR, &long, &verifying, &secoc]);
    assert!(found.contains("without `verify`"), "{found}");
}
