//! Tests in namespaces of their own.

use std::process::Command;

/// Names the test that runs in the namespaces.
const INSIDE: &str = "WAYWARDEN_ISOLATED_TEST";

/// Runs the calling test once more, in a network and a mount namespace of its own. Returns whether
/// this is that run; prints "skipped" where the namespaces are not allowed.
pub(crate) fn is_isolated(test: &str) -> bool {
    if std::env::var(INSIDE).is_ok_and(|inside| inside == test) {
        return true;
    }
    let ways: [&[&str]; 2] = [&["--net", "--mount"], &["-r", "--net", "--mount"]];
    let is_allowed = |way: &&&[&str]| {
        let tried = Command::new("unshare").args(**way).arg("true").output();
        tried.is_ok_and(|output| output.status.success())
    };
    let Some(way) = ways.iter().find(is_allowed) else {
        println!("skipped: no right to make namespaces (root, or user namespaces)");
        return false;
    };
    let output = Command::new("unshare")
        .args(*way)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, test)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    println!("{text}");
    assert!(output.status.success());
    assert!(text.contains("1 passed"), "no such test: {test}");
    false
}

/// Runs a command of the shell.
pub(crate) fn shell(script: &str) {
    let status = Command::new("sh").args(["-ec", script]).status();
    assert!(status.unwrap().success(), "{script}");
}
