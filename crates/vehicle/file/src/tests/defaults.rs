//! Tests of parts that a file may leave out: defaults, the streams of an ECU, requirements and
//! replays.

use waywarden_can::Id;
use waywarden_work::Duration;

use super::{CAR, SPEED, error, good};
use crate::*;

#[test]
fn defaults_are_filled_in() {
    let file = good(&[CAR, SPEED]);
    assert_eq!(
        (file.seed, file.duration),
        (0, Duration::from_millis(10_000))
    );
    let fast = &file.buses[0];
    assert_eq!(
        fast.nominal,
        BitRatePhase {
            bit_rate: 500_000,
            sample_point: 0.875
        }
    );
    let fd = fast.fd.expect("a data bit rate makes CAN FD");
    assert_eq!((fd.data.bit_rate, fd.iso), (2_000_000, true));
    assert_eq!(file.buses[1].fd, None);
    let engine = &file.ecus[1];
    assert_eq!(engine.board.value, BoardSource::BuiltIn("ideal".to_owned()));
    assert_eq!(
        engine.queue,
        TransmitQueue {
            order: QueueOrder::Priority,
            length: 32
        }
    );
    assert_eq!(engine.receive_queue, 64);
    assert_eq!(
        engine.tasks,
        TaskPriorities {
            receive: 4,
            send: 3,
            mac: 2,
            crypto: 1
        }
    );
    assert_eq!(engine.crypto, CryptoEngine::Software);
    assert_eq!(engine.accept, Accept::Needed(Vec::new()));
    let speed = &file.streams[0];
    assert_eq!(Ok(speed.id.value), Id::standard(0x1A0));
    assert_eq!(
        (speed.deadline, speed.period),
        (speed.period, Duration::from_millis(10))
    );
    assert_eq!(speed.data, Data::Counter);
    assert_eq!(
        speed.receivers,
        [StreamReceiver {
            ecu: EcuIndex(0),
            bus: BusIndex(0)
        }]
    );
}

#[test]
fn unknown_offset_differs_from_a_stated_one() {
    let offsets = [
        ("", Offset::Stated(Duration::ZERO)),
        ("offset = \"0ms\"\n", Offset::Stated(Duration::ZERO)),
        (
            "offset = \"1500us\"\n",
            Offset::Stated(Duration::from_micros(1_500)),
        ),
        ("offset = \"unknown\"\n", Offset::Unknown),
    ];
    for (line, wanted) in offsets {
        let file = good(&[CAR, SPEED, line]);
        let stream = &file.streams[0];
        assert_eq!(stream.offset, wanted, "{line}");
        let is_unknown = wanted == Offset::Unknown;
        assert_eq!(file.unknown_offsets(), usize::from(is_unknown), "{line}");
        let latest = if is_unknown {
            stream.period
        } else {
            wanted.or_zero()
        };
        assert_eq!(stream.latest_offset(), latest, "{line}");
    }
    for wrong in ["Unknown", " unknown", "", "unknown ms", "?"] {
        assert_eq!(
            error(&[CAR, SPEED, &format!("offset = {wrong:?}\n")]),
            format!(
                "expected a duration such as \"10ms\" (units ns, us, ms, s, min, h), or \
                 \"unknown\"; found {wrong:?}"
            )
        );
    }
}

#[test]
fn an_ecu_can_list_what_it_sends() {
    let sends = r#"name = "engine"
sends = [
    { name = "speed", id = 0x1A0, length = 8, period = "10ms", receivers = ["gateway"] },
    { name = "heat", id = 0x1A1, length = 4, period = "1s" },
]
"#;
    let car = CAR.replace("name = \"engine\"\n", sends);
    let file = good(&[
        &car,
        &SPEED
            .replace("\"speed\"", "\"third\"")
            .replace("0x1A0", "0x1A2"),
    ]);
    let names: Vec<&str> = file
        .streams
        .iter()
        .map(|stream| stream.name.value.as_str())
        .collect();
    assert_eq!(names, ["third", "speed", "heat"]);
    assert!(
        file.streams
            .iter()
            .all(|stream| stream.sender == EcuIndex(1))
    );
    let message = error(&[&car.replace("length = 4", "sender = \"engine\", length = 4")]);
    assert!(
        message.starts_with("`sends` of [[ecu]] has no key `sender`"),
        "{message}"
    );
    let message = error(&[&car, SPEED]);
    assert!(
        message.starts_with("two of [[stream]] are called \"speed\""),
        "{message}"
    );
}

#[test]
fn streams_on_an_fd_bus_are_fd_unless_they_say_otherwise() {
    let fd = SPEED.replace("format = \"classic\"\n", "");
    let file = good(&[CAR, &fd]);
    assert_eq!(
        file.streams[0].format,
        FrameFormat::Fd {
            bit_rate_switch: true
        }
    );
    let file = good(&[CAR, &fd, "brs = false"]);
    assert_eq!(
        file.streams[0].format,
        FrameFormat::Fd {
            bit_rate_switch: false
        }
    );
    let message = error(&[CAR, SPEED, "brs = true"]);
    assert!(message.contains("leave `brs` out"), "{message}");
}

#[test]
fn requirements_spread_their_defaults() {
    let require = r#"
[require]
startup = "300ms"
[require.bus_load]
default = "60%"
slow = 0.3
[require.cpu_load]
engine = "50%"
[require.latency]
default = "deadline"
"#;
    let file = good(&[CAR, SPEED, require]);
    let loads: Vec<f64> = file
        .require
        .bus_load
        .iter()
        .map(|(_, load)| load.value)
        .collect();
    assert_eq!(loads, [0.6, 0.3]);
    assert_eq!(file.require.cpu_load.len(), 1);
    assert_eq!(file.require.latency[0].1.value, Duration::from_millis(10));
    assert_eq!(file.source.place(&file.require.bus_load[1].1.span).line, 34);
    for (right, wrong, remedy) in [
        (
            "slow = 0.3",
            "slwo = 0.3",
            "there is no bus \"slwo\"; did you mean \"slow\"?",
        ),
        ("\"deadline\"", "\"soon\"", "or \"deadline\""),
        ("\"deadline\"", "\"0ms\"", "a duration above zero"),
        ("startup", "start-up", "did you mean \"startup\"?"),
        ("bus_load", "busload", "did you mean \"bus_load\"?"),
    ] {
        let message = error(&[CAR, SPEED, &require.replace(right, wrong)]);
        assert!(message.contains(remedy), "{wrong}: {message}");
    }
}

#[test]
fn replays_map_channels_to_buses() {
    let replay =
        "[[replay]]\nlog = \"drive.log\"\nchannels = { can0 = \"fast\" }\npace = \"fast\"\n";
    let file = good(&[CAR, replay]);
    assert_eq!(file.replays[0].channels, [("can0".to_owned(), BusIndex(0))]);
    assert_eq!(
        (file.replays[0].pace, file.replays[0].repeat),
        (PlaybackSpeed::Fast, false)
    );
    let message = error(&[CAR, &replay.replace("\"fast\" }", "\"fats\" }")]);
    assert!(message.contains("did you mean \"fast\"?"), "{message}");
    let message = error(&[CAR, &replay.replace("channels", "#")]);
    assert!(message.contains("needs the key `channels`"), "{message}");
}
