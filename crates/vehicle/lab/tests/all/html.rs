//! The HTML report: well-formed, self-contained, safe against names that are markup, and with
//! everything in its plots that was in the run.

mod attack_matrix;
mod attackers;
mod page;
mod plots;
mod start_up;
mod summary;

use std::collections::BTreeMap;

use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::run::RunOutcome;
use waywarden_vehicle_page::recorder::RunRecorder;
use waywarden_vehicle_page::{PageInput, page};
use waywarden_vehicle_report::report::Report;

use crate::under_fire::{lowered, outcome, parse};

/// A tag of the page and its attributes.
pub(crate) struct Tag {
    pub(crate) name: String,
    attributes: BTreeMap<String, String>,
    /// The names of the elements it is in.
    pub(crate) inside: Vec<String>,
    /// The text up to the next tag.
    pub(crate) text: String,
}

impl Tag {
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    pub(crate) fn has_class(&self, class: &str) -> bool {
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

fn run(text: &str) -> (VehicleFile, Report, RunOutcome, String) {
    let file = parse(text);
    let lowered = lowered(&file);
    let mut recorder = RunRecorder::new(&file, &lowered.config, lowered.prose.clone());
    let outcome = outcome(lowered, &mut recorder);
    let report = Report::new(&file, file.seed, &outcome);
    let recording = recorder.finish();
    let source = PageInput {
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
pub(crate) fn tags(page: &str) -> Vec<Tag> {
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
