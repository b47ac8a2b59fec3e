//! Runs that are not over in time, or have nothing to measure, are named.

use waywarden_boards::Board;
use waywarden_paper_tables::Assumptions;

use super::super::super::study::GkeStudy;
use super::super::{GkeSimulateError, GkeSimulator};
use super::{ExchangePart, GkeScheme, group};

/// Returns the reason that the main scheme among 32 ECUs is not measured.
fn failure(assumed: &Assumptions) -> GkeSimulateError {
    let study = GkeStudy::load().unwrap().assuming(assumed).unwrap();
    let simulator = GkeSimulator::of(study, &|_| {});
    let of = group(GkeScheme::Main, 32, ExchangePart::Total);
    assert_eq!(simulator.measure(&of), None);
    simulator.failure().unwrap()
}

#[test]
fn a_run_without_a_measurement_is_named() {
    let on = |name| Assumptions {
        board: Board::builtin(name),
        ..Assumptions::default()
    };
    let slow = failure(&on("sancus"));
    assert!(slow.is_too_slow());
    assert_eq!(
        slow.to_string(),
        "main scheme, 32 ECUs, FourQ, CAN FD: some ECUs still lack the group key after 120 s of \
         simulated time"
    );
    let idle = failure(&on("ideal"));
    assert!(!idle.is_too_slow());
    assert_eq!(
        idle.to_string(),
        "main scheme, 32 ECUs, FourQ, CAN FD: signing or verifying takes no time on the board, so \
         there is nothing to measure"
    );
}
