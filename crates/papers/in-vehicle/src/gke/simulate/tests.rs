//! Simulated times are the formula's plus the items, and frame counts are exact.

mod removed;
mod slow;

use super::super::model::{GkeBus, GkeScheme, frames};
use super::super::quantity::{ExchangePart, GkeQuantity, GkeSuite};
use super::GkeSimulator;
use waywarden_paper_tables::Unit;

const SCHEMES: [GkeScheme; 3] = [GkeScheme::Main, GkeScheme::Without, GkeScheme::Symmetric];

fn group(scheme: GkeScheme, n: u32, part: ExchangePart) -> GkeQuantity {
    GkeQuantity::Group {
        scheme,
        n,
        board: "tc297".to_owned(),
        suite: GkeSuite::FourQ,
        bus: GkeBus::CanFd,
        part,
    }
}

fn assert_itemised(simulator: &GkeSimulator<'_>, of: &GkeQuantity) {
    let formula = simulator.study.formula(of).unwrap();
    let formula = formula.in_unit(Unit::Milliseconds);
    let measured = simulator.try_measure(of).unwrap().unwrap();
    let value = measured.amount.in_unit(Unit::Milliseconds);
    let items = measured.beside.iter().map(|item| item.amount / 1e6);
    let sum = formula + items.sum::<f64>();
    println!("{of:?}: {formula:.3} {value:.3}");
    for item in &measured.beside {
        println!("    {:9.3} {}", item.amount / 1e6, item.what);
        if item.what.ends_with("rest") {
            assert!(item.amount / 1e6 < value * 0.005, "{of:?}: {measured:?}");
        }
    }
    assert!((sum - value).abs() < 0.1, "{of:?}: {sum} {value}");
}

#[test]
fn simulated_is_formula_and_items() {
    let simulator = GkeSimulator::new(&|_| {}).unwrap();
    for scheme in SCHEMES {
        for n in [2, 8, 32] {
            for part in ExchangePart::ALL {
                assert_itemised(&simulator, &group(scheme, n, part));
            }
        }
    }
    for (first, second) in [
        ("sam-v71", "sam-v71"),
        ("tc297", "tc277"),
        ("tc224", "tc224"),
    ] {
        assert_itemised(
            &simulator,
            &GkeQuantity::TwoParty {
                boards: [first.to_owned(), second.to_owned()],
                suite: GkeSuite::FourQ,
                bus: GkeBus::CanFd,
            },
        );
    }
    for place in ["Table VI", "Table VII"] {
        for seen_by in [0, 1] {
            let place = place.to_owned();
            assert_itemised(&simulator, &GkeQuantity::Run { place, seen_by });
        }
    }
}

#[test]
fn frames_are_counted_exactly() {
    let simulator = GkeSimulator::new(&|_| {}).unwrap();
    for scheme in [SCHEMES[0], SCHEMES[1], SCHEMES[2], GkeScheme::TwoParty] {
        for n in [2, 3, 8, 13] {
            for bus in [GkeBus::Can, GkeBus::CanFd] {
                let of = GkeQuantity::Frames { scheme, n, bus };
                let measured = simulator.try_measure(&of).unwrap().unwrap();
                let expected = frames(scheme, n, bus) as f64;
                assert_eq!(
                    measured.amount,
                    waywarden_paper_tables::Amount::Number(expected),
                    "{of:?}"
                );
            }
        }
    }
}
