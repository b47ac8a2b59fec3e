//! Workspaces of the proofs: a package for each crate, and one for each of its examples.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::templates::{ALLOCATOR, LIBRARY, PROGRAM};
use crate::layers::{self, Environment, Package};

/// Writes the workspace of the proofs of one environment, as new.
pub(super) fn generate(
    root: &Path,
    folder: &Path,
    environment: Environment,
    packages: &[&Package],
) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut members = Vec::new();
    for package in of_environment(packages, environment) {
        members.extend(generate_proof(root, folder, package)?);
    }
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n\
         [profile.release]\npanic = \"abort\"\ncodegen-units = 1\nopt-level = \"s\"\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    // The versions that the project is tested with.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

/// Writes the package that contains nothing but the crate, and those of its examples; returns
/// their folders within the workspace.
fn generate_proof(root: &Path, workspace: &Path, subject: &Package) -> Result<Vec<String>> {
    let (package, environment) = (subject.name, subject.environment);
    let folder = workspace.join(package);
    fs::create_dir_all(folder.join("src"))?;
    let path = root.join(subject.path());
    let examples = examples(&path)?;
    let mut dependencies = String::new();
    let mut members = vec![package.to_owned()];
    for example in &examples {
        generate_example(root, &folder, example, package, environment)?;
        let name = name(example);
        let _ = writeln!(dependencies, "example-{name} = {{ path = \"{name}\" }}");
        members.push(format!("{package}/{name}"));
    }
    let features = layers::proof_features(package);
    let manifest = format!(
        "[package]\nname = \"proof-{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [lib]\ncrate-type = [\"staticlib\"]\n\n\
         [dependencies]\nsubject = {{ package = \"waywarden-{package}\", path = {path:?}, \
         default-features = false, features = {features:?} }}\n{dependencies}",
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let mut library = LIBRARY.to_owned();
    if environment == Environment::NoStdAlloc {
        library.push_str(ALLOCATOR);
    }
    for example in &examples {
        let _ = writeln!(library, "use example_{} as _;", name(example));
    }
    fs::write(folder.join("src/lib.rs"), library)?;
    fs::write(folder.join("main.c"), PROGRAM)?;
    Ok(members)
}

/// Writes the package of one example: the file itself, and every `no_std` crate to choose from;
/// those with an allocator only for a crate that has one itself.
fn generate_example(
    root: &Path,
    folder: &Path,
    example: &Path,
    own: &str,
    environment: Environment,
) -> Result<()> {
    let name = name(example);
    let folder = folder.join(&name);
    fs::create_dir_all(&folder)?;
    let mut manifest = format!(
        "[package]\nname = \"example-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [lib]\npath = {example:?}\n\n[dependencies]\n"
    );
    let allowed = [Environment::NoStd, environment];
    let packages = layers::PACKAGES.iter();
    for package in packages.filter(|package| allowed.contains(&package.environment)) {
        let path = root.join(package.path());
        if path.exists() {
            let features: &[&str] = match package.name == own {
                true => layers::proof_features(own),
                false => &[],
            };
            let _ = writeln!(
                manifest,
                "waywarden-{} = {{ path = {path:?}, default-features = false, \
                 features = {features:?} }}",
                package.name
            );
        }
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    Ok(())
}

/// Finds those of the packages that are of an environment.
pub(super) fn of_environment<'a>(
    packages: &'a [&'a Package],
    environment: Environment,
) -> impl Iterator<Item = &'a Package> {
    let all = packages.iter().copied();
    all.filter(move |package| package.environment == environment)
}

/// Finds the examples of a crate that do without the standard library, in order of name.
pub(super) fn examples(package: &Path) -> Result<Vec<PathBuf>> {
    let folder = package.join("examples");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut examples = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let rust = path.extension().is_some_and(|extension| extension == "rs");
        if rust
            && fs::read_to_string(&path)?
                .lines()
                .any(|line| line == "#![no_std]")
        {
            examples.push(path);
        }
    }
    examples.sort();
    Ok(examples)
}

pub(super) fn name(example: &Path) -> String {
    let stem = example.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}
