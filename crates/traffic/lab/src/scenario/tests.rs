//! Scenario files: what is read, what is refused, and whether their schema says so.

mod schema;

use super::*;

const TEXT: &str = r#"
name = "Crossing"
roads = { nodes = "a.nod.xml", edges = "a.edg.xml" }
[traffic]
duration_s = 300
between = "ends"
vehicles = { rush = 300, normal = 100 }
"#;

/// Text in the file, its replacement, and a part of the error.
const FAULTS: [(&str, &str, &str); 23] = [
    ("300\n", "0\n", "duration_s = 0: give 1 to"),
    ("300\n", "86401\n", "duration_s = 86401: give 1 to"),
    ("300\n", "300\ngroup = 0\n", "group = 0: give 1 to 1000"),
    ("{ rush = 300, normal = 100 }", "{}", "name a level"),
    ("rush = 300", "rush = 0", "give 1 to"),
    ("rush = 300", "rush = 1000001", "give 1 to"),
    (
        "rush = 300",
        "\"../rush\" = 1",
        "level \"../rush\": give a name",
    ),
    ("rush = 300", "\"\" = 1", "level \"\": give a name"),
    (
        "rush = 300",
        "rush = \"many\"",
        "line 7: invalid type: string \"many\"",
    ),
    (
        "[traffic]",
        "within_m = 9\n[traffic]",
        "within_m = 9: give 10 to",
    ),
    (
        "[traffic]",
        "within_m = nan\n[traffic]",
        "within_m = NaN: give 10 to",
    ),
    (
        "[traffic]",
        "radio = { antenna_dbi = [0, -40.5] }\n[traffic]",
        "antenna_dbi: -40.5: give",
    ),
    (
        "[traffic]",
        "radio = { antenna_dbi = [40.5] }\n[traffic]",
        "antenna_dbi: 40.5: give",
    ),
    (
        "[traffic]",
        "radio = []\n[traffic]",
        "radio: expected one table [radio]",
    ),
    ("[traffic]", "[[traffic]]", "traffic: expected one table"),
    ("\"ends\"", "\"here\"", "unknown variant `here`"),
    ("name =", "nam =", "unknown field `nam`"),
    ("nodes =", "node =", "line 3: unknown field `node`"),
    ("nodes =", "network =", "line 3: roads: give network"),
    (", edges = \"a.edg.xml\"", "", "line 3: roads: give network"),
    ("edges =", "network = \"n\", edges =", "roads: give network"),
    ("between = \"ends\"\n", "", "missing field `between`"),
    (
        "duration_s = 300",
        "duration_s = -1",
        "line 5: invalid value",
    ),
];

#[test]
fn a_scenario_is_read() {
    let scenario = Scenario::parse(TEXT).unwrap();
    assert_eq!(scenario.vehicles("normal"), Ok(100));
    let error = scenario.vehicles("night").unwrap_err();
    assert_eq!(error, "no level \"night\"; there are normal, rush");
    assert_eq!(scenario.traffic.between, Between::Ends);
}

#[test]
fn faults_say_what_would_be_right() {
    for (from, to, expected) in FAULTS {
        let text = TEXT.replacen(from, to, 1);
        let error = Scenario::parse(&text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
