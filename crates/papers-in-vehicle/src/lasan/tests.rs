//! The formulas against numbers that were checked by hand, the rules on data that were tampered
//! with, runs against formulas, and every printed number as a snapshot.

use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, Profile, SUITES};

use super::quantity::{Part, Quantity, Run, State, What, Who, unmeasured};
use super::search::{Term, chances, combinations};
use super::simulate::{SimulateError, Simulator};
use super::study::{BOARDS, Study};
use super::suites::{BYTES, COMPUTING, FORMS, FRAMES};
use super::tables::{CODE, run_of};
use waywarden_paper_tables::{Amount, Cell, Class, Printed, Unit, Verdict};

const PRE: &str = "p256";
const POST: &str = "kyber-768-round-1+dilithium-round-1";

/// The post-quantum suite of the fewest bytes.
const CHOSEN: &str = "ml-kem-512+fn-dsa-512";

fn study() -> Study {
    Study::load().unwrap_or_else(|error| panic!("{error}"))
}

fn cells(study: &Study) -> Vec<Cell> {
    study.cells(&unmeasured).unwrap()
}

fn find<'a>(cells: &'a [Cell], place: &str, name: &str, unit: Unit) -> &'a Cell {
    let mut all = cells.iter();
    all.find(|cell| cell.place == place && cell.cell == name && cell.unit == unit)
        .unwrap_or_else(|| panic!("{place}: {name}"))
}

fn assert_says(cell: &Cell, parts: &[&str]) {
    for part in parts {
        assert!(cell.why.contains(part), "`{part}` not in: {}", cell.why);
    }
}

fn number(study: &Study, of: &Quantity) -> f64 {
    match study.formula(of).unwrap() {
        Amount::Number(number) => number,
        Amount::Time(time) => panic!("{time} is no number"),
    }
}

fn seconds(study: &Study, of: &Quantity) -> f64 {
    study.formula(of).unwrap().in_unit(Unit::Seconds)
}

fn printed(text: &str) -> Printed {
    Printed::try_from(text.to_owned()).unwrap()
}

#[test]
fn the_published_code_sends_what_was_counted() {
    let study = study();
    // Bytes once and in all, frames once and in all.
    let runs = [
        (PRE, [179.0, 442.0, 23.0, 59.0]),
        (POST, [6892.0, 15_645.0, 863.0, 1959.0]),
    ];
    for (suite, expected) in runs {
        let run = study.testbed(suite);
        let counts = [What::Bytes, What::Frames].into_iter().flat_map(|what| {
            [Part::Once, Part::All].map(|part| number(&study, &run.count(what.clone(), part)))
        });
        assert_eq!(counts.collect::<Vec<_>>(), expected, "{suite}");
    }
    let cells = cells(&study);
    let name = "pre-quantum, total";
    let parts = ["2 x 109 certificate + 1 x 70 start-up message + 2 x 33 share + 2 x 44"];
    assert_says(find(&cells, "Published code", name, Unit::Bytes), &parts);
    assert_eq!(2 * 109 + 70 + 2 * 33 + 2 * 44, 442);
}

#[test]
fn today_s_standards_in_the_published_order() {
    let study = study();
    let rows = [
        ("ml-kem-768+ml-dsa-44", 14_546.0, 1820.0),
        ("ml-kem-768+ml-dsa-65", 18_493.0, 2315.0),
    ];
    for (suite, bytes, frames) in rows {
        let run = study.testbed(suite);
        assert_eq!(number(&study, &run.count(What::Bytes, Part::All)), bytes);
        assert_eq!(number(&study, &run.count(What::Frames, Part::All)), frames);
    }
}

#[test]
fn communication_is_pauses_to_the_frame() {
    let study = study();
    let once = |suite| {
        let of = What::State(State::Communication);
        seconds(&study, &study.testbed(suite).count(of, Part::Once))
    };
    assert_eq!((once(PRE), once(POST)), (0.0115, 0.4315));
    let cells = cells(&study);
    let name = "post-quantum, non-amortised, communication";
    let cell = find(&cells, "Initial Benchmarks", name, Unit::Seconds);
    assert_eq!(cell.verdict, Verdict::Differs);
    assert_says(
        cell,
        &[
            "1433 frames, 337 more",
            "337 full frames of a bare signature",
        ],
    );
    let mut slower = study.clone();
    slower.data.testbed.pacing_us = 1000;
    let of = What::State(State::Communication);
    let of = slower.testbed(POST).count(of, Part::Once);
    assert_eq!(seconds(&slower, &of), 0.863);
}

#[test]
fn the_bus_itself_takes_far_less() {
    let study = study();
    let cells = cells(&study);
    let rows = [
        ("pre-quantum, total", 0.0135, 0.032),
        ("post-quantum, total", 0.448, 1.148),
    ];
    for (name, expected, paper) in rows {
        let cell = find(
            &cells,
            "Bus time of the published code",
            name,
            Unit::Seconds,
        );
        let ours = cell.formula.unwrap();
        assert!((ours / expected - 1.0).abs() < 0.005, "{name}: {ours}");
        assert_eq!(cell.paper, Some(paper));
    }
}

#[test]
fn sums_that_the_code_does_not_send_are_taken_apart() {
    let study = study();
    let cells = cells(&study);
    let total = |name| find(&cells, "Initial Benchmarks", name, Unit::Bytes);
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
    assert_eq!(pre.verdict, Verdict::Differs);
    assert_says(
        pre,
        &[
            "17 combinations",
            "does not tell what was sent",
            "100 of the 100 numbers",
        ],
    );
    let known = total("pre-quantum, amortised, bytes");
    assert_eq!(known.verdict, Verdict::Agrees);
    assert_says(known, &["1 x 109 certificate + 1 x 70 start-up message"]);
}

#[test]
fn a_sum_sought_for_a_printed_number_is_a_hypothesis() {
    let mut study = study();
    let name = "post-quantum, amortised, bytes, with one offer";
    let told = |study: &Study| {
        let cells = cells(study);
        find(&cells, "Initial Benchmarks", name, Unit::Bytes).clone()
    };
    let cell = told(&study);
    assert_eq!((cell.paper, cell.formula), (Some(7980.0), Some(7980.0)));
    assert_eq!(
        (cell.verdict, cell.class),
        (Verdict::Hypothesis, Some(Class::Fitted))
    );
    assert_says(
        &cell,
        &["a hypothesis", "7980 = 6892 of the published code + 1088"],
    );
    study.data.total[1].bytes_once = printed("7981");
    assert_eq!(told(&study).verdict, Verdict::Differs);
}

#[test]
fn what_is_read_out_of_the_table_never_agrees() {
    let cells = cells(&study());
    let class = |place, name, unit| find(&cells, place, name, unit).class;
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
                let cell = find(&cells, "Initial Benchmarks", &name, Unit::Seconds);
                assert_eq!(cell.class, Some(expected), "{name}");
            }
        }
    }
    for cell in &cells {
        let can_agree = cell.class.is_some_and(Class::can_agree);
        assert!(
            can_agree || cell.verdict != Verdict::Agrees,
            "{}",
            cell.cell
        );
        assert_eq!(cell.class.is_none(), cell.formula.is_none());
    }
}

#[test]
fn with_other_numbers_the_reasons_are_others() {
    let mut study = study();
    let name = "post-quantum, total, bytes";
    let told = |study: &Study, name, unit| {
        let cells = cells(study);
        find(&cells, "Initial Benchmarks", name, unit).clone()
    };
    study.data.total[1].bytes = printed("15645");
    assert_eq!(told(&study, name, Unit::Bytes).verdict, Verdict::Agrees);
    study.data.total[1].bytes = printed("15644");
    assert_says(&told(&study, name, Unit::Bytes), &["no small numbers"]);
    let name = "post- over pre-quantum, without the amortised part, of its own columns";
    study.data.overhead.each = printed("1.88");
    assert_eq!(told(&study, name, Unit::Times).verdict, Verdict::Agrees);
    // 0.231 / 0.275, its computation alone.
    study.data.overhead.each = printed("0.84");
    assert_says(
        &told(&study, name, Unit::Times),
        &["it is the ratio of [Computation] over [Each]"],
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
    let cells = cells(&study());
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
        let cell = find(&cells, "Initial Benchmarks", &name, unit);
        let ours = cell.formula.unwrap();
        assert!((ours - expected).abs() < 1e-6, "{name}: {ours}");
        let is_wrong = cell.paper == Some(1.85);
        assert_eq!(cell.verdict == Verdict::Differs, is_wrong, "{name}");
    }
}

#[test]
fn compact_keeps_its_budget() {
    let study = study();
    let bytes = |credentials| {
        let run = run_of(CHOSEN, (Profile::Compact, credentials), Transport::Fd);
        number(&study, &run.count(What::Bytes, Part::All))
    };
    // The security module's acknowledgement comes to it when it runs.
    assert_eq!(bytes(Credentials::Keys), 3068.0);
    assert_eq!(bytes(Credentials::Certificates), 6155.0);
}

/// docs/protocols/lasan.md says by suite what `compact` saves, and help and docs do not say more.
#[test]
fn what_compact_saves_is_as_documented() {
    let page = include_str!("../../../../docs/protocols/lasan.md");
    let (study, simulator) = (study(), Simulator::new(&|_| {}).unwrap());
    for (suite, ..) in SUITES {
        let mut columns = vec![format!("`{suite}`")];
        for unit in [Unit::Bytes, Unit::Milliseconds] {
            for profile in [Profile::Compact, Profile::Hardened] {
                let run = run_of(suite, (profile, Credentials::Keys), Transport::Fd);
                let (who, board) = (Who::Both, run.board.clone());
                let of = match unit {
                    Unit::Bytes => run.count(What::Bytes, Part::All),
                    _ => run.count(What::Computation { who, board }, Part::Each),
                };
                let value = simulator.measure(&of).unwrap().amount.in_unit(unit);
                columns.push(match unit {
                    Unit::Bytes if value >= 1e3 => {
                        format!("{:.0},{:03.0}", (value / 1e3).floor(), value % 1e3)
                    }
                    Unit::Bytes => format!("{value:.0}"),
                    _ => format!("{value:.1} ms"),
                });
            }
        }
        let row = format!("| {} |", columns.join(" | "));
        assert!(page.contains(&row), "no row {row}");
    }
    assert_eq!(study.running().count(), SUITES.len());
    let claims = [
        include_str!("../../../../docs/vehicle-file.md"),
        include_str!("../../../cli/src/keys/built_in.rs"),
    ];
    for claim in claims {
        assert!(claim.contains("fewer bytes except with") && !claim.contains(", for fewer bytes"));
    }
}

#[test]
fn every_suite_has_every_number() {
    let cells = cells(&study());
    let columns = [(BYTES, 4), (FRAMES, 8), (COMPUTING, 3 * BOARDS.len())];
    for (place, columns) in columns {
        let of = cells.iter().filter(|cell| cell.place == place);
        let numbers = of.filter(|cell| cell.formula.is_some_and(f64::is_finite));
        let rows = SUITES.len() * FORMS.len();
        // The schemes of 2017 have a row as published, and no NIST category.
        let old = columns - usize::from(place == BYTES);
        assert_eq!(numbers.count(), rows * columns + old, "{place}");
    }
}

/// Runs what is asked for, and returns what was measured beside the formula.
fn both(study: &Study, simulator: &Simulator<'_>, of: &Quantity) -> (f64, f64, f64) {
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
    let simulator = Simulator::new(&|_| {}).unwrap();
    let all = Credentials::Certificates;
    let forms = [
        ("p256", Profile::AsPublished, all, Transport::Classic),
        (
            "ml-kem-768+ml-dsa-44",
            Profile::AsPublished,
            all,
            Transport::Fd,
        ),
        (
            "x25519-ml-kem-768+ml-dsa-65",
            Profile::Hardened,
            all,
            Transport::Fd,
        ),
        (
            "fourq",
            Profile::Hardened,
            Credentials::Digests,
            Transport::Classic,
        ),
        (CHOSEN, Profile::Compact, Credentials::Keys, Transport::Fd),
        ("p256", Profile::Compact, all, Transport::Fd),
    ];
    for (suite, profile, credentials, transport) in forms {
        let run = run_of(suite, (profile, credentials), transport);
        let computation = What::Computation {
            who: Who::Both,
            board: run.board.clone(),
        };
        for what in [What::Bytes, What::Frames, computation] {
            for part in [Part::Once, Part::Each, Part::All] {
                let of = run.count(what.clone(), part);
                let (measured, formula, beside) = both(&study, &simulator, &of);
                let rest = measured - formula - beside;
                assert!(rest.abs() < 1.0, "{of:?}: {measured}, {formula} + {beside}");
            }
        }
        let bytes = run.count(What::Bytes, Part::All);
        let (_, _, beside) = both(&study, &simulator, &bytes);
        // The acknowledgement, and a hello where the profile has one.
        assert!(beside == 0.0 || profile != Profile::AsPublished, "{beside}");
        assert!(beside <= 24.0, "{suite}: {beside}");
        let bus = run.count(What::Bus, Part::Once);
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
    let simulator = Simulator::new(&|_| {}).unwrap();
    let of = |part| {
        let what = What::State(State::Communication);
        study.testbed(PRE).count(what, part)
    };
    let (measured, formula, _) = both(&study, &simulator, &of(Part::Once));
    // 23 frames have 22 pauses between them, and the last one its own time on the bus.
    assert_eq!(formula, 11.5e6);
    assert!((11.0e6..11.3e6).contains(&measured), "{measured}");
    assert!(
        simulator
            .measure(&study.testbed(POST).count(What::Bytes, Part::All))
            .is_none()
    );
    assert_eq!(simulator.failure(), None);
}

#[test]
fn what_cannot_run_is_a_failure() {
    let simulator = Simulator::new(&|_| {}).unwrap();
    let run = Run {
        ecus: 0,
        ..study().testbed(PRE)
    };
    assert_eq!(simulator.measure(&run.count(What::Bytes, Part::All)), None);
    assert_eq!(simulator.failure(), Some(SimulateError::Setup));
}

#[test]
fn every_printed_number_is_as_it_was() {
    let mut cells = cells(&study());
    cells.retain(|cell| cell.paper.is_some());
    insta::assert_snapshot!(serde_json::to_string_pretty(&cells).unwrap());
}

#[test]
fn the_page_is_whole() {
    let paper = waywarden_papers::Paper::find("LASAN").unwrap();
    let cells = cells(&study());
    let plots = paper.plots(&waywarden_papers::unmeasured).unwrap();
    for plot in &plots {
        assert!(plot.svg.contains("<rect") && !plot.svg.contains("NaN"));
    }
    let page = waywarden_papers::page(paper, &cells, &plots);
    assert_eq!(page.matches("<svg").count(), plots.len());
    let (alone, tables) = paper.tables(&cells);
    let places = tables.iter().map(|table| table.place);
    assert_eq!(
        places.skip(1).collect::<Vec<_>>(),
        [BYTES, FRAMES, COMPUTING]
    );
    let inside: usize = tables
        .iter()
        .flat_map(|table| &table.cells)
        .flatten()
        .flatten()
        .count();
    assert_eq!(alone.len() + inside, cells.len());
    assert!(page.contains("20528") && page.contains("compact, keys"));
}
