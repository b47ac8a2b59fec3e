//! Vectors of the group keys and of the hybrid, computed once more by a program that shares nothing
//! with the crates, in Python.

use std::path::Path;
use std::process::Command;

use waywarden_testkit::{output_of, python_with, workspace};

/// Runs the second implementation; none where Python or what it needs is missing.
fn second_implementation(arguments: &[&str]) -> Option<String> {
    let interpreter = python_with("cryptography")?;
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/oracle/gke_vectors.py");
    let mut command = Command::new(interpreter);
    // No files beside the source.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Some(output_of(command.arg(program).args(arguments)))
}

#[test]
fn a_second_implementation_computes_the_vectors_of_the_group_keys() {
    let Some(computed) = second_implementation(&[]) else {
        return;
    };
    let file = std::fs::read_to_string(workspace().join("vectors/gke.txt")).unwrap();
    let (_, blocks) = file.split_once("\n\n").unwrap();
    let lines = blocks.trim_end().lines().zip(computed.trim_end().lines());
    for (written, computed) in lines {
        assert_eq!(written, computed);
    }
    assert_eq!(blocks.trim_end(), computed.trim_end());
}

#[test]
fn a_second_implementation_computes_the_vector_of_the_hybrid() {
    let path = workspace().join("vectors/lasan.txt");
    let arguments = ["hybrid", path.to_str().unwrap()];
    if let Some(differs) = second_implementation(&arguments) {
        assert_eq!(differs, "");
    }
}
