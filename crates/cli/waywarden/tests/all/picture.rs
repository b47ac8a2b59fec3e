//! The pictures of README.md and docs/report.md: the top and a plot of the page of `waywarden run`.
//!
//! A browser makes docs/report.png of the page that README.md names, in 64 colours:
//! `chromium --headless --hide-scrollbars --window-size=1100,643 --screenshot=report.png car.html`.

use std::collections::BTreeMap;
use std::fs;

use crate::support::{waywarden, workspace};

const PICTURE: &str = "docs/report.svg";
const WIDTH: usize = 760;

/// Returns what stands between two marks.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(begin).expect(begin);
    rest.split_once(end).expect(end).0
}

/// Returns the rules of the page that plots need, with the colours of the light theme in place:
/// not every viewer of pictures knows variables.
fn style(page: &str) -> String {
    let sheet = between(page, "<style>", "</style>");
    let mut colours = BTreeMap::new();
    for item in between(sheet, ":root {", "}").split(';') {
        if let Some((name, value)) = item.trim().split_once(": ") {
            colours.insert(format!("var({name})"), value.to_owned());
        }
    }
    let is_needed = |rule: &&str| rule.starts_with(".plot") || rule.contains("forged-");
    let rules = sheet.lines().filter(is_needed);
    let mut style: String = rules.map(|rule| format!("{rule}\n")).collect();
    for (name, value) in colours {
        style = style.replace(&name, &value);
    }
    style
}

/// Makes a picture that stands alone of the plot with this title.
fn picture(page: &str, title: &str) -> String {
    let at = page.find(title).expect(title);
    let begin = page[..at].rfind("<svg class=\"plot\"").unwrap();
    let end = begin + page[begin..].find("</svg>\n</div>").unwrap();
    let height: usize = between(&page[begin..], "height=\"", "\"").parse().unwrap();
    let plot = page[begin..end].replacen("width=\"100%\"", "x=\"52\" y=\"24\" width=\"696\"", 1);
    let names = bands(&plot);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {whole}\" \
         width=\"{WIDTH}\" height=\"{whole}\" font-family=\"sans-serif\">\n<style>\n{style}\
         .plot {{ overflow: visible; font-size: 11px; }}\n</style>\n\
         <defs>{patterns}</defs>\n\
         <rect width=\"{WIDTH}\" height=\"{whole}\" fill=\"#ffffff\" />\n\
         <text x=\"8\" y=\"16\" font-size=\"13\" fill=\"#1c2227\">{title}</text>\n{plot}</svg>\n\
         <text x=\"52\" y=\"{below}\" font-size=\"12\" fill=\"#5a656e\">{names}</text>\n</svg>\n",
        whole = height + 52,
        below = height + 42,
        style = style(page),
        patterns = between(page, "<defs>", "</defs>"),
        names = names.join(", ")
    )
}

/// Returns the numbers and names of what acts on the bus; curves may move with the model of a bus.
fn bands(picture: &str) -> Vec<&str> {
    let bands = picture
        .lines()
        .filter(|line| line.contains("class=\"band\""));
    bands
        .map(|band| between(band, "<title>", "</title>"))
        .collect()
}

#[test]
fn the_pictures_are_what_the_tool_draws() {
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("report.html");
    let mut run = waywarden();
    run.args(["run", "examples/compact-car-secoc.toml", "--html"]);
    run.arg(&html).assert().code(1);
    let page = fs::read_to_string(html).unwrap();
    let drawn = picture(&page, "Load of bus body over time");
    // A browser made the picture of the README: its caption says what the page says.
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let decision = between(&page, "</span> Missed: ", " are met.");
    let met = decision.rsplit(' ').next().unwrap();
    let all = between(decision, " of ", " requirements");
    let decision = format!("{met} of {all}");
    assert!(
        readme.contains("(docs/report.png)") && readme.contains(&decision),
        "{decision}"
    );
    let picture = fs::metadata(workspace().join("docs/report.png")).unwrap();
    assert!(picture.len() < 150_000, "{} bytes", picture.len());
    let path = workspace().join(PICTURE);
    if std::env::var_os("WAYWARDEN_DRAW").is_some() {
        fs::write(&path, &drawn).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap();
    let hint = "WAYWARDEN_DRAW=1 draws docs/report.svg again";
    assert_eq!(bands(&kept), bands(&drawn), "{hint}");
    assert!(!kept.contains("var("), "a colour is missing");
    let about = fs::read_to_string(workspace().join("docs/report.md")).unwrap();
    assert!(about.contains("(report.svg)"));
}
