//! Random CAMs and DENMs, read and written by pycrate.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use waywarden_testkit::{bytes_of, cases, hex_of, python_with};

use super::{line_of, written_cam, written_denm};

/// pycrate behind `pycrate_uper.py`; `None`, with a message, where it is not installed.
fn pycrate() -> Option<impl Fn(&[&str], &str) -> Vec<String>> {
    let interpreter = python_with("pycrate_asn1dir")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/pycrate_uper.py");
    Some(move |arguments: &[&str], input: &str| {
        let mut child = Command::new(&interpreter)
            .arg(&script)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        // On a thread of its own: both pipes may fill.
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    })
}

/// Messages per kind, in the quick run.
const FEW: usize = 500;

#[test]
fn what_pycrate_writes_is_read_and_written_again() {
    let Some(oracle) = pycrate() else { return };
    for kind in ["cam", "denm"] {
        let seed = "20261121";
        println!("{kind}: seed {seed}");
        let lines = oracle(&["generate", kind, seed, &cases(FEW).to_string()], "");
        assert_eq!(lines.len(), cases(FEW));
        for expected in lines {
            let (hex, _) = expected.split_once(' ').unwrap();
            assert_eq!(line_of(kind, &bytes_of(hex)), expected);
        }
    }
}

#[test]
fn what_is_written_pycrate_reads() {
    let Some(oracle) = pycrate() else { return };
    for kind in ["cam", "denm"] {
        let ours: Vec<Vec<u8>> = (0..cases(FEW) as u64)
            .map(|seed| match kind {
                "cam" => written_cam(seed),
                _ => written_denm(seed),
            })
            .collect();
        let input: String = ours.iter().map(|bytes| hex_of(bytes) + "\n").collect();
        let lines = oracle(&["check", kind], &input);
        assert_eq!(lines.len(), ours.len());
        for (bytes, expected) in ours.iter().zip(lines) {
            assert_eq!(line_of(kind, bytes), expected);
        }
    }
}
