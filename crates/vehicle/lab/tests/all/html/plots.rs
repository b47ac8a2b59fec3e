//! The contents of the plots of a run.

use waywarden_vehicle_page::recorder::{FRAMES_MAX, WINDOWS_MAX};

use super::{Tag, count, plots, run, tags};
use crate::under_fire::CAR;

#[test]
fn the_plots_have_everything_that_was_in_the_run() {
    let (file, report, outcome, text) = run(CAR);
    let tags = tags(&text);
    assert_eq!(plots(&tags, "Load of bus").len(), file.buses.len());
    assert_eq!(plots(&tags, "Latency of the streams").len(), 2);
    let delivered = report
        .streams
        .iter()
        .filter(|row| row.delivered > 0)
        .count();
    assert_eq!(count(&tags, "sensor"), delivered);
    let busy = report
        .ecus
        .iter()
        .filter(|row| row.receive_load + row.send_load > 0.0)
        .count();
    let name = |tag: &&Tag| {
        tag.has_class("name") && report.ecus.iter().any(|row| row.ecu == tag.text.trim())
    };
    assert_eq!(tags.iter().filter(name).count(), busy);
    // Three things acted on the drive bus, three on the other one: the attacker in the gateway on
    // both.
    assert_eq!(count(&tags, "band"), 5);
    assert_eq!(
        plots(&tags, "Error counters of engine on bus drive").len(),
        1
    );
    let highest = outcome.measure.ecus[0].worst_state;
    assert_eq!(highest, "bus-off");
    assert!(tags.iter().any(|tag| tag.text.contains("engine: bus-off")));
}

#[test]
fn each_kind_of_disturbance_has_its_window_and_each_frame_its_bar() {
    let (.., text) = run(CAR);
    let tags = tags(&text);
    let windows: Vec<&str> = tags
        .windows(3)
        .filter(|tags| tags[0].has_class("window"))
        .map(|tags| tags[2].text.trim())
        .collect();
    let expected = [
        "The first frames",
        "standstill sends its first frame",
        "Half-way through the run",
        "gateway: a frame is suppressed",
        "unplug strikes",
        "brakes is reset",
    ];
    for title in expected {
        assert!(
            windows.iter().any(|window| window.starts_with(title)),
            "{title} in {windows:?}"
        );
    }
    let bars = tags.iter().filter(|tag| tag.has_class("bar")).count();
    let rows = |noun: &str| -> usize {
        let summaries = tags.iter().filter(|tag| tag.name == "summary");
        let number = |tag: &Tag| {
            tag.text
                .trim()
                .strip_suffix(noun)?
                .trim()
                .parse::<usize>()
                .ok()
        };
        summaries.filter_map(number).sum()
    };
    assert_eq!(bars, rows("frames") + rows("frame"));
    let broken = tags
        .iter()
        .filter(|tag| tag.has_class("bar") && tag.has_class("broken"))
        .count();
    assert!(
        broken >= 32,
        "{broken} frames destroyed on the way to bus-off"
    );
    let inside = |tag: &&Tag| {
        tag.name == "svg" && tag.has_class("mark") && !tag.inside.iter().any(|name| name == "span")
    };
    assert_eq!(
        tags.iter().filter(inside).count(),
        rows("marks") + rows("mark")
    );
}

#[test]
fn nothing_is_drawn_beside_its_plot() {
    for text in [run(CAR).3, run(&CAR.replace("600ms", "1ms")).3] {
        for tag in tags(&text) {
            let plotted = tag.inside.iter().any(|name| name == "svg");
            if plotted && tag.name == "rect" && tag.attributes.contains_key("x") {
                let (from, width) = (tag.percent("x"), tag.percent("width"));
                assert!(
                    from >= 0.0 && width >= 0.0 && from + width <= 100.01,
                    "{from} + {width}"
                );
            }
            if plotted && tag.name == "line" {
                for end in ["x1", "x2"] {
                    assert!(
                        (0.0..=100.01).contains(&tag.percent(end)),
                        "{end} of {}",
                        tag.attribute("class")
                    );
                }
            }
            assert!(
                !tag.attributes
                    .values()
                    .any(|value| value.contains("NaN") || value.contains("inf"))
            );
        }
    }
}

#[test]
fn a_storm_of_disturbance_stays_within_bounds() {
    // Twice as many causes as timeline windows, and more frames than one window has room for.
    let mut storm = "[vehicle]\nname = \"storm\"\nduration = \"1s\"\n".to_owned();
    for bus in 0..8 {
        storm += &format!("[[bus]]\nname = \"bus{bus}\"\nbitrate = \"1M\"\n");
        storm += &format!("[[attacker]]\nname = \"flood{bus}\"\nkind = \"flood\"\nid = 1\n");
        storm += &format!("length = 0\nbus = \"bus{bus}\"\nrate = \"full\"\n");
    }
    for ecu in 0..2 * WINDOWS_MAX {
        storm += &format!(
            "[[ecu]]\nname = \"ecu{ecu}\"\nports = [\"bus{}\"]\n",
            ecu % 8
        );
        storm += &format!("[[fault]]\nkind = \"reset\"\necu = \"ecu{ecu}\"\n");
        let from = 50 + 25 * ecu;
        storm += &format!("from = \"{from}ms\"\nuntil = \"{}ms\"\n", from + 5);
    }
    let (.., text) = run(&storm);
    let tags = tags(&text);
    let windows = tags.iter().filter(|tag| tag.has_class("window")).count();
    assert_eq!(windows, WINDOWS_MAX);
    let bars = tags.iter().filter(|tag| tag.has_class("bar")).count();
    assert_eq!(bars, WINDOWS_MAX * FRAMES_MAX);
    assert!(text.contains("There was no place for"));
}
