//! The third world of a sensor with SecOC: its frames on a CAN socket are those of the ECU image
//! and of the simulated node, which the tests of `waywarden-vehicle-firmware` compare with the same
//! file.

use waywarden_can::node::{Boot, Slot};
use waywarden_ecu::{Ecu, EcuRole, StreamState};
use waywarden_firmware_link::{EcuRecord, Record};
use waywarden_firmware_secoc::{Keys, SecocAuthenticator, authenticator};

use super::*;

/// A record, a seed and frames, by the names of the lines.
const SENSOR: &str = include_str!("../../../../onboard/firmware-secoc/known-answers/sensor.txt");

type Sensor = Ecu<
    Vec<StreamState>,
    [waywarden_ecu::GatewayRoute; 0],
    [waywarden_ecu::ForwardedFrame; 0],
    [EcuRole<SecocAuthenticator<'static>>; 1],
    SecocAuthenticator<'static>,
>;

/// Returns the values of the lines of a name.
fn values(name: &str) -> impl Iterator<Item = &'static str> + '_ {
    let lines = SENSOR.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(move |line| line.strip_prefix(name)?.strip_prefix(' '))
}

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().as_chunks::<2>().0.iter();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.map(byte).collect()
}

fn sensor(boot: &Boot<'_>) -> Sensor {
    let record = bytes(values("record").next().unwrap());
    let record = EcuRecord::decode(&record).unwrap();
    let keys = Box::leak(Box::new(Keys::new()));
    let role = authenticator(boot, Slot(0), &record, keys);
    let role = EcuRole::new(role, Ports::NONE.with(Port(0)), Slot(0));
    let streams = record.streams.iter().map(|one| StreamState::new(*one));
    Ecu::with_roles(boot, streams.collect(), [], [], [role])
}

#[test]
fn a_sensor_sends_the_frames_of_its_image() {
    let _alone = alone();
    let Some(mut receiver) = driver(&virtual_interface()) else {
        return;
    };
    let links = socket::open(&[virtual_interface()]).unwrap();
    let seed = bytes(values("seed").next().unwrap()).try_into().unwrap();
    let host = SystemHost::new();
    let mut sender =
        Driver::new(host, links, Volatile::default(), seed, |boot| sensor(&boot)).unwrap();
    let expected: Vec<&str> = values("frame").collect();
    let from = std::time::Instant::now();
    while receiver.node().received.len() < expected.len() {
        assert!(
            from.elapsed().as_secs() < 10,
            "{:?}",
            receiver.node().received
        );
        sender.step(Some(Duration::from_millis(5))).unwrap();
        receiver.step(Some(Duration::ZERO)).unwrap();
    }
    let received = receiver.node().received.iter().take(expected.len());
    let text = |frame: &Frame| {
        let data = frame.data().iter().map(|byte| format!("{byte:02x}"));
        format!("{:03X} {}", frame.id().raw(), data.collect::<String>())
    };
    assert_eq!(received.map(text).collect::<Vec<_>>(), expected);
}
