//! `waywarden papers`: options that have no use or no answer are refused, with a remedy.

use crate::support::{json, rows, waywarden};

const KEYS: [&str; 5] = ["ecqv-cits", "gke", "lasan", "vulcan", "wave-sec"];

/// Standard error of a command that refuses its arguments and prints nothing else.
fn refused(arguments: &[&str]) -> String {
    let mut command = waywarden();
    let output = command.arg("papers").args(arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    error
}

fn assert_refused(arguments: &[&str], parts: &[&str]) {
    let error = refused(arguments);
    for part in parts {
        assert!(
            error.contains(part),
            "{arguments:?}: no `{part}` in {error}"
        );
    }
    // No name of Rust's.
    for debug in ["{ ", "Some(", "::", "Error"] {
        assert!(!error.contains(debug), "{error}");
    }
}

#[test]
fn boards_without_an_answer_are_named_with_a_remedy() {
    for (key, such_as) in [
        ("ecqv-cits", "such as m4"),
        ("gke", "such as m4"),
        ("vulcan", "such as sancus"),
        ("wave-sec", "such as m4"),
    ] {
        let start = format!("error: papers {key}: --board ideal: ");
        assert_refused(
            &[key, "--board", "ideal"],
            &[&start, "takes no time there", such_as],
        );
    }
    // Without computation the authentications of this paper still take the bus.
    let mut command = waywarden();
    command.args(["papers", "lasan", "--board", "ideal", "--no-simulation"]);
    command.assert().success();
    assert_refused(
        &["vulcan", "--board", "tc297"],
        &[
            "error: papers vulcan: --board tc297: board `tc297` has no figure for tag",
            "[[figure]]",
            "or give a board that has one: sancus",
        ],
    );
    // Too slow for the simulation alone, which is told with the run.
    assert_refused(
        &["gke", "--board", "sancus"],
        &[
            "error: papers gke: --board sancus: main scheme, ",
            "P-256, CAN FD: some ECUs still lack the group key after 120 s of simulated time",
            "give a quicker board, or --no-simulation for the formulas alone",
        ],
    );
    let mut command = waywarden();
    command.args(["papers", "gke", "--board", "sancus", "--no-simulation"]);
    command.assert().success();
}

#[test]
fn bit_rates_without_an_answer_are_named_with_a_remedy() {
    for key in ["gke", "lasan", "vulcan"] {
        for rate in ["1", "1k", "4999", "1.1M", "10M", "4294967295"] {
            assert_refused(
                &[key, "--bitrate", rate],
                &[
                    "--bitrate",
                    "CAN has bit rates of 5k to 1M; give one of these",
                ],
            );
        }
    }
    for key in ["gke", "lasan"] {
        for rate in ["1", "1k", "9M", "4294967295"] {
            assert_refused(
                &[key, "--data-bitrate", rate],
                &[
                    "--data-bitrate",
                    "CAN has bit rates of 5k to 8M; give one of these",
                ],
            );
        }
        assert_refused(
            &[key, "--data-bitrate", "250k"],
            &[
                "--data-bitrate 250k is below the nominal bit rate of",
                "250k",
            ],
        );
    }
    assert_refused(
        &["lasan", "--data-bitrate", "600k", "--bitrate", "1M"],
        &["--data-bitrate 600k", "of 1M", "--bitrate of at most 600k"],
    );
    for key in ["vulcan", "ecqv-cits", "wave-sec"] {
        assert_refused(
            &[key, "--data-bitrate", "2M"],
            &["--data-bitrate changes nothing here", "leave it out"],
        );
    }
    assert_refused(
        &["ecqv-cits", "--bitrate", "1k"],
        &[
            "--bitrate 1k: the channel",
            "whole Mbit/s, such as 6M or 12M",
        ],
    );
    assert_refused(&["wave-sec", "--bitrate", "1M"], &["--bitrate changes"]);
    for option in ["--bitrate", "--data-bitrate"] {
        for rate in ["0", "-5", "x", "", "4294967296", "1e3", "NaN"] {
            assert_refused(&["gke", option, rate], &[option, "such as 500k"]);
        }
    }
    // The least rate that CAN has is too slow for some runs, which are named.
    assert_refused(
        &["vulcan", "--bitrate", "5k"],
        &[
            "error: papers vulcan: --bitrate 5k: hardened in vatiCAN's frames, Sancus unit: ",
            "of 136 pings were answered in 120 s of simulated time",
            "give a higher --bitrate, or --no-simulation for the formulas alone",
        ],
    );
    assert_refused(
        &["gke", "--bitrate", "5k"],
        &[
            "error: papers gke: --bitrate 5k: ",
            "after 120 s of simulated time",
            "give a higher --bitrate, or --no-simulation for the formulas alone",
        ],
    );
}

#[test]
fn standard_output_has_one_document() {
    for key in KEYS {
        for form in ["json", "csv"] {
            for out in ["-", "/dev/stdout"] {
                let arguments = [key, "--no-simulation", "--format", form, "--html", out];
                let both = format!("--format {form} and --html {out} are both");
                assert_refused(&arguments, &[&both, "name of a file", "leave out --format"]);
            }
        }
        let mut command = waywarden();
        command.args(["papers", key, "--no-simulation", "--html", "-"]);
        let output = command.output().unwrap();
        let page = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0));
        let is_page = page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>");
        assert!(is_page, "{key}");
    }
}

#[test]
fn options_without_use_are_refused() {
    assert_refused(
        &["ecqv-cits", "--host", "--messages", "20"],
        &[
            "--messages 20 is for the messages that --host measures in wave-sec",
            "leave",
        ],
    );
    assert_refused(
        &["ecqv-cits", "--host", "--real-time"],
        &[
            "--real-time is for the messages that --host measures in wave-sec",
            "leave",
        ],
    );
    for key in ["gke", "lasan", "vulcan"] {
        assert_refused(
            &[key, "--host"],
            &["--host is for ecqv-cits", key, "leave it out"],
        );
    }
    for key in ["gke", "lasan", "vulcan", "wave-sec"] {
        assert_refused(
            &[key, "--traffic", "runs"],
            &[
                "--traffic is for ecqv-cits",
                key,
                "leave out --traffic runs",
            ],
        );
    }
    assert_refused(
        &["wave-sec", "--host", "--messages", "-5"],
        &["'-5'", "--messages"],
    );
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    // Each option of a measurement beside each that leaves none.
    let cell = "Table IV, ECDH share, TC297";
    for option in [
        &["--messages", "20"][..],
        &["--real-time"],
        &["--host"],
        &["--no-simulation"],
        &["--traffic", "runs"],
        &["--board", "m4"],
        &["--bitrate", "250k"],
        &["--data-bitrate", "5M"],
        &["--cell", cell],
        &["--html", "page.html"],
    ] {
        let arguments = [&["gke", "--show-run", cell][..], option].concat();
        assert_refused(
            &arguments,
            &["--show-run", option[0], "cannot be used with"],
        );
        let arguments = [option, &["gke", "--show-run", cell][..]].concat();
        assert_refused(
            &arguments,
            &["--show-run", option[0], "cannot be used with"],
        );
    }
    assert_refused(
        &["gke", "--show-run", cell, "--format", "csv"],
        &["--format csv"],
    );
    for option in [&["--messages", "20"][..], &["--real-time"], &["--host"]] {
        let arguments = [&["wave-sec", "--no-simulation"][..], option].concat();
        assert_refused(
            &arguments,
            &["--no-simulation", option[0], "cannot be used with"],
        );
    }
    for option in [&["--messages", "20"][..], &["--real-time"]] {
        let arguments = [&["wave-sec"][..], option].concat();
        assert_refused(&arguments, &["--host", "required"]);
    }
    // Nothing but the form is for the list of papers.
    for option in [
        &["--no-simulation"][..],
        &["--host"],
        &["--host", "--messages", "20"],
        &["--host", "--real-time"],
        &["--traffic", "runs"],
        &["--board", "m4"],
        &["--bitrate", "250k"],
        &["--data-bitrate", "5M"],
        &["--cell", cell],
        &["--show-run", cell],
        &["--html", "page.html"],
    ] {
        assert_refused(option, &["required", "KEY"]);
    }
}

#[test]
fn a_name_of_more_than_one_cell_is_listed_and_none_is_taken() {
    let name = "Sancus unit, vatiCAN, one MAC";
    let both = [
        "MAC Computation, Sancus unit, vatiCAN, one MAC (cycles)",
        "MAC Computation, Sancus unit, vatiCAN, one MAC (ms)",
    ];
    for name in [name, &format!("MAC Computation, {name}")] {
        assert_refused(
            &["vulcan", "--show-run", name],
            &[
                "2 cells of vulcan have",
                name,
                "place and its unit",
                both[0],
                both[1],
            ],
        );
    }
    for (name, unit) in [(both[0], "cycles"), (both[1], "ms")] {
        let mut command = waywarden();
        command.args(["papers", "vulcan", "--show-run", name, "--format", "json"]);
        assert_eq!(json(&mut command)["cell"]["unit"], unit);
        let mut command = waywarden();
        command.args(["papers", "vulcan", "--no-simulation", "--format", "json"]);
        let cells = rows(command.args(["--cell", name]));
        assert_eq!(cells.as_array().unwrap().len(), 1, "{cells}");
    }
    assert_refused(
        &["gke", "--show-run", "ECDH share"],
        &[
            "8 cells of gke",
            "\n  Table IV, ECDH share, TC297 (ms)",
            "\n  Table V, ECDH share",
        ],
    );
    let error = refused(&["ecqv-cits", "--show-run", "Receiver"]);
    assert!(
        error.contains("\n  and ") && error.lines().count() == 22,
        "{error}"
    );
    // The cell of a run alone has the formula's beside it, by its unit, too.
    for name in [
        "main scheme, 32 TC297, CAN FD, all, simulated (s)",
        "main scheme, 32 TC297, CAN FD, all (s)",
    ] {
        let mut command = waywarden();
        command.args(["papers", "gke", "--show-run", name, "--format", "json"]);
        assert_eq!(
            json(&mut command)["cell"]["cell"],
            "main scheme, 32 TC297, CAN FD, all"
        );
    }
    // No cell of these is simulated beside one that is not.
    assert_refused(
        &[
            "lasan",
            "--show-run",
            "pre-quantum, amortised, computation, simulated",
        ],
        &["no cell of lasan"],
    );
}

#[test]
fn names_with_place_and_unit_are_of_one_cell_and_empty_ones_of_none() {
    for key in KEYS {
        let mut command = waywarden();
        command.args(["papers", key, "--no-simulation", "--format", "json"]);
        let cells = rows(&mut command);
        let names = cells.as_array().unwrap().iter();
        let mut names: Vec<String> = names
            .map(|cell| {
                let [place, cell, unit] =
                    ["place", "cell", "unit"].map(|field| cell[field].as_str().unwrap());
                format!("{place}, {cell} ({unit})")
            })
            .collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{key}");
    }
    for key in KEYS {
        for option in ["--cell", "--show-run"] {
            for empty in ["", "  ", "\t"] {
                assert_refused(&[key, option, empty], &["empty name", key, "lists them"]);
            }
        }
    }
}

#[test]
fn what_is_empty_is_left_out() {
    let mut command = waywarden();
    command.args(["papers", "gke", "--no-simulation"]);
    let text = |command: &mut assert_cmd::Command| {
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(text(&mut command).contains("\nWhat was found out:\n\n"));
    let text = text(command.args(["--cell", "Table IV, ECDH share, TC297"]));
    assert!(
        text.contains("ECDH share") && !text.contains("found out"),
        "{text}"
    );
    assert!(text.ends_with("┘\n"), "{text}");
    // Rows and columns alone: one table and the verdicts, units beside the names.
    let name = "fourq, as-published, certificates: CAN amortised";
    let mut command = waywarden();
    command.args(["papers", "lasan", "--no-simulation", "--cell", name]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches('└').count(), 2, "{text}");
    assert!(
        !text.contains("\n\n\n") && !text.contains("found out"),
        "{text}"
    );
    assert!(text.contains("(frames)") && text.contains("(ms)"), "{text}");
}
