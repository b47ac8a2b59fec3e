//! `waywarden papers`: the list, the cells in each form, the page, an unknown key.

use std::fs;

use crate::support::{rows, tables, waywarden};

#[test]
fn papers_are_listed() {
    let known = rows(waywarden().args(["papers", "--format", "json"]));
    let keys = known.as_array().unwrap().iter();
    let keys: Vec<&str> = keys.map(|one| one["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["ecqv-cits", "gke", "lasan", "vulcan", "wave-sec"]);
    let output = waywarden().arg("papers").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("gke"));
}

#[test]
fn cells_have_the_fields_that_programs_expect() {
    let cells = rows(waywarden().args(["papers", "GKE", "--format", "json"]));
    let cells = cells.as_array().unwrap();
    assert!(cells.len() > 200);
    let fields = [
        "place", "cell", "unit", "paper", "formula", "measured", "verdict", "class", "why",
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
    for cell in cells.iter().filter(|cell| cell["verdict"] == "agrees") {
        let class = cell["class"].as_str().unwrap();
        assert!(["derived", "measured"].contains(&class), "{cell}");
    }
    let share = named("ECDH share, TC224");
    assert_eq!(
        (&share["class"], &share["verdict"]),
        (&"input".into(), &"not-tested".into())
    );
    // 60.2455 ms measured, 60.239 by formula, 60.24 printed: a verdict each.
    let pair = named("two TC224, FourQ, CAN FD");
    assert_eq!(
        (&pair["class"], &pair["verdict"]),
        (&"fitted".into(), &"not-tested".into())
    );
    let pair = named("two TC224, FourQ, CAN FD, simulated");
    assert_eq!(
        (&pair["class"], &pair["verdict"]),
        (&"fitted".into(), &"rounding".into())
    );
    for cell in cells.iter().filter(|cell| !cell["paper"].is_null()) {
        let both = !cell["formula"].is_null() && !cell["measured"].is_null();
        assert!(!both, "one verdict for two questions: {cell}");
    }
    let frames = named("frames of the main scheme, CAN FD, n = 32 (10 n), simulated");
    assert_eq!(frames["measured"], 315.0);
    let group = named("main scheme, 32 TC297, CAN FD, all, simulated");
    let why = group["why"].as_str().unwrap();
    assert!(why.starts_with("measured 1.022 s where"), "{why}");
    assert!(why.contains("no ECU waited for") && !why.contains("nothing accounts for"));
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
fn verdicts_are_counted_by_class() {
    let command = ["papers", "gke", "--no-simulation"];
    let cells = rows(waywarden().args(command).args(["--format", "json"]));
    let cells = cells.as_array().unwrap();
    let agreed = |class: &str| {
        let both =
            |cell: &&serde_json::Value| cell["verdict"] == "agrees" && cell["class"] == class;
        cells.iter().filter(both).count().to_string()
    };
    let output = waywarden().args(command).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for class in ["input", "fitted", "derived", "measured"] {
        let rows = text
            .lines()
            .map(|line| line.split(['│', '┆']).map(str::trim));
        let mut rows = rows.map(Iterator::collect::<Vec<_>>);
        let row = rows.find(|row| row.get(1) == Some(&class));
        let row = row.unwrap_or_else(|| panic!("no {class} in:\n{text}"));
        assert_eq!(row[2], agreed(class), "{class}");
    }
}

#[test]
fn the_formulas_alone_are_to_be_had() {
    let command = ["papers", "gke", "--no-simulation", "--format", "json"];
    let cells = rows(waywarden().args(command));
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
fn authentication_is_measured_and_reported_as_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lasan.html");
    let mut command = waywarden();
    command.args(["papers", "lasan", "--html"]).arg(&path);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let tables = tables(&text);
    let row = |start: &str, parts: &[&str]| {
        // Columns fold: a row goes on in the next table.
        let mut rows = tables.iter().flatten();
        let with_name = rows
            .by_ref()
            .filter(|row| row.iter().any(|cell| cell.contains(start)));
        let cells: Vec<&str> = with_name.flatten().map(String::as_str).collect();
        let found = parts.iter().all(|part| cells.contains(part));
        assert!(found, "{start} {parts:?} not in {cells:?} of:\n{text}");
    };
    row("pre-quantum, total", &["492", "442", "differs"]);
    row("post-quantum, total", &["20528", "15645", "-"]);
    row(
        "post-quantum, amortised, communication",
        &["0.4315", "agrees"],
    );
    // Measured, and by formula alone where nothing is implemented.
    row(
        "ml-kem-512+fn-dsa-512, compact, keys",
        &["1482", "1606", "3088"],
    );
    row(
        "kyber-768-round-1+dilithium-round-1",
        &["[6892]", "[15645]"],
    );
    row(
        "x25519-ml-kem-768+ml-dsa-65, compact, keys, CAN FD, over that",
        &["1.546"],
    );
    assert!(text.contains("  7980 = 1 x 4185 certificate + 1 x 2707 start-up message + 1 x"));
    row(
        "post-quantum, amortised, bytes, with one offer",
        &["7980", "hypothesis", "fitted"],
    );
    assert!(!text.contains("nothing accounts for"));
    let page = fs::read_to_string(&path).unwrap();
    assert_eq!(page.matches("<svg").count(), 7);
    assert!(!page.contains("<script") && page.contains(">3088<"));
}

#[test]
fn what_is_remembered_is_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vulcan.html");
    let mut command = waywarden();
    command.args(["papers", "vulcan", "--html"]).arg(&path);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("from memory, not seen"), "{text}");
    assert!(text.contains("47600 cycles at 16 MHz are 2.975 ms, not as printed"));
    let tables = tables(&text);
    let mut cells = tables.iter().flatten().flatten();
    let mut has = |words: &str| cells.any(|cell| cell.contains(words));
    assert!(has("processors (ms)") && has("hardened in LeiA's frames"));
    assert!(!text.contains("nothing accounts for"));
    let page = fs::read_to_string(&path).unwrap();
    assert_eq!(page.matches("<svg").count(), 3);
    let cells = rows(waywarden().args(["papers", "vulcan", "--format", "json"]));
    let of = |unit: &str, paper: f64| {
        let mut all = cells.as_array().unwrap().iter();
        let found = all.find(|cell| cell["unit"] == unit && cell["paper"] == paper);
        found.unwrap_or_else(|| panic!("{paper} {unit}"))
    };
    let unit = of("cycles", 4222.0);
    assert_eq!(
        (&unit["formula"], &unit["verdict"]),
        (&4222.0.into(), &"not-tested".into())
    );
    assert_eq!(
        (&unit["measured"], &unit["class"]),
        (&4222.0.into(), &"input".into())
    );
    assert_eq!(of("cycles", 4049.0)["verdict"], "not-tested");
    assert_eq!(of("cycles", 15_570.0)["verdict"], "from-memory");
    assert_eq!(of("%", 534.0)["verdict"], "rounding");
}

#[test]
fn this_host_stands_beside_the_boards_of_ecqv_cits() {
    let without = rows(waywarden().args(["papers", "ecqv-cits", "--format", "json"]));
    let without = without.as_array().unwrap().clone();
    let is_host = |cell: &serde_json::Value| cell["cell"].as_str().unwrap().contains("this host");
    assert!(!without.iter().any(is_host));
    let differs = |cell: &&serde_json::Value| cell["verdict"] == "differs";
    let mut differing = without.iter().filter(differs);
    let algorithms: Vec<_> = differing.by_ref().take(2).collect();
    assert!(algorithms.iter().all(|cell| cell["place"] == "§III-B"));
    assert_eq!(differing.next().unwrap()["cell"], "20 ms, x86_64, Receiver");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ecqv-cits.html");
    let mut command = waywarden();
    let command = command.args(["papers", "ecqv-cits", "--host", "--html"]);
    let with = rows(command.arg(&path).args(["--format", "json"]));
    let own: Vec<_> = with
        .as_array()
        .unwrap()
        .iter()
        .filter(|cell| is_host(cell))
        .collect();
    // 48 beside the boards, three ways to verify, and 17 rows of Tables VII to XIV by 8 columns,
    // for messages one by one and of many that wait.
    assert_eq!(own.len(), 48 + 3 + 17 * 8 * 2);
    for cell in own {
        assert_eq!(cell["class"], "measured", "{cell}");
        assert!(cell["measured"].as_f64().is_some(), "{cell}");
    }
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.contains(">this host</text>") && page.contains("CRTReception"));
    assert_eq!(page.matches("<svg").count(), 2);
}

#[test]
fn this_host_signs_and_verifies_cams_as_wave_sec_does() {
    let options = ["papers", "wave-sec", "--host", "--messages", "20"];
    let cells = rows(waywarden().args(options).args(["--format", "json"]));
    let cells = cells.as_array().unwrap();
    let own: Vec<_> = cells
        .iter()
        .filter(|cell| cell["place"].as_str().unwrap().contains("on this host"))
        .collect();
    // Three operations by three paths and two lengths, of which ECDSA alone knows no new station;
    // their parts; eight payloads; three forms of certificates; six fields of two messages.
    assert_eq!(own.len(), 16 + 10 + 6 * 5 + 8 * 7 + 3 * 2 + 6 * 2);
    let number = |place: &str, name: &str| {
        let mut all = own.iter();
        let is_it = |cell: &serde_json::Value| {
            cell["place"].as_str().unwrap().starts_with(place) && cell["cell"] == name
        };
        let found = all
            .find(|&&cell| is_it(cell))
            .unwrap_or_else(|| panic!("{place}: {name}"));
        found["measured"].as_f64().unwrap()
    };
    let given = ["X.509: length", "payload (CAM): with the"];
    for cell in &own {
        let name = cell["cell"].as_str().unwrap();
        let is_given = given.iter().any(|given| name.starts_with(given));
        let class = if is_given { "input" } else { "measured" };
        assert_eq!(cell["class"], class, "{cell}");
        // A difference of two medians may be too small to resolve, and is never below zero; and
        // nothing is read of what is known.
        let is_part = cell["place"].as_str().unwrap().contains("made of");
        let measured = cell["measured"].as_f64().unwrap();
        assert!(measured > 0.0 || is_part && measured == 0.0, "{cell}");
    }
    assert_eq!(number("§3.2", "X.509: length"), 956.0);
    let explicit = number("§3.2", "1609.2, explicit: length");
    assert!((100.0..200.0).contains(&explicit), "{explicit}");
    assert!(number("§3.2", "1609.2, implicit: length") < explicit - 60.0);
    // The signer is the certificate with a tag and a count, or a tag and eight bytes.
    assert_eq!(
        number("Figure 3", "signer: with the certificate"),
        explicit + 3.0
    );
    assert_eq!(number("Figure 3", "signer: with the digest"), 9.0);
    assert_eq!(number("Figure 3", "payload (CAM): with the digest"), 53.0);
    for wrong in ["9", "1000001", "x"] {
        let output = waywarden()
            .args(["papers", "wave-sec", "--host", "--messages", wrong])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn page_of_wave_sec_is_made_of_ten_messages_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let options = [
        "papers",
        "wave-sec",
        "--host",
        "--messages",
        "10",
        "--real-time",
    ];
    let begun = std::time::Instant::now();
    waywarden()
        .args(options)
        .arg("--html")
        .arg(&page)
        .assert()
        .success();
    assert!(begun.elapsed() >= std::time::Duration::from_millis(900));
    let page = fs::read_to_string(page).unwrap();
    for figure in ["Figure 1", "Figure 4", "Figure 6", "Table 2"] {
        assert!(page.contains(&format!("<b>{figure}</b>")), "{figure}");
    }
}

#[test]
fn this_host_is_measured_for_two_papers_only() {
    let output = waywarden()
        .args(["papers", "gke", "--host"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("--host is for ecqv-cits"), "{error}");
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
