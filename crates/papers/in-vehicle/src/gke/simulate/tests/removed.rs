//! The items held against runs in which what they stand for is not there: driver calls that cost
//! nothing, frames that take no time.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_work::Duration;

use super::super::{
    ExchangeScenario, GkeQuantity, GkeScheme, GkeSimulator, GkeSuite, Measurement, Setting, keys,
    suites,
};
use crate::gke::model::{self, FrameTimes, GkeBus};
use waywarden_paper_tables::Unit;

const ALIKE: [[&str; 2]; 3] = [
    ["tc297", "tc297"],
    ["tc224", "tc224"],
    ["sam-v71", "sam-v71"],
];

/// Of these the slower computes so long that no two frames ever meet.
const UNLIKE: [&str; 2] = ["tc297", "tc277"];

/// The rates that [GKE]'s frame times fit.
const RATES: (u32, u32) = (1_000_000, 2_000_000);

const DRIVER: &str = "of driver calls";
const WAITING: &str = "of waiting for the bus, intermissions included";

/// A built-in board whose driver calls take this many microseconds.
fn board(name: &str, driver_us: u32) -> Arc<Board> {
    let text = Board::builtin_text(name).unwrap();
    let figures = text.split("[[figure]]").map(|figure| {
        if !figure.contains("\"frame-") {
            return figure.to_owned();
        }
        let line = |line: &str| match line.starts_with("duration") {
            true => format!("duration = \"{driver_us} us\""),
            false => line.to_owned(),
        };
        figure.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
    });
    let text = figures.collect::<Vec<_>>().join("[[figure]]");
    Arc::new(Board::parse(name, &text).unwrap())
}

/// Measures two parties of these boards on a bus of these rates.
fn pair(names: [&str; 2], driver_us: u32, rates: (u32, u32)) -> Measurement {
    let simulator = GkeSimulator::new(&|_| {}).unwrap();
    let names = names.map(str::to_owned);
    let boards = vec![names[0].clone(), names[1].clone(), names[0].clone()];
    let scenario = ExchangeScenario {
        scheme: keys::Scheme::TreeWithoutOrchestrator,
        transport: keys::Transport::Fd,
        rates,
        boards: boards.iter().map(|name| board(name, driver_us)).collect(),
    };
    let setting = Setting {
        scheme: GkeScheme::TwoParty,
        boards,
        suite: GkeSuite::FourQ,
        bus: GkeBus::CanFd,
    };
    let run = || {
        let record = scenario.run(keys::AnyGroupSuite::of::<suites::FourQ>())?;
        Ok(record.unwrap())
    };
    simulator.runs.record(&setting, "", run).unwrap();
    let of = GkeQuantity::TwoParty {
        boards: names,
        suite: GkeSuite::FourQ,
        bus: GkeBus::CanFd,
    };
    simulator.try_measure(&of).unwrap().unwrap()
}

/// The measured time in microseconds.
fn micros(measured: &Measurement) -> f64 {
    1e3 * measured.amount.in_unit(Unit::Milliseconds)
}

/// An item in microseconds; what is too little for a word is nothing.
fn item(measured: &Measurement, what: &str) -> f64 {
    let mut items = measured.beside.iter();
    let item = items.find(|item| item.what == what);
    item.map_or(0.0, |item| item.amount / 1e3)
}

/// All items in microseconds, the driver's and waiting excluded.
fn others(measured: &Measurement) -> Vec<(&str, f64)> {
    let items = measured.beside.iter();
    let others = items.filter(|item| item.what != DRIVER && item.what != WAITING);
    others
        .map(|item| (item.what.as_str(), item.amount / 1e3))
        .collect()
}

/// The formula without its frames: what two ECUs would take if frames took no time.
fn computed(names: [&str; 2]) -> f64 {
    let simulator = GkeSimulator::new(&|_| {}).unwrap();
    let costs = names.map(|name| simulator.study.costs(name, GkeSuite::FourQ).unwrap());
    let slower = costs[0].slower(&costs[1]);
    let nothing = FrameTimes {
        snd32: Duration::ZERO,
        snd64: Duration::ZERO,
    };
    model::two_party(&slower, &slower, &nothing).as_nanos() as f64 / 1e3
}

/// Bits are counted in whole, so twice the time at 8 Mbit/s less that at 4 is the time at an
/// infinite rate, as long as the same frames wait for each other.
#[test]
fn without_drivers_and_frame_times_the_formula_is_exact() {
    for names in ALIKE.into_iter().chain([UNLIKE]) {
        let at = |rate| micros(&pair(names, 0, (rate, rate)));
        let (four, eight) = (at(4_000_000), at(8_000_000));
        assert!(four > eight + 1.0, "{names:?}: {four} {eight}");
        let infinite = 2.0 * eight - four;
        let expected = computed(names);
        assert!(
            (infinite - expected).abs() < 0.01,
            "{names:?}: {infinite} {expected}"
        );
    }
}

/// From a request's reception to the last check seven driver calls follow each other: the request
/// is fetched, and three messages, each the answer to the one before, are sent and fetched.
#[test]
fn a_dearer_driver_changes_its_own_item_and_nothing_else() {
    let (cheap, dear) = (pair(UNLIKE, 5, RATES), pair(UNLIKE, 50, RATES));
    let longer = micros(&dear) - micros(&cheap);
    assert!((longer - 7.0 * 45.0).abs() < 0.01, "{longer}");
    let more = item(&dear, DRIVER) - item(&cheap, DRIVER);
    assert!((more - longer).abs() < 0.01, "{more} {longer}");
    assert_eq!(others(&dear), others(&cheap));
    assert_eq!((item(&dear, WAITING), item(&cheap, WAITING)), (0.0, 0.0));
    assert_eq!(item(&pair(UNLIKE, 0, RATES), DRIVER), 0.0);
}

/// ECUs that are alike send at the same time, and the one that loses arbitration has its driver
/// call while it would have waited anyway: what is more in the one item is less in the other.
#[test]
fn where_frames_meet_a_driver_call_takes_the_place_of_waiting() {
    for names in ALIKE {
        let (cheap, dear) = (pair(names, 5, RATES), pair(names, 50, RATES));
        let longer = micros(&dear) - micros(&cheap);
        let calls = item(&dear, DRIVER) - item(&cheap, DRIVER);
        let waiting = item(&dear, WAITING) - item(&cheap, WAITING);
        assert!((calls - 7.0 * 45.0).abs() < 0.01, "{names:?}: {calls}");
        assert!((waiting + 45.0).abs() < 0.01, "{names:?}: {waiting}");
        assert!(
            (calls + waiting - longer).abs() < 0.01,
            "{names:?}: {longer}"
        );
        assert_eq!(others(&dear), others(&cheap), "{names:?}");
    }
}
