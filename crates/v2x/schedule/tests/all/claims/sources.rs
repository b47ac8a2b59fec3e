//! Choice of a message's claim among the positions in it.

use waywarden_testkit::bytes_of;
use waywarden_v2x_schedule::PositionSource::{Header, Network, Payload};
use waywarden_v2x_schedule::{ClaimedPosition, Features, PositionSource};
use waywarden_v2x_wire::btp::port;
use waywarden_v2x_wire::detect::detect;

use super::{NETWORK, PAYLOAD, SAFETY_MESSAGE, cam, claim, denm, packet, signed};
use crate::at;

const HEADER: (i32, i32) = (446_490_000, 109_270_000);
/// Position that the basic safety message claims.
const WYOMING: (i32, i32) = (411_553_150, -1_046_634_864);
/// Coordinates of an unknown position.
const UNKNOWN: (i32, i32) = (900_000_001, 1_800_000_001);

fn from(source: PositionSource, (latitude, longitude): (i32, i32)) -> Option<ClaimedPosition> {
    let place = at(latitude, longitude);
    Some(ClaimedPosition { place, source })
}

/// An application, a payload, the position in the header, and the claim.
type Case = (u64, Vec<u8>, Option<(i32, i32)>, Option<ClaimedPosition>);

fn assert_claims<const COUNT: usize>(cases: [Case; COUNT]) {
    for (number, (psid, payload, header, expected)) in cases.into_iter().enumerate() {
        assert_eq!(
            claim(&signed(psid, &payload, header)),
            expected,
            "case {number}"
        );
    }
}

#[test]
fn the_position_is_that_of_the_payload() {
    assert_claims([
        (
            36,
            packet(NETWORK, port::CAM, &cam(PAYLOAD)),
            Some(HEADER),
            from(Payload, PAYLOAD),
        ),
        (
            37,
            packet(NETWORK, port::DENM, &denm(PAYLOAD)),
            Some(HEADER),
            from(Payload, PAYLOAD),
        ),
        (
            32,
            bytes_of(SAFETY_MESSAGE),
            Some(HEADER),
            from(Payload, WYOMING),
        ),
    ]);
}

/// An unknown position of the payload is replaced by one of the other parts.
#[test]
fn an_unknown_position_of_the_payload_is_that_of_the_network_then_of_the_header() {
    assert_claims([
        (
            36,
            packet(NETWORK, port::CAM, &cam(UNKNOWN)),
            Some(HEADER),
            from(Network, NETWORK),
        ),
        (
            37,
            packet(UNKNOWN, port::DENM, &denm(UNKNOWN)),
            Some(HEADER),
            from(Header, HEADER),
        ),
        (36, packet(UNKNOWN, port::CAM, &cam(UNKNOWN)), None, None),
        (
            36,
            packet(UNKNOWN, port::CAM, &cam(UNKNOWN)),
            Some(UNKNOWN),
            None,
        ),
        // Half a position is none.
        (
            36,
            packet((0, UNKNOWN.1), port::CAM, &cam((UNKNOWN.0, 0))),
            None,
            None,
        ),
        // Numbers that a network header can have and the Earth does not.
        (
            36,
            packet((i32::MIN, i32::MAX), port::CAM, b"no CAM"),
            Some(HEADER),
            from(Header, HEADER),
        ),
    ]);
}

/// A message that is not read, on another port or broken.
#[test]
fn the_position_beside_an_unread_payload_is_that_of_the_network_then_of_the_header() {
    assert_claims([
        (
            138,
            packet(NETWORK, port::MAPEM, b"a map"),
            Some(HEADER),
            from(Network, NETWORK),
        ),
        (
            36,
            packet(NETWORK, port::CAM, &cam(PAYLOAD)[1..]),
            Some(HEADER),
            from(Network, NETWORK),
        ),
        (
            36,
            packet(NETWORK, port::DENM, &cam(PAYLOAD)),
            None,
            from(Network, NETWORK),
        ),
        (
            36,
            b"a CAM would stand here".to_vec(),
            Some(HEADER),
            from(Header, HEADER),
        ),
        (
            32,
            bytes_of(SAFETY_MESSAGE)[1..].to_vec(),
            Some(HEADER),
            from(Header, HEADER),
        ),
        (32, bytes_of(SAFETY_MESSAGE)[1..].to_vec(), None, None),
        (
            32,
            packet(NETWORK, port::CAM, &cam(PAYLOAD)),
            Some(HEADER),
            from(Header, HEADER),
        ),
        (135, b"anything".to_vec(), None, None),
    ]);
}

/// ETSI's messages have two names for the antimeridian.
#[test]
fn the_antimeridian_is_one_place() {
    let west = packet(UNKNOWN, port::CAM, &cam((0, -1_800_000_000)));
    let expected = from(Payload, (0, 1_800_000_000));
    assert_eq!(claim(&signed(36, &west, None)), expected);
}

#[test]
fn data_that_are_not_signed_claim_no_position() {
    let unsecured = bytes_of("0380026162");
    assert_eq!(claim(&unsecured), None);
    assert_eq!(
        Features::of(&detect(&unsecured).unwrap()),
        Features::default()
    );
}
