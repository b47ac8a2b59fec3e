//! Both ECUs on one bus in memory, with an attacker who replays and forges.

extern crate std;

use std::vec::Vec;

use waywarden_can::mailbox::{MemoryDevice, deliver};
use waywarden_work::Duration;

use super::*;

struct Car {
    sensor: TagSensor,
    dashboard: TagDashboard,
    boards: [MemoryDevice; 2],
    bus: Vec<Frame>,
}

fn boot(board: &MemoryDevice) -> Boot<'_> {
    Boot {
        now: board.now(),
        seed: [1; 32],
        retained: &board.stored,
    }
}

impl Car {
    fn new(wire: WireForm, keys: [u8; 2]) -> Self {
        let boards = [MemoryDevice::default(), MemoryDevice::default()];
        let [sensor, dashboard] = keys.map(|key| MacKey::from_bytes([key; 16]));
        Car {
            sensor: TagSensor::new(&boot(&boards[0]), &sensor, wire).unwrap(),
            dashboard: TagDashboard::new(&boot(&boards[1]), &dashboard, wire).unwrap(),
            boards,
            bus: Vec::new(),
        }
    }

    /// Lets some milliseconds pass; what one sends the other receives.
    fn steps(&mut self, count: usize) {
        for _ in 0..count {
            let [sensor, dashboard] = &mut self.boards;
            self.sensor.serve(sensor).unwrap();
            self.dashboard.serve(dashboard).unwrap();
            let sent = deliver(&mut self.boards).into_iter();
            self.bus
                .extend(sent.filter(|(at, _)| *at == 0).map(|(_, frame)| frame));
            for board in &mut self.boards {
                board.wait(Duration::from_millis(1));
            }
        }
    }

    /// The speeds that the dashboard shows.
    fn speeds(&mut self) -> Vec<u32> {
        let verdicts = std::iter::from_fn(|| self.dashboard.verdict());
        verdicts.flatten().collect()
    }
}

/// Sends speeds until the dashboard knows where the sensor stands.
fn run(wire: WireForm, keys: [u8; 2]) -> (Car, Vec<u32>) {
    let mut car = Car::new(wire, keys);
    car.steps(50);
    let mut shown = Vec::new();
    for speed in 0..20 {
        car.sensor.send(speed).unwrap();
        car.steps(20);
        shown.extend(car.speeds());
    }
    (car, shown)
}

#[test]
fn speeds_arrive_and_replayed_and_invented_ones_do_not() {
    for wire in [WireForm::Vatican, WireForm::Leia] {
        let (mut car, shown) = run(wire, [7, 7]);
        assert!(shown.len() >= 18 && shown.ends_with(&[18, 19]), "{shown:?}");
        let recorded = car.bus[car.bus.len() - 2..].to_vec();
        car.boards[1].received.extend(recorded);
        let invented = Frame::classic(SPEED, &9_999_u32.to_be_bytes()).unwrap();
        car.boards[1].received.push_back(invented);
        car.steps(200);
        assert_eq!(car.speeds(), [], "{wire:?}");
    }
}

#[test]
fn a_sensor_with_another_key_is_refused() {
    for wire in [WireForm::Vatican, WireForm::Leia] {
        assert_eq!(run(wire, [8, 7]).1, [], "{wire:?}");
    }
}

#[test]
fn the_memory_of_both_is_what_the_page_says() {
    // In a simulation each payload and frame kept has a handle besides.
    let named = 128 * size_of::<waywarden_can::MessageHandle>();
    let sizes = [size_of::<TagSensor>(), size_of::<TagDashboard>()];
    assert!(
        sizes[0] <= 7_536 + named && sizes[1] <= 7_888 + named,
        "{sizes:?}"
    );
}
