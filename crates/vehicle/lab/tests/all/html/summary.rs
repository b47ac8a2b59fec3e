//! The top of the page: the decision and the main figures, as the run had them.

use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_report::report::AttackerAction;

use super::{Tag, run, tags};
use crate::under_fire::CAR;

/// Returns the figure of each tile by its label, and the class that says how it stands.
fn tiles(tags: &[Tag]) -> Vec<(&str, &str, &str)> {
    let tile = |group: &'_ [Tag]| group[0].has_class("tile") && group[2].has_class("value");
    let groups = tags.windows(3).filter(|group| tile(group));
    let read = groups.map(|group| {
        let standing = group[0].attribute("class");
        let standing = standing.strip_prefix("tile ").unwrap();
        (group[1].text.trim(), group[2].text.trim(), standing)
    });
    read.collect()
}

#[test]
fn the_tiles_have_the_worst_figures_of_the_run() {
    let (_, report, outcome, text) = run(CAR);
    let tags = tags(&text);
    let tiles = tiles(&tags);
    let labels: Vec<&str> = tiles.iter().map(|tile| tile.0).collect();
    let expected = [
        "Worst bus load",
        "Worst processor load",
        "Worst latency seen",
        "First authentic messages",
        "Forgeries that reached an ECU",
    ];
    assert_eq!(labels, expected);
    let highest = |loads: Vec<f64>| percent(loads.into_iter().fold(0.0, f64::max));
    let buses = report.buses.iter().map(|row| row.load).collect();
    assert_eq!(tiles[0].1, highest(buses));
    let busy = outcome.measure.ecus.iter();
    let busy = busy.map(|ecu| ecu.busy.iter().sum::<u64>() as f64);
    let whole = outcome.end.as_picos() as f64;
    assert_eq!(tiles[1].1, highest(busy.map(|busy| busy / whole).collect()));
    assert_eq!((tiles[3].1, tiles[3].2), ("none", "neutral"));
    let attacks = report.attacks.iter();
    let attacks =
        attacks.filter(|row| row.action != AttackerAction::Fault && !row.denies_service());
    let reached = attacks.clone().filter(|row| row.taken > 0).count();
    assert!(reached > 0);
    let expected = format!("{reached} of {}", attacks.count());
    assert_eq!((tiles[4].1, tiles[4].2), (expected.as_str(), "bad"));
}

#[test]
fn a_load_beyond_its_limit_is_the_worst_one_even_if_another_is_higher() {
    let (_, report, _, text) = run(&CAR.replace("drive = \"60%\"", "drive = \"1%\""));
    let loads: Vec<f64> = report.buses.iter().map(|row| row.load).collect();
    assert!(loads[1] > loads[0] && loads[0] > 0.01, "{loads:?}");
    let tags = tags(&text);
    let worst = tiles(&tags)[0];
    assert_eq!(worst, ("Worst bus load", percent(loads[0]).as_str(), "bad"));
}

/// A latency that is met is a success only if it is required, and if computing has a share in it.
#[test]
fn latency_without_computing_or_requirement_is_no_success() {
    let car = "[vehicle]\nname = 'car'\nduration = '100ms'\n\
        [[bus]]\nname = 'a'\nbitrate = '500k'\n\
        [[ecu]]\nname = 'tx'\nports = ['a']\n[[ecu]]\nname = 'rx'\nports = ['a']\n\
        [[stream]]\nname = 'Speed'\nid = 0x100\nsender = 'tx'\nreceivers = ['rx']\nlength = 4\n\
        period = '10ms'\n";
    let required = format!("{car}[require.latency]\nSpeed = '5ms'\n");
    let real = |text: &str| text.replace("ports = ['a']", "ports = ['a']\nboard = 'tc297'");
    let note = "computing takes no time";
    for (text, standing, is_noted) in [
        (required.clone(), "neutral", true),
        (car.to_owned(), "neutral", true),
        (real(car), "neutral", false),
        (real(&required), "good", false),
    ] {
        let (.., page) = run(&text);
        let tags = tags(&page);
        let latency = tiles(&tags)[2];
        assert_eq!(
            (latency.0, latency.2),
            ("Worst latency seen", standing),
            "{text}"
        );
        assert_eq!(page.contains(note), is_noted, "{text}");
    }
}

#[test]
fn the_page_names_the_seed_the_time_and_the_version() {
    let (.., text) = run(CAR);
    let tags = tags(&text);
    let facts = tags.iter().find(|tag| tag.has_class("facts")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("0.6 s simulated with seed 7, by Waywarden {version}: 2 buses, 4 ECUs");
    assert!(facts.text.starts_with(&expected), "{}", facts.text);
}

#[test]
fn the_processor_plot_splits_off_cryptography_and_names_the_peak() {
    let (_, report, outcome, text) = run(CAR);
    let tags = tags(&text);
    let peaks: Vec<f64> = report.ecus.iter().map(|row| row.peak_load).collect();
    for (row, figures) in report.ecus.iter().zip(&outcome.measure.ecus) {
        let busy: u64 = figures.busy.iter().sum();
        assert_eq!(figures.windows.iter().sum::<u64>(), busy, "{}", row.ecu);
        let mean = figures.load(busy, outcome.end);
        assert!(row.peak_load >= mean);
        let said = format!(
            "cryptography 0.0 %, busiest 100 ms {}",
            percent(row.peak_load)
        );
        let is_said = tags.iter().any(|tag| tag.text.contains(&said));
        assert!(is_said || busy == 0, "{said}");
    }
    assert!(peaks.iter().any(|peak| *peak > 0.0));
}
