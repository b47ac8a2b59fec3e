//! CAM and DENM: every leaf as pycrate reads it, both ways, and hostile bits.

mod encoding;
mod pycrate;

use std::fmt::Write as _;

use waywarden_testkit::{Random, bytes_of, hex_of};
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::cam::{
    BasicContainer, BasicVehicleContainerLowFrequency, Cam, CamParameters, CamParts, CoopAwareness,
    HighFrequencyContainer, LowFrequencyContainer, RsuContainerHighFrequency, VehicleRole,
};
use waywarden_v2x_wire::coer::{LeafValue, Visitor};
use waywarden_v2x_wire::denm::{ActionId, Denm, ManagementContainer, Termination};
use waywarden_v2x_wire::etsi102894::{
    Altitude, AltitudeConfidence, DeltaReferencePosition, ItsPduHeader, PathPoint,
    PosConfidenceEllipse, ReferencePosition,
};
use waywarden_v2x_wire::uper::{
    Bits, Bounded, ExtensibleInteger, Flags, ListOf, UperDecode, UperEncode, emit, length, parse,
    parse_with,
};

/// Tells leaves as `pycrate_uper.py` does.
#[derive(Default)]
struct Leaves {
    fields: Vec<&'static str>,
    text: String,
}

impl Visitor for &mut Leaves {
    fn enter(&mut self, field: &'static str, _: &'static str, _: usize) {
        self.fields.push(field);
    }

    fn value(&mut self, value: LeafValue<'_>) {
        let field = self.fields.last().unwrap();
        match value {
            LeafValue::Unsigned(number) => write!(self.text, " {field}={number}"),
            LeafValue::Signed(number) => write!(self.text, " {field}={number}"),
            LeafValue::Name(name) => write!(self.text, " {field}={name}"),
            other => panic!("{field}: {other:?}"),
        }
        .unwrap();
    }

    fn leave(&mut self, _: usize) {
        self.fields.pop();
    }
}

/// Reads a message, writes it as it was, and returns it as a line of the oracle.
fn line<'a, T: UperDecode<'a> + UperEncode>(bytes: &'a [u8]) -> String {
    let mut leaves = Leaves::default();
    let message: T =
        parse_with(bytes, &mut leaves).unwrap_or_else(|error| panic!("{}: {error}", hex_of(bytes)));
    assert_eq!(leaves.fields.len(), 0);
    assert_eq!(length(&message), Ok(bytes.len()));
    assert_eq!(emit(&message, &mut vec![0xFF; bytes.len() + 1]), Ok(bytes));
    let short = emit(&message, &mut vec![0; bytes.len() - 1]).err();
    assert_eq!(short, Some(EmitError::NoRoom));
    hex_of(bytes) + &leaves.text
}

fn line_of(kind: &str, bytes: &[u8]) -> String {
    match kind {
        "cam" => line::<Cam<'_>>(bytes),
        "denm" => line::<Denm<'_>>(bytes),
        other => panic!("{other}"),
    }
}

/// The messages of `vectors/its-uper.txt`: kind, bytes, line.
fn vectors() -> Vec<(&'static str, Vec<u8>, String)> {
    let mut messages: Vec<(&str, Vec<u8>, String)> = Vec::new();
    let text = include_str!("../../../../../vectors/its-uper.txt");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(' ') {
            Some((kind @ ("cam" | "denm"), hex)) => {
                messages.push((kind, bytes_of(hex), hex.to_owned()));
            }
            _ => {
                let (.., expected) = messages.last_mut().unwrap();
                expected.push(' ');
                expected.push_str(line);
            }
        }
    }
    messages
}

#[test]
fn known_messages() {
    let messages = vectors();
    assert_eq!(messages.len(), 15);
    for (kind, bytes, expected) in &messages {
        assert_eq!(&line_of(kind, bytes), expected);
    }
}

#[test]
fn messages_cut_and_changed() {
    let mut parsed = 0;
    for (kind, bytes, _) in vectors() {
        for length in 0..bytes.len() {
            let cut = &bytes[..length];
            let error = match kind {
                "cam" => parse::<Cam<'_>>(cut).map(drop).unwrap_err(),
                // The bits that are kept may be any number.
                _ if parse::<Denm<'_>>(&bytes).unwrap().alacarte.is_some() => continue,
                _ => parse::<Denm<'_>>(cut).map(drop).unwrap_err(),
            };
            assert!(error.offset <= length, "{error}");
        }
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 0x80 >> (bit % 8);
            // One value has one encoding, but for extension bits that announce nothing.
            let read = match kind {
                "cam" => parse::<Cam<'_>>(&changed).is_ok(),
                _ => parse::<Denm<'_>>(&changed).is_ok(),
            };
            if read {
                line_of(kind, &changed);
                parsed += 1;
            }
        }
    }
    println!("{parsed} changed messages are messages");
    assert!(parsed > 1000);
}

/// Random parts of messages.
struct Values(Random);

impl Values {
    fn number<const MIN: i64, const MAX: i64>(&mut self) -> Bounded<MIN, MAX> {
        let number = match self.0.u64() % 8 {
            0 => MIN,
            1 => MAX,
            _ => MIN + (self.0.u64() % (MAX.abs_diff(MIN) + 1)) as i64,
        };
        Bounded::new(number).unwrap()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.0.u64() & 1 != 0).then(|| make(self))
    }

    fn position(&mut self) -> ReferencePosition {
        ReferencePosition {
            latitude: self.number(),
            longitude: self.number(),
            confidence_ellipse: PosConfidenceEllipse {
                semi_major_cm: self.number(),
                semi_minor_cm: self.number(),
                semi_major_orientation_decidegrees: self.number(),
            },
            altitude: Altitude {
                altitude_cm: self.number(),
                confidence: AltitudeConfidence::Metres50,
            },
        }
    }

    fn path(&mut self, most: u64) -> Vec<PathPoint> {
        let count = self.0.u64() % (most + 1);
        let point = |random: &mut Self| PathPoint {
            position: DeltaReferencePosition {
                delta_latitude: random.number(),
                delta_longitude: random.number(),
                delta_altitude_cm: random.number(),
            },
            delta_time_10ms: random
                .maybe(|random| ExtensibleInteger((random.0.u64() % 100_000) as i64)),
        };
        (0..count).map(|_| point(self)).collect()
    }
}

fn bytes_from<T: UperEncode>(value: &T) -> Vec<u8> {
    let mut buffer = vec![0; length(value).unwrap()];
    emit(value, &mut buffer).unwrap();
    buffer
}

fn written_cam(seed: u64) -> Vec<u8> {
    let mut random = Values(Random::new(seed));
    let path = random.path(40);
    let slow = random.maybe(|random| {
        LowFrequencyContainer::BasicVehicle(BasicVehicleContainerLowFrequency {
            vehicle_role: VehicleRole::Taxi,
            exterior_lights: Flags::new(random.0.u64() & 0xFF).unwrap(),
            path_history: ListOf::new(&path).unwrap(),
        })
    });
    let none = Bits::default();
    let header = ItsPduHeader {
        protocol_version: Bounded::new(2).unwrap(),
        message_id: Bounded::new(2).unwrap(),
        station_id: random.number(),
    };
    let parameters = CamParameters {
        basic: BasicContainer {
            station_type: random.number(),
            reference_position: random.position(),
            additions: none,
        },
        high_frequency: HighFrequencyContainer::Rsu(RsuContainerHighFrequency {
            protected_zones: None,
            additions: none,
        }),
        low_frequency: slow,
        special_vehicle: None,
        additions: none,
    };
    let cam = CoopAwareness {
        generation_delta_time_ms: random.number(),
        parameters,
    };
    bytes_from(&Cam::new(CamParts { header, cam }).unwrap())
}

fn management(random: &mut Values) -> ManagementContainer<'static> {
    ManagementContainer {
        action_id: ActionId {
            originating_station: random.number(),
            sequence_number: random.number(),
        },
        detection_time_ms: random.number(),
        reference_time_ms: random.number(),
        termination: random.maybe(|_| Termination::Negation),
        event_position: random.position(),
        relevance_distance: None,
        relevance_traffic_direction: None,
        validity_duration_s: random
            .maybe(Values::number)
            .unwrap_or(Bounded::new(600).unwrap()),
        transmission_interval_ms: random.maybe(Values::number),
        station_type: random.number(),
        additions: Bits::default(),
    }
}

fn written_denm(seed: u64) -> Vec<u8> {
    let mut random = Values(Random::new(seed));
    bytes_from(&Denm {
        station_id: random.number(),
        management: management(&mut random),
        situation: None,
        location: None,
        alacarte: None,
    })
}
