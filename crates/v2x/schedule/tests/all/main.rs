//! The order of verification: areas, policies, bounded queues, claimed positions.

mod claims;
mod floods;
mod geodesic;
mod geometry;
mod model;
mod policies;
mod safety;

use waywarden_testkit::Random;
use waywarden_v2x_schedule::{ClaimedSender, Ego, Features, MessageClass, ReceiverArea};
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, Time64, TwoDLocation};

const NOW: Time64 = Time64(700_000_000_000_000);

/// A place, in tenths of a microdegree.
fn at(latitude: i32, longitude: i32) -> TwoDLocation {
    TwoDLocation {
        latitude: Latitude(latitude),
        longitude: Longitude(longitude),
    }
}

fn after(milliseconds: u64) -> Time64 {
    Time64(NOW.0 + milliseconds * 1_000)
}

/// In Modena, heading north.
fn modena() -> TwoDLocation {
    at(446_470_000, 109_250_000)
}

fn ego() -> Option<Ego> {
    Ego::new(modena(), Some(0))
}

/// A CAM of a station, from so many metres north of Modena.
fn cam(station: u8, north_m: i32) -> Features {
    let place = modena();
    Features {
        // A metre along the meridian is 90 units, to a thousandth.
        position: Some(at(place.latitude.0 + north_m * 90, place.longitude.0)),
        class: MessageClass::Awareness,
        deadline: None,
        sender: ClaimedSender::Link([2, 0, 0, 0, 0, station]),
        generated: None,
    }
}

/// An area of the paper, or one of any size.
fn area(random: &mut Random) -> ReceiverArea {
    let radius_m = [50, 150, 250, 300, 1_000, random.below(2_000) as u16][random.index(6)];
    match random.index(3) {
        0 => ReceiverArea::Circle { radius_m },
        1 => ReceiverArea::Ellipse {
            side_m: [25, 1 + random.below(300) as u16][random.index(2)],
            ahead_m: radius_m.max(1),
        },
        _ => ReceiverArea::Sector {
            radius_m,
            aperture_degrees: [90, 135, 180, random.below(400) as u16][random.index(4)],
        },
    }
}
