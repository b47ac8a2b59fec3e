//! The package as Python has it: its tests, its stubs and its examples, with the interpreter that
//! `make oracles` installs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use waywarden_testkit::{output_of, python_with, workspace};

/// Returns the folder of the package, laid out once from the library of this build.
fn site() -> &'static Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| {
        let test = std::env::current_exe().expect("the path of this test");
        let library = test.with_file_name("lib_native.so");
        let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site");
        let mut layout = Command::new("python3");
        layout
            .arg(workspace().join("xtask/python-package"))
            .arg(library)
            .arg(&site);
        output_of(&mut layout);
        site
    })
}

/// Runs a module of Python on the package and prints what it says.
fn run(module: &str, arguments: &[&str]) {
    let Some(python) = python_with(module) else {
        return;
    };
    let output = Command::new(python)
        .current_dir(workspace().join("bindings/python"))
        .env("PYTHONPATH", site())
        .env("MYPYPATH", site())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env(
            "MYPY_CACHE_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("mypy"),
        )
        .args(["-m", module])
        .args(arguments)
        .output()
        .expect("an interpreter that starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    println!("{said}{errors}");
    assert!(
        output.status.success(),
        "{module} {arguments:?}: {said}{errors}"
    );
}

#[test]
fn the_tests_in_python_pass() {
    run("pytest", &["-q", "-p", "no:cacheprovider", "tests"]);
}

#[test]
fn the_stubs_say_what_the_modules_have() {
    let modules = [
        "can", "can_bus", "can_io", "paired", "secoc", "v2x", "vehicle",
    ];
    let modules = modules.map(|name| format!("waywarden.{name}"));
    run("mypy.stubtest", &modules.each_ref().map(String::as_str));
}

#[test]
fn the_package_has_the_types_that_it_declares() {
    run("mypy", &["--strict", "-p", "waywarden"]);
}
