//! What the tests share: real data, chance by seed, and values read and written again.

pub(crate) mod maker;

use std::fs;
use std::path::{Path, PathBuf};

use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::coer::{Decode, Encode, Rebuilt, Slice, emit, length, parse};

pub(crate) fn required(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}

/// The folder that holds the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns a folder of the corpus; `None`, with a message, where it is missing and may be.
pub(crate) fn corpus(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("WAYWARDEN_CORPUS")
        .map_or_else(|| workspace().join("../shared/corpus"), PathBuf::from);
    let folder = root.join("v2x").join(name);
    if folder.exists() {
        return Some(folder);
    }
    assert!(
        !required("WAYWARDEN_REQUIRE_CORPUS"),
        "{} is missing",
        folder.display()
    );
    println!("skipped: corpus not found");
    None
}

/// The certificates of the ETSI test suite, with their names.
pub(crate) fn etsi_certificates() -> Option<Vec<(String, Vec<u8>)>> {
    let folder = corpus("etsi_tsits_certs")?;
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "oer"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    Some(files)
}

/// The messages from the field, with where they come from.
pub(crate) fn field_messages() -> Option<Vec<(String, Vec<u8>)>> {
    let text = fs::read_to_string(corpus("us_field")?.join("signed.hex")).unwrap();
    let lines = text.lines().map(|line| {
        let (from, digits) = line.split_once(' ').unwrap();
        (from.to_owned(), bytes_of(digits))
    });
    Some(lines.collect())
}

pub(crate) fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

pub(crate) fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a value: as it was read, and from its parts; both are the same, and as long as was said.
pub(crate) fn written<T: Encode>(value: &T) -> Vec<u8> {
    let size = length(value).unwrap();
    let mut buffer = vec![0; size];
    assert_eq!(emit(value, &mut buffer).unwrap().len(), size);
    let mut rebuilt = vec![0; size];
    let mut slice = Slice::new(&mut rebuilt);
    value.encode(&mut Rebuilt(&mut slice)).unwrap();
    assert_eq!(slice.used(), size);
    assert_eq!(rebuilt, buffer, "from its parts, and as it was read");
    buffer
}

/// Reads `bytes`; what is read is written again as it was.
pub(crate) fn comes_back<'a, T: Decode<'a> + Encode>(bytes: &'a [u8]) -> Result<T, WireError> {
    let value: T = parse(bytes)?;
    assert_eq!(
        hex_of(&written(&value)),
        hex_of(bytes),
        "{} is written as it was read",
        T::NAME
    );
    Ok(value)
}

/// A generator of numbers for tests: SplitMix64.
#[derive(Clone)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// Runs `run` for the seed that `WAYWARDEN_SEED` names, or for the first `WAYWARDEN_SEEDS`, or for
/// `few`; says which seed fails. Returns how many there were.
pub(crate) fn each_seed(few: u64, run: impl Fn(u64) + std::panic::RefUnwindSafe) -> u64 {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        text.parse::<u64>().ok()
    };
    let seeds = match number("WAYWARDEN_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("WAYWARDEN_SEEDS").unwrap_or(few),
    };
    let count = seeds.end - seeds.start;
    for seed in seeds {
        if let Err(panic) = std::panic::catch_unwind(|| run(seed)) {
            eprintln!("WAYWARDEN_SEED={seed} repeats it");
            std::panic::resume_unwind(panic);
        }
    }
    count
}
