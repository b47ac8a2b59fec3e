//! `waywarden man`: a page for each command, with the texts of its help.

use std::fs;

use crate::support::waywarden;

#[test]
fn every_command_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let write = || {
        let output = waywarden().args(["man", "--output"]).arg(&pages).output();
        let output = output.unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{errors}");
    };
    write();
    for (name, has) in [
        ("waywarden.1", "waywarden\\-run(1)"),
        ("waywarden-run.1", "Simulate|Run a vehicle file"),
        ("waywarden-bus-bound.1", "every\\-attempt"),
        ("waywarden-auth-check.1", "verdicts"),
        ("waywarden-pki-serve.1", "Exit code"),
    ] {
        let text =
            fs::read_to_string(pages.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            has.split('|').any(|has| text.contains(has)),
            "{name} has no {has}"
        );
        assert!(text.starts_with(".ie"), "{name}: {}", &text[..40]);
    }
    // Once more the same pages, in the place of these.
    let before = fs::read(pages.join("waywarden-run.1")).unwrap();
    write();
    assert_eq!(fs::read(pages.join("waywarden-run.1")).unwrap(), before);

    let page = waywarden().arg("man").output().unwrap();
    assert_eq!(page.stdout, fs::read(pages.join("waywarden.1")).unwrap());
}

#[test]
fn a_place_that_is_no_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let output = waywarden().args(["man", "--output"]).arg(&file).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains(&file.display().to_string()), "{errors}");
}
