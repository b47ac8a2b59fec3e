//! `waywarden boards`: the list, the figures of one board, a board file, an unknown name.

use std::fs;

use serde_json::Value;

use crate::support::{rows, waywarden};

#[test]
fn boards_are_listed_with_their_security_modules() {
    let boards = rows(waywarden().args(["boards", "--format", "json"]));
    let with_module = boards.as_array().unwrap().iter();
    let with_module = with_module.filter(|one| one.get("security_module").is_some());
    let names: Vec<_> = with_module
        .map(|one| one["board"].as_str().unwrap())
        .collect();
    let expected = ["tc3xx-hsm", "s32k3", "rh850-icum", "stm32h5", "stm32u5"];
    assert_eq!(names, expected);
    let output = waywarden().arg("boards").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("sam-v71") && text.contains("HSE_B"), "{text}");
}

#[test]
fn figures_say_where_they_run_and_where_they_come_from() {
    let figures = rows(waywarden().args(["boards", "stm32u5", "--format", "json"]));
    let mut all = figures.as_array().unwrap().iter();
    let verify = all
        .find(|one| one["on"] == "SAES and PKA" && one["operation"] == "verify")
        .unwrap();
    assert_eq!(verify["time_us"], 18_000.0);
    assert_eq!(verify["origin"], "paper [WOLFSSL-STM32] STM32U585, STM PKA");
    let csv = waywarden()
        .args(["boards", "m4", "--format", "csv"])
        .output();
    let csv = String::from_utf8(csv.unwrap().stdout).unwrap();
    assert!(csv.contains("core,verify,p256,,133470.0,paper [ECQV-CITS] Table I"));
    let counted = rows(waywarden().args(["boards", "m4f-emulated", "--format", "json"]));
    let mut all = counted.as_array().unwrap().iter();
    let is_extract = |one: &&Value| one["operation"] == "extract" && one["algorithm"] == "fourq";
    let origin = all.find(is_extract).unwrap()["origin"].as_str().unwrap();
    let start = "assumed: instructions counted in QEMU, one cycle each assumed";
    assert!(origin.starts_with(start), "{origin}");
}

#[test]
fn a_board_file_is_listed_and_an_unknown_board_is_answered_with_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let text = "title = 'Mine'\n[characteristics]\narchitecture = 'a'\ncores = 1\n\
                clock = '1 MHz'\nassumed = 'x'\n[[figure]]\noperation = 'tag'\n\
                algorithm = 'chaskey'\ncycles = 5\nassumed = 'a guess'\n";
    fs::write(&path, text).unwrap();
    let mine = rows(
        waywarden()
            .arg("boards")
            .arg(&path)
            .args(["--format", "json"]),
    );
    assert_eq!(mine[0]["time_us"], 5.0);

    let output = waywarden().args(["boards", "s32k4"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("unknown board \"s32k4\"; one of: "),
        "{error}"
    );
    assert!(error.contains("s32k3"), "{error}");
}
