//! The formulas against the numbers that were checked by hand, and every cell as a snapshot.

use waywarden_work::Duration;

use super::model::{Bus, FrameTimes, Scheme};
use super::quantity::{Part, Quantity, Suite, unmeasured};
use super::study::{Study, run_frames};
use waywarden_paper_tables::{Amount, Beside, Cell, Class, Measurement, Unit, Verdict};

fn study() -> Study {
    Study::load().unwrap_or_else(|error| panic!("{error}"))
}

fn cells() -> Vec<Cell> {
    study().cells(&unmeasured).unwrap()
}

fn ms(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}

/// Asserts a time to 0.1 ms.
fn assert_ms(time: Duration, expected: f64, what: &str) {
    assert!(
        (ms(time) - expected).abs() <= 0.1,
        "{what}: {time}, not {expected} ms"
    );
}

fn find<'a>(cells: &'a [Cell], place: &str, name: &str) -> &'a Cell {
    let mut all = cells.iter();
    all.find(|cell| cell.place == place && cell.cell.contains(name))
        .unwrap_or_else(|| panic!("{place}: {name}"))
}

#[test]
fn group_times_on_tc297_with_fourq() {
    // n; then T_gkex, T_SoECU and their sum for each scheme.
    let rows = [
        (2, [71.5, 8.1, 79.6, 47.7, 5.4, 53.1, 58.2, 5.4, 63.6]),
        (
            4,
            [144.1, 18.9, 163.0, 72.6, 10.8, 83.4, 107.1, 10.8, 117.9],
        ),
        (
            8,
            [266.6, 40.5, 307.1, 99.7, 21.6, 121.3, 205.0, 21.6, 226.6],
        ),
        (
            16,
            [488.8, 83.7, 572.5, 131.3, 43.2, 174.5, 400.8, 43.2, 444.0],
        ),
        (
            32,
            [910.6, 170.1, 1080.7, 171.6, 86.4, 258.0, 792.3, 86.4, 878.7],
        ),
    ];
    let schemes = [Scheme::Main, Scheme::Without, Scheme::Symmetric];
    for (n, expected) in rows {
        for (scheme, expected) in schemes.into_iter().zip(expected.chunks(3)) {
            let time = study().group(scheme, n, "tc297", Suite::FourQ, Bus::CanFd);
            let time = time.unwrap();
            let what = format!("{scheme} {n}");
            assert_ms(time.exchanges(), expected[0], &what);
            assert_ms(time.orchestration(), expected[1], &what);
            assert_ms(time.total(), expected[2], &what);
            assert_eq!(time.total(), time.bus() + time.computation(), "{what}");
        }
    }
}

#[test]
fn group_times_on_tc297_with_p256() {
    let rows = [
        (Scheme::Main, 4475.0, 923.0),
        (Scheme::Without, 750.0, 469.0),
        (Scheme::Symmetric, 3911.0, 469.0),
    ];
    for (scheme, exchanges, orchestration) in rows {
        let time = study().group(scheme, 32, "tc297", Suite::P256, Bus::CanFd);
        let time = time.unwrap();
        assert_eq!(ms(time.exchanges()).round(), exchanges, "{scheme}");
        assert_eq!(ms(time.orchestration()).round(), orchestration, "{scheme}");
    }
}

#[test]
fn two_party_times() {
    let study = study();
    let run = |place: &str, seen_by| {
        let place = place.to_owned();
        study.formula(&Quantity::Run { place, seen_by }).unwrap()
    };
    let pair = |board: &str, suite| {
        let boards = [board.to_owned(), board.to_owned()];
        let bus = Bus::CanFd;
        let of = Quantity::TwoParty { boards, suite, bus };
        study.formula(&of).unwrap()
    };
    let rows = [
        (run("Table VI", 0), 232.777),
        (run("Table VI", 1), 232.777),
        (run("Table VII", 0), 38.05),
        (run("Table VII", 1), 43.94),
        (pair("tc297", Suite::FourQ), 23.84),
        (pair("tc224", Suite::FourQ), 60.24),
        (pair("sam-v71", Suite::P256), 124.6),
    ];
    for (amount, expected) in rows {
        let value = amount.in_unit(Unit::Milliseconds);
        let half = if expected == 124.6 { 0.05 } else { 0.005 };
        assert!((value - expected).abs() <= half, "{value}, not {expected}");
    }
}

#[test]
fn worst_case_bus_time() {
    let bus_time = |bus| {
        let time = study().group(Scheme::Main, 32, "tc297", Suite::FourQ, bus);
        time.unwrap().exchange_bus
    };
    assert_ms(bus_time(Bus::Can), 211.7, "CAN");
    assert_ms(bus_time(Bus::CanFd), 69.3, "CAN FD");
}

#[test]
fn frame_times_are_those_of_the_runs() {
    let study = study();
    for run in &study.data.run {
        for board in &run.boards {
            let times: FrameTimes = study.frame_times(board, Bus::CanFd).unwrap();
            assert_eq!(times, run_frames(run).unwrap(), "{board}");
        }
    }
}

#[test]
fn what_differs_is_known_and_has_a_cause_beside_the_difference() {
    let cells = cells();
    let differs: Vec<&Cell> = cells
        .iter()
        .filter(|cell| cell.verdict == Verdict::Differs)
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
fn simulated_tc224(nanos: u64) -> impl Fn(&Quantity) -> Option<Measurement> {
    move |of| match of {
        Quantity::TwoParty { boards, .. } if boards[0] == "tc224" => Some(Measurement {
            amount: Amount::Time(Duration::from_nanos(nanos)),
            beside: Vec::new(),
        }),
        _ => None,
    }
}

#[test]
fn a_measured_number_within_the_last_digit_is_rounding() {
    let name = "two-party exchange, two TC224";
    let verdict = |nanos| {
        let cells = study().cells(&simulated_tc224(nanos)).unwrap();
        find(&cells, "§V-C", name).verdict
    };
    assert_eq!(verdict(60_245_500), Verdict::Rounding);
    assert_eq!(verdict(60_250_100), Verdict::Differs);
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
    for cell in &cells {
        let can_agree = cell.class.is_some_and(Class::can_agree);
        let agrees = cell.verdict == Verdict::Agrees;
        assert!(can_agree || !agrees, "{}, {}", cell.place, cell.cell);
        assert_eq!(cell.class.is_none(), cell.formula.is_none());
    }
    let totals = waywarden_paper_tables::totals(&cells);
    let agreed: usize = totals
        .iter()
        .map(|total| total.count(Verdict::Agrees))
        .sum();
    assert_eq!(
        agreed,
        totals[2].count(Verdict::Agrees) + totals[3].count(Verdict::Agrees)
    );
    let counted: usize = totals.iter().flat_map(|total| total.counts).sum();
    assert_eq!(counted, cells.len());
}

#[test]
fn the_times_that_the_paper_reports_of_other_work_are_there() {
    let cells = cells();
    let of = |work: &str| {
        let all = cells.iter().filter(|cell| cell.place == "Table I");
        all.filter(|cell| cell.cell.starts_with(work))
            .collect::<Vec<_>>()
    };
    let timing = of("[17]");
    let printed: Vec<_> = timing.iter().map(|cell| cell.paper).collect();
    assert_eq!(printed, [Some(26.0), Some(1.0)]);
    assert!(
        timing[0]
            .why
            .starts_with("26 to 98 ms is slower than the 23.84 ms")
    );
    assert_eq!(timing[1].verdict, Verdict::Agrees);
    let silent = cells
        .iter()
        .filter(|cell| cell.why.contains("no time is reported"));
    let silent: Vec<&str> = silent.map(|cell| &cell.cell[..4]).collect();
    assert_eq!(silent, ["[15]", "[16]"]);
}

/// A rule words what it finds: with another printed number it finds something else.
#[test]
fn rules_follow_the_numbers() {
    use super::rules::{Meaning, Question};
    let study = study();
    let of = Quantity::Frames {
        scheme: Scheme::Main,
        n: 16,
        bus: Bus::CanFd,
    };
    let why = |printed: &str| {
        let printed = [waywarden_paper_tables::Printed::try_from(printed.to_owned()).unwrap()];
        let question = Question {
            study: &study,
            of: &of,
            unit: Unit::Frames,
            meaning: Meaning::As(super::data::Form::Exact),
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

#[test]
fn measurements_are_itemised_and_judged() {
    let measured = |of: &Quantity| match of {
        Quantity::Group {
            scheme: Scheme::Main,
            n: 32,
            board,
            suite: Suite::FourQ,
            bus: Bus::CanFd,
            part: Part::Total,
        } if board == "tc297" => Some(Measurement {
            amount: Amount::Time(Duration::from_micros(1_160_669)),
            beside: vec![
                Beside {
                    what: "of arbitration".to_owned(),
                    amount: 50e6,
                },
                Beside {
                    what: "of exact frames".to_owned(),
                    amount: -10e6,
                },
            ],
        }),
        _ => None,
    };
    let cells = study().cells(&measured).unwrap();
    let cell = find(&cells, "§V-C", "main scheme, 32 TC297, CAN FD, all");
    assert_eq!(cell.measured, Some(1.160_669));
    assert_eq!(cell.verdict, Verdict::Differs);
    for part in [
        "measured 1.161 s where",
        "is 0.08 s = 0.05 of arbitration + -0.01 of exact frames, and 0.04",
    ] {
        assert!(cell.why.contains(part), "`{part}` not in: {}", cell.why);
    }
    let plots = study().plots(&measured).unwrap();
    let circles = |place: &str| {
        let plot = plots.iter().find(|plot| plot.place == place).unwrap();
        plot.svg.matches("<circle").count()
    };
    assert_eq!(
        (circles("Figure 15 (iv)"), circles("Figure 15 (iii)")),
        (1, 0)
    );
    let drawn = find(&cells, "Figure 15 (iv)", "CAN FD, n = 32");
    assert!(drawn.measured.is_some() && drawn.why.contains("and 40 that"));
}

#[test]
fn every_cell_is_as_it_was() {
    let json = serde_json::to_string_pretty(&cells()).unwrap();
    insta::assert_snapshot!(json);
}

#[test]
fn plots_cover_the_figures_and_the_page_is_whole() {
    let paper = waywarden_papers::Paper::find("GKE").unwrap();
    let plots = paper.plots(&waywarden_papers::unmeasured).unwrap();
    let places: Vec<&str> = plots.iter().map(|plot| plot.place).collect();
    let expected = [
        "Figure 11",
        "Figure 12",
        "Figure 14 (left)",
        "Figure 14 (right)",
        "Figure 15 (i)",
        "Figure 15 (ii)",
        "Figure 15 (iii)",
        "Figure 15 (iv)",
        "Figure 15 (v)",
    ];
    assert_eq!(places, expected);
    for plot in &plots {
        let shapes = plot.svg.matches("<polyline").count() + plot.svg.matches("<rect").count();
        assert!(shapes >= 2 && !plot.svg.contains("NaN"), "{}", plot.place);
    }
    let page = waywarden_papers::page(paper, &cells(), &plots);
    assert_eq!(page.matches("<svg").count(), plots.len());
    assert_eq!(page.matches("class=\"differs\"").count(), 13);
    assert!(!page.contains("http://") || page.matches("http://").count() == plots.len());
}
