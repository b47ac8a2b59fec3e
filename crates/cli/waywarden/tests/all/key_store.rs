//! `--key-store`: what signs, by name; a build without AWS-LC refuses it, and one with it uses it.

use std::path::Path;

use crate::support::waywarden;

/// Runs a command in a folder: exit code, standard output and what it complained about.
fn run(folder: &Path, arguments: &str) -> (Option<i32>, Vec<u8>, String) {
    let mut command = waywarden();
    command
        .current_dir(folder)
        .args(arguments.split_whitespace());
    let output = command.write_stdin("hello").output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), output.stdout, complaint)
}

fn works(folder: &Path, arguments: &str) {
    let (code, _, complaint) = run(folder, arguments);
    assert_eq!(code, Some(0), "{arguments}: {complaint}");
}

fn refused(folder: &Path, arguments: &str, remedy: &str) {
    let (code, _, complaint) = run(folder, arguments);
    assert_eq!(code, Some(2), "{arguments}: {complaint}");
    assert!(complaint.contains(remedy), "{arguments}: {complaint}");
}

const SIGN: &str = "sign --pki p --as car1 --psid CAM --signer chain --lenient -o m.oer";

/// A PKI with a station on a curve.
fn pki(curve: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    works(path, &format!("pki init p --no-passphrase --curve {curve}"));
    works(path, "pki issue p --name car1");
    folder
}

fn verifies(folder: &Path) {
    works(
        folder,
        "verify m.oer --trust p/trust --nonce-form any --lenient",
    );
}

#[test]
fn software_signs_in_every_build() {
    let folder = pki("brainpool-p256r1");
    let path = folder.path();
    for form in ["", "--x-only"] {
        works(path, &format!("{SIGN} --key-store software {form}"));
        verifies(path);
    }
    works(path, "pki issue p --name car2 --key-store software");
}

#[cfg(not(feature = "aws-lc"))]
#[test]
fn a_build_without_aws_lc_refuses_it_before_anything_is_signed() {
    let folder = pki("p256");
    let path = folder.path();
    let remedy = "--key-store aws-lc: this build has no AWS-LC; build with `--features aws-lc`";
    refused(path, &format!("{SIGN} --x-only --key-store aws-lc"), remedy);
    assert!(!path.join("m.oer").exists());
    refused(path, "pki issue p --name car2 --key-store aws-lc", remedy);
    assert!(!path.join("p/stations/car2").exists());
    // Without a name software signs.
    works(path, &format!("{SIGN} --x-only"));
    verifies(path);
}

#[cfg(feature = "aws-lc")]
#[test]
fn what_aws_lc_signs_and_issues_verifies() {
    for curve in ["p256", "p384"] {
        let folder = pki(curve);
        let path = folder.path();
        works(path, &format!("{SIGN} --x-only --key-store aws-lc"));
        verifies(path);
        works(path, "pki issue p --name car2 --key-store aws-lc --count 2");
        works(path, &format!("{} --x-only", SIGN.replace("car1", "car2")));
        verifies(path);
        refused(path, &format!("{SIGN} --key-store aws-lc"), "give --x-only");
        // A point comes from software.
        works(path, SIGN);
        verifies(path);
        let implicit = "pki issue p --name car3 --implicit --key-store aws-lc";
        refused(path, implicit, "AWS-LC issues no implicit certificates");
    }
}

#[cfg(feature = "aws-lc")]
#[test]
fn what_aws_lc_cannot_do_is_refused_by_name() {
    let folder = pki("brainpool-p256r1");
    let path = folder.path();
    let remedy = "AWS-LC has no BrainpoolP256r1, only P-256 and P-384";
    refused(path, &format!("{SIGN} --x-only --key-store aws-lc"), remedy);
    refused(path, "pki issue p --name car2 --key-store aws-lc", remedy);
    works(path, &format!("{SIGN} --x-only"));
    verifies(path);
}
