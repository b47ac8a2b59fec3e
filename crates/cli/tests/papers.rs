//! `waywarden papers`: the list, the cells in each form, the page, an unknown key.

mod support;

use std::fs;

use support::{json, waywarden};

#[test]
fn papers_are_listed() {
    let known = json(waywarden().args(["papers", "--format", "json"]));
    assert_eq!(known[0]["key"], "gke");
    let output = waywarden().arg("papers").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("gke"));
}

#[test]
fn cells_have_the_fields_that_programs_expect() {
    let cells = json(waywarden().args(["papers", "GKE", "--format", "json"]));
    let cells = cells.as_array().unwrap();
    assert!(cells.len() > 200);
    let fields = [
        "place", "cell", "unit", "paper", "formula", "measured", "verdict", "why",
    ];
    for cell in cells {
        assert_eq!(cell.as_object().unwrap().len(), fields.len());
        assert!(
            fields.iter().all(|field| cell.get(field).is_some()),
            "{cell}"
        );
        let differs = cell["verdict"] == "differs";
        assert!(
            !differs || cell["why"].as_str().unwrap().len() > 20,
            "{cell}"
        );
    }
    let named = |part: &str| {
        let mut all = cells.iter();
        all.find(|cell| cell["cell"].as_str().unwrap().contains(part))
            .unwrap_or_else(|| panic!("{part}"))
    };
    let frames = named("frames of the main scheme, CAN FD, n = 32");
    assert_eq!(frames["measured"], 315.0);
    let group = named("main scheme, 32 TC297, CAN FD, all");
    let why = group["why"].as_str().unwrap();
    assert!(why.contains("; measured 1.022 s where"), "{why}");
    assert!(why.contains("nobody waited for") && !why.contains("nothing accounts for"));
    let measured = cells.iter().filter(|cell| !cell["measured"].is_null());
    assert!(measured.count() > 60);
    let csv = waywarden()
        .args(["papers", "gke", "--format", "csv"])
        .output();
    let csv = String::from_utf8(csv.unwrap().stdout).unwrap();
    assert_eq!(csv.lines().next().unwrap(), fields.join(","));
    assert_eq!(csv.lines().count(), cells.len() + 1);
}

#[test]
fn the_formulas_alone_are_to_be_had() {
    let command = ["papers", "gke", "--no-simulation", "--format", "json"];
    let cells = json(waywarden().args(command));
    let mut cells = cells.as_array().unwrap().iter();
    assert!(cells.all(|cell| cell["measured"].is_null()));
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gke.html");
    let mut command = waywarden();
    command.args(["papers", "gke", "--html"]).arg(&path);
    command.assert().success();
    let page = fs::read_to_string(&path).unwrap();
    assert_eq!(page.matches("<svg").count(), 9);
    assert!(page.matches("<circle").count() >= 60);
    let outside = ["src=", "<script", "@import", "url("];
    assert!(outside.iter().all(|outside| !page.contains(outside)));
}

#[test]
fn an_unknown_key_is_answered_with_the_known_ones() {
    let output = waywarden().args(["papers", "nonsense"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("`nonsense`") && error.contains("gke"),
        "{error}"
    );
}
