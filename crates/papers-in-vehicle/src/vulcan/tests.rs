//! The cost model against numbers that were checked by hand, the rules on data that were tampered
//! with, runs against formulas, and every printed number as a snapshot.

use std::sync::OnceLock;

use waywarden_work::OperationKind;

use super::data::{ClaimOf, Published, RowOf};
use super::ours::{EVERY, PROTECTED, RUNS};
use super::quantity::{Code, Protocol, Quantity, Run, What, unmeasured};
use super::simulate::Simulator;
use super::study::Study;
use super::why::FROM_MEMORY;
use waywarden_paper_tables::{Amount, Cell, Class, Printed, Unit, Verdict};

fn study() -> Study {
    Study::load().unwrap_or_else(|error| panic!("{error}"))
}

fn cells(study: &Study) -> Vec<Cell> {
    study.cells(&unmeasured).unwrap()
}

/// The cells that are no tables of ours, with everything measured; once for all tests.
fn measured_cells() -> &'static [Cell] {
    static CELLS: OnceLock<Vec<Cell>> = OnceLock::new();
    CELLS.get_or_init(|| {
        let simulator = Simulator::new(&|_| {}).unwrap();
        let mut cells = study().cells(&|of| simulator.measure(of)).unwrap();
        assert_eq!(simulator.failure(), None);
        cells.retain(|cell| cell.paper.is_some());
        cells
    })
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

fn nanos(amount: Amount) -> f64 {
    match amount {
        Amount::Time(time) => time.as_nanos() as f64,
        Amount::Number(number) => number,
    }
}

fn ms(study: &Study, run: Run, what: What) -> f64 {
    nanos(study.formula(&run.count(what)).unwrap()) / 1e6
}

fn printed(text: &str) -> Printed {
    Printed::try_from(text.to_owned()).unwrap()
}

#[test]
fn codes_are_the_board_s_line_over_the_paper_s_fields() {
    let study = study();
    for (of, bits, cycles) in [
        (Published::Vatican, 112, 4222.0),
        (Published::Leia, 96, 4049.0),
    ] {
        assert_eq!(8 * study.fields(of).bytes(), bits);
        assert_eq!(study.metered_bytes(of).unwrap(), Some(bits / 8));
        let code = ms(&study, of.run(), What::Code);
        assert!((code * 20_000.0 - cycles).abs() < 1e-6, "{code}");
        // The line that stands for other lengths goes through both.
        assert_eq!(3011.0 + 173.0 * f64::from(bits / 16), cycles);
    }
}

#[test]
fn driver_calls_are_what_the_text_leaves() {
    let study = study();
    let plain = study.message(Run::PLAIN).unwrap();
    // 0.41 ms, and 1.01 ms less two of them.
    assert!((plain.send() - 410_000.0).abs() < 200.0, "{}", plain.send());
    assert!((2.0 * plain.way() - 1_010_000.0).abs() < 400.0);
    let extended = Run::new(Protocol::PlainExtended, Code::None);
    let extended = study.message(extended).unwrap();
    assert!((extended.send() / plain.send() - 1.18).abs() < 0.001);
}

#[test]
fn a_message_is_two_loads_two_frames_and_what_a_code_takes_longer_than_a_frame() {
    let study = study();
    let message = study.message(Published::Vatican.run()).unwrap();
    let [data, tag] = message.frames[..] else {
        panic!("two frames")
    };
    // Here the data's frame takes longer than the code, so both plain sends are whole.
    assert!(data > message.code);
    assert_eq!(message.send(), 2.0 * message.load + data + tag);
    let software = study.message(Run::SOFTWARE).unwrap();
    assert_eq!(software.send(), 2.0 * software.load + 2_380_000.0 + tag);
    // The receiver is done before the tag is there, unless it waits for it.
    assert_eq!(message.way(), message.send() + message.fetch);
    let waits = super::study::Message {
        ahead: false,
        ..message.clone()
    };
    assert_eq!(waits.way(), message.way() + message.code);
}

#[test]
fn every_stated_figure_is_met_or_explained() {
    let cells = measured_cells();
    let study = study();
    let counted = study.data.claim.len()
        + study
            .data
            .row
            .iter()
            .map(|row| row.entries().len())
            .sum::<usize>();
    assert_eq!(cells.len(), counted);
    let missed: Vec<(&str, &str, Unit)> = cells
        .iter()
        .filter(|cell| cell.verdict == Verdict::Differs)
        .map(|cell| (cell.place.as_str(), cell.cell.as_str(), cell.unit))
        .collect();
    assert_eq!(
        missed,
        [
            (
                "MAC Computation",
                "software vatiCAN, one MAC",
                Unit::Milliseconds
            ),
            (
                "Message Transmission",
                "Sancus+vatiCAN over legacy, sending a message, less than",
                Unit::Times
            ),
            ("Table 2", "Sancus+vatiCAN", Unit::Percent),
            ("Table 2", "Sancus+LeiA", Unit::Percent),
        ]
    );
    for cell in cells {
        let differs = cell.verdict == Verdict::Differs;
        assert!(
            !differs || cell.why.len() > 80,
            "{}: {}",
            cell.cell,
            cell.why
        );
        assert!(!cell.why.contains("nothing accounts for"), "{}", cell.why);
    }
}

#[test]
fn the_paper_s_own_arithmetic() {
    let cells = measured_cells();
    let row = |table, name, unit| find(cells, table, name, unit);
    let name = "software over Sancus unit, one MAC, more than";
    let faster = find(cells, "MAC Computation", name, Unit::Times);
    assert_eq!(faster.verdict, Verdict::Agrees);
    assert!((faster.formula.unwrap() - 47_600.0 / 4222.0).abs() < 1e-3);
    let name = "overhead of sending, software less Sancus unit (percentage points)";
    let gain = find(cells, "Message Transmission", name, Unit::Percent);
    // 529 for 534: what was rounded off the plain message's 0.41 ms.
    assert_eq!(gain.verdict, Verdict::Rounding);
    assert_says(
        gain,
        &[
            "529",
            "0.4062 ms, which rounds",
            "625 - 91 = 534, as printed",
        ],
    );
    let trip = row("Table 2", "Sancus+vatiCAN", Unit::Percent);
    assert_says(
        trip,
        &[
            "35236 cycles over 20250, from memory, not seen, are 74",
            "%, as printed",
        ],
    );
    let trip = row("Table 2", "Sancus+LeiA", Unit::Percent);
    assert_says(trip, &["42929 cycles over 20250", "are 112 %, as printed"]);
    let name = "overhead of a round trip, software (extrapolated), more than";
    let software = find(cells, "Round-Trip Time", name, Unit::Percent);
    assert_eq!(software.verdict, Verdict::Agrees);
    assert_says(
        software,
        &["are 2 times 47600 - 4222", "of 4 codes 2 are waited for"],
    );
}

#[test]
fn figures_of_the_board_and_rows_it_is_fitted_to_never_agree() {
    let cells = measured_cells();
    let mac = "MAC Computation";
    let rows = [
        (
            mac,
            "Sancus unit, vatiCAN, one MAC",
            Unit::Cycles,
            Class::Input,
        ),
        (
            mac,
            "Sancus unit, LeiA, one MAC",
            Unit::Cycles,
            Class::Input,
        ),
        (mac, "software vatiCAN, one MAC", Unit::Cycles, Class::Input),
        // The clock is made of this time, and of no other.
        (
            mac,
            "Sancus unit, vatiCAN, one MAC",
            Unit::Milliseconds,
            Class::Fitted,
        ),
        (
            mac,
            "Sancus unit, LeiA, one MAC",
            Unit::Milliseconds,
            Class::Derived,
        ),
        // The driver calls are made of the plain rows.
        (
            "Table 1",
            "legacy, 11-bit identifiers",
            Unit::Milliseconds,
            Class::Fitted,
        ),
        (
            "Table 1",
            "legacy, 29-bit identifiers",
            Unit::Percent,
            Class::Fitted,
        ),
        (
            "Table 2",
            "legacy, 11-bit identifiers",
            Unit::Milliseconds,
            Class::Fitted,
        ),
        ("Table 2", "Sancus+vatiCAN", Unit::Percent, Class::Measured),
    ];
    for (place, name, unit, expected) in rows {
        let cell = find(cells, place, name, unit);
        assert_eq!(cell.class, Some(expected), "{place}, {name}, {unit:?}");
    }
    // 18.997 for 18.
    let extended = find(
        cells,
        "Table 1",
        "legacy, 29-bit identifiers",
        Unit::Percent,
    );
    assert_eq!(extended.verdict, Verdict::Rounding);
    for cell in cells {
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
fn which_clock_and_which_driver() {
    let cells = cells(&study());
    let time = find(
        &cells,
        "MAC Computation",
        "software vatiCAN, one MAC",
        Unit::Milliseconds,
    );
    assert_says(
        time,
        &[
            "at 16 MHz are 2.975 ms, not as printed",
            "at 20 MHz are 2.38 ms, not as printed",
            "58948 cycles of Table 1",
            "take 2.947 ms at 20 MHz, which rounds to it",
        ],
    );
    let name = "software MAC over sending a message, almost";
    let six = find(&cells, "Message Transmission", name, Unit::Times);
    assert_eq!(six.verdict, Verdict::Agrees);
    assert_says(
        six,
        &[
            "at 20 MHz 5.806, as printed",
            "at 16 MHz 7.258, not as printed",
        ],
    );
    // vatiCAN's number is met to the digit, LeiA's by nothing; nearest first.
    let vatican = find(&cells, "Table 2", "Sancus+vatiCAN", Unit::Percent);
    let met = "with several transmit buffers, the published bench's own data +73.58 %, as printed";
    assert_says(vatican, &[met]);
    let leia = find(&cells, "Table 2", "Sancus+LeiA", Unit::Percent);
    assert_says(leia, &["none of these 8 is what is printed"]);
    let place = |words| leia.why.find(words).unwrap();
    let first = place("with one transmit buffer, mean frames +113.8 %");
    assert!(
        first < place("with several transmit buffers"),
        "{}",
        leia.why
    );
}

#[test]
fn what_is_remembered_is_never_taken_for_verified() {
    let unmeasured = cells(&study());
    for cells in [unmeasured.as_slice(), measured_cells()] {
        for row in &study().data.row {
            let named = cells
                .iter()
                .filter(|cell| cell.place == row.table && cell.cell == row.name);
            let entries = row.entries();
            let mut seen = 0;
            for (cell, entry) in named.zip(&entries) {
                seen += 1;
                assert_eq!(
                    cell.verdict == Verdict::FromMemory,
                    !entry.seen,
                    "{}",
                    cell.cell
                );
                assert_eq!(cell.why.starts_with(FROM_MEMORY), !entry.seen);
            }
            assert_eq!(seen, entries.len());
        }
    }
    // Nor does a formula rest on it.
    let mut other = study();
    let formulas = |study: &Study| cells(study).into_iter().map(|cell| cell.formula).collect();
    let before: Vec<Option<f64>> = formulas(&other);
    for row in &mut other.data.row {
        let memory = &mut row.memory;
        let numbers = [&mut memory.cycles, &mut memory.ms, &mut memory.percent];
        for number in numbers.into_iter().flatten() {
            *number = printed("1");
        }
    }
    let after: Vec<Option<f64>> = formulas(&other);
    assert_eq!(before, after);
}

#[test]
fn remembered_rows_are_held_against_each_other() {
    let cells = cells(&study());
    let cycles = |table, name| find(&cells, table, name, Unit::Cycles);
    let fits = [
        (
            "Table 1",
            "legacy, 11-bit identifiers",
            "the text has 0.41, which fits",
        ),
        (
            "Table 1",
            "legacy, 29-bit identifiers",
            "the text has 18, which fits",
        ),
        (
            "Table 1",
            "software vatiCAN (extrapolated)",
            "are 1 times 47600 - 4222",
        ),
        (
            "Table 1",
            "Sancus+vatiCAN, protected modules",
            "466 cycles more than without",
        ),
        (
            "Table 2",
            "software vatiCAN (extrapolated)",
            "are 2 times 47600 - 4222",
        ),
        ("Table 2", "Sancus+vatiCAN", "the text has 74, which fits"),
        ("Table 2", "Sancus+LeiA", "the text has 112, which fits"),
    ];
    for (table, name, words) in fits {
        assert_says(cycles(table, name), &[words]);
    }
    let all = cells.iter().filter(|cell| cell.unit == Unit::Cycles);
    for cell in all {
        assert!(!cell.why.contains("does not fit"), "{}", cell.why);
    }
    let mut other = study();
    other.data.row[0].memory.cycles = Some(printed("8400"));
    let cells = super::tests::cells(&other);
    let plain = find(
        &cells,
        "Table 1",
        "legacy, 11-bit identifiers",
        Unit::Cycles,
    );
    assert_says(plain, &["the text has 0.41, which does not fit"]);
}

#[test]
fn per_cent_of_protected_modules_are_points() {
    let study = study();
    let cells = cells(&study);
    for claim in study
        .data
        .claim
        .iter()
        .filter(|claim| matches!(claim.of, ClaimOf::Protected(_)))
    {
        let cell = find(&cells, &claim.place, &claim.cell, Unit::Percent);
        assert_eq!((cell.formula, cell.verdict), (None, Verdict::NotStated));
        assert_says(
            cell,
            &["of itself, outside", "of a plain one, within", FROM_MEMORY],
        );
    }
    assert_eq!(study.data.protected_bounds(What::Send), [5.0, 6.0]);
    assert_eq!(study.data.protected_bounds(What::RoundTrip), [3.0, 6.0]);
    let named = |name: &str| {
        find(&cells, PROTECTED, name, Unit::Milliseconds)
            .formula
            .unwrap()
    };
    let bare = named("vatiCAN as published, send: without");
    let most = named("vatiCAN as published, send: most of itself");
    assert!((most / bare - 1.06).abs() < 1e-6);
    let plain = ms(&study, Run::PLAIN, What::Send);
    let least = named("vatiCAN as published, send: least of legacy");
    assert!((least - bare - 0.05 * plain).abs() < 1e-6);
}

#[test]
fn with_other_numbers_the_reasons_are_others() {
    let mut study = study();
    let told = |study: &Study, place, name, unit| {
        let cells = cells(study);
        find(&cells, place, name, unit).clone()
    };
    let name = "software vatiCAN, one MAC";
    let at = study
        .data
        .claim
        .iter()
        .position(|claim| claim.cell == name && claim.unit == Unit::Milliseconds);
    study.data.claim[at.unwrap()].printed = printed("2.38");
    assert_says(
        &told(&study, "MAC Computation", name, Unit::Milliseconds),
        &["at 20 MHz are 2.38 ms, as printed"],
    );
    study.data.claim[at.unwrap()].printed = printed("2.975");
    let cell = told(&study, "MAC Computation", name, Unit::Milliseconds);
    assert_eq!(cell.verdict, Verdict::Agrees);
    let gain = study
        .data
        .claim
        .iter()
        .position(|claim| claim.of == ClaimOf::Gain)
        .unwrap();
    study.data.claim[gain].printed = printed("560");
    let name = study.data.claim[gain].cell.clone();
    let cell = told(&study, "Message Transmission", &name, Unit::Percent);
    assert_eq!(cell.verdict, Verdict::Differs);
    assert_says(&cell, &["which does not round to the printed 0.41"]);
}

/// Runs what is asked for, and returns what was measured, the formula, and what is accounted for.
fn both(study: &Study, simulator: &Simulator<'_>, of: &Quantity) -> (f64, f64, f64) {
    let measured = simulator
        .measure(of)
        .unwrap_or_else(|| panic!("{:?}", simulator.failure()));
    let beside = measured.beside.iter().map(|one| one.amount).sum();
    (
        nanos(measured.amount),
        nanos(study.formula(of).unwrap()),
        beside,
    )
}

#[test]
fn runs_take_what_the_model_says_but_for_stuff_bits() {
    let study = study();
    let simulator = Simulator::new(&|_| {}).unwrap();
    let counts = [
        What::Send,
        What::RoundTrip,
        What::Bus,
        What::Processors,
        What::Frames,
    ];
    for run in RUNS {
        for what in counts {
            let of = run.count(what);
            let (measured, formula, beside) = both(&study, &simulator, &of);
            let rest = measured - formula - beside;
            assert!(rest.abs() < 1.0, "{of:?}: {measured}, {formula} + {beside}");
            // Means of 128 are within four bits of those of all frames, each.
            let frames = f64::from(2 * run.protocol.frames());
            assert!(beside.abs() <= frames * 8_000.0, "{of:?}: {beside}");
        }
        if run.code != Code::None {
            let (measured, formula, _) = both(&study, &simulator, &run.count(What::Code));
            assert_eq!(measured, formula, "{run:?}");
        }
    }
    assert_eq!(simulator.failure(), None);
}

#[test]
fn figures_of_the_board_say_where_they_come_from() {
    let study = study();
    let of = Study::driver_call(OperationKind::FrameSend, false);
    assert_eq!(study.board.cost(&of).unwrap().provenance.mark(), "scaled");
    let unit = study.operation(Published::Vatican.run()).unwrap().unwrap();
    assert_eq!(study.board.cost(&unit).unwrap().provenance.mark(), "paper");
    assert!(
        study
            .row(What::Send, RowOf::VaticanProtected, &unmeasured)
            .unwrap()
            .is_none()
    );
}

#[test]
fn every_printed_number_is_as_it_was() {
    insta::assert_snapshot!(serde_json::to_string_pretty(measured_cells()).unwrap());
}

#[test]
fn the_page_is_whole() {
    let paper = waywarden_papers::Paper::find("VULCAN").unwrap();
    let cells = cells(&study());
    let plots = paper.plots(&waywarden_papers::unmeasured).unwrap();
    assert_eq!(plots.len(), 3);
    for plot in &plots {
        assert!(plot.svg.contains("<rect") && !plot.svg.contains("NaN"));
    }
    let page = waywarden_papers::page(paper, &cells, &plots);
    assert_eq!(page.matches("<svg").count(), plots.len());
    assert!(page.contains("from memory, not seen"));
    let (alone, tables) = paper.tables(&cells);
    let places: Vec<&str> = tables.iter().map(|table| table.place).collect();
    assert_eq!(places, [PROTECTED, EVERY]);
    let inside: usize = tables
        .iter()
        .flat_map(|table| &table.cells)
        .flatten()
        .flatten()
        .count();
    assert_eq!(alone.len() + inside, cells.len());
}
