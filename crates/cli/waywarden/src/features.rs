//! The parts of the command that a build may leave out.

use std::sync::LazyLock;

/// Every feature of the package and whether this build has it, in the order in which they are
/// named.
const FEATURES: [(&str, bool); 5] = [
    ("v2x", cfg!(feature = "v2x")),
    ("pki", cfg!(feature = "pki")),
    ("traffic", cfg!(feature = "traffic")),
    ("papers", cfg!(feature = "papers")),
    ("aws-lc", cfg!(feature = "aws-lc")),
];

/// The parts that every build has.
const CORE: &str = "vehicles, logs, verify, inspect, demo";

/// The version and commit, the features of this build, and what the licence of data in the program
/// demands to be said.
pub(crate) static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\n{}\nLicence: MIT or Apache 2.0. Country boundaries: © OpenStreetMap contributors,\n\
         Open Database License (ODbL) 1.0, in the form of the crate country-boundaries.",
        crate::VERSION,
        named()
    )
});

/// Returns one line that names the features of this build.
pub(crate) fn named() -> String {
    let of = |is_here: bool| {
        let features = FEATURES.iter().filter(move |(_, here)| *here == is_here);
        features.map(|(name, _)| *name).collect::<Vec<_>>()
    };
    let here: Vec<&str> = std::iter::once(CORE).chain(of(true)).collect();
    let mut line = format!("Features: {}", here.join(", "));
    // The C library is no command: a build without it lacks nothing that a user looks for.
    let lacking: Vec<&str> = of(false)
        .into_iter()
        .filter(|name| *name != "aws-lc")
        .collect();
    if !lacking.is_empty() {
        line.push_str("; not in this build: ");
        line.push_str(&lacking.join(", "));
    }
    line
}
