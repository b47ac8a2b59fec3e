//! Verdicts and the causes of differences, on the paper's data and on modified data.

use waywarden_paper_tables::{Amount, Cell, CellVerdict, Class, Measurement, Unit};
use waywarden_work::Duration;

use super::{cells, find, study};
use crate::cell_checks::assert_classes_fit;
use crate::gke::model::{GkeBus, GkeScheme};
use crate::gke::quantity::GkeQuantity;

#[test]
fn what_differs_is_known_and_has_a_cause_beside_the_difference() {
    let cells = cells();
    let differs: Vec<&Cell> = cells
        .iter()
        .filter(|cell| cell.verdict == CellVerdict::Differs)
        .collect();
    let names: Vec<&str> = differs.iter().map(|cell| cell.cell.as_str()).collect();
    let expected = [
        "one key among 30 ECUs",
        "4c. encrypt signature, T_enc, SAM V71-B",
        "total, T_kex, TC297",
        "FourQ faster than P-256 on TC277, least",
        "FourQ faster than P-256 on TC297, least",
        "two SAM V71, P-256",
        "FourQ on TC297 and TC277 faster than P-256 on two SAM V71",
        "32 TC297, CAN, bus time",
        "scheme without orchestrator, 32 TC297, computations",
        "frame of 8 bytes",
        "(10 n)",
        "(64 n)",
        "CAN FD: bus load",
    ];
    assert_eq!(names.len(), expected.len(), "{names:#?}");
    for (name, part) in names.iter().zip(expected) {
        assert!(name.contains(part), "{name}: {part}");
    }
    for cell in differs {
        assert!(cell.why.contains(';'), "{}: {}", cell.cell, cell.why);
    }
}

#[test]
fn causes_are_found_by_arithmetic() {
    let cells = cells();
    let rows = [
        (
            "Table VII",
            "total, T_kex, TC297",
            &["23.94", "43.94", "38.05", "leaves 0.26"][..],
        ),
        ("Table VI", "T_enc, SAM V71-B", &["28"]),
        (
            "§V-B",
            "two SAM V71, P-256",
            &["124.6", "232.78", "Table VI"],
        ),
        (
            "§V-B",
            "faster than P-256 on two SAM V71",
            &["5.30", "5.29", "6.08"],
        ),
        ("§V-C", "CAN, bus time", &["0.2117", "0.0693", "0.1424"]),
        (
            "§V-C",
            "orchestrator, 32 TC297, computations",
            &["0.1364", "0.1716"],
        ),
        (
            "§V-C",
            "(10 n)",
            &["5 frames more", "2 n - 1", "63 exchanges"],
        ),
        ("§V-C", "(64 n)", &["32 frames more", "2 n - 1"]),
        ("§V-C", "CAN FD: bus load", &["17.86", "46.08 of 258"]),
        (
            "§V-C",
            "without orchestrator, 32 TC297, CAN FD, T_gkex",
            &["5.04", "6"],
        ),
        ("§V-C", "32 TC224", &["would not fit"]),
        (
            "§V-C",
            "two TC224",
            &["0.419 of TC277 fit", "0.207 of TC297 do not"],
        ),
        ("§V-C", "(44 n)", &["32 bytes", "42 n"]),
        ("§V-C", "carries in a second", &["280 us", "3571", "3817"]),
        ("§V-A", "TC277, least", &["verify (4.35)"]),
    ];
    for (place, name, parts) in rows {
        let cell = find(&cells, place, name);
        for part in parts {
            assert!(
                cell.why.contains(part),
                "{name}: `{part}` not in: {}",
                cell.why
            );
        }
    }
}

/// A simulation that gives what is asked for every two-party exchange on TC224, in nanoseconds.
fn simulated_tc224(nanos: u64) -> impl Fn(&GkeQuantity) -> Option<Measurement> {
    move |of| match of {
        GkeQuantity::TwoParty { boards, .. } if boards[0] == "tc224" => Some(Measurement {
            amount: Amount::Time(Duration::from_nanos(nanos)),
            beside: Vec::new(),
        }),
        _ => None,
    }
}

#[test]
fn a_measured_number_within_the_last_digit_is_rounding() {
    let name = "two-party exchange, two TC224, FourQ, CAN FD, simulated";
    let verdict = |nanos| {
        let cells = study().cells(&simulated_tc224(nanos)).unwrap();
        find(&cells, "§V-C", name).verdict
    };
    assert_eq!(verdict(60_245_500), CellVerdict::Rounding);
    assert_eq!(verdict(60_250_100), CellVerdict::Differs);
}

#[test]
fn numbers_that_the_model_starts_from_never_agree() {
    let cells = cells();
    let class = |place, name| find(&cells, place, name).class;
    let rows = [
        ("Table IV", "ECDH share, TC224", Class::Input),
        ("Table V", "ECDSA verify, SAM V71", Class::Input),
        ("Table VI", "1. verify signature", Class::Input),
        ("Table VII", "4c. encrypt signature", Class::Input),
        ("§V-C", "T_snd32 on CAN", Class::Input),
        // The bit rates are those that the printed frame times fit best.
        ("Table VII", "3a. send share (I)", Class::Fitted),
        // The board's AES is what this number leaves for it.
        ("§V-C", "two-party exchange, two TC224", Class::Fitted),
        ("§V-B", "two-party exchange, two TC297", Class::Derived),
        ("§V-A", "FourQ faster than P-256 on TC224", Class::Derived),
        ("Table VII", "total, T_kex, TC277", Class::Derived),
    ];
    for (place, name, expected) in rows {
        assert_eq!(class(place, name), Some(expected), "{place}, {name}");
    }
    assert_classes_fit(&cells);
    let totals = waywarden_paper_tables::totals(&cells);
    let agreed: usize = totals
        .iter()
        .map(|total| total.count(CellVerdict::Agrees))
        .sum();
    assert_eq!(
        agreed,
        totals[2].count(CellVerdict::Agrees) + totals[3].count(CellVerdict::Agrees)
    );
    let counted: usize = totals.iter().flat_map(|total| total.counts).sum();
    assert_eq!(counted, cells.len());
}

/// A rule words what it finds: with another printed number it finds something else.
#[test]
fn rules_follow_the_numbers() {
    use super::super::rules::{Meaning, Question};
    let study = study();
    let of = GkeQuantity::Frames {
        scheme: GkeScheme::Main,
        n: 16,
        bus: GkeBus::CanFd,
    };
    let why = |printed: &str| {
        let printed = [waywarden_paper_tables::Printed::try_from(printed.to_owned()).unwrap()];
        let question = Question {
            study: &study,
            of: &of,
            unit: Unit::Frames,
            meaning: Meaning::As(super::super::data::Form::Exact),
            printed: &printed,
            formula: 155.0,
        };
        question.explain().unwrap()
    };
    assert!(why("160").join("; ").contains("10 n is a bound"));
    assert_eq!(
        why("170"),
        ["155 frames where the paper has 170: 15 frames (8.824 %) less"]
    );
    assert!(why("155").is_empty());
}
