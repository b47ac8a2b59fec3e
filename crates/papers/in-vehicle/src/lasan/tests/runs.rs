//! Simulated runs against the formulas.

use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanProfile};
use waywarden_paper_tables::{Amount, Assumptions};

use super::{CHOSEN, POST, PRE, study};
use crate::lasan::quantity::{ComputingParty, LasanQuantity, LasanRun, Metric, Part, State};
use crate::lasan::simulate::{LasanSimulateError, LasanSimulator};
use crate::lasan::study::LasanStudy;
use crate::lasan::tables::run_of;

/// Runs what is asked for, and returns what was measured beside the formula.
fn both(study: &LasanStudy, simulator: &LasanSimulator<'_>, of: &LasanQuantity) -> (f64, f64, f64) {
    let measured = simulator.measure(of).unwrap();
    let beside = measured.beside.iter().map(|one| one.amount).sum();
    let value = |amount| match amount {
        Amount::Number(number) => number,
        Amount::Time(time) => time.as_nanos() as f64,
    };
    let formula = value(study.formula(of).unwrap());
    (value(measured.amount), formula, beside)
}

#[test]
fn runs_have_the_formulas_messages_and_operations() {
    let study = study();
    let simulator = LasanSimulator::new(&|_| {}).unwrap();
    let all = Credentials::Certificates;
    let forms = [
        ("p256", LasanProfile::AsPublished, all, Transport::Classic),
        (
            "ml-kem-768+ml-dsa-44",
            LasanProfile::AsPublished,
            all,
            Transport::Fd,
        ),
        (
            "x25519-ml-kem-768+ml-dsa-65",
            LasanProfile::Hardened,
            all,
            Transport::Fd,
        ),
        (
            "fourq",
            LasanProfile::Hardened,
            Credentials::Digests,
            Transport::Classic,
        ),
        (
            CHOSEN,
            LasanProfile::Compact,
            Credentials::Keys,
            Transport::Fd,
        ),
        ("p256", LasanProfile::Compact, all, Transport::Fd),
    ];
    for (suite, profile, credentials, transport) in forms {
        let run = run_of(suite, (profile, credentials), transport);
        let computation = Metric::Computation {
            who: ComputingParty::Both,
            board: run.board.clone(),
        };
        for what in [Metric::Bytes, Metric::Frames, computation] {
            for part in [Part::Once, Part::Each, Part::All] {
                let of = run.count(what.clone(), part);
                let (measured, formula, beside) = both(&study, &simulator, &of);
                let rest = measured - formula - beside;
                assert!(rest.abs() < 1.0, "{of:?}: {measured}, {formula} + {beside}");
            }
        }
        let bytes = run.count(Metric::Bytes, Part::All);
        let (_, _, beside) = both(&study, &simulator, &bytes);
        // The acknowledgement, and a hello where the profile has one.
        assert!(
            beside == 0.0 || profile != LasanProfile::AsPublished,
            "{beside}"
        );
        assert!(beside <= 24.0, "{suite}: {beside}");
        let bus = run.count(Metric::Bus, Part::Once);
        let (measured, formula, _) = both(&study, &simulator, &bus);
        assert!(
            (measured / formula - 1.0).abs() < 0.03,
            "{measured} {formula}"
        );
    }
    assert_eq!(simulator.failure(), None);
}

#[test]
fn paced_runs_take_the_pauses() {
    let study = study();
    let simulator = LasanSimulator::new(&|_| {}).unwrap();
    let of = |part| {
        let what = Metric::State(State::Communication);
        study.testbed(PRE).count(what, part)
    };
    let (measured, formula, _) = both(&study, &simulator, &of(Part::Once));
    // 23 frames have 22 pauses between them, and the last one its own time on the bus.
    assert_eq!(formula, 11.5e6);
    assert!((11.0e6..11.3e6).contains(&measured), "{measured}");
    assert!(
        simulator
            .measure(&study.testbed(POST).count(Metric::Bytes, Part::All))
            .is_none()
    );
    assert_eq!(simulator.failure(), None);
}

#[test]
fn what_cannot_run_is_a_failure() {
    let simulator = LasanSimulator::new(&|_| {}).unwrap();
    let run = LasanRun {
        ecus: 0,
        ..study().testbed(PRE)
    };
    assert_eq!(
        simulator.measure(&run.count(Metric::Bytes, Part::All)),
        None
    );
    assert_eq!(simulator.failure(), Some(LasanSimulateError::Setup));
}

#[test]
fn a_run_that_is_not_over_is_named() {
    let assumed = Assumptions {
        bit_rate: Some(5_000),
        ..Assumptions::default()
    };
    let study = study().assuming(&assumed).unwrap();
    let of = study.testbed(POST).count(Metric::Frames, Part::All);
    let of = LasanQuantity {
        run: LasanRun {
            suite: "ml-kem-768+ml-dsa-44".to_owned(),
            ..of.run
        },
        ..of
    };
    let simulator = LasanSimulator::of(study, &|_| {});
    assert_eq!(simulator.measure(&of), None);
    let failure = simulator.failure().unwrap();
    assert!(failure.is_too_slow());
    assert_eq!(
        failure.to_string(),
        "ml-kem-768+ml-dsa-44, as-published, certificates, CAN, 1 ECU: some ECUs are not \
         authenticated after 120 s of simulated time"
    );
}
