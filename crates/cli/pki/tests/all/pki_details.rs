//! `waywarden pki`: what is shown to programs, what is bounded, and a terminal that keeps its echo.

use std::path::Path;

use serde_json::Value;

use crate::support::{json, waywarden};

fn run(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = waywarden();
    command
        .current_dir(folder)
        .args(arguments.split_whitespace());
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn shown(folder: &Path, path: &str) -> Value {
    let mut command = waywarden();
    command.current_dir(folder);
    json(command.args(["pki", "show", path, "--format", "json"]))
}

#[test]
fn a_pki_is_shown_to_programs_as_it_is_shown_to_people() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let region = "--region country:276";
    for command in [
        format!("pki init p --no-passphrase --us {region}"),
        "pki issue p --name car1 --count 2".to_owned(),
    ] {
        assert_eq!(run(path, &command).0, Some(0), "{command}");
    }
    let (_, text, _) = run(path, "pki show p");
    let all = shown(path, "p");
    assert_eq!(
        (&all["shape"], &all["keys"]),
        (&"us".into(), &"unencrypted".into())
    );
    let certificates = all["certificates"].as_array().unwrap();
    // Eight of authorities and of the CRL generator, and two of the car.
    assert_eq!(certificates.len(), 10);
    for one in certificates {
        let own = |name: &str| {
            one[name]
                .as_str()
                .unwrap_or_else(|| panic!("{name}: {one}"))
        };
        let (from, until) = (own("valid_from"), own("valid_until"));
        for line in [
            format!("{}: ", own("holder")),
            format!("HashedId8 {}", own("id")),
            format!("valid {from} to {until}"),
            format!("files: {}", own("certificate")),
        ] {
            assert!(text.contains(&line), "{line:?} is not in {text}");
        }
        assert_eq!(one["state"], "valid");
        let issuer = certificates
            .iter()
            .find(|other| other["id"] == one["issuer"]);
        assert_eq!(issuer.is_none(), own("role") == "root");
    }
    assert_eq!(certificates[0]["region"], "country:276");
    let station = &certificates[9];
    assert_eq!(station["kind"], "implicit");
    assert_eq!(station["may_send"], serde_json::json!(["BSM"]));
    // One certificate, and one key.
    let file = format!("p/{}", station["certificate"].as_str().unwrap());
    let alone = shown(path, &file);
    for name in ["id", "issuer", "kind", "valid_from", "may_send"] {
        assert_eq!(alone[name], station[name], "{name}");
    }
    let file = format!("p/{}", station["key"].as_str().unwrap());
    let key = shown(path, &file);
    assert_eq!(key["key"], "private key, PKCS#8, not encrypted, P256");
}

#[test]
fn no_certificate_is_valid_for_more_than_a_hundred_years() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(run(path, "pki init p --no-passphrase").0, Some(0));
    for years in ["101y", "65535y"] {
        let command = format!("pki issue p --name car1 --validity {years}");
        let (code, _, complaint) = run(path, &command);
        assert_eq!(code, Some(2));
        let why = "a certificate is valid for at most 100 years; give 1y to 100y";
        assert!(complaint.contains(why), "{complaint}");
    }
    let profile = "[station]\nvalidity = \"65535y\"\n";
    std::fs::write(path.join("profile.toml"), profile).unwrap();
    let (code, _, complaint) = run(path, "pki init q --no-passphrase --profile profile.toml");
    assert_eq!(code, Some(2));
    assert!(complaint.contains("at most 100 years"), "{complaint}");
}

#[test]
fn an_american_pki_on_a_curve_of_384_bits_is_refused_before_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for curve in ["p384", "brainpool-p384r1"] {
        let command = format!("pki init p --us --curve {curve} --no-passphrase");
        let (code, _, complaint) = run(path, &command);
        assert_eq!(code, Some(2), "{curve}");
        for words in [
            "pca: issues implicit certificates",
            "256 bits",
            "--curve p256",
        ] {
            assert!(complaint.contains(words), "{complaint}");
        }
        assert!(!path.join("p").exists());
    }
    let works = "pki init p --us --curve brainpool-p256r1 --no-passphrase";
    assert_eq!(run(path, works).0, Some(0));
    assert_eq!(run(path, "pki issue p --name car1").0, Some(0));
}

#[test]
fn a_circle_well_inside_a_country_may_stand_under_an_issuer_for_the_country() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let init = "pki init p --no-passphrase --region country:276";
    assert_eq!(run(path, init).0, Some(0));
    for inside in [
        "circle:48.137,11.575,5000",
        "rectangle:52.7,13.0,52.3,13.8",
        "polygon:48.1,11.4;48.2,11.5;48.1,11.6",
    ] {
        let issue = format!("pki issue p --name car1 --region {inside}");
        let (code, _, complaint) = run(path, &issue);
        assert_eq!(code, Some(0), "{inside}: {complaint}");
    }
    // Within two degrees of a border, across it, and elsewhere.
    for outside in [
        "circle:47.85,12.95,5000",
        "rectangle:48.3,11.3,46.5,11.8",
        "circle:44.646,10.925,5000",
    ] {
        let issue = format!("pki issue p --name car1 --region {outside}");
        let (code, _, complaint) = run(path, &issue);
        assert_eq!(code, Some(2), "{outside}");
        assert!(
            complaint.contains("region: not certain to be in the issuer's"),
            "{complaint}"
        );
    }
}

/// The process has the terminal for its own, as from a shell: `setsid --ctty` of util-linux.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_at_the_passphrase_gives_the_terminal_its_echo_back() {
    use std::fs::File;
    use std::os::unix::fs::OpenOptionsExt as _;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{LocalModes, tcgetattr};

    for (signal, number) in [("TERM", 15), ("INT", 2)] {
        let folder = tempfile::tempdir().unwrap();
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        // Not the terminal of this process.
        let flags = rustix::fs::OFlags::NOCTTY.bits() as i32;
        let mut options = File::options();
        let options = options.read(true).write(true).custom_flags(flags);
        let terminal = options.open(name.to_str().unwrap()).unwrap();
        let has_echo = || {
            let modes = tcgetattr(&terminal).unwrap().local_modes;
            modes.contains(LocalModes::ECHO)
        };
        assert!(has_echo());
        let child = Command::new("setsid")
            .args(["--ctty", crate::support::PROGRAM])
            .args(["pki", "init"])
            .arg(folder.path().join("p"))
            .stdin(terminal.try_clone().unwrap())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = child else {
            println!("skipped: no setsid (Debian: apt-get install util-linux)");
            return;
        };
        let begin = Instant::now();
        while has_echo() {
            assert!(begin.elapsed() < Duration::from_secs(60), "it never asks");
            std::thread::sleep(Duration::from_millis(5));
        }
        let kill = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(kill.unwrap().success());
        assert_eq!(
            child.wait().unwrap().signal(),
            Some(number),
            "ended by {signal}"
        );
        assert!(has_echo(), "after {signal}");
        assert!(!folder.path().join("p").exists());
    }
}
