//! `cargo xtask no-std`: proves that the `no_std` crates need neither `std` nor an allocator.
//!
//! That a crate says `#![no_std]` proves little: on a desktop target a dependency may bring `std`
//! in unseen. So each crate is linked into a `#![no_std]` static library of its own, outside the
//! workspace. Where `core` for a Cortex-M4 can be had, it is built for that and must be closed: not
//! one symbol undefined. Of a crate for which there is no such build (and of every crate, with
//! `--host`) the library is built for this machine: its symbols are read, and a C program links it
//! whole and runs. A crate's examples that are `#![no_std]` are linked in unchanged: they use what
//! is generic, of which the crate alone compiles nothing.

mod footprint;
mod symbols;
mod templates;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::layers::{self, Environment, Package};
use symbols::{EXPECTED, foreign, heap, symbols};
use templates::{ALLOCATOR, LIBRARY, PROGRAM};

/// The bare-metal target: a Cortex-M4 or M7 with its floating-point unit.
const TARGET: &str = "thumbv7em-none-eabihf";

/// Folders of the builds for each half.
const HOSTED: &str = "hosted";
const BARE: &str = "bare";

/// Runs the proof for each crate that exists; on this machine too for those that are proved for the
/// microcontroller if `is_host_asked`.
///
/// # Errors
/// The first crate whose proof fails, and why.
pub(crate) fn run(root: &Path, is_host_asked: bool) -> Result<()> {
    let root = root.canonicalize()?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let proof = Proof {
        folder: target.join("no-std"),
        root,
    };
    let core = proof.core();
    let packages: Vec<_> = layers::PACKAGES
        .iter()
        .filter(|package| package.is_no_std() && proof.root.join(package.path()).exists())
        .collect();
    for package in &packages {
        proof.generate(package)?;
    }
    let (mut on_host, mut on_cortex_m) = (Vec::new(), Vec::new());
    for &package in &packages {
        let is_on_cortex_m = core.is_some() && proof.has_firmware(package)?;
        if is_on_cortex_m {
            on_cortex_m.push(package);
        }
        if !is_on_cortex_m || is_host_asked {
            on_host.push(package);
        }
    }
    // Each half is a chain of packages that wait for one another, so they run side by side.
    thread::scope(|scope| {
        let bare = scope.spawn(|| match &core {
            Some(core) => proof.all_on_cortex_m(&on_cortex_m, core),
            None => Ok(()),
        });
        let hosted = proof.all_on_host(&on_host);
        hosted.and(bare.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    if core.is_none() {
        println!("no-std: SKIPPED the {TARGET} builds: no `core` for it");
        println!("no-std: `rustup target add {TARGET}` or xtask/rust-src gets one");
    }
    Ok(())
}

/// Source of `core` for the bare-metal target.
enum Core {
    /// Compiled, in the toolchain.
    Ready,
    /// As source; the folder `library`, unless it is the toolchain's own.
    Source(Option<PathBuf>),
}

struct Proof {
    root: PathBuf,
    /// Folder of the generated packages and of their builds.
    folder: PathBuf,
}

impl Proof {
    fn all_on_host(&self, packages: &[&Package]) -> Result<()> {
        for package in packages {
            let shown = self
                .on_host(package.name, package.environment)
                .with_context(|| format!("{} on the host", package.name))?;
            println!("no-std: {}: {shown}", package.name);
        }
        Ok(())
    }

    /// Returns true if a crate is built for the microcontroller: of those with an allocator only
    /// those are that have an example of firmware.
    fn has_firmware(&self, package: &Package) -> Result<bool> {
        let has_allocator = package.environment == Environment::NoStdAlloc;
        Ok(!has_allocator || !examples(&self.root.join(package.path()))?.is_empty())
    }

    /// Those with an allocator are closed but for its C functions, and for pieces of unwinding that
    /// `core` and `alloc` name and a linker leaves out.
    fn all_on_cortex_m(&self, packages: &[&Package], core: &Core) -> Result<()> {
        for package in packages {
            let size = self
                .on_cortex_m(package.name, package.environment, core)
                .with_context(|| format!("{} for {TARGET}", package.name))?;
            println!("no-std: {}: closed for {TARGET}, {size}", package.name);
            self.print_footprints(package)?;
        }
        Ok(())
    }

    /// Prints the flash and stack of the functions of a crate's examples: each by itself, with all
    /// that it reaches, independent of the rest of the firmware.
    fn print_footprints(&self, package: &Package) -> Result<()> {
        for example in examples(&self.root.join(package.path()))? {
            let archive = fs::read(self.bare_library(package.name))?;
            for (function, found) in footprint::of_example(&archive, &name(&example))? {
                let bound = match &found.recursive {
                    None => String::new(),
                    Some(symbol) => format!(" and more: {symbol} calls itself"),
                };
                println!(
                    "no-std: {}: {function}: {} bytes of flash, {} of stack{bound}",
                    package.name, found.flash, found.stack
                );
            }
        }
        Ok(())
    }

    fn bare_library(&self, package: &str) -> PathBuf {
        let folder = self.folder.join(BARE).join(TARGET).join("release");
        folder.join(library(package))
    }

    /// Links a crate on the host; returns what was shown.
    fn on_host(&self, package: &str, environment: Environment) -> Result<String> {
        output(self.cargo(package, HOSTED).args(["build", "--release"]))?;
        let folder = self.folder.join(HOSTED).join("release");
        let library = folder.join(library(package));
        let symbols = symbols(&library)?;
        let expected = [EXPECTED, heap(environment)].concat();
        let foreign = foreign(&symbols, &expected, environment);
        ensure!(foreign.is_empty(), "imports {}", foreign.join(", "));
        let program = self.folder.join(package).join("program");
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut link = Command::new(compiler);
        link.arg("-o")
            .arg(&program)
            .arg(self.folder.join(package).join("main.c"));
        link.args(["-Wl,--whole-archive".as_ref(), library.as_os_str()]);
        output(link.arg("-Wl,--no-whole-archive"))?;
        output(&mut Command::new(&program))?;
        let without = match environment {
            Environment::NoStdAlloc => "no std",
            _ => "neither std nor alloc",
        };
        Ok(format!(
            "{without} among {} symbols; linked whole into C",
            symbols.len()
        ))
    }

    /// Builds a crate for the bare-metal target; returns how large its code is.
    fn on_cortex_m(&self, package: &str, environment: Environment, core: &Core) -> Result<String> {
        let mut build = self.cargo(package, BARE);
        build.args(["build", "--release", "--target", TARGET]);
        // Sizes of frames and building `core` are not stable; the pinned compiler makes both
        // repeatable.
        build
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", "-Zemit-stack-sizes");
        if let Core::Source(library) = core {
            build.arg(match environment {
                Environment::NoStdAlloc => "-Zbuild-std=core,alloc",
                _ => "-Zbuild-std=core",
            });
            if let Some(library) = library {
                build.env("__CARGO_TESTS_ONLY_SRC_ROOT", library);
            }
        }
        output(&mut build)?;
        let symbols = symbols(&self.bare_library(package))?;
        let foreign = foreign(&symbols, heap(environment), environment);
        ensure!(foreign.is_empty(), "imports {}", foreign.join(", "));
        let own = format!("waywarden_{}-", package.replace('-', "_"));
        let own = symbols
            .iter()
            .filter(|symbol| symbol.member.starts_with(&own));
        let code: u64 = own.map(|symbol| symbol.code).sum();
        Ok(format!("{code} bytes of its own code"))
    }

    /// Finds `core` for the bare-metal target; none if there is none on this machine.
    fn core(&self) -> Option<Core> {
        let sysroot = output(Command::new("rustc").args(["--print", "sysroot"])).ok()?;
        let rustlib = Path::new(sysroot.trim()).join("lib/rustlib");
        if rustlib.join(TARGET).exists() {
            return Some(Core::Ready);
        }
        if rustlib.join("src/rust/library/core").exists() {
            return Some(Core::Source(None));
        }
        let version = output(Command::new("rustc").arg("--version")).ok()?;
        let version = version.split_whitespace().nth(1)?;
        let library = self
            .root
            .join("target/rust-src")
            .join(version)
            .join("library");
        library
            .join("core")
            .exists()
            .then_some(Core::Source(Some(library)))
    }

    /// Writes the package that contains nothing but the crate.
    fn generate(&self, subject: &Package) -> Result<()> {
        let (package, environment) = (subject.name, subject.environment);
        let folder = self.folder.join(package);
        fs::create_dir_all(folder.join("src"))?;
        let path = self.root.join(subject.path());
        let examples = examples(&path)?;
        let mut dependencies = String::new();
        for example in &examples {
            self.generate_example(&folder, example, package, environment)?;
            let name = name(example);
            let _ = writeln!(dependencies, "example-{name} = {{ path = \"{name}\" }}");
        }
        let features = layers::proof_features(package);
        let manifest = format!(
            "[package]\nname = \"proof-{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [lib]\ncrate-type = [\"staticlib\"]\n\n\
             [dependencies]\nsubject = {{ package = \"waywarden-{package}\", path = {path:?}, \
             default-features = false, features = {features:?} }}\n{dependencies}\n\
             [profile.release]\npanic = \"abort\"\ncodegen-units = 1\nopt-level = \"s\"\n\n\
             [workspace]\n",
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
        // The versions that the project is tested with.
        fs::copy(self.root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        Ok(())
    }

    /// Writes the package of one example: the file itself, and every `no_std` crate to choose from;
    /// those with an allocator only for a crate that has one itself.
    fn generate_example(
        &self,
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
            let path = self.root.join(package.path());
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

    /// Cargo for the proof of a crate, building into a folder of its own for each half: it locks
    /// what it builds into.
    fn cargo(&self, package: &str, target: &str) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .current_dir(self.folder.join(package))
            .env("CARGO_TARGET_DIR", self.folder.join(target))
            .env_remove("RUSTFLAGS");
        // On the host symbols alone count, and code that is not optimised has more of them.
        if target == HOSTED {
            command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
        }
        command
    }
}

/// Finds the examples of a crate that do without the standard library, in order of name.
fn examples(package: &Path) -> Result<Vec<PathBuf>> {
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

fn name(example: &Path) -> String {
    let stem = example.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn library(package: &str) -> String {
    format!("libproof_{}.a", package.replace('-', "_"))
}

/// Runs a command and returns what it prints.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_owned();
    let name = Path::new(&name)
        .file_name()
        .map(OsStr::to_string_lossy)
        .unwrap_or_default()
        .into_owned();
    let output = command
        .output()
        .with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
