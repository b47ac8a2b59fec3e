//! The start of a network under a security module.

use std::fs;

use serde_json::Value;

use super::{keys, list};
use crate::support::{json, waywarden};

#[test]
fn a_start_under_a_security_module_is_shown_in_each_suite() {
    for (suite, profile, credentials) in [
        ("p256", "hardened", "certificates"),
        ("fourq", "compact", "digests"),
        ("ml-kem-768+ml-dsa-44", "as-published", "certificates"),
        ("ml-kem-768+ml-dsa-65", "hardened", "keys"),
        ("ml-kem-512+fn-dsa-512", "compact", "keys"),
        ("ml-kem-768+fn-dsa-1024", "compact", "certificates"),
        ("x25519-ml-kem-768+ml-dsa-65", "hardened", "digests"),
    ] {
        let mut command = waywarden();
        let command = command.args([
            "keys", "--scheme", "lasan", "--ecus", "3", "--format", "json",
        ]);
        let words = [
            "--suite",
            suite,
            "--profile",
            profile,
            "--credentials",
            credentials,
        ];
        let output = json(command.args(words));
        command.assert().success();
        let network = &output["networks"][0];
        assert_eq!(
            (&output["agreed"], &network["authorized"]),
            (&true.into(), &true.into())
        );
        for (key, value) in [
            ("suite", suite),
            ("profile", profile),
            ("credentials", credentials),
        ] {
            assert_eq!(network[key], value);
        }
        assert_eq!(
            (list(network, "ecus").len(), list(network, "streams").len()),
            (4, 3)
        );
        let frames = list(&output, "time_line").iter();
        let frames = frames.filter(|entry| entry["kind"] == "frame").count();
        assert_eq!(network["frames"], frames, "{suite}");
    }
}

#[test]
fn the_options_of_a_security_module_change_what_they_say() {
    let network = |options: &[&str]| {
        let all = [&["keys", "--scheme", "lasan", "--format", "json"], options].concat();
        json(waywarden().args(all))["networks"][0].clone()
    };
    let plain = network(&[]);
    assert_eq!(
        (&plain["suite"], &plain["profile"]),
        (&"p256".into(), &"hardened".into())
    );
    assert_eq!(plain["credentials"], "certificates");
    let number = |network: &Value, key: &str| network[key].as_f64().unwrap();
    // A frame of 64 bytes, or of 8; more bytes with certificates than without.
    let classic = network(&["--transport", "classic"]);
    assert!(number(&classic, "frames") > 3.0 * number(&plain, "frames"));
    assert_eq!(list(&classic, "streams").len(), 0);
    let digests = network(&["--credentials", "digests"]);
    assert!(number(&digests, "bytes") < number(&plain, "bytes"));
    assert_eq!(network(&["--profile", "compact"])["credentials"], "keys");
    let paced = network(&["--pacing", "5ms"]);
    assert!(number(&paced, "took_ms") > number(&plain, "took_ms") + 10.0);
    let slow = network(&["--bitrate", "250k", "--data-bitrate", "1M"]);
    assert!(number(&slow, "bus_ms") > 1.9 * number(&plain, "bus_ms"));
    let fast = network(&["--board", "a72"]);
    assert!(number(&fast, "took_ms") < number(&plain, "took_ms"));
}

#[test]
fn a_start_is_printed_and_one_that_fails_is_an_answer() {
    let (code, printed, complaint) = keys(&["--scheme", "lasan", "--ecus", "2"]);
    assert_eq!((code, complaint.as_str()), (Some(0), ""));
    for part in [
        "Security module car: p256, hardened, certificates, fd; security-module and 2 others on",
        "ecu-confirmation",
        "1 > all",
        "AUTHORIZED at ",
        "all 2 ECUs are authenticated",
        "and all 2 protected streams have keys.",
        "went to all ECUs at once",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
    assert!(!printed.contains("-0.000"), "{printed}");
    let widest = printed.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(125), "{widest:?}");
    let (code, printed, complaint) = keys(&["--scheme", "lasan", "--until", "100ms"]);
    assert_eq!((code, complaint.as_str()), (Some(1), ""));
    let missing = "NOT AUTHORIZED by 100.000 ms: 4 of 4 ECUs are not authenticated: ecu-1, ecu-2, ";
    assert!(printed.contains(missing), "{printed}");
    assert!(
        printed.contains("an ECU lacks the key: Stream1, Stream2, Stream3, Stream4"),
        "{printed}"
    );
}

#[test]
fn the_security_module_of_a_vehicle_is_shown_and_one_s_own_file_too() {
    let van = json(waywarden().args(["keys", "examples/electric-van.toml", "--format", "json"]));
    let network = &van["networks"][0];
    assert_eq!(
        (&network["authorized"], list(&van, "groups").len()),
        (&true.into(), 0)
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("car.toml");
    let options = ["--scheme", "lasan", "--profile", "compact", "--ecus", "3"];
    let (code, text, _) = keys(&[&options[..], &["--print-vehicle"]].concat());
    assert_eq!(code, Some(0));
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let own = json(waywarden().args(["keys", path, "--group", "car", "--format", "json"]));
    let built_in = [&["keys"], &options[..], &["--format", "json"]].concat();
    assert_eq!(json(waywarden().args(built_in)), own);
}
