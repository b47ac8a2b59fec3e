//! The page as a whole: its structure, its text, and that it loads nothing.

use std::collections::BTreeSet;

use super::{Tag, plots, run, tags};
use crate::under_fire::CAR;

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
        assert!(!["img", "iframe", "object", "use", "image"].contains(&tag.name.as_str()));
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
fn the_one_script_zooms_the_time_line_and_is_named_by_its_hash() {
    let (.., text) = run(CAR);
    let tags = tags(&text);
    let scripts: Vec<&Tag> = tags.iter().filter(|tag| tag.name == "script").collect();
    assert_eq!(scripts.len(), 1);
    assert!(scripts[0].attributes.is_empty());
    for word in [
        "fetch",
        "XMLHttp",
        "eval",
        "import",
        "innerHTML",
        "WebSocket",
        "location",
    ] {
        assert!(!scripts[0].text.contains(word), "{word}");
    }
    let policy = tags
        .iter()
        .find(|tag| !tag.attribute("http-equiv").is_empty());
    let policy = policy.unwrap().attribute("content");
    assert!(policy.contains("script-src 'sha256-") && !policy.contains("unsafe"));
    let drawings = tags.iter().filter(|tag| tag.has_class("zoomable")).count();
    let windows = tags.iter().filter(|tag| tag.has_class("window")).count();
    assert_eq!(drawings, windows);
    for tag in tags.iter().filter(|tag| tag.has_class("zoomable")) {
        assert_eq!(
            (tag.attribute("tabindex"), tag.attribute("role")),
            ("0", "group")
        );
        assert!(tag.attribute("aria-label").starts_with("Time line: "));
    }
    // What only the zoom shows is a tick or a name that a table has too.
    for tag in tags
        .iter()
        .filter(|tag| !tag.attribute("data-zoom").is_empty())
    {
        let zoom: f64 = tag.attribute("data-zoom").parse().unwrap();
        assert!((1.0..=64.1).contains(&zoom), "{zoom}");
        let classes = ["id", "tick", "grid", "halo"];
        assert!(classes.iter().any(|class| tag.has_class(class)));
    }
    let quiet = "[vehicle]\nname = \"quiet\"\n[[bus]]\nname = \"main\"\nbitrate = \"500k\"\n";
    assert!(!run(quiet).3.contains("script"));
}

#[test]
fn names_from_the_file_stay_text() {
    let (_, report, _, text) = run(CAR);
    assert_eq!(report.vehicle, "<script>alert('car')</script>");
    let tags = tags(&text);
    let scripts = tags.iter().filter(|tag| tag.name == "script");
    assert!(scripts.clone().all(|tag| !tag.text.contains("alert")));
    assert_eq!(scripts.count(), text.matches("<script").count());
    let heading = tags.iter().find(|tag| tag.name == "h1").unwrap();
    assert_eq!(heading.text.trim(), report.vehicle);
    assert!(
        tags.iter()
            .any(|tag| tag.text.contains("Small, & under \"fire\""))
    );
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
    let decision = format!(
        "Missed: {} of {all} requirements are missed; {} are met.",
        missed.len(),
        all - missed.len()
    );
    assert!(text.contains(&decision));
    let tags = tags(&text);
    let list: Vec<&Tag> = tags
        .iter()
        .filter(|tag| tag.inside.iter().any(|name| name == "li"))
        .collect();
    for verdict in missed {
        assert!(list.iter().any(|tag| tag.text.trim() == verdict.title));
        let cause = verdict.cause.as_deref().unwrap();
        assert!(list.iter().any(|tag| tag.text.trim() == cause), "{cause}");
        assert!(list.iter().any(|tag| tag.text.trim() == verdict.place));
    }
    assert!(run(CAR).3.contains("> Met: "));
}

#[test]
fn one_missed_requirement_of_each_kind_is_on_top() {
    let strict = CAR.replace("default = \"deadline\"", "default = \"10us\"");
    let strict = strict.replace("drive = \"60%\"", "drive = \"1%\"");
    let strict = strict.replace("startup = \"100ms\"", "startup = \"1ms\"");
    let strict = strict.replace("default = \"30%\"", "default = \"0.01%\"");
    let (_, report, _, text) = run(&strict);
    let missed = report.requirements.iter().filter(|verdict| !verdict.met);
    assert!(missed.count() > 8);
    let tags = tags(&text);
    let on_top = |kind: &str| {
        let is_it = |tag: &&Tag| tag.name == "b" && tag.text.trim().starts_with(kind);
        let is_listed = |tag: &&Tag| tag.inside.iter().any(|name| name == "li");
        tags.iter().filter(is_listed).any(|tag| is_it(&tag))
    };
    for kind in ["start-up", "bus load", "CPU load", "latency"] {
        assert!(on_top(kind), "{kind}");
    }
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
