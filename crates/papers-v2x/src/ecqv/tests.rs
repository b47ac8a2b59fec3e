//! Tables II and III against sums and quotients done by hand, the rules on data that were tampered
//! with and on random times, the machine at hand, and every printed number as a snapshot.

mod certificates;
mod text;

use waywarden_work::{Duration, OperationKind};

use super::certificates::VERIFICATION;
use super::encoded::ENCODED;
use super::limits::is_limit;
use super::machine::whole_in;
use super::ours::{FLOW, SCENARIOS, TABLES};
use super::quantity::{OPERATIONS, Quantity, Role, Signer, unmeasured};
use super::study::Study;
use super::traffic::{self, is_traffic};
use super::why::times_with;
use waywarden_paper_tables::{Amount, Cell, Class, Measurement, Printed, Unit, Verdict, totals};

fn study() -> Study {
    Study::load().unwrap_or_else(|error| panic!("{error}"))
}

fn cells(study: &Study) -> Vec<Cell> {
    study.cells(&unmeasured).unwrap()
}

fn find<'a>(cells: &'a [Cell], place: &str, name: &str) -> &'a Cell {
    let mut all = cells.iter();
    all.find(|cell| cell.place == place && cell.cell == name)
        .unwrap_or_else(|| panic!("{place}: {name}"))
}

fn assert_says(cell: &Cell, parts: &[&str]) {
    for part in parts {
        assert!(cell.why.contains(part), "`{part}` not in: {}", cell.why);
    }
}

fn printed(text: &str) -> Printed {
    Printed::try_from(text.to_owned()).unwrap()
}

/// Operations of 50 us, verification of 40 us where many wait, 60 us with the key; messages of 400,
/// 520 and 350 bytes.
fn host(of: &Quantity) -> Option<Measurement> {
    let number = |bytes: f64| {
        Some(Measurement {
            amount: Amount::Number(bytes),
            beside: Vec::new(),
        })
    };
    let micros = match of {
        Quantity::Operation(_) => 50,
        Quantity::WaitingSignature => 40,
        Quantity::WaitingMessage => 60,
        Quantity::SignerBytes(Signer::Implicit) => return number(95.0),
        Quantity::SignerBytes(_) => return number(160.0),
        Quantity::MessageBytes(Signer::Implicit) => return number(400.0),
        Quantity::MessageBytes(Signer::Explicit) => return number(520.0),
        Quantity::MessageBytes(Signer::Digest) => return number(350.0),
    };
    Some(Measurement {
        amount: Amount::Time(Duration::from_nanos(micros * 1_000)),
        beside: Vec::new(),
    })
}

#[test]
fn table_1_is_what_the_boards_files_have() {
    let cells = cells(&study());
    let own = cells.iter().filter(|cell| cell.place == "Table I");
    let mut count = 0;
    for cell in own {
        assert_eq!(cell.paper, cell.formula, "{}", cell.cell);
        assert_eq!(cell.class, Some(Class::Input));
        assert_eq!(cell.verdict, Verdict::NotTested);
        count += 1;
    }
    assert_eq!(count, 42);
}

#[test]
fn another_figure_than_the_board_s_differs() {
    let mut study = study();
    let column = &mut study.data.board[2];
    column.operations.insert("Sign".to_owned(), printed("3.07"));
    let cells = cells(&study);
    let cell = find(&cells, "Table I", "Sign, A53");
    assert_eq!(cell.verdict, Verdict::Differs);
    assert_says(
        cell,
        &["3.05 ms where the paper has 3.07", "board's figure"],
    );
}

#[test]
fn roles_are_sums_of_table_1() {
    let cells = cells(&study());
    // By hand: CsrGen + CRTReception + Sign, Sign, Extract + Verify.
    let rows = [
        ("x86_64", [1.25, 0.32, 0.69]),
        ("A72", [5.60, 1.44, 3.02]),
        ("A53", [11.46, 3.05, 6.39]),
        ("ARM11", [58.88, 15.38, 31.95]),
        ("M4", [459.20, 118.0, 253.60]),
        ("M3", [622.0, 161.0, 344.0]),
    ];
    for (board, expected) in rows {
        for (role, expected) in Role::ALL.iter().zip(expected) {
            let name = format!("{board}, {}", role.name());
            let cell = find(&cells, "Table II", &name);
            assert_eq!(cell.formula, Some(expected), "{name}");
            let rounds = ["A72, Full Sender", "ARM11, Receiver"].contains(&name.as_str());
            let verdict = match role {
                Role::DirectSender => Verdict::NotTested,
                _ if rounds => Verdict::Rounding,
                _ => Verdict::Agrees,
            };
            assert_eq!(cell.verdict, verdict, "{name}");
        }
    }
    assert_says(
        find(&cells, "Table II", "A72, Full Sender"),
        &[
            "1.37 CsrGen + 2.79 CRTReception + 1.44 Sign are 5.6 ms where the paper has 5.61",
            "5.585 to 5.615 ms, some of which round to it",
        ],
    );
    assert_says(
        find(&cells, "Table II", "ARM11, Receiver"),
        &[
            "15.38 Extract + 16.57 Verify are 31.95 ms",
            "31.94 to 31.96",
        ],
    );
    assert_says(
        find(&cells, "Table II", "M3, Full Sender"),
        &["printed to 0.01 ms, 148 CsrGen + 313 CRTReception + 161 Sign to 1 ms"],
    );
}

#[test]
fn a_sum_that_no_exact_times_have_differs() {
    let mut study = study();
    let mut column = study.data.board[0].clone();
    column.roles =
        toml::from_str("full-sender = \"1.27\"\ndirect-sender = \"0.32\"\nreceiver = \"0.71\"")
            .unwrap();
    study.data.board[0] = column;
    let cells = cells(&study);
    // 1.25 with an error of at most 0.015: 1.265 is printed as 1.27, too.
    let sender = find(&cells, "Table II", "x86_64, Full Sender");
    assert_eq!(sender.verdict, Verdict::Rounding);
    let receiver = find(&cells, "Table II", "x86_64, Receiver");
    assert_eq!(receiver.verdict, Verdict::Differs);
    assert_says(receiver, &["0.68 to 0.7 ms, none of which round to it"]);
}

#[test]
fn table_3_counts_whole_messages() {
    let cells = cells(&study());
    let rows = [
        (20, [28.0, 6.0, 3.0, 0.0, 0.0, 0.0]),
        (100, [144.0, 33.0, 15.0, 3.0, 0.0, 0.0]),
        (1000, [1449.0, 331.0, 156.0, 31.0, 3.0, 2.0]),
    ];
    for (ms, counts) in rows {
        let boards = ["x86_64", "A72", "A53", "ARM11", "M4", "M3"];
        for (board, count) in boards.iter().zip(counts) {
            let name = format!("{ms} ms, {board}, Receiver");
            let cell = find(&cells, "Table III", &name);
            assert_eq!((cell.formula, cell.unit), (Some(count), Unit::Messages));
        }
    }
    let illegible = find(&cells, "Table III", "1000 ms, A72, Receiver");
    assert_eq!(
        (illegible.paper, illegible.verdict),
        (None, Verdict::NotStated)
    );
    assert_says(illegible, &["not legible"]);
}

#[test]
fn twenty_nine_messages_are_rounded_and_the_other_counts_are_cut_off() {
    let cells = cells(&study());
    let cell = find(&cells, "Table III", "20 ms, x86_64, Receiver");
    assert_eq!(cell.verdict, Verdict::Differs);
    assert_says(
        cell,
        &[
            "20 ms over 0.69 ms are 28.99, of which 28 are whole",
            "rounded to the nearest that is 29, as printed",
            "no time of a message gives all of 29 in 20 ms, 144 in 100 ms, 1449 in 1000 ms",
        ],
    );
    // 20/29 = 100/145 = 1000/1450: the bounds meet exactly, which no float shows.
    assert_eq!(times_with(&[(20, 29), (100, 144)]), None);
    assert_eq!(times_with(&[(20, 29), (1000, 1449)]), None);
    let both = times_with(&[(100, 144), (1000, 1449)]).unwrap();
    assert!(both.least < 0.69 && both.most > 0.69);
}

#[test]
fn a_count_that_an_exact_time_gives_is_rounding() {
    let mut study = study();
    for row in &mut study.data.latency {
        let count = match row.ms {
            20 => "29",
            100 => "145",
            _ => "1450",
        };
        let roles = format!(
            "ms = 1\nfull-sender = {{}}\ndirect-sender = {{}}\n\
             receiver = {{ x86_64 = \"{count}\" }}"
        );
        row.roles = toml::from_str::<super::data::Latency>(&roles)
            .unwrap()
            .roles;
    }
    let cells = cells(&study);
    let cell = find(&cells, "Table III", "20 ms, x86_64, Receiver");
    assert_eq!(cell.verdict, Verdict::Rounding);
    assert_says(cell, &["0.68918 to 0.68966 ms gives all of 29 in 20 ms"]);
}

#[test]
fn a_wrong_mark_says_what_the_sender_takes() {
    let mut study = study();
    let roles = "ms = 1\nfull-sender = { M4 = \"1\", x86_64 = \"0\" }\ndirect-sender = {}\n\
                 receiver = {}";
    let roles = toml::from_str::<super::data::Latency>(roles).unwrap().roles;
    study.data.latency[0].roles = roles;
    let cells = cells(&study);
    for (name, words) in [
        ("20 ms, M4, Full Sender", "459.2 ms, more than the 20 ms"),
        ("20 ms, x86_64, Full Sender", "1.25 ms, within the 20 ms"),
    ] {
        let cell = find(&cells, "Table III", name);
        assert_eq!(cell.verdict, Verdict::Differs);
        assert_says(cell, &[words]);
    }
}

/// Exact times, printed to random digits: their printed sum agrees or is rounding, whatever was
/// rounded off; and counts of whole messages lie around the quotient.
#[test]
fn sums_of_random_exact_times_never_differ() {
    const SEED: u64 = 0x6563_7176;
    let mut state = SEED;
    let mut next = |below: u64| waywarden_paper_tables::exact::next(&mut state) % below;
    for round in 0..500 {
        let mut study = study();
        let column = &mut study.data.board[0];
        let decimals = next(3) as usize;
        let mut sum = 0.0;
        for kind in Role::Receiver.operations() {
            let exact = (1 + next(2_000_000)) as f64 / 10_000.0;
            sum += exact;
            let name = super::quantity::name(*kind).to_owned();
            column
                .operations
                .insert(name, printed(&format!("{exact:.decimals$}")));
        }
        let text =
            format!("full-sender = \"1\"\ndirect-sender = \"1\"\nreceiver = \"{sum:.decimals$}\"");
        column.roles = toml::from_str(&text).unwrap();
        let may = study.may_round(&study.data.board[0], Role::Receiver);
        assert!(may.unwrap(), "seed {SEED:#x}, round {round}: {text}");

        let (latency, each) = (1 + next(2_000), 1 + next(3_000_000_000));
        let count = whole_in(latency, each);
        let whole = u128::from(count) * u128::from(each);
        let nanos = u128::from(latency) * 1_000_000;
        assert!(
            whole <= nanos && nanos < whole + u128::from(each),
            "seed {SEED:#x}, round {round}: {count} of {each} ns in {latency} ms"
        );
        let times = times_with(&[(latency, count), (latency * 2, whole_in(latency * 2, each))]);
        let times = times.expect("the time itself");
        let millis = each as f64 / 1e6;
        assert!(
            times.least < millis + 1e-9 && millis < times.most + 1e-9,
            "seed {SEED:#x}, round {round}: {millis} ms not in {times:?}"
        );
    }
    assert_eq!(whole_in(100, 0), 0);
}

#[test]
fn latencies_of_table_3_are_those_of_the_scenarios() {
    let study = study();
    let rows: Vec<u64> = study.data.latency.iter().map(|row| row.ms).collect();
    let mut scenarios: Vec<u64> = study
        .data
        .scenario
        .iter()
        .map(|one| one.latency_ms)
        .collect();
    scenarios.sort_unstable();
    scenarios.dedup();
    assert_eq!(rows, scenarios);
    assert_eq!(study.data.scenario.len(), 8);
    for row in &study.data.latency {
        for role in Role::ALL {
            for board in row.roles.of(role).keys() {
                assert!(study.boards.iter().any(|one| one.name == *board), "{board}");
            }
        }
    }
}

#[test]
fn the_totals_by_class() {
    let mut cells = cells(&study());
    cells.retain(|cell| !is_traffic(&cell.place) && !is_limit(&cell.place));
    // Their statements have tests of their own.
    cells.retain(|cell| !cell.place.starts_with("§V") && !cell.cell.starts_with("cores"));
    let of = |class, verdict| {
        let totals = totals(&cells);
        let total = totals.iter().find(|total| total.class == class).unwrap();
        total.count(verdict)
    };
    // Table I, direct senders, latencies of scenarios.
    assert_eq!(of(Some(Class::Input), Verdict::NotTested), 42 + 6 + 8);
    // Figure 1's single steps.
    assert_eq!(of(Some(Class::Input), Verdict::NotStated), 36);
    // Table II's sums; Table III's marks and counts.
    assert_eq!(of(Some(Class::Derived), Verdict::Agrees), 10 + 36 + 16);
    assert_eq!(of(Some(Class::Derived), Verdict::Rounding), 2);
    assert_eq!(of(Some(Class::Derived), Verdict::Differs), 1);
    // Of Table III one, section II's boards, Figure 1's sums, the scenarios.
    assert_eq!(
        of(Some(Class::Derived), Verdict::NotStated),
        1 + 6 + 12 + 48
    );
    // Ranges and hardware.
    assert_eq!(of(None, Verdict::NotStated), 8 + 3);
    assert_eq!(cells.len(), 56 + 36 + 62 + 3 + 67 + 11);
    for cell in &cells {
        assert_eq!(cell.measured, None, "{}", cell.cell);
        let differs = cell.verdict == Verdict::Differs;
        assert!(!differs || cell.why.len() > 20, "{}", cell.cell);
        let unlike = cell.verdict == Verdict::Rounding;
        assert!(!unlike || cell.why.len() > 20, "{}", cell.cell);
    }
}

#[test]
fn every_difference_on_the_road_has_its_reason() {
    for cell in cells(&study()) {
        let is_other = matches!(cell.verdict, Verdict::Differs | Verdict::Rounding);
        assert!(!is_other || cell.why.len() > 12, "{}", cell.cell);
    }
}

#[test]
fn the_host_stands_beside_the_boards_only_if_it_was_measured() {
    let study = study();
    let without = cells(&study);
    let with = study.cells(&host).unwrap();
    let of_host = |cells: &[Cell]| {
        let own = cells.iter().filter(|cell| cell.cell.contains("this host"));
        own.cloned().collect::<Vec<_>>()
    };
    assert_eq!(of_host(&without), []);
    assert!(
        without
            .iter()
            .all(|cell| !TABLES.contains(&cell.place.as_str()))
    );
    let own = of_host(&with);
    // Section II twice; 8 rows of the flow; 8 scenarios twice; 7 + 3 rows; 9 rows, 3 of them twice;
    // three ways to verify; 17 rows of Tables VII to XIV, 8 columns each, twice.
    let beside = 2 + 8 + 16 + 7 + 3 + 9 + 3;
    assert_eq!(own.len(), beside + 3 + 17 * 8 * 2);
    for cell in &own {
        assert_eq!((cell.class, cell.paper), (Some(Class::Measured), None));
        assert_eq!(cell.verdict, Verdict::NotStated);
        assert!(cell.measured.is_some() && cell.formula.is_none());
    }
    let number = |place: &str, name: &str| find(&with, place, name).measured;
    let signatures = "signatures verified in 100 ms, this host";
    assert_eq!(
        number("§II", &format!("{signatures}, one by one")),
        Some(2000.0)
    );
    assert_eq!(
        number("§II", &format!("{signatures}, of many that wait")),
        Some(2500.0)
    );
    assert_eq!(number(TABLES[1], "Full Sender: this host"), Some(0.15));
    assert_eq!(number(TABLES[3], "100 ms: this host"), Some(1000.0));
    assert_eq!(
        number(TABLES[3], "100 ms: this host, many waiting"),
        Some(1666.0)
    );
    assert_eq!(
        number(FLOW, "4 to 6, from the message on: this host"),
        Some(0.15)
    );
    // What the paper prints is judged as before.
    let judged = |cells: &[Cell]| {
        let own = cells.iter().filter(|cell| cell.paper.is_some());
        let own = own.filter(|cell| !cell.cell.contains("encoded"));
        own.cloned().collect::<Vec<_>>()
    };
    assert_eq!(judged(&with), judged(&without));
}

#[test]
fn a_host_with_an_operation_missing_is_no_host() {
    let partial = |of: &Quantity| match of {
        Quantity::Operation(OperationKind::Sign)
        | Quantity::SignerBytes(_)
        | Quantity::MessageBytes(_) => None,
        of => host(of),
    };
    let cells = study().cells(&partial).unwrap();
    assert!(cells.iter().all(|cell| !cell.cell.contains("this host")));
    assert!(cells.iter().all(|cell| cell.measured.is_none()));
    assert_eq!(OPERATIONS.len(), 7);
}

#[test]
fn every_printed_number_is_as_it_was() {
    let mut cells = cells(&study());
    cells.retain(|cell| cell.paper.is_some());
    insta::assert_snapshot!(serde_json::to_string_pretty(&cells).unwrap());
}

#[test]
fn the_page_is_whole() {
    let paper = waywarden_papers::Paper::find("ECQV-CITS").unwrap();
    for measured in [&unmeasured as &super::Measured<'_>, &host] {
        let cells = study().cells(measured).unwrap();
        let plots = study().plots(measured).unwrap();
        assert_eq!(plots.len(), 2);
        for plot in &plots {
            assert!(plot.svg.contains("<rect") && !plot.svg.contains("NaN"));
        }
        let page = waywarden_papers::page(paper, &cells, &plots);
        assert_eq!(page.matches("<svg").count(), plots.len());
        let (alone, tables) = paper.tables(&cells);
        let places: Vec<&str> = tables.iter().map(|table| table.place).collect();
        let is_measured = cells.iter().any(|cell| cell.measured.is_some());
        assert_eq!(places[..11], traffic::TABLES);
        assert!(places[11..14].iter().all(|place| is_limit(place)));
        let own = [VERIFICATION, FLOW, SCENARIOS];
        let expected = match is_measured {
            true => [&[ENCODED][..], &own, &TABLES].concat(),
            false => own.to_vec(),
        };
        assert_eq!(places[14..], expected);
        let inside: usize = tables
            .iter()
            .flat_map(|table| &table.cells)
            .flatten()
            .flatten()
            .count();
        assert_eq!(alone.len() + inside, cells.len());
    }
}

/// Cells of Tables IV to XIV that follow from others, by table and verdict.
fn of_traffic(cells: &[Cell], table: &str, verdict: Verdict) -> usize {
    let own = cells.iter().filter(|cell| cell.place == table);
    own.filter(|cell| cell.formula.is_some() && cell.verdict == verdict)
        .count()
}

#[test]
fn times_on_the_road_are_messages_times_what_one_takes() {
    let cells = cells(&study());
    let count = |table: &str| {
        let all = [Verdict::Agrees, Verdict::Rounding, Verdict::Differs];
        all.map(|verdict| of_traffic(&cells, table, verdict))
    };
    let sum = |table: &str| count(table).iter().sum::<usize>();
    // Boards by rows by columns.
    let sizes = [
        "Table VII",
        "Table VIII",
        "Table X",
        "Table XII",
        "Table XIV",
    ]
    .map(sum);
    assert_eq!(sizes, [6 * 8, 4 * 8, 4 * 4 * 8, 4 * 5 * 8, 4 * 6 * 8]);
    let differ = |table: &str| of_traffic(&cells, table, Verdict::Differs);
    let differing = [
        "Table VII",
        "Table VIII",
        "Table X",
        "Table XII",
        "Table XIV",
    ]
    .map(differ);
    assert_eq!(differing, [0, 1, 0, 1, 55]);
    assert_eq!(
        (count("Table IV"), count("Table IX")),
        ([4, 0, 0], [8, 0, 0])
    );
    // With those of Tables II and III: 60.
    let before = ["Table II", "Table III"].map(|table| {
        of_traffic(&cells, table, Verdict::Differs) + of_traffic(&cells, table, Verdict::Rounding)
    });
    assert_eq!(before, [2, 1]);
}

#[test]
fn slips_of_the_pen_are_found_by_their_digits() {
    let cells = cells(&study());
    let slip = find(
        &cells,
        "Table XII",
        "ARM11, 100 ms, ellipse of 25 m by 1000 m: Highway rush",
    );
    assert_says(slip, &["9 messages of 31.94 ms", "287 has the same digits"]);
    let other = find(&cells, "Table VIII", "ARM11, 100 ms, most: Campus rush");
    assert_says(other, &["69 messages", "Table X prints 2204 for as many"]);
    // Means that are not whole: 13 are printed, and the four boards have the times of 13.27.
    let mean = find(
        &cells,
        "Table XIV",
        "ARM11, 100 ms, sector of 90 degrees: Grapes rush",
    );
    assert_says(mean, &["of all 4 boards", "a mean"]);
    let none = cells
        .iter()
        .filter(|cell| cell.why.contains("no number of messages"));
    assert_eq!(none.count(), 0);
}
