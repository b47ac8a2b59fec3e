//! Messages of a stack: sizes of signature schemes, and options that contradict each other.

use super::policies::share;
use super::{figures, trace};
use crate::support::waywarden;

#[test]
fn longer_signatures_take_longer_on_the_air() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 5, 30);
    let stack = |more: &[&str]| {
        let options = [&["--awareness", "bsm"], more].concat();
        figures(&path, &options)["stack"].clone()
    };
    let number = |stack: &serde_json::Value, name: &str| stack[name].as_f64().unwrap();
    let plain = stack(&[]);
    assert_eq!(plain["signature_scheme"], "ecdsa-p256");
    assert_eq!(number(&plain, "frames_mean"), 1.0);
    assert_eq!(number(&plain, "airtime_over_4_ms"), 0.0);
    let long = stack(&["--signature-scheme", "ml-dsa-44"]);
    assert_eq!(long["signature_scheme"], "ml-dsa-44");
    assert!(number(&long, "frames_mean") >= 2.0, "{long}");
    assert!(number(&long, "airtime_ms_mean") > 5.0 * number(&plain, "airtime_ms_mean"));
    assert!(number(&long, "airtime_over_4_ms") > 0.0, "{long}");
    assert!(number(&long, "busy_ratio_mean") > number(&plain, "busy_ratio_mean"));
    let always = stack(&["--certificate-inclusion", "always"]);
    assert_eq!(number(&always, "with_certificate"), 1.0);
    assert!(number(&plain, "with_certificate") < 1.0, "{plain}");
}

#[test]
fn schemes_that_are_sizes_only_are_refused_where_signatures_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 2, 2);
    let scheme = ["--signature-scheme", "fn-dsa-512"];
    for (more, said) in [
        (&[][..], "--signature-scheme needs messages of a stack"),
        (
            &["--awareness", "cam", "--certificates", "implicit"],
            "--certificates implicit is for ECDSA alone",
        ),
        (
            &["--awareness", "cam", "--real-signatures"],
            "--real-signatures are those of ECDSA",
        ),
        (
            &["--awareness", "bsm", "--board", "a53"],
            "--board verifies ECDSA",
        ),
    ] {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path);
        let output = command.args(scheme).args(more).assert().code(2);
        let error = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(error.contains(said), "{error}");
    }
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(&path);
    let output = command.args(["--certificate-inclusion", "always"]).assert();
    let output = output.code(2);
    let error = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(error.contains("--certificate-inclusion needs"), "{error}");
}

/// A board that accepts each certificate once verifies more in time than one that rebuilds a key
/// for each message.
#[test]
fn boards_accept_each_certificate_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let stack = ["--awareness", "bsm"];
    let board = ["--board", "arm11", "--policy", "fifo"];
    let found = figures(&path, &[&stack[..], &board[..]].concat());
    let cell = &found["verified_in_time"][0];
    assert!(cell["messages_unknown_signer"].is_u64(), "{found}");
    let beacons = figures(&path, &board);
    let shares = [&found, &beacons].map(|found| share(found, "arm11", "fifo"));
    assert!(shares[0] > shares[1], "{shares:?}");
    let rebuilding = ["--key-rebuilding", "each-message"];
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(&path);
    let output = command.args(stack).args(board).args(rebuilding).assert();
    let output = output.code(2);
    let error = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(error.contains("--key-rebuilding is for beacons"), "{error}");
}
