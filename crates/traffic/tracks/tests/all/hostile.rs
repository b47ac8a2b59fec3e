//! Damaged and hostile files: an answer, no panic, bounded memory.

use std::io::{BufReader, Read};

use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_tracks::{LINE_MAX, PlaneOrigin, TrackSettings, read};

use crate::formats::{CSV, GPX, NMEA, SUMO, SUMO_CSV};

/// Names, numbers and signs that the readers look for.
const PIECES: [&str; 18] = [
    "<trkpt",
    "</trkpt>",
    "<timestep time=\"1\">",
    "</timestep>",
    "<vehicle id=\"",
    "\"",
    ">",
    "/>",
    "&",
    "&#0;",
    "$GPRMC,",
    "$GPGGA,",
    "*00",
    ";",
    ",",
    "\n",
    "NaN",
    "1e308",
];

fn damage(random: &mut Random, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(6) {
        let at = random.index(bytes.len() + 1);
        match random.below(4) {
            0 if at < bytes.len() => bytes[at] = random.bytes(1)[0],
            1 => bytes.truncate(at),
            2 => {
                let piece = PIECES[random.index(PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
            _ => {
                let end = (at + random.index(30)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
    bytes
}

#[test]
fn damaged_files_are_refused_or_read_without_a_panic() {
    let origin = PlaneOrigin {
        latitude: 48.0,
        longitude: 11.0,
    };
    each_seed(2_000, |seed| {
        let mut random = Random::new(seed);
        let whole = [GPX, NMEA, CSV, SUMO, SUMO_CSV][random.index(5)];
        let bytes = damage(&mut random, whole);
        let settings = TrackSettings {
            origin: random.once_in(2).then_some(origin),
            is_strict: random.once_in(4),
            ..TrackSettings::default()
        };
        let read = read(&bytes[..], &settings);
        for named in read.map(|read| read.tracks).unwrap_or_default() {
            let middle = (named.track.begin_s() + named.track.end_s()) / 2.0;
            if let Some(state) = named.track.at(middle) {
                assert!(state.latitude.is_finite() && state.speed_m_s.is_finite());
                let heading = state.heading_degrees.unwrap_or(0.0);
                assert!((0.0..360.0).contains(&heading), "{heading}");
            }
        }
    });
}

#[test]
fn endless_pieces_are_refused_early() {
    for begin in [
        "<fcd-export a=\"",
        "$GPRMC,",
        "time,lat,lon\n1,\"",
        "timestep_time;vehicle_id;vehicle_x;vehicle_y\n",
    ] {
        let endless = std::io::repeat(b'7').take(1 << 32);
        let input = BufReader::new(begin.as_bytes().chain(endless));
        let error = read(input, &TrackSettings::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(&LINE_MAX.to_string()), "{begin}: {error}");
    }
}
