//! The module for the browser, whose documents are those of the command.

use std::fs;

use waywarden_browser::vehicle;

use crate::support::{waywarden, workspace};

/// Length of each run, in milliseconds: `xtask/soak/browser` compares whole ones.
const LENGTH: &str = "300";

#[test]
fn documents_for_the_browser_are_those_of_the_command() {
    let folder = workspace().join("examples");
    let mut compared = 0;
    for entry in fs::read_dir(&folder).expect("there are examples") {
        let name = entry.expect("it is there").file_name();
        let name = name.to_string_lossy();
        let Ok(text) = fs::read_to_string(folder.join(&*name)) else {
            continue;
        };
        if !name.ends_with(".toml") || !text.contains("\n[vehicle]\n") {
            continue;
        }
        let mut command = waywarden();
        let command = command.current_dir(&folder).args(["run", &name]);
        let command = command.args(["--duration", &format!("{LENGTH}ms"), "--format", "json"]);
        let printed = command.output().expect("it runs").stdout;
        let options = format!(r#"{{"name": "{name}", "duration_ms": {LENGTH}}}"#);
        let answer = vehicle::run(&text, &options, &mut |_| ());
        assert!(answer.is_given, "{name}");
        assert!(answer.parts[0] == printed, "{name}");
        compared += 1;
    }
    assert!(compared >= 14, "{compared}");
}
