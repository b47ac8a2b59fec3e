//! SoftHSM2 as a PKCS#11 token: each test has tokens of its own in a folder that goes with it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::oracle::found;
use crate::output_of;

/// Paths at which packages install the module.
const MODULES: [&str; 5] = [
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib64/softhsm/libsofthsm2.so",
    "/usr/lib/pkcs11/libsofthsm2.so",
    "/usr/local/lib/softhsm/libsofthsm2.so",
];

/// Paths at which packages install the module that logs each call to another one (OpenSC).
const SPIES: [&str; 4] = [
    "/usr/lib/x86_64-linux-gnu/pkcs11-spy.so",
    "/usr/lib/pkcs11-spy.so",
    "/usr/lib64/pkcs11-spy.so",
    "/usr/local/lib/pkcs11-spy.so",
];

/// The variable by which the module finds its configuration.
const CONFIGURATION: &str = "SOFTHSM2_CONF";

/// The variable with the folder of tokens, for a test in a process of its own.
const FOLDER: &str = "WAYWARDEN_SOFTHSM_FOLDER";

/// The security officer's PIN of every token.
const OFFICER_PIN: &str = "officer-1234";

/// Tokens in a folder.
#[derive(Debug)]
pub struct SoftHsm {
    folder: PathBuf,
    module: PathBuf,
    is_owner: bool,
}

fn first(paths: &[&str]) -> Option<PathBuf> {
    let mut paths = paths.iter().map(PathBuf::from);
    paths.find(|path| path.is_file())
}

impl SoftHsm {
    /// Makes a folder without a token; `None`, with a message, where SoftHSM2 is not installed.
    ///
    /// # Panics
    ///
    /// If it is not under `WAYWARDEN_REQUIRE_ORACLES=1`, or if the folder cannot be made.
    #[must_use]
    pub fn new() -> Option<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let works = Command::new("softhsm2-util").arg("--version").output();
        let module = first(&MODULES).filter(|_| works.is_ok_and(|one| one.status.success()));
        if !found(module.is_some(), "softhsm2") {
            return None;
        }
        let (number, process) = (MADE.fetch_add(1, Ordering::Relaxed), std::process::id());
        let folder = env::temp_dir().join(format!("waywarden-softhsm-{process}-{number}"));
        fs::create_dir_all(folder.join("tokens")).expect("a folder for temporary files");
        let tokens = folder.join("tokens");
        let text = format!("directories.tokendir = {}\n", tokens.display());
        fs::write(folder.join("softhsm2.conf"), text).expect("a configuration");
        Some(Self {
            folder,
            module: module?,
            is_owner: true,
        })
    }

    /// Runs a test in a process of its own, because the module finds its tokens by a variable of
    /// the process. `test` is the name by which the test binary knows it.
    ///
    /// # Panics
    ///
    /// If the test fails in its process.
    pub fn run(test: &str, body: impl FnOnce(&Self)) {
        if let Some(folder) = env::var_os(FOLDER) {
            let module = first(&MODULES).expect("the module of the process before");
            return body(&Self {
                folder: folder.into(),
                module,
                is_owner: false,
            });
        }
        let Some(own) = Self::new() else {
            return;
        };
        let binary = env::current_exe().expect("the test binary");
        let mut command = Command::new(binary);
        command.args(["--exact", test, "--nocapture"]);
        let (name, value) = own.variable();
        command.env(name, value).env(FOLDER, &own.folder);
        let output = command.output().expect("the test binary runs");
        let text = String::from_utf8_lossy(&output.stdout);
        println!("{text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("1 passed"), "{test} failed in its process");
    }

    /// Returns the module.
    #[must_use]
    pub fn module(&self) -> &Path {
        &self.module
    }

    /// Returns the module that logs each call to the one of a variable; `None`, with a message,
    /// where OpenSC is not installed.
    ///
    /// # Panics
    ///
    /// If it is not under `WAYWARDEN_REQUIRE_ORACLES=1`.
    #[must_use]
    pub fn spy() -> Option<PathBuf> {
        let spy = first(&SPIES);
        found(spy.is_some(), "pkcs11-spy (opensc-pkcs11)").then_some(spy)?
    }

    /// Returns the variable that a process needs to find the tokens.
    #[must_use]
    pub fn variable(&self) -> (&'static str, PathBuf) {
        (CONFIGURATION, self.folder.join("softhsm2.conf"))
    }

    /// Initializes a token.
    ///
    /// # Panics
    ///
    /// If SoftHSM2 does not.
    pub fn initialize(&self, label: &str, pin: &str) {
        let (name, value) = self.variable();
        let mut command = Command::new("softhsm2-util");
        command.args(["--init-token", "--free", "--label", label, "--pin", pin]);
        output_of(command.args(["--so-pin", OFFICER_PIN]).env(name, value));
    }

    /// Takes all tokens away, as if the reader were unplugged.
    ///
    /// # Panics
    ///
    /// If they cannot be moved.
    pub fn unplug(&self) {
        let (from, to) = (self.folder.join("tokens"), self.folder.join("unplugged"));
        fs::rename(&from, to).expect("tokens that can be moved");
        fs::create_dir(from).expect("an empty folder");
    }

    /// Brings them back.
    ///
    /// # Panics
    ///
    /// If they cannot be moved.
    pub fn plug_in(&self) {
        let (from, to) = (self.folder.join("unplugged"), self.folder.join("tokens"));
        fs::remove_dir(&to).expect("an empty folder");
        fs::rename(from, to).expect("tokens that can be moved");
    }
}

impl Drop for SoftHsm {
    fn drop(&mut self) {
        if self.is_owner {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
