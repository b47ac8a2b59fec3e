//! Options of `waywarden station`: the order of verification, and combinations that are refused.

use super::station;

/// All vehicles but the own one are outside of the circle.
#[test]
fn policy_of_a_station_chooses_what_it_verifies() {
    let run = ["--stations", "3", "--virtual-time", "--duration", "3s"];
    let counts = |policy: &str| {
        let arguments = ["--policy", policy, "--format", "json"];
        let (code, out, _) = station(&[&run[..], &arguments].concat());
        assert_eq!(code, 0, "{out}");
        let last: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        let honest = last["messages"]["honest"].clone();
        let accepted = honest["accepted"].as_u64().unwrap();
        (accepted, honest["dropped"]["outside"].as_u64().unwrap_or(0))
    };
    let (accepted, dropped) = counts("class,circle:1500m,exclusive");
    assert!(accepted > 0 && dropped == 0, "{accepted} {dropped}");
    let (accepted, dropped) = counts("circle:100m,exclusive");
    assert!(accepted == 0 && dropped > 0, "{accepted} {dropped}");
    let (code, _, complaint) = station(&[&run[..], &["--policy", "nearest"]].concat());
    assert_eq!(code, 2);
    assert!(complaint.contains("unknown policy"), "{complaint}");
}

#[test]
fn options_that_make_no_sense_are_refused_with_a_remedy() {
    for (options, expected) in [
        (&["--link", "memory"][..], "--stations 2"),
        (&["--stations", "0"], "1..=200"),
        (&["--virtual-time"], "--duration"),
        (&["--listeners", "3", "--stations", "2"], "--listeners"),
        (
            &["--attack", "displaced", "--message", "bsm"],
            "--message cam",
        ),
        (
            &["--group", "10.0.0.1:5", "--duration", "1s"],
            "multicast group",
        ),
        (
            &["--interface", "203.0.113.9", "--duration", "1s"],
            "address of this machine",
        ),
        (&["--duration", "0s"], "above zero"),
        (&["--send", "a.json@9", "--duration", "1s"], "from 10 to"),
        (
            &["--send", "no-such.json", "--duration", "1s"],
            "no-such.json",
        ),
        (&["--send", "a.json", "--replay", "b.hex"], "--replay"),
        (&["--speed", "-3"], "--speed"),
        (&["--link", "radio"], "ethernet:INTERFACE"),
        (
            &["--link", "ethernet:no-such", "--duration", "1s"],
            "no-such",
        ),
        (&["--position", "nowhere"], "gpsd:HOST:PORT"),
        (&["--position", "gpsd", "--stations", "2"], "--stations"),
        (
            &["--pki", "x", "--as", "y", "--stations", "2"],
            "leave out --stations",
        ),
        (
            &["--certificate", "x", "--key", "y", "--duration", "1s"],
            "--trust",
        ),
        (&["--replay", "x", "--duration", "1s"], "--duration"),
        (&["--replay", "missing.pcapng"], "missing.pcapng"),
        (
            &["--replay", "missing.pcapng", "--replay-speed", "0"],
            "max",
        ),
    ] {
        let (code, out, errors) = station(options);
        assert_eq!(code, 2, "{options:?}: {out}");
        assert!(errors.contains(expected), "{options:?}: {errors}");
    }
}
