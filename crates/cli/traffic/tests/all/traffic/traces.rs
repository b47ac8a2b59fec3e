//! Traces of vehicles: formats, origins, and what is refused.

use std::fs;
use std::path::Path;

use super::policies::share;
use super::{figures, trace};
use crate::support::waywarden;

#[test]
fn traces_that_make_no_sense_are_refused_with_line_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let head = "timestep_time;vehicle_id;vehicle_x;vehicle_y\n";
    for (text, more, said) in [
        (String::new(), &[][..], "line 1: neither GPX"),
        (
            format!("{head}0;a;1;2\n60;a;1;2\n"),
            &[],
            "line 3: 60 s after",
        ),
        (
            format!("{head}0;a;1;2\n0;b;x;2\n"),
            &[],
            "line 3: vehicle_x=\"x\"",
        ),
        (format!("{head}0;a;5000;2\n"), &["--geo"], "leave out --geo"),
        (
            format!("{head}0;a;1;2\n0;a;1;2\n"),
            &[],
            "line 3: vehicle \"a\" stands twice",
        ),
        (
            format!("{head}0;a;1e9;2\n"),
            &[],
            "at most 100000000 metres",
        ),
        (
            format!("{head}0;a;1;2\n"),
            &["--board", "A53"],
            "built-in board; there are",
        ),
        (
            format!("{head}0;a;1;2\n"),
            &["--board", "a53", "--board", "a53"],
            "--board a53: given twice",
        ),
        (head.to_owned(), &[], "no time step"),
        (format!("{head}0;a;1;2\n"), &["--bytes", "39"], "--bytes"),
        (
            format!("{head}0;a;1;2\n"),
            &["--power", "NaN"],
            "0.001 to 2000",
        ),
    ] {
        let path = folder.path().join("broken.csv");
        fs::write(&path, &text).unwrap();
        let mut command = waywarden();
        let output = command
            .args(["traffic", "run"])
            .arg(&path)
            .args(more)
            .output();
        let output = output.unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}: {errors}");
        assert!(errors.contains(said), "{text}: {errors}");
    }
}

#[test]
fn floating_car_data_are_read_from_parquet_too() {
    let path = Path::new("examples/traffic/grid.parquet");
    let found = figures(path, &["--rate", "5"]);
    // A vehicle a second departs, and all of them hear each other.
    assert_eq!(found["vehicles"], 12);
    let (sent, received) = (&found["messages_sent"], &found["messages_received"]);
    assert!(sent.as_u64().unwrap() > 300, "{found}");
    assert!(
        received.as_u64().unwrap() > 5 * sent.as_u64().unwrap(),
        "{found}"
    );
}

#[test]
fn shares_do_not_depend_on_where_the_origin_of_a_network_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 20, 40);
    let moved = folder.path().join("moved.csv");
    let text = fs::read_to_string(&path).unwrap();
    let rows = text.lines().enumerate().map(|(at, line)| {
        let mut cells: Vec<String> = line.split(';').map(str::to_owned).collect();
        if at > 0 {
            // As in UTM.
            cells[2] = (690_000.0 + cells[2].parse::<f64>().unwrap()).to_string();
            cells[3] = (4_950_000.0 + cells[3].parse::<f64>().unwrap()).to_string();
        }
        cells.join(";") + "\n"
    });
    fs::write(&moved, rows.collect::<String>()).unwrap();
    let options = [
        "--board",
        "arm11",
        "--policy",
        "circle:150m,exclusive",
        "--policy",
        "safety",
    ];
    let found = figures(&path, &options);
    assert_eq!(
        figures(&moved, &options)["verified_in_time"],
        found["verified_in_time"]
    );
    assert!(
        share(&found, "arm11", "circle:150m,exclusive") < 0.9,
        "{found}"
    );
}
