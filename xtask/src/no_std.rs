//! `cargo xtask no-std`: proves that the `no_std` crates need neither `std` nor an allocator.
//!
//! That a crate says `#![no_std]` proves little: on a desktop target a dependency may bring `std`
//! in unseen. So each crate is linked into a `#![no_std]` static library of its own. Those of one
//! environment are a workspace outside the project's: what they share is built once, with the
//! features that the table of layers names. Where `core` for a Cortex-M4 can be had, it is built
//! for that and must be closed: not one symbol undefined. Of a crate for which there is no such
//! build (and of every crate, with `--host`) the library is built for this machine: its symbols
//! are read, and a C program links it whole and runs. A crate's examples that are `#![no_std]` are
//! linked in unchanged: they use what is generic, of which the crate alone compiles nothing.

mod footprint;
mod symbols;
mod templates;
mod workspace;

use std::ffi::OsStr;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::layers::{self, Environment, Package};
use symbols::{EXPECTED, foreign, heap, symbols};
use workspace::{examples, generate, name, of_environment};

/// The bare-metal target: a Cortex-M4 or M7 with its floating-point unit.
const TARGET: &str = "thumbv7em-none-eabihf";

/// The environments that are proved, each in a workspace.
const ENVIRONMENTS: [Environment; 2] = [Environment::NoStd, Environment::NoStdAlloc];

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
    for environment in ENVIRONMENTS {
        generate(
            &proof.root,
            &proof.workspace(environment),
            environment,
            &packages,
        )?;
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
        for environment in ENVIRONMENTS {
            let mut build = self.cargo(environment, HOSTED, packages);
            if let Some(build) = &mut build {
                // Symbols alone count here, and code that is not optimised has more of them.
                output(build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"))?;
            }
        }
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
        for environment in ENVIRONMENTS {
            if let Some(mut build) = self.cargo(environment, BARE, packages) {
                output(for_cortex_m(&mut build, environment, core))?;
            }
        }
        for package in packages {
            let size = self
                .on_cortex_m(package.name, package.environment)
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

    /// Reads the library of a crate for this machine and links it into a program; returns what was
    /// shown.
    fn on_host(&self, package: &str, environment: Environment) -> Result<String> {
        let folder = self.folder.join(HOSTED).join("release");
        let library = folder.join(library(package));
        let symbols = symbols(&library)?;
        let expected = [EXPECTED, heap(environment)].concat();
        let foreign = foreign(&symbols, &expected, environment);
        ensure!(foreign.is_empty(), "imports {}", foreign.join(", "));
        let sources = self.workspace(environment).join(package);
        let program = sources.join("program");
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut link = Command::new(compiler);
        link.arg("-o").arg(&program).arg(sources.join("main.c"));
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

    /// Reads the library of a crate for the bare-metal target; returns how large its code is.
    fn on_cortex_m(&self, package: &str, environment: Environment) -> Result<String> {
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

    /// Folder of the proofs of one environment.
    fn workspace(&self, environment: Environment) -> PathBuf {
        self.folder.join(match environment {
            Environment::NoStdAlloc => "with-alloc",
            _ => "without-alloc",
        })
    }

    /// Cargo that builds the proofs of those packages that are of an environment, if there are any,
    /// into a folder of its own for each half: it locks what it builds into.
    fn cargo(
        &self,
        environment: Environment,
        half: &str,
        packages: &[&Package],
    ) -> Option<Command> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .current_dir(self.workspace(environment))
            .args(["build", "--release"])
            .env("CARGO_TARGET_DIR", self.folder.join(half))
            .env_remove("RUSTFLAGS");
        let mut is_needed = false;
        for package in of_environment(packages, environment) {
            command
                .arg("--package")
                .arg(format!("proof-{}", package.name));
            is_needed = true;
        }
        is_needed.then_some(command)
    }
}

/// Has cargo build for the bare-metal target. Sizes of frames and building `core` are not stable;
/// the pinned compiler makes both repeatable.
fn for_cortex_m<'a>(
    build: &'a mut Command,
    environment: Environment,
    core: &Core,
) -> &'a mut Command {
    build
        .args(["--target", TARGET])
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
    build
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
