//! The HTML report: well-formed, self-contained, safe against names that are markup, and with
//! everything in its plots that was in the run.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::run::Outcome;
use waywarden_vehicle_report::html::{Source, page};
use waywarden_vehicle_report::recorder::{FRAMES_MAX, SCENES_MAX};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_trace::{Event, TraceSink};

use crate::under_fire::{CAR, lowered, outcome, parse};

/// A tag of the page and its attributes.
struct Tag {
    name: String,
    attributes: BTreeMap<String, String>,
    /// The names of the elements it is in.
    inside: Vec<String>,
    /// The text up to the next tag.
    text: String,
}

impl Tag {
    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    fn has_class(&self, class: &str) -> bool {
        self.attribute("class").split(' ').any(|one| one == class)
    }

    fn percent(&self, name: &str) -> f64 {
        let value = self.attribute(name);
        let number = value
            .strip_suffix('%')
            .unwrap_or_else(|| panic!("{name}={value}"));
        number.parse().unwrap()
    }
}

fn run(text: &str) -> (VehicleFile, Report, Outcome, String) {
    let file = parse(text);
    let lowered = lowered(&file);
    let mut recorder = lowered.recorder(&file);
    let outcome = outcome(lowered, &mut recorder);
    let report = Report::new(&file, file.seed, &outcome);
    let recording = recorder.finish();
    let source = Source {
        file: &file,
        report: &report,
        outcome: &outcome,
        recording: &recording,
    };
    let text = page(&source);
    (file, report, outcome, text)
}

/// Reads the page as XML: every element is closed by its own end tag, every attribute is quoted
/// and given once, every `&` begins one of the references that are written.
fn tags(page: &str) -> Vec<Tag> {
    let mut rest = page
        .strip_prefix("<!DOCTYPE html>")
        .expect("the type of the document");
    let mut open: Vec<String> = Vec::new();
    let mut tags: Vec<Tag> = Vec::new();
    while let Some(at) = rest.find('<') {
        let text = check_text(&rest[..at]);
        if let Some(last) = tags.last_mut() {
            last.text.push_str(&text);
        }
        let end = at + rest[at..].find('>').expect("an end of the tag");
        let (tag, after) = (&rest[at + 1..end], &rest[end + 1..]);
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "near {}", &rest[at..end]);
        } else {
            let (tag, closed) = tag
                .strip_suffix(" /")
                .map_or((tag, false), |tag| (tag, true));
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            let attributes = attributes_of(attributes);
            let inside = open.clone();
            tags.push(Tag {
                name: name.to_owned(),
                attributes,
                inside,
                text: String::new(),
            });
            if !closed {
                open.push(name.to_owned());
            }
        }
        rest = after;
    }
    assert!(
        open.is_empty() && rest.trim().is_empty(),
        "{open:?} is open, {rest:?} is left"
    );
    tags
}

fn attributes_of(text: &str) -> BTreeMap<String, String> {
    let mut attributes = BTreeMap::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest
            .split_once("=\"")
            .unwrap_or_else(|| panic!("in {text}"));
        let (value, after) = after.split_once('"').unwrap_or_else(|| panic!("in {text}"));
        assert!(!name.contains(' '), "{text}");
        let before = attributes.insert(name.to_owned(), check_text(value));
        assert!(before.is_none(), "{name} twice in {text}");
        rest = after.trim_start();
    }
    attributes
}

/// Resolves the references in a piece of text.
fn check_text(text: &str) -> String {
    let known = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("#39", '\''),
    ];
    let mut parts = text.split('&');
    let mut resolved = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, after) = part
            .split_once(';')
            .unwrap_or_else(|| panic!("& in {text}"));
        let (_, char) = known
            .iter()
            .find(|(known, _)| *known == name)
            .expect("a known reference");
        resolved.push(*char);
        resolved.push_str(after);
    }
    resolved
}

fn plots<'a>(tags: &'a [Tag], title: &str) -> Vec<&'a Tag> {
    let plot = |pair: &&'a [Tag]| pair[0].has_class("plot") && pair[1].text.starts_with(title);
    tags.windows(2).filter(plot).map(|pair| &pair[0]).collect()
}

fn count(tags: &[Tag], class: &str) -> usize {
    tags.iter()
        .filter(|tag| tag.has_class("plot") || !tag.inside.is_empty())
        .filter(|tag| tag.has_class(class))
        .count()
}

#[test]
fn the_page_is_well_formed_and_each_plot_is_named() {
    let (.., text) = run(CAR);
    let tags = tags(&text);
    let mut ids = BTreeSet::new();
    for tag in &tags {
        let id = tag.attribute("id");
        assert!(id.is_empty() || ids.insert(id.to_owned()), "{id} twice");
    }
    let mut plots = 0;
    for (at, plot) in tags
        .iter()
        .enumerate()
        .filter(|(_, tag)| tag.has_class("plot"))
    {
        let named: Vec<&str> = plot.attribute("aria-labelledby").split(' ').collect();
        let (title, description) = (&tags[at + 1], &tags[at + 2]);
        assert_eq!(
            (title.name.as_str(), description.name.as_str()),
            ("title", "desc")
        );
        assert_eq!(named, [title.attribute("id"), description.attribute("id")]);
        assert!(!title.text.is_empty() && !description.text.is_empty());
        assert_eq!(plot.attribute("role"), "img");
        plots += 1;
    }
    assert!(plots >= 10, "{plots} plots");
    for tag in tags
        .iter()
        .filter(|tag| tag.inside.iter().any(|name| name == "svg"))
    {
        let drawn = [
            "title", "desc", "line", "rect", "text", "path", "circle", "svg", "defs", "pattern",
        ];
        assert!(
            drawn.contains(&tag.name.as_str()),
            "<{}> in a drawing",
            tag.name
        );
    }
}

#[test]
fn the_page_asks_for_nothing() {
    let (.., text) = run(CAR);
    assert!(!text.contains("://"), "an address of something else");
    for tag in tags(&text) {
        assert!(
            !["script", "img", "iframe", "object", "use", "image"].contains(&tag.name.as_str())
        );
        for (name, value) in &tag.attributes {
            assert!(!["src", "srcset", "style", "data", "action"].contains(&name.as_str()));
            assert!(!name.starts_with("on"), "{name}={value}");
            assert!(name != "href" || value == "data:,", "{name}={value}");
        }
        if tag.name == "style" {
            let urls: Vec<&str> = tag.text.split("url(").skip(1).collect();
            assert!(urls.iter().all(|url| url.starts_with('#')), "{urls:?}");
            assert!(!tag.text.contains("@import"));
        }
    }
    assert!(
        text.contains("default-src 'none'"),
        "the policy that forbids it"
    );
}

#[test]
fn names_from_the_file_stay_text() {
    let (_, report, _, text) = run(CAR);
    assert_eq!(report.vehicle, "<script>alert('car')</script>");
    assert!(!text.contains("<script"));
    let tags = tags(&text);
    let heading = tags.iter().find(|tag| tag.name == "h1").unwrap();
    assert_eq!(heading.text.trim(), report.vehicle);
    assert!(
        tags.iter()
            .any(|tag| tag.text.contains("Small, & under \"fire\""))
    );
}

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
fn each_kind_of_trouble_has_its_scene_and_each_frame_its_bar() {
    let (.., text) = run(CAR);
    let tags = tags(&text);
    let scenes: Vec<&str> = tags
        .windows(3)
        .filter(|tags| tags[0].has_class("scene"))
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
            scenes.iter().any(|scene| scene.starts_with(title)),
            "{title} in {scenes:?}"
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

/// A second attacker in the gateway, and an interferer that has the name of the first.
const MORE_TROUBLE: &str = r#"
[[attacker]]
name = "hush"
kind = "suppress"
gateway = "gateway"
streams = ["EngineSpeed"]
from = "330ms"
until = "390ms"

[[interferer]]
name = "silencer"
kind = "babbling"
bus = "comfort"
period = "20ms"
from = "460ms"
until = "490ms"
"#;

#[test]
fn each_attacker_has_its_own_counts() {
    let file = parse(&format!("{CAR}{MORE_TROUBLE}"));
    let lowered = lowered(&file);
    let mut recorder = lowered.recorder(&file);
    let (mut dropped, mut struck) = (BTreeMap::new(), BTreeMap::new());
    let prose = lowered.prose.clone();
    let outcome = outcome(lowered, &mut |at: Time, event: &Event<'_>| {
        match event {
            Event::Noted { remark, .. } if remark.kind().is_some() => {
                let by = prose.responsible(remark.fact).to_owned();
                *dropped.entry(by).or_insert(0) += 1;
            }
            Event::Interfered { by, .. } => *struck.entry((*by).to_owned()).or_insert(0) += 1,
            _ => {}
        }
        recorder.record(at, event);
    });
    let report = Report::new(&file, file.seed, &outcome);
    let source = Source {
        file: &file,
        report: &report,
        outcome: &outcome,
        recording: &recorder.finish(),
    };
    let tags = tags(&page(&source));
    let cells: Vec<&str> = tags
        .iter()
        .skip_while(|tag| tag.text.trim() != "Attacks, interference, faults")
        .filter(|tag| tag.name == "td")
        .map(|tag| tag.text.trim())
        .collect();
    let rows: Vec<(&str, &str)> = cells[..6 * 7]
        .chunks(7)
        .map(|row| (row[1], row[5]))
        .collect();
    assert!(dropped["silencer"] != dropped["hush"] && dropped["hush"] > 1);
    let sent = outcome.measure.ecus.last().unwrap().sent;
    let expected = [
        ("standstill", format!("{sent} frames sent")),
        (
            "silencer",
            format!("{} frames suppressed", dropped["silencer"]),
        ),
        ("hush", format!("{} frames suppressed", dropped["hush"])),
        ("unplug", format!("{} strikes", struck["unplug"])),
        ("silencer", format!("{} strikes", struck["silencer"])),
    ];
    for (row, (name, count)) in rows.iter().zip(&expected) {
        assert_eq!((row.0, row.1), (*name, count.as_str()));
    }
    let actions: Vec<u64> = report.attacks.iter().map(|row| row.actions).collect();
    let counted = [
        sent,
        dropped["silencer"],
        dropped["hush"],
        struck["unplug"],
        struck["silencer"],
        1,
    ];
    assert_eq!(actions, counted);
}

#[test]
fn a_missed_requirement_is_on_top_with_its_cause() {
    let strict = CAR.replace("default = \"deadline\"", "default = \"800us\"");
    let (_, report, _, text) = run(&strict);
    let missed: Vec<_> = report
        .requirements
        .iter()
        .filter(|verdict| !verdict.met)
        .collect();
    assert!(!missed.is_empty());
    let all = report.requirements.len();
    assert!(text.contains(&format!(
        "{} of {all} requirements are missed.",
        missed.len()
    )));
    let tags = tags(&text);
    let list: Vec<&Tag> = tags
        .iter()
        .filter(|tag| tag.inside.iter().any(|name| name == "li"))
        .collect();
    for verdict in missed {
        assert!(
            list.iter()
                .any(|tag| tag.text.trim() == verdict.requirement)
        );
        let cause = verdict.cause.as_deref().unwrap();
        assert!(list.iter().any(|tag| tag.text.trim() == cause), "{cause}");
        assert!(list.iter().any(|tag| tag.text.trim() == verdict.place));
    }
    assert!(run(CAR).3.contains("requirements are met."));
}

#[test]
fn the_same_run_gives_the_same_page() {
    assert!(run(CAR).3 == run(CAR).3);
}

#[test]
fn a_run_in_which_nothing_happens_is_a_page_too() {
    let quiet = "[vehicle]\nname = \"quiet\"\n[[bus]]\nname = \"main\"\nbitrate = \"500k\"\n";
    let (.., text) = run(quiet);
    assert_eq!(plots(&tags(&text), "Load of bus main").len(), 1);
    assert!(text.contains("states no requirements"));
}

#[test]
fn a_storm_of_trouble_stays_within_bounds() {
    // Twice as many causes as there are scenes, and more frames than one scene has place for.
    let mut storm = "[vehicle]\nname = \"storm\"\nduration = \"1s\"\n".to_owned();
    for bus in 0..8 {
        storm += &format!("[[bus]]\nname = \"bus{bus}\"\nbitrate = \"1M\"\n");
        storm += &format!("[[attacker]]\nname = \"flood{bus}\"\nkind = \"flood\"\nid = 1\n");
        storm += &format!("length = 0\nbus = \"bus{bus}\"\nrate = \"full\"\n");
    }
    for ecu in 0..2 * SCENES_MAX {
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
    let scenes = tags.iter().filter(|tag| tag.has_class("scene")).count();
    assert_eq!(scenes, SCENES_MAX);
    let bars = tags.iter().filter(|tag| tag.has_class("bar")).count();
    assert_eq!(bars, SCENES_MAX * FRAMES_MAX);
    assert!(text.contains("There was no place for"));
}
