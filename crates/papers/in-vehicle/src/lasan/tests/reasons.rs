//! Verdicts and the causes of differences, on the paper's data and on modified data.

use waywarden_paper_tables::{CellVerdict, Class, Unit};

use super::{assert_says, cells, cells_of, find, printed, study};
use crate::cell_checks::assert_classes_fit;
use crate::lasan::search::{Term, chances, combinations};
use crate::lasan::study::LasanStudy;
use crate::lasan::tables::CODE;

#[test]
fn sums_that_the_code_does_not_send_are_taken_apart() {
    let cells = cells();
    let total = |name| find(cells, "Initial Benchmarks", name, Unit::Bytes);
    let amortised = total("post-quantum, amortised, bytes");
    assert_eq!(
        (amortised.paper, amortised.formula),
        (Some(7980.0), Some(6892.0))
    );
    assert_says(
        amortised,
        &[
            "one combination",
            "7 of the 100 numbers next to it",
            "7980 = 1 x 4185 certificate + 1 x 2707 start-up message + 1 x 1088 offer",
            "1 offer more",
        ],
    );
    let all = total("post-quantum, total, bytes");
    assert_eq!((all.paper, all.formula), (Some(20_528.0), Some(15_645.0)));
    assert_says(
        all,
        &[
            "one combination",
            "52 of the 100 numbers next to it",
            "2 x 4185 certificate + 2 x 2707 start-up message + 4 x 1088 offer + 2 x 1152 answer",
            "1 start-up message more, 2 offer more",
        ],
    );
    assert_eq!(2 * 4185 + 2 * 2707 + 4 * 1088 + 2 * 1152 + 2 * 44, 20_528);
    let pre = total("pre-quantum, total, bytes");
    assert_eq!(pre.verdict, CellVerdict::Differs);
    assert_says(
        pre,
        &[
            "17 combinations",
            "does not tell what was sent",
            "100 of the 100 numbers",
        ],
    );
    let known = total("pre-quantum, amortised, bytes");
    assert_eq!(known.verdict, CellVerdict::Agrees);
    assert_says(known, &["1 x 109 certificate + 1 x 70 start-up message"]);
}

#[test]
fn a_sum_sought_for_a_printed_number_is_a_hypothesis() {
    let mut study = study();
    let name = "post-quantum, amortised, bytes, with one offer";
    let reported = |study: &LasanStudy| {
        let cells = cells_of(study);
        find(&cells, "Initial Benchmarks", name, Unit::Bytes).clone()
    };
    let cell = reported(&study);
    assert_eq!((cell.paper, cell.formula), (Some(7980.0), Some(7980.0)));
    assert_eq!(
        (cell.verdict, cell.class),
        (CellVerdict::Hypothesis, Some(Class::Fitted))
    );
    assert_says(
        &cell,
        &["a hypothesis", "7980 = 6892 of the published code + 1088"],
    );
    study.data.total[1].bytes_once = printed("7981");
    assert_eq!(reported(&study).verdict, CellVerdict::Differs);
}

#[test]
fn what_is_read_out_of_the_table_never_agrees() {
    let cells = cells();
    let class = |place, name, unit| find(cells, place, name, unit).class;
    let rows = [
        (CODE, "post-quantum: register", Unit::Bytes, Class::Input),
        (CODE, "post-quantum: answer", Unit::Bytes, Class::Input),
        (
            CODE,
            "post-quantum: certificate",
            Unit::Bytes,
            Class::Derived,
        ),
        (CODE, "pre-quantum: register", Unit::Bytes, Class::Derived),
        (CODE, "post-quantum: register", Unit::Frames, Class::Derived),
    ];
    for (place, name, unit, expected) in rows {
        assert_eq!(class(place, name, unit), Some(expected), "{name}");
    }
    for suite in ["pre-quantum", "post-quantum"] {
        for state in ["computation", "rest"] {
            let classes = [
                ("amortised", Class::Fitted),
                ("non-amortised", Class::Derived),
            ];
            for (part, expected) in classes {
                let name = format!("{suite}, {part}, {state}");
                let cell = find(cells, "Initial Benchmarks", &name, Unit::Seconds);
                assert_eq!(cell.class, Some(expected), "{name}");
            }
        }
    }
    assert_classes_fit(cells);
}

#[test]
fn with_other_numbers_the_reasons_are_others() {
    let mut study = study();
    let name = "post-quantum, total, bytes";
    let reported = |study: &LasanStudy, name, unit| {
        let cells = cells_of(study);
        find(&cells, "Initial Benchmarks", name, unit).clone()
    };
    study.data.total[1].bytes = printed("15645");
    assert_eq!(
        reported(&study, name, Unit::Bytes).verdict,
        CellVerdict::Agrees
    );
    study.data.total[1].bytes = printed("15644");
    assert_says(&reported(&study, name, Unit::Bytes), &["no small numbers"]);
    let name = "post- over pre-quantum, without the amortised part, of its own columns";
    study.data.overhead.each = printed("1.88");
    assert_eq!(
        reported(&study, name, Unit::Times).verdict,
        CellVerdict::Agrees
    );
    // 0.231 / 0.275, its computation alone.
    study.data.overhead.each = printed("0.84");
    assert_says(
        &reported(&study, name, Unit::Times),
        &["it is the ratio of computation over non-amortised"],
    );
}

#[test]
fn combinations_are_all_of_them() {
    let term = |name: &str, size, usual| Term {
        name: name.to_owned(),
        size,
        usual,
    };
    let terms = [term("a", 2, 1), term("b", 3, 1), term("c", 5, 0)];
    let found = combinations(&terms, 10);
    let mut expected = Vec::new();
    for (a, b, c) in (0..125).map(|at| (at / 25, at / 5 % 5, at % 5)) {
        if 2 * a + 3 * b + 5 * c == 10 {
            expected.push(vec![a, b, c]);
        }
    }
    let mut times: Vec<_> = found.iter().map(|one| one.times.clone()).collect();
    assert_eq!(times.first(), Some(&vec![1, 1, 1]));
    times.sort();
    assert_eq!(times, expected);
    assert!(combinations(&terms, 1).is_empty());
    // Of 0 to 40 = 4 x (2 + 3 + 5) neither 1 nor 39 can be made; 10 itself does not count.
    assert_eq!(chances(&terms, 10), 41 - 2 - 1);
}

#[test]
fn ratios_and_totals_of_the_paper_s_own_columns() {
    let cells = cells();
    let rows = [
        (
            "pre-quantum, time of a single handshake",
            Unit::Seconds,
            0.706,
        ),
        (
            "post-quantum, time of a single handshake",
            Unit::Seconds,
            1.676,
        ),
        (
            "post- over pre-quantum, a single handshake",
            Unit::Times,
            2.373_938,
        ),
        (
            "post- over pre-quantum, without the amortised part",
            Unit::Times,
            1.882_403,
        ),
    ];
    for (name, unit, expected) in rows {
        let name = format!("{name}, of its own columns");
        let cell = find(cells, "Initial Benchmarks", &name, unit);
        let ours = cell.formula.unwrap();
        assert!((ours - expected).abs() < 1e-6, "{name}: {ours}");
        let is_wrong = cell.paper == Some(1.85);
        assert_eq!(cell.verdict == CellVerdict::Differs, is_wrong, "{name}");
    }
}

#[test]
fn printed_bytes_that_do_not_fit_their_time_contradict_it() {
    let cells = cells();
    let of = |name: &str| {
        let name = format!("{name}, communication has room for the printed bytes, at least");
        find(cells, "Initial Benchmarks", &name, Unit::Seconds)
    };
    // 863 frames of 8 bytes are 6,904; 7,980 bytes are 998 frames.
    let once = of("post-quantum, amortised");
    assert_eq!((once.paper, once.formula), (Some(0.4315), Some(0.499)));
    assert_eq!(once.verdict, CellVerdict::Differs);
    assert!(once.why.contains("863 frames") && once.why.contains("6904 bytes at most"));
    assert!(once.why.ends_with("the two contradict each other"));
    assert_eq!(of("post-quantum, total").formula, Some(1.283));
    // 23 frames in 0.011 s, which may be 0.0115.
    for name in ["pre-quantum, amortised", "pre-quantum, total"] {
        assert_eq!(of(name).verdict, CellVerdict::Agrees, "{name}");
    }
    let name = "pre-quantum, non-amortised, computation";
    let computed = find(cells, "Initial Benchmarks", name, Unit::Seconds);
    assert!(
        computed.why.contains("nearest first: all 3 checks of both"),
        "{}",
        computed.why
    );
}
