//! Which of the positions in a message is its claim.

use waywarden_testkit::bytes_of;
use waywarden_v2x_schedule::{ClaimedPosition, Features, PositionSource};
use waywarden_v2x_wire::btp::port;
use waywarden_v2x_wire::detect::detect;

use super::{NETWORK, PAYLOAD, SAFETY_MESSAGE, cam, claim, denm, packet, signed};
use crate::at;

const HEADER: (i32, i32) = (446_490_000, 109_270_000);
/// What says that a position is not known.
const UNKNOWN: (i32, i32) = (900_000_001, 1_800_000_001);

fn from(source: PositionSource, (latitude, longitude): (i32, i32)) -> Option<ClaimedPosition> {
    let place = at(latitude, longitude);
    Some(ClaimedPosition { place, source })
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]
fn the_position_is_that_of_the_payload_then_of_the_network_then_of_the_header() {
    use PositionSource::{Header, Network, Payload};
    let bsm = bytes_of(SAFETY_MESSAGE);
    let wyoming = (411_553_150, -1_046_634_864);
    let both = Some(HEADER);
    let packets = |place, port, message: &[u8]| packet(place, port, message);
    let cases = [
        (
            36,
            packets(NETWORK, port::CAM, &cam(PAYLOAD)),
            both,
            from(Payload, PAYLOAD),
        ),
        (
            37,
            packets(NETWORK, port::DENM, &denm(PAYLOAD)),
            both,
            from(Payload, PAYLOAD),
        ),
        (32, bsm.clone(), both, from(Payload, wyoming)),
        // What the payload does not know, others may.
        (
            36,
            packets(NETWORK, port::CAM, &cam(UNKNOWN)),
            both,
            from(Network, NETWORK),
        ),
        (
            37,
            packets(UNKNOWN, port::DENM, &denm(UNKNOWN)),
            both,
            from(Header, HEADER),
        ),
        (36, packets(UNKNOWN, port::CAM, &cam(UNKNOWN)), None, None),
        (
            36,
            packets(UNKNOWN, port::CAM, &cam(UNKNOWN)),
            Some(UNKNOWN),
            None,
        ),
        // Half a position is none.
        (
            36,
            packets((0, UNKNOWN.1), port::CAM, &cam((UNKNOWN.0, 0))),
            None,
            None,
        ),
        // Numbers that a network header can have and the Earth does not.
        (
            36,
            packets((i32::MIN, i32::MAX), port::CAM, b"no CAM"),
            both,
            from(Header, HEADER),
        ),
        // A message that is not read, on another port or broken.
        (
            138,
            packets(NETWORK, port::MAPEM, b"a map"),
            both,
            from(Network, NETWORK),
        ),
        (
            36,
            packets(NETWORK, port::CAM, &cam(PAYLOAD)[1..]),
            both,
            from(Network, NETWORK),
        ),
        (
            36,
            packets(NETWORK, port::DENM, &cam(PAYLOAD)),
            None,
            from(Network, NETWORK),
        ),
        (
            36,
            b"a CAM would stand here".to_vec(),
            both,
            from(Header, HEADER),
        ),
        (32, bsm[1..].to_vec(), both, from(Header, HEADER)),
        (32, bsm[1..].to_vec(), None, None),
        (
            32,
            packets(NETWORK, port::CAM, &cam(PAYLOAD)),
            both,
            from(Header, HEADER),
        ),
        (135, b"anything".to_vec(), None, None),
    ];
    for (number, (psid, payload, header, expected)) in cases.into_iter().enumerate() {
        assert_eq!(
            claim(&signed(psid, &payload, header)),
            expected,
            "case {number}"
        );
    }
}

/// ETSI's messages have two names for the antimeridian.
#[test]
fn the_antimeridian_is_one_place() {
    let west = packet(UNKNOWN, port::CAM, &cam((0, -1_800_000_000)));
    let expected = from(PositionSource::Payload, (0, 1_800_000_000));
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
