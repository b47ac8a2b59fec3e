//! The layers of the workspace as a table: each crate, its layer, its environment, and the arrows
//! that are exceptions. Every check that asks about crates reads this table.
//!
//! `ARCHITECTURE.md` has the same table, and the reasons.

/// Environment that a crate may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Environment {
    /// `no_std` without an allocator.
    NoStd,
    /// `no_std` with `alloc`.
    NoStdAlloc,
    /// The standard library, but no clock, socket, file, environment variable or random
    /// generator.
    Pure,
    /// Anything.
    Io,
}

impl Environment {
    /// Name of the environment for people.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::NoStd => "no_std",
            Self::NoStdAlloc => "no_std, alloc",
            Self::Pure => "std, no I/O",
            Self::Io => "I/O",
        }
    }
}

/// One crate under `crates/`, or of `bindings/`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Package {
    /// The package is `waywarden-<name>`.
    pub(crate) name: &'static str,
    /// The folder under `crates/`: the domain, and in it the crate. That of a binding is from the
    /// root.
    pub(crate) folder: &'static str,
    /// A crate imports crates of lower layers only.
    pub(crate) layer: u8,
    /// The environment that it may use.
    pub(crate) environment: Environment,
}

const fn package(
    name: &'static str,
    folder: &'static str,
    layer: u8,
    environment: Environment,
) -> Package {
    Package {
        name,
        folder,
        layer,
        environment,
    }
}

/// Every crate of the design, also those that are not built yet.
pub(crate) const PACKAGES: &[Package] = &[
    package("work", "base/work", 0, Environment::NoStd),
    package("random", "base/random", 0, Environment::NoStd),
    package("host", "base/host", 0, Environment::Io),
    package("report-page", "base/report-page", 0, Environment::Pure),
    package("documents", "base/documents", 0, Environment::Pure),
    package("can", "can/can", 0, Environment::NoStd),
    package("fourq", "crypto/fourq", 0, Environment::NoStd),
    package("ecverify", "crypto/ecverify", 0, Environment::NoStd),
    package("v2x-wire", "v2x/wire", 0, Environment::NoStd),
    package("input-files", "base/input-files", 1, Environment::Io),
    package("boards", "base/boards", 1, Environment::Pure),
    package("can-dbc", "can/dbc", 1, Environment::Pure),
    package("can-log", "can/log", 1, Environment::Pure),
    package("key-suites", "crypto/key-suites", 1, Environment::NoStd),
    package("key-roles", "onboard/key-roles", 1, Environment::NoStd),
    package("can-auth", "onboard/can-auth", 1, Environment::NoStd),
    package("v2x-keys", "v2x/keys", 1, Environment::NoStd),
    package("v2x-security", "v2x/security", 1, Environment::NoStdAlloc),
    package("v2x-messages", "v2x/messages", 1, Environment::Pure),
    package("v2x-congestion", "v2x/congestion", 1, Environment::NoStd),
    package(
        "v2x-misbehaviour",
        "v2x/misbehaviour",
        1,
        Environment::NoStdAlloc,
    ),
    package("vehicle-tracks", "traffic/tracks", 1, Environment::Pure),
    package("response-time", "can/response-time", 1, Environment::Pure),
    package("group-keys", "onboard/group-keys", 2, Environment::NoStd),
    package("lasan", "onboard/lasan", 2, Environment::NoStd),
    package("ecu", "onboard/ecu", 2, Environment::NoStd),
    package(
        "firmware-link",
        "onboard/firmware-link",
        3,
        Environment::NoStd,
    ),
    package(
        "session-keys",
        "onboard/session-keys",
        3,
        Environment::NoStd,
    ),
    package("can-matrix", "can/matrix", 2, Environment::Pure),
    package("can-sim", "can/sim", 2, Environment::Pure),
    package("v2x-borders", "v2x/borders", 2, Environment::Pure),
    package("v2x-time", "v2x/time", 2, Environment::Io),
    package("v2x-schedule", "v2x/schedule", 2, Environment::NoStdAlloc),
    package("v2x-payload", "v2x/payload", 2, Environment::NoStdAlloc),
    package("v2x-signing", "v2x/signing", 2, Environment::NoStdAlloc),
    package("v2x-link", "v2x/link", 2, Environment::Io),
    package("v2x-token", "v2x/token", 2, Environment::Io),
    package("command-line", "cli/support", 2, Environment::Io),
    package("vehicle-grammar", "vehicle/grammar", 2, Environment::Pure),
    package(
        "firmware-operations",
        "onboard/firmware-operations",
        3,
        Environment::NoStd,
    ),
    package(
        "firmware-ecu",
        "onboard/firmware-ecu",
        4,
        Environment::NoStd,
    ),
    package(
        "firmware-lasan",
        "onboard/firmware-lasan",
        6,
        Environment::NoStd,
    ),
    package(
        "firmware-paired",
        "onboard/firmware-paired",
        5,
        Environment::NoStd,
    ),
    package(
        "firmware-secoc",
        "onboard/firmware-secoc",
        5,
        Environment::NoStd,
    ),
    package(
        "firmware-receiver",
        "onboard/firmware-receiver",
        4,
        Environment::NoStdAlloc,
    ),
    package(
        "firmware-certificates",
        "onboard/firmware-certificates",
        4,
        Environment::NoStd,
    ),
    package(
        "firmware-group-keys",
        "onboard/firmware-group-keys",
        6,
        Environment::NoStd,
    ),
    package("vehicle-file", "vehicle/file", 3, Environment::Pure),
    package("paper-tables", "papers/tables", 3, Environment::Pure),
    package("traffic-lab", "traffic/lab", 3, Environment::Pure),
    package("can-linux", "can/linux", 3, Environment::Io),
    package(
        "v2x-service-protocol",
        "service/protocol",
        3,
        Environment::Io,
    ),
    package("v2x-pki", "pki/roles", 3, Environment::Pure),
    package("v2x-station", "v2x/station", 3, Environment::NoStdAlloc),
    package(
        "v2x-misbehaviour-report",
        "v2x/misbehaviour-report",
        3,
        Environment::NoStdAlloc,
    ),
    package("v2x-input", "v2x/input", 3, Environment::Io),
    package("v2x-inspect", "v2x/inspect", 4, Environment::Io),
    package("v2x-receiver", "v2x/receiver", 4, Environment::Io),
    package("can-auth-log", "onboard/can-auth-log", 4, Environment::Pure),
    package(
        "papers-in-vehicle",
        "papers/in-vehicle",
        4,
        Environment::Pure,
    ),
    package("papers-v2x", "papers/v2x", 4, Environment::Pure),
    package(
        "vehicle-resources",
        "vehicle/resources",
        4,
        Environment::Pure,
    ),
    package("vehicle-trace", "vehicle/trace", 4, Environment::Pure),
    package("vehicle-bound", "vehicle/bound", 5, Environment::Pure),
    package(
        "misbehaviour-authority",
        "pki/misbehaviour-authority",
        4,
        Environment::Pure,
    ),
    package("v2x-neighbourhood", "v2x/neighbourhood", 4, Environment::Io),
    package("v2x-pki-service", "pki/server", 4, Environment::Io),
    package("v2x-recording", "service/recording", 4, Environment::Io),
    package("traffic-stations", "traffic/stations", 5, Environment::Pure),
    package("command-traffic", "cli/traffic", 6, Environment::Io),
    package("v2x-service", "service/server", 5, Environment::Io),
    package("papers", "papers/all", 5, Environment::Pure),
    package("vehicle-sim", "vehicle/sim", 5, Environment::Pure),
    package("vehicle-report", "vehicle/report", 5, Environment::Pure),
    package("pki-folder", "pki/folder", 5, Environment::Io),
    package("vehicle-page", "vehicle/page", 6, Environment::Pure),
    package("vehicle-fmu", "vehicle/fmu", 6, Environment::Pure),
    package("vehicle-lab", "vehicle/lab", 6, Environment::Pure),
    package("vehicle-firmware", "vehicle/firmware", 5, Environment::Io),
    package("vehicle-road", "vehicle/road", 6, Environment::Pure),
    package("command-can", "cli/can", 6, Environment::Io),
    package("pki-authorities", "pki/authorities", 6, Environment::Io),
    package("command-v2x", "cli/v2x", 6, Environment::Io),
    package("command-pki", "cli/pki", 7, Environment::Io),
    package("command-papers", "cli/papers", 7, Environment::Io),
    package("cli", "cli/waywarden", 8, Environment::Io),
    package("c", "bindings/c", 9, Environment::Io),
    package("c-v2x", "bindings/c-v2x", 10, Environment::Io),
    package("fmi", "bindings/fmi", 9, Environment::Io),
    package("python", "bindings/python", 9, Environment::Io),
    package("browser", "bindings/browser", 9, Environment::Io),
];

/// Folders and files of `no_std` crates that allocate, if the feature `alloc` is on. The proof is
/// made without it.
pub(crate) const ALLOCATING: &[(&str, &str)] = &[
    ("ecverify", "verifier/"),
    ("can", "driver.rs"),
    ("can", "mailbox/memory.rs"),
    ("key-roles", "storage.rs"),
    ("group-keys", "builder"),
    ("group-keys", "suite/any.rs"),
    ("lasan", "builder"),
    ("lasan", "suites/any.rs"),
];

/// Features that a `no_std` crate is proved with. Of the curves for V2X one, as a device has it:
/// without one there would be nothing to prove. FN-DSA is left out, as it needs an allocator.
const PROOF_FEATURES: &[(&str, &[&str])] = &[
    ("key-suites", &["p256", "post-quantum"]),
    ("lasan", &["p256", "post-quantum"]),
    ("v2x-keys", &["p256"]),
];

/// The arrows between crates of one layer that are allowed: from, to.
pub(crate) const SAME_LAYER: &[(&str, &str)] = &[("can", "work")];

/// Crates that may import these crates of the workspace and no other.
pub(crate) const ONLY: &[(&str, &[&str])] = &[
    ("work", &[]),
    ("can-sim", &["boards", "can", "random", "work"]),
];

/// Arrows that stay forbidden even if the layers change one day: from, to, why.
pub(crate) const NEVER: &[(&str, &str, &str)] = &[
    ("group-keys", "can-auth", KEYS_MOVE),
    ("lasan", "can-auth", KEYS_MOVE),
];

const KEYS_MOVE: &str = "an ECU moves a session key from one's event to the other's keyring";

/// Crates from outside and the lowest layer that may use them. `chrono` reads dates in files; its
/// clock is a feature that is off.
pub(crate) const FOREIGN: &[(&str, u8, &str)] = &[
    ("anyhow", 3, "an error enum, one variant per cause"),
    ("chrono", 1, "an `Instant` that comes in"),
    ("cryptoki", 2, "the `KeyStore` seam"),
    ("country-boundaries", 2, "the `Borders` seam"),
    ("hyper", 4, "sans-I/O code, driven from above"),
    ("mio", 3, "sans-I/O code, driven from above"),
    ("nix", 2, "sans-I/O code, driven from above"),
    ("rusqlite", 4, "a trait for what must last"),
    ("socket2", 2, "sans-I/O code, driven from above"),
    ("socketcan", 3, "the `Node` seam"),
    ("tokio", 3, "sans-I/O code, driven from above"),
];

/// Crates from outside that one crate alone may use: the crate, its user, what others do instead.
pub(crate) const ONE_USER: &[(&str, &str, &str)] = &[("getrandom", "host", "a seed that comes in")];

/// The longest chain of crates of which each imports the next.
pub(crate) const CHAIN_MAX: usize = 9;

/// Packages that only development needs: nothing may import them, save for tests.
pub(crate) const DEVELOPMENT_ONLY: &[&str] = &[
    "xtask",
    "waywarden-bench",
    "waywarden-fuzz",
    "waywarden-testkit",
    "waywarden-testkit-can",
    "waywarden-testkit-firmware",
    "waywarden-testkit-schemas",
    "waywarden-testkit-v2x",
];

/// Finds the features that a package is proved with.
pub(crate) fn proof_features(package: &str) -> &'static [&'static str] {
    let found = PROOF_FEATURES.iter().find(|(name, _)| *name == package);
    found.map_or(&[], |(_, features)| features)
}

/// Finds a package by its name without `waywarden-`.
pub(crate) fn find(name: &str) -> Option<&'static Package> {
    PACKAGES.iter().find(|package| package.name == name)
}

/// Finds a package by its full name.
pub(crate) fn of_package(name: &str) -> Option<&'static Package> {
    find(name.strip_prefix("waywarden-")?)
}

/// Finds the package whose sources a file belongs to (`<path>/src/...`).
pub(crate) fn of_source(path: &str) -> Option<&'static Package> {
    PACKAGES.iter().find(|package| {
        path.strip_prefix(&package.path())
            .is_some_and(|rest| rest.starts_with("/src/"))
    })
}

impl Package {
    /// The folder from the root.
    pub(crate) fn path(&self) -> String {
        if self.folder.starts_with("bindings/") {
            return self.folder.to_owned();
        }
        format!("crates/{}", self.folder)
    }

    /// Returns true if the standard library is out of reach.
    pub(crate) fn is_no_std(&self) -> bool {
        matches!(
            self.environment,
            Environment::NoStd | Environment::NoStdAlloc
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exception_names_packages_that_exist() {
        let mut names: Vec<&str> = SAME_LAYER.iter().flat_map(|&(a, b)| [a, b]).collect();
        names.extend(NEVER.iter().flat_map(|&(a, b, _)| [a, b]));
        for (from, to) in ONLY {
            names.push(from);
            names.extend_from_slice(to);
        }
        for name in names {
            assert!(find(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_source_file_belongs_to_its_package() {
        assert_eq!(of_source("crates/can/can/src/id.rs").unwrap().name, "can");
        assert!(of_source("crates/can/can/tests/id.rs").is_none());
        assert!(of_source("xtask/src/main.rs").is_none());
    }
}
