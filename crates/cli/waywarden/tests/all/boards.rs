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
fn counted_instructions_stand_beside_what_papers_state() {
    let compared = rows(waywarden().args(["boards", "--compare", "--format", "json"]));
    let compared = compared.as_array().unwrap();
    let of = |board: &str, operation: &str, algorithm: &str| {
        let mut rows = compared.iter();
        rows.find(|one| {
            one["board"] == board && one["operation"] == operation && one["algorithm"] == algorithm
        })
    };
    // The first board is that of the Cortex-M4F, to which all are compared.
    assert_eq!(compared[0]["board"], "m4f-emulated");
    let own = of("m4f-emulated", "verify", "p256").unwrap();
    assert_eq!(own["ratio"], 1.0);
    // 133.47 ms at 80 MHz.
    let stated = of("m4", "verify", "p256").unwrap();
    assert_eq!(stated["cycles"], 10_677_600);
    assert_eq!(stated["origin"], "paper [ECQV-CITS] Table I");
    let ratio = 10_677_600.0 / own["cycles"].as_f64().unwrap();
    assert!((stated["ratio"].as_f64().unwrap() - ratio).abs() < 1e-3);
    // Implicit certificates: 233.45 ms for an issue, beside our own code's.
    let own = of("m4f-emulated", "certificate-issue", "p256").unwrap();
    let stated = of("m4", "certificate-issue", "p256").unwrap();
    let cycles = [own, stated].map(|one| one["cycles"].as_u64().unwrap());
    assert_eq!(cycles, [8_764_471, 18_676_000]);
    for board in ["m33-emulated", "r5f-emulated", "tc297", "sam-v71"] {
        assert!(of(board, "share", "fourq").is_some(), "{board}");
    }
    // The next board is the first for an operation of which that has no count of its own.
    assert!(of("m4f-emulated", "sign", "ml-dsa-44").is_none());
    assert_eq!(
        of("m33-emulated", "sign", "ml-dsa-44").unwrap()["ratio"],
        1.0
    );
    // Figures that are scaled from others, and guesses, are no comparison.
    let origins = || compared.iter().map(|one| one["origin"].as_str().unwrap());
    assert!(origins().all(|origin| !origin.starts_with("scaled")));

    // Of boards that are named all figures stand there, beside those of the first.
    let named = [
        "boards",
        "--compare",
        "m4",
        "m4f-emulated",
        "--format",
        "json",
    ];
    let named = rows(waywarden().args(named));
    let named = named.as_array().unwrap();
    assert_eq!(
        (&named[0]["board"], &named[0]["ratio"]),
        (&"m4".into(), &1.0.into())
    );
    assert!(
        named
            .iter()
            .any(|one| one["origin"].as_str().unwrap().starts_with("scaled"))
    );
}

#[test]
fn memory_of_roles_and_suites_stands_beside_that_of_boards() {
    let memory = rows(waywarden().args(["boards", "--memory", "--format", "json"]));
    let mut all = memory.as_array().unwrap().iter();
    let large = all
        .find(|one| one["name"] == "ml-kem-768+ml-dsa-44")
        .unwrap();
    let small = large["less_ram"].as_array().unwrap();
    assert!(small.contains(&"m4f-emulated".into()), "{small:?}");
    assert!(!small.contains(&"m33-emulated".into()), "{small:?}");
    let csv = waywarden()
        .args(["boards", "--memory", "m3", "--format", "csv"])
        .output()
        .unwrap();
    let csv = String::from_utf8(csv.stdout).unwrap();
    let receiver = csv
        .lines()
        .find(|line| line.starts_with("role,v2x-receiver,"));
    assert!(receiver.unwrap().contains(",35932,m3,m3,"), "{csv}");
}

#[test]
fn several_boards_need_a_comparison() {
    for (arguments, error) in [
        (&["m4", "m3"][..], "--compare has those of several"),
        (&["--compare", "m4"][..], "needs two boards"),
        (
            &["--compare", "m4", "m5"][..],
            "unknown board \"m5\"; one of: ",
        ),
    ] {
        let output = waywarden().arg("boards").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(error), "{text}");
    }
}

#[test]
fn an_ecu_whose_board_is_too_small_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("car.toml");
    let vehicle = |suite: &str, board: &str| {
        format!(
            "[vehicle]\nname = 'car'\nduration = '1s'\n\
             [[bus]]\nname = 'a'\nbitrate = '500k'\ndata_bitrate = '2M'\n\
             [[ecu]]\nname = 'root'\nports = ['a']\nboard = 'stm32h5'\n\
             [[ecu]]\nname = 'pedal'\nports = ['a']\nboard = '{board}'\n\
             [[keys]]\nname = 'grants'\nscheme = 'lasan'\nsuite = '{suite}'\n\
             security_module = 'root'\nmembers = ['pedal']\ntransport = 'fd'\n"
        )
    };
    let warnings = |suite: &str, board: &str| {
        fs::write(&path, vehicle(suite, board)).unwrap();
        let checked = waywarden()
            .arg("check")
            .arg(&path)
            .args(["--format", "json"])
            .output();
        let checked: Value = serde_json::from_slice(&checked.unwrap().stdout).unwrap();
        let file = &checked["rows"][0];
        assert_eq!(file["ok"], true, "{file}");
        let warnings = file["warnings"].as_array().unwrap().clone();
        let of_memory = |one: &Value| one["message"].as_str().unwrap().contains("of RAM");
        warnings.into_iter().filter(of_memory).collect::<Vec<_>>()
    };
    assert_eq!(warnings("fourq", "m4"), Vec::<Value>::new());
    let [warning] = &warnings("ml-kem-768+ml-dsa-44", "m4")[..] else {
        panic!("one warning");
    };
    // The place of the board.
    assert_eq!(warning["line"], 15);
    let message = warning["message"].as_str().unwrap();
    let expected = "the software of ECU \"pedal\" takes 184380 bytes of RAM as it is built here \
                    for a Cortex-M, most of them for ml-kem-768+ml-dsa-44, and board \"m4\" has \
                    131072; choose another suite, or a board with more memory, see \
                    `waywarden boards --memory`";
    assert_eq!(message, expected);
}

#[test]
fn tags_take_memory_where_they_are_made_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (board, car) = ("small.toml", folder.path().join("car.toml"));
    let small = "title = 'Small'\n[characteristics]\narchitecture = 'a'\n\
                 cores = 1\nclock = '80 MHz'\nflash = '16 KiB'\nassumed = 'x'\n\
                 [fallback]\nduration = '1 us'\nassumed = 'x'\n";
    fs::write(folder.path().join(board), small).unwrap();
    // The gateway checks tags, and passes the messages on without them; `clock` only announces.
    let ecus = ["speed", "gateway", "display", "clock"].map(|ecu| {
        let (ports, sends) = match ecu {
            "speed" => (
                "['a']",
                "sends = [{ name = 'S', id = 0x100, length = 4, period = '50ms', \
                 receivers = ['display'] }]\n",
            ),
            "gateway" => ("['a', 'b']", ""),
            "display" => ("['b']", ""),
            _ => ("['a']", ""),
        };
        format!("[[ecu]]\nname = '{ecu}'\nports = {ports}\nboard = '{board}'\n{sends}")
    });
    let vehicle = format!(
        "[vehicle]\nname = 'car'\nduration = '1s'\n\
         [[bus]]\nname = 'a'\nbitrate = '500k'\n[[bus]]\nname = 'b'\nbitrate = '500k'\n{}\
         [[route]]\ngateway = 'gateway'\nfrom = 'a'\nto = 'b'\nstreams = ['S']\nverify = true\n\
         [[authentication]]\nname = 'tags'\nscheme = 'secoc'\nprofile = 'production'\n\
         master = 'clock'\nprotect = ['S']\n",
        ecus.concat()
    );
    fs::write(&car, vehicle).unwrap();
    let output = waywarden().arg("check").arg(&car).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    for (ecu, is_warned_of) in [
        ("speed", true),
        ("gateway", true),
        ("display", false),
        ("clock", true),
    ] {
        let warning = format!("the software of ECU {ecu:?} takes");
        assert_eq!(text.contains(&warning), is_warned_of, "{ecu}: {text}");
    }
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
