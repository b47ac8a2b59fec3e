//! Both ECUs on one bus in memory, with an attacker who records, replays and forges.

extern crate std;

use std::vec::Vec;

use waywarden_can::mailbox::{MemoryDevice, deliver};
use waywarden_work::Duration;

use super::*;

struct Car {
    sensor: Sensor,
    dashboard: Dashboard,
    boards: [MemoryDevice; 2],
    bus: Vec<Frame>,
}

fn key() -> MacKey {
    MacKey::from_bytes([7; 16])
}

fn boot(board: &MemoryDevice) -> Boot<'_> {
    Boot {
        now: board.now(),
        seed: [1; 32],
        retained: &board.stored,
    }
}

impl Car {
    fn new() -> Self {
        let boards = [MemoryDevice::default(), MemoryDevice::default()];
        Car {
            sensor: Sensor::new(&boot(&boards[0]), &key()).unwrap(),
            dashboard: Dashboard::new(&boot(&boards[1]), &key()).unwrap(),
            boards,
            bus: Vec::new(),
        }
    }

    /// Lets a millisecond pass; what the sensor has sent is on the bus then.
    fn step(&mut self) {
        let [sensor, dashboard] = &mut self.boards;
        self.sensor.serve(sensor).unwrap();
        self.dashboard.serve(dashboard).unwrap();
        for (at, frame) in deliver(&mut self.boards) {
            assert_eq!(at, 0, "a dashboard sends nothing");
            self.bus.push(frame);
        }
        for board in &mut self.boards {
            board.wait(Duration::from_millis(1));
        }
    }

    fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    fn verdicts(&mut self) -> Vec<Result<u32, FrameOutcome>> {
        std::iter::from_fn(|| self.dashboard.verdict()).collect()
    }

    /// The speeds that the dashboard shows.
    fn speeds(&mut self) -> Vec<u32> {
        self.verdicts().into_iter().flatten().collect()
    }
}

/// A car that has sent and shown one speed.
fn running() -> Car {
    let mut car = Car::new();
    car.steps(10);
    car.sensor.send(1_388).unwrap();
    car.steps(10);
    assert_eq!(car.speeds(), [1_388]);
    car
}

#[test]
fn a_speed_arrives_and_a_replay_does_not() {
    let mut car = running();
    let recorded = *car
        .bus
        .iter()
        .rfind(|frame| frame.id() == SPEED.into())
        .unwrap();
    car.boards[1].received.push_back(recorded);
    car.steps(2);
    assert_eq!(car.verdicts(), [Err(FrameOutcome::WrongTag(SPEED))]);
}

#[test]
fn a_changed_and_an_invented_frame_are_refused() {
    let mut car = running();
    let sent = *car
        .bus
        .iter()
        .rfind(|frame| frame.id() == SPEED.into())
        .unwrap();
    for forged in [&[0xFF; 8][..], &[0xFF; 4]] {
        let mut data = sent.data().to_vec();
        data[..forged.len()].copy_from_slice(forged);
        let frame = Frame::classic(SPEED, &data).unwrap();
        car.boards[1].received.push_back(frame);
        car.steps(2);
        assert_eq!(car.verdicts(), [Err(FrameOutcome::WrongTag(SPEED))]);
    }
    // The next genuine one is shown.
    car.sensor.send(9).unwrap();
    car.steps(2);
    assert_eq!(car.speeds(), [9]);
}

#[test]
fn a_sensor_with_another_key_is_refused() {
    let mut car = running();
    let other = MacKey::from_bytes([8; 16]);
    car.sensor = Sensor::new(&boot(&car.boards[0]), &other).unwrap();
    car.steps(10);
    car.sensor.send(1).unwrap();
    car.steps(10);
    assert_eq!(car.speeds(), []);
}

#[test]
fn both_go_on_after_a_reset_and_refuse_what_was_recorded_before() {
    let mut car = running();
    let recorded = car.bus.clone();
    car.sensor = Sensor::new(&boot(&car.boards[0]), &key()).unwrap();
    car.dashboard = Dashboard::new(&boot(&car.boards[1]), &key()).unwrap();
    car.boards[1].received.extend(recorded);
    car.steps(10);
    assert_eq!(car.speeds(), []);
    car.sensor.send(2).unwrap();
    car.steps(10);
    assert_eq!(car.speeds(), [2]);
}

/// The figures of `docs/embedding.md`, on a machine of 64 bits: an upper bound for one of 32.
#[test]
fn the_memory_of_both_is_what_the_page_says() {
    // In a simulation each payload and frame kept has a handle besides.
    let named = 128 * size_of::<waywarden_can::MessageHandle>();
    let sizes = [size_of::<Sensor>(), size_of::<Dashboard>()];
    assert!(sizes.iter().all(|size| *size <= 7_488 + named), "{sizes:?}");
}
