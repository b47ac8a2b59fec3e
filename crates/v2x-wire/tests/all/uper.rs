//! CAM and DENM: every leaf as pycrate reads it, both ways, and hostile bits.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use waywarden_testkit::{Random, bytes_of, cases, hex_of, python_with};
use waywarden_v2x_wire::cam::{
    BasicContainer, BasicVehicleContainerLowFrequency, Cam, CamParameters, CamParts, CoopAwareness,
    HighFrequencyContainer, LowFrequencyContainer, RsuContainerHighFrequency, VehicleRole,
};
use waywarden_v2x_wire::coer::{Value, Visitor};
use waywarden_v2x_wire::denm::{ActionId, Denm, ManagementContainer, Termination};
use waywarden_v2x_wire::etsi102894::{
    Altitude, AltitudeConfidence, DeltaReferencePosition, ItsPduHeader, PathPoint,
    PosConfidenceEllipse, ReferencePosition, TrafficRule,
};
use waywarden_v2x_wire::uper::{
    Bits, Bounded, Decode, Encode, Flags, ListOf, Octets, Stretched, emit, length, parse,
    parse_with,
};
use waywarden_v2x_wire::{EmitError, Fault};

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

    fn value(&mut self, value: Value<'_>) {
        let field = self.fields.last().unwrap();
        match value {
            Value::Unsigned(number) => write!(self.text, " {field}={number}"),
            Value::Signed(number) => write!(self.text, " {field}={number}"),
            Value::Name(name) => write!(self.text, " {field}={name}"),
            other => panic!("{field}: {other:?}"),
        }
        .unwrap();
    }

    fn leave(&mut self, _: usize) {
        self.fields.pop();
    }
}

/// Reads a message, writes it as it was, and returns it as a line of the oracle.
fn line<'a, T: Decode<'a> + Encode>(bytes: &'a [u8]) -> String {
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
    let text = include_str!("../../../../vectors/its-uper.txt");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(' ') {
            Some((kind @ ("cam" | "denm"), hex)) => {
                messages.push((kind, bytes_of(hex), hex.to_owned()));
            }
            _ => {
                let (.., told) = messages.last_mut().unwrap();
                told.push(' ');
                told.push_str(line);
            }
        }
    }
    messages
}

#[test]
fn known_messages() {
    let messages = vectors();
    assert_eq!(messages.len(), 15);
    for (kind, bytes, told) in &messages {
        assert_eq!(&line_of(kind, bytes), told);
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

/// pycrate behind `pycrate_uper.py`; `None`, with a message, where it is not installed.
fn pycrate() -> Option<impl Fn(&[&str], &str) -> Vec<String>> {
    let interpreter = python_with("pycrate_asn1dir")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/pycrate_uper.py");
    Some(move |arguments: &[&str], input: &str| {
        let mut child = Command::new(&interpreter)
            .arg(&script)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // On a thread of its own: both pipes may fill.
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    })
}

/// Messages per kind, in the quick run.
const FEW: usize = 500;

#[test]
fn what_pycrate_writes_is_read_and_written_again() {
    let Some(oracle) = pycrate() else { return };
    for kind in ["cam", "denm"] {
        let seed = "20261121";
        println!("{kind}: seed {seed}");
        let lines = oracle(&["generate", kind, seed, &cases(FEW).to_string()], "");
        assert_eq!(lines.len(), cases(FEW));
        for told in lines {
            let (hex, _) = told.split_once(' ').unwrap();
            assert_eq!(line_of(kind, &bytes_of(hex)), told);
        }
    }
}

#[test]
fn what_is_written_pycrate_reads() {
    let Some(oracle) = pycrate() else { return };
    for kind in ["cam", "denm"] {
        let ours: Vec<Vec<u8>> = (0..cases(FEW) as u64)
            .map(|seed| match kind {
                "cam" => written_cam(seed),
                _ => written_denm(seed),
            })
            .collect();
        let input: String = ours.iter().map(|bytes| hex_of(bytes) + "\n").collect();
        let lines = oracle(&["check", kind], &input);
        assert_eq!(lines.len(), ours.len());
        for (bytes, told) in ours.iter().zip(lines) {
            assert_eq!(line_of(kind, bytes), told);
        }
    }
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
            delta_time_10ms: random.maybe(|random| Stretched((random.0.u64() % 100_000) as i64)),
        };
        (0..count).map(|_| point(self)).collect()
    }
}

fn bytes_from<T: Encode>(value: &T) -> Vec<u8> {
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

#[test]
fn headers_of_other_messages_are_refused() {
    let mut cam = written_cam(1);
    let fault = |bytes: &[u8]| parse::<Cam<'_>>(bytes).unwrap_err().fault;
    cam[1] = 1;
    assert_eq!(fault(&cam), Fault::Inconsistent("the message is no CAM"));
    let error = parse::<Denm<'_>>(&written_cam(1)).unwrap_err();
    assert_eq!(error.fault, Fault::Inconsistent("the message is no DENM"));
    (cam[0], cam[1]) = (1, 2);
    let (expected, found) = (2, 1);
    assert_eq!(fault(&cam), Fault::Version { expected, found });
    let mut denm = written_denm(1);
    denm[0] = 3;
    let error = parse::<Denm<'_>>(&denm).unwrap_err();
    assert_eq!(error.fault, Fault::Version { expected, found: 3 });
    let long = [&written_cam(1)[..], &[0]].concat();
    assert_eq!(fault(&long), Fault::TrailingBytes(1));
}

/// A default value that is there is refused: the standard has it absent.
#[test]
fn default_values() {
    let mut own = management(&mut Values(Random::new(7)));
    own.termination = None;
    own.validity_duration_s = Bounded::new(601).unwrap();
    own.transmission_interval_ms = None;
    let mut bytes = bytes_from(&own);
    // 600 is 601 without its last bit, wherever that stands.
    let read: ManagementContainer<'_> = parse(&bytes).unwrap();
    assert_eq!(read, own);
    let bits = Bits::of(&bytes).len() - 8;
    let end = (0..bits).rev().find(|bit| {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 0x80 >> (bit % 8);
        let error = parse::<ManagementContainer<'_>>(&changed).err();
        error.is_some_and(|error| error.fault == Fault::NotCanonical)
    });
    let bit = end.expect("one bit makes 600 of 601");
    bytes[bit / 8] ^= 0x80 >> (bit % 8);
    let error = parse::<ManagementContainer<'_>>(&bytes).unwrap_err();
    assert_eq!(
        (error.fault, error.field),
        (Fault::NotCanonical, "validityDuration")
    );
    own.validity_duration_s = Bounded::new(600).unwrap();
    assert_eq!(bytes_from(&own).len(), bytes.len() - 2);
}

/// Additions and values of later versions are skipped, kept, and written as they were.
#[test]
fn extensions() {
    // A management container with two additions of three, of two bytes and one.
    let mut random = Values(Random::new(7));
    let mut own = management(&mut random);
    // Count 3, map 101, then length 2 and its bytes, length 1 and its byte.
    let mut additions = vec![
        (2_u64, 7),
        (0b101, 3),
        (2, 8),
        (0xABCD, 16),
        (1, 8),
        (0xEF, 8),
    ];
    let packed = pack(&mut additions);
    own.additions = Bits::of(&packed).first(50).unwrap();
    let bytes = bytes_from(&own);
    let read: ManagementContainer<'_> = parse(&bytes).unwrap();
    assert_eq!(read.station_type, own.station_type);
    assert_eq!(read.additions.len(), 50);
    assert_eq!(bytes_from(&read), bytes);
    // An enumeration and a choice.
    let rule = [0b1000_0011];
    let read: TrafficRule = parse(&rule).unwrap();
    assert_eq!((read, read.label()), (TrafficRule::Later(3), None));
    assert_eq!(bytes_from(&read), rule);
    assert_eq!(
        length(&TrafficRule::Later(64)),
        Err(EmitError::OutOfRange("TrafficRule"))
    );
    let fast = [0b1000_0101, 2, 0xAB, 0xCD];
    let read: HighFrequencyContainer<'_> = parse(&fast).unwrap();
    assert_eq!(
        read,
        HighFrequencyContainer::Later(5, Bits::of(&[0xAB, 0xCD]))
    );
    assert_eq!(bytes_from(&read), fast);
    // More than 64 values or additions, and lengths in fragments.
    let fault = |bytes: &[u8]| {
        parse::<HighFrequencyContainer<'_>>(bytes)
            .unwrap_err()
            .fault
    };
    assert_eq!(fault(&[0b1100_0101, 2, 0xAB, 0xCD]), Fault::OutOfRange);
    assert_eq!(
        fault(&[0b1000_0101, 0xC1, 0xAB, 0xCD]),
        Fault::LengthTooLarge
    );
    assert_eq!(
        fault(&[0b1000_0101, 0xBF, 0xFF, 0xCD]),
        Fault::Truncated(0x3FFE)
    );
}

/// Puts numbers of so many bits one after the other.
fn pack(parts: &mut Vec<(u64, u32)>) -> Vec<u8> {
    let digits: String = parts
        .drain(..)
        .map(|(number, bits)| format!("{number:0width$b}", width = bits as usize))
        .collect();
    let byte = |at: usize| {
        let end = (at + 8).min(digits.len());
        u8::from_str_radix(&format!("{:0<8}", &digits[at..end]), 2).unwrap()
    };
    (0..digits.len()).step_by(8).map(byte).collect()
}

#[test]
fn numbers_flags_lists_and_octets() {
    assert_eq!(Bounded::<1, 62>::new(0), None);
    assert_eq!(Bounded::<1, 62>::new(63), None);
    // 62 numbers have six bits: two patterns are none.
    let fault = |byte: u8| parse::<Bounded<1, 62>>(&[byte]).unwrap_err().fault;
    assert_eq!(fault(0b1111_1000), Fault::OutOfRange);
    assert_eq!(fault(0b1111_1100), Fault::OutOfRange);
    assert_eq!(fault(0b0000_0001), Fault::PaddingNotZero);
    assert_eq!(parse::<Bounded<1, 62>>(&[0b1111_0100]), Ok(Bounded::MAX));
    // A number with one value has no bits, and a byte all the same.
    assert_eq!(parse::<Bounded<5, 5>>(&[0]), Ok(Bounded::MIN));
    assert_eq!(bytes_from(&Bounded::<5, 5>::MIN), [0]);
    let widest = Bounded::<{ i64::MIN }, { i64::MAX }>::new(-1).unwrap();
    assert_eq!(parse(&bytes_from(&widest)), Ok(widest));
    // Out of range, by the shortest form only.
    type Small = Stretched<1, 255>;
    for number in [1, 255, 0, 256, -1, -128, -129, 127, i64::MIN, i64::MAX] {
        let bytes = bytes_from(&Stretched::<1, 255>(number));
        assert_eq!(parse::<Small>(&bytes), Ok(Stretched(number)));
    }
    let fault = |mut parts: Vec<(u64, u32)>| parse::<Small>(&pack(&mut parts)).unwrap_err().fault;
    assert_eq!(fault(vec![(1, 1), (1, 8), (7, 8)]), Fault::NotCanonical);
    assert_eq!(fault(vec![(1, 1), (3, 8), (256, 24)]), Fault::NotCanonical);
    assert_eq!(fault(vec![(1, 1), (0, 8)]), Fault::OutOfRange);
    assert_eq!(
        fault(vec![(1, 1), (9, 8), (1, 64), (1, 8)]),
        Fault::OutOfRange
    );
    // The standard's bit 0 is on top.
    let flags = Flags::<7>::new(0b100_0001).unwrap();
    assert!(flags.is_set(0) && flags.is_set(6) && !flags.is_set(1) && !flags.is_set(7));
    assert_eq!(Flags::<7>::new(0x80), None);
    // Lists and octets out of bounds.
    type Triple<'a> = ListOf<'a, bool, 1, 3>;
    assert_eq!(Triple::new(&[]), None);
    assert_eq!(Triple::new(&[true; 4]), None);
    assert_eq!(
        parse::<Triple<'_>>(&[0b1110_0000]).unwrap_err().fault,
        Fault::OutOfRange
    );
    let list: Triple<'_> = parse(&[0b0110_0000]).unwrap();
    assert_eq!(
        (list.len(), list),
        (2, Triple::new(&[true, false]).unwrap())
    );
    assert_eq!(Octets::<1, 2>::new(&[]), None);
    let octets = Octets::<1, 2>::new(&[0xAB, 0xCD]).unwrap();
    let bytes = bytes_from(&octets);
    assert_eq!(bytes, [0xD5, 0xE6, 0x80]);
    assert_eq!(parse(&bytes), Ok(octets));
    assert!(octets.bytes().eq([0xAB, 0xCD]));
}
