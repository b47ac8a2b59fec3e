//! Tables 1 and 2 and sections 5.2 and 6 against quotients done by hand, and the errata.

use super::ours::{CERTIFICATES, NEIGHBOURS, PACKET, PARTS, SWEEP, TIMES};
use super::quantity::{Operation, Path, WaveCam, WaveQuantity, unmeasured};
use super::study::WaveStudy;
use super::why::times_of;
use crate::cell_checks::{assert_says, find};
use waywarden_paper_tables::{Amount, Cell, CellVerdict, Class, Measurement, Printed, Unit};
use waywarden_work::Duration;

fn cells() -> Vec<Cell> {
    let study = WaveStudy::load().unwrap_or_else(|error| panic!("{error}"));
    study.cells(&unmeasured)
}

#[test]
fn boards_have_the_paper_s_times() {
    let cells = cells();
    let inputs: Vec<_> = cells
        .iter()
        .filter(|cell| cell.class == Some(Class::Input))
        .collect();
    assert_eq!(inputs.len(), 12);
    for cell in inputs {
        assert_eq!(cell.paper, cell.formula, "{}", cell.cell);
        assert_eq!(cell.verdict, CellVerdict::NotTested);
    }
}

#[test]
fn rates_of_table_2_follow_but_for_one() {
    let cells = cells();
    let rates = cells
        .iter()
        .filter(|cell| cell.place == "Table 2" && cell.class == Some(Class::Derived));
    let (same, other): (Vec<_>, Vec<_>) =
        rates.partition(|cell| cell.verdict == CellVerdict::Agrees);
    assert_eq!((same.len(), other.len()), (7, 1));
    assert_eq!(other[0].cell, "laptop, P-256, signatures");
    assert_eq!(other[0].verdict, CellVerdict::Differs);
    assert_says(other[0], &["are 427.5", "2.43 to 2.436 ms"]);
}

#[test]
fn errata_are_found_by_arithmetic() {
    let cells = cells();
    let differing: Vec<_> = cells
        .iter()
        .filter(|cell| cell.verdict == CellVerdict::Differs)
        .map(|cell| (cell.place.as_str(), cell.cell.as_str(), cell.formula))
        .collect();
    let rounded = |number: f64| Some((number * 1e3).round() / 1e3);
    let found: Vec<_> = differing
        .iter()
        .map(|(place, name, ours)| (*place, *name, ours.and_then(rounded)))
        .collect();
    assert_eq!(
        found,
        [
            ("§3.2", "the listing names P-256", Some(0.0)),
            ("Table 2", "laptop, P-256, signatures", Some(427.533)),
            ("§6", "laptop, verifications", Some(226.465)),
            ("§6", "Raspberry Pi, neighbours at 10 Hz", Some(3.0)),
            (
                "§5.2",
                "figure with the mean time to sign of 21.7615 ms",
                Some(6.0)
            ),
        ]
    );
    let figure = find(
        &cells,
        "§5.2",
        "figure with the mean time to sign of 21.7615 ms",
    );
    assert_says(
        figure,
        &["the Raspberry Pi's", "Figure 5 shows the laptop's"],
    );
    let curve = find(&cells, "§3.2", "the listing names P-256");
    assert_says(curve, &["secp256r1", "secp256k1"]);
    let neighbours = find(&cells, "§6", "Raspberry Pi, neighbours at 10 Hz");
    assert_says(
        neighbours,
        &[
            "39.43",
            "3.943",
            "3 of them whole",
            "would need 40",
            "nearest whole one",
        ],
    );
    let caption = find(&cells, "Table 1", "rows that its caption names");
    assert_eq!(caption.formula, Some(0.0));
    assert_says(caption, &["another table"]);
}

#[test]
fn what_follows_agrees_where_the_paper_is_right() {
    let cells = cells();
    for (name, ours) in [
        ("laptop, neighbours at 10 Hz", 22.0),
        ("Raspberry Pi, verifications", 1_000.0 / 25.3628),
    ] {
        let cell = find(&cells, "§6", name);
        assert_eq!(
            (cell.formula, cell.verdict),
            (Some(ours), CellVerdict::Agrees)
        );
    }
    // 1,000 - 38.504 ms over 4.4157 ms are 217.7; 1,000 - 217.615 over 25.3628 are 30.8.
    let own = |board: &str| {
        let name = format!("{board}, neighbours at 10 Hz beside its own CAMs");
        find(&cells, "§6", &name).formula
    };
    assert_eq!(
        (own("laptop"), own("Raspberry Pi")),
        (Some(21.0), Some(3.0))
    );
    let beside = find(&cells, "§5.2", "laptop, verify, beside ECDSA");
    assert!((beside.formula.unwrap() - 1.5481).abs() < 1e-9);
    assert_says(beside, &["35 % of the whole"]);
}

#[test]
fn times_of_a_printed_rate_are_those_that_round_to_it() {
    let printed = Printed::try_from("411".to_owned()).unwrap();
    let (least, most) = times_of(&printed);
    assert!(printed.is_exactly(1_000.0 / least) && printed.is_exactly(1_000.0 / most));
    assert!(!printed.is_exactly(1_000.0 / (least - 0.001)));
    assert!(!printed.is_exactly(1_000.0 / (most + 0.001)));
}

fn micros(of: &WaveCam) -> Option<u64> {
    let micros = match of.operation {
        Operation::Sign => 100,
        Operation::Verify | Operation::VerifyNew => 400,
    };
    let more = match of.path {
        Path::Curve => return None,
        Path::Library => 0,
        Path::Service => 250,
    };
    Some(micros + more)
}

/// Signing takes 100 us, verifying 400 us, by the service 250 us more; ECDSA alone is not measured.
/// Of the parts each takes 10 us, and certificates and fields are 100 bytes long.
fn host(of: &WaveQuantity) -> Option<Measurement> {
    let time = |micros: u64| Amount::Time(Duration::from_nanos(micros * 1_000));
    let amount = match of {
        WaveQuantity::Cam(cam) => time(micros(cam)?),
        WaveQuantity::Part { .. } | WaveQuantity::CertificateTime(_) => time(10),
        WaveQuantity::Sweep { payload, .. } => time(u64::from(*payload)),
        WaveQuantity::CertificateBytes(_) | WaveQuantity::Packet { .. } => Amount::Number(100.0),
    };
    Some(Measurement {
        amount,
        beside: Vec::new(),
    })
}

#[test]
fn host_stands_beside_the_boards_with_what_was_measured() {
    let study = WaveStudy::load().unwrap();
    assert!(cells().iter().all(|cell| cell.measured.is_none()));
    let cells = study.cells(&host);
    let count = |place: &str| cells.iter().filter(|cell| cell.place == place).count();
    assert_eq!((count(TIMES), count(NEIGHBOURS)), (12, 8));
    assert_eq!((count(SWEEP), count(CERTIFICATES)), (8 * 7, 6));
    assert_eq!((count(PARTS), count(PACKET)), (6 * 5, 12));
    let measured = |place: &str, name: &str| find(&cells, place, name).measured;
    assert_eq!(measured(TIMES, "sign, 53 B: service"), Some(0.35));
    assert_eq!(measured(TIMES, "verify, 67 B: library"), Some(0.4));
    assert_eq!(measured(SWEEP, "1500 B: P-224 sign"), Some(1.5));
    // Three parts of 0.01 ms.
    let rest = measured(PARTS, "verify, new station, 67 B: the rest").unwrap();
    let service = measured(PARTS, "verify, new station, 67 B: by the service").unwrap();
    assert!((rest - 0.37).abs() < 1e-9 && (service - 0.25).abs() < 1e-9);
    // Inputs of a measurement are no results of it.
    let class = |place: &str, name: &str| find(&cells, place, name).class;
    for (place, name) in [
        (CERTIFICATES, "X.509: length"),
        (PACKET, "payload (CAM): with the digest"),
    ] {
        assert_eq!(class(place, name), Some(Class::Input), "{name}");
    }
    let explicit = class(CERTIFICATES, "1609.2, explicit: length");
    assert_eq!(explicit, Some(Class::Measured));
    // 1,000 ms over 0.65 ms are 1,538 messages.
    assert_eq!(measured(NEIGHBOURS, "verify, 67 B: service"), Some(153.0));
    assert_eq!(
        measured(NEIGHBOURS, "verify, new station, 53 B: library"),
        Some(250.0)
    );
}

#[test]
fn no_rest_is_below_zero() {
    let study = WaveStudy::load().unwrap();
    // The parts take 3 x 150 us, the whole 100 us; and the service less than the library.
    let noisy = |of: &WaveQuantity| {
        let mut measurement = host(of)?;
        let time = |micros: u64| Amount::Time(Duration::from_nanos(micros * 1_000));
        match of {
            WaveQuantity::Part { .. } => measurement.amount = time(150),
            WaveQuantity::Cam(cam) if cam.path == Path::Service => measurement.amount = time(90),
            _ => {}
        }
        Some(measurement)
    };
    let cells = study.cells(&noisy);
    for name in ["sign, 53 B: the rest", "sign, 53 B: by the service"] {
        let cell = find(&cells, PARTS, name);
        assert_eq!(cell.measured, Some(0.0), "{name}");
        assert_says(cell, &["below what the medians resolve"]);
    }
    let times = cells.iter().filter(|cell| cell.unit == Unit::Milliseconds);
    assert!(
        times
            .filter_map(|cell| cell.measured)
            .all(|time| time >= 0.0)
    );
}

#[test]
fn figures_are_drawn() {
    let study = WaveStudy::load().unwrap();
    let places = |plots: &[waywarden_paper_tables::FigurePlot]| {
        plots.iter().map(|plot| plot.place).collect::<Vec<_>>()
    };
    let all = [
        "Figure 1", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure 6", "Table 2",
    ];
    let alone = study.plots(&unmeasured);
    assert_eq!(places(&alone), all[..6]);
    assert!(
        alone[4..]
            .iter()
            .all(|plot| plot.svg.contains("ECDSA alone"))
    );
    assert!(!alone[1].svg.contains(" ms<"));
    let measured = study.plots(&host);
    assert_eq!(places(&measured), all);
    // The whole, and the parts.
    assert_eq!(measured[1].svg.matches(">0.01 ms<").count(), 7);
    assert!(measured[1].svg.contains(">0.4 ms<") && measured[2].svg.contains(">100 B<"));
    assert!(measured[3].svg.contains(">0.35 ms<") && measured[3].svg.contains(">0.65 ms<"));
}
