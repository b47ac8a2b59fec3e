//! Operations with secrets in constant time, on the code of the image: for each secret the same
//! instructions in the same order, and the same addresses of loads and stores.
//!
//! A plug-in of the emulator watches, see `tests/plugin/trace.c`. Divisions, whose time depends on
//! their operands in one and the same trace, are counted and may not be. Computations that show
//! their secret on purpose have to be found.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tempfile::TempDir;
use waywarden_firmware_operations::{
    CountedOperation, FIRST_KEPT, FIRST_LEAK, KEEPING, LEAKING, OPERATIONS,
};
use waywarden_testkit::workspace;
use waywarden_vehicle_firmware::QemuImage;
use waywarden_work::{Algorithm, OperationKind};

use crate::image::{Core, M4F, OTHERS, built};
use crate::operations::count;

/// Secrets of each operation.
const SECRETS: u32 = 100;

/// Secrets of each operation on a further core, whose code is made of the same source.
const SECRETS_OF_OTHERS: u32 = 10;

/// The cores, each with the set of its image and the register that the counter of instructions
/// reads.
const M4F_OPERATIONS: (&Core, &str, &str) = (&M4F, "operations", "0x40000004");
const M33_OPERATIONS: (&Core, &str, &str) = (&OTHERS[0], "operations-m33", "0x50000004");

/// The read of the counter at which an operation begins: the start, then twice for each exchange,
/// of the boot and of the first gate.
const FROM: u32 = 5;

/// Operations whose trace differs, honestly, with the reason.
const VARYING: &[(OperationKind, &str)] = &[(
    OperationKind::KemKeyGenerate,
    "the matrix of a key is public, and sampled by rejection from a seed that is another for \
     each key",
)];

/// Operations that have no secret.
const PUBLIC: &[OperationKind] = &[OperationKind::Verify, OperationKind::KeyRebuild];

/// The way of an operation through code and memory.
#[derive(Clone, Debug, PartialEq)]
struct Trace {
    instructions: u64,
    accesses: u64,
    divisions: u64,
    hash: String,
}

/// The image of operations, watched by the plug-in.
struct Watched {
    machine: &'static str,
    mark: &'static str,
    image: PathBuf,
    plugin: PathBuf,
    folder: TempDir,
}

impl Watched {
    /// Builds image and plug-in; none, with a message, where one cannot be built.
    fn new((core, set, mark): (&Core, &str, &'static str)) -> Option<Watched> {
        let image = built(&[set])?;
        let folder = tempfile::tempdir().expect("a folder");
        let plugin = folder.path().join("trace.so");
        let source = workspace().join("crates/vehicle/firmware/tests/plugin/trace.c");
        let compiler = env::var_os("CC").unwrap_or_else(|| OsString::from("cc"));
        let mut command = Command::new(compiler);
        command.args(["-O2", "-shared", "-fPIC"]);
        command.arg(format!("-DAPI={}", interface()));
        let output = command.arg(source).arg("-o").arg(&plugin).output();
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                println!("skipped: no C compiler for the plug-in: {error}");
                return None;
            }
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the plug-in: {errors}");
        Some(Watched {
            machine: core.machine,
            mark,
            image,
            plugin,
            folder,
        })
    }

    /// Has an operation computed with a secret; with `records`, each step of it goes there.
    fn trace(&self, place: usize, secret: u32, records: Option<&Path>) -> Trace {
        let into = self.folder.path().join(format!("{place}-{secret}"));
        let mut argument = OsString::from(&self.plugin);
        let (mark, into_text) = (self.mark, into.display());
        argument.push(format!(",mark={mark},from={FROM},into={into_text}"));
        if let Some(records) = records {
            argument.push(format!(",records={}", records.display()));
        }
        let image = QemuImage::new(&self.image, self.machine).expect("our own image");
        let image = image.with_arguments(vec![OsString::from("-plugin"), argument]);
        count(&image, place, secret, &[]).expect("an operation that fits");
        let text = fs::read_to_string(&into).expect("the result of the plug-in");
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [instructions, accesses, divisions, hash] = parts[..] else {
            panic!("the plug-in: {text:?}");
        };
        let number = |text: &str| text.parse().expect("a number");
        Trace {
            instructions: number(instructions),
            accesses: number(accesses),
            divisions: number(divisions),
            hash: hash.to_owned(),
        }
    }

    /// Says where the traces of two secrets part, and what was executed before.
    fn parting(&self, place: usize, secrets: [u32; 2]) -> String {
        let [one, other] = secrets.map(|secret| {
            let file = self.folder.path().join(format!("records-{place}-{secret}"));
            self.trace(place, secret, Some(&file));
            fs::read(file).expect("the records of the plug-in")
        });
        let steps = one.chunks_exact(8).zip(other.chunks_exact(8));
        let mut last = Vec::new();
        for (own, other) in steps {
            if own != other {
                last.push(format!("{}, or {}", step(own), step(other)));
                break;
            }
            last.push(step(own));
            last.drain(..last.len().saturating_sub(8));
        }
        last.join("; ")
    }

    /// Compares traces for many secrets; returns the reason if an operation shows its own.
    fn leak(&self, place: usize, secrets: u32) -> Option<String> {
        let first = self.trace(place, 1, None);
        assert!(first.instructions > 0, "nothing was watched");
        if first.divisions > 0 {
            return Some(format!("{} divisions", first.divisions));
        }
        // Spread over all bits of the seed, the same in every run.
        let mut others = (1..secrets).map(|number| number.wrapping_mul(0x9E37_79B1));
        let other = others.find(|secret| self.trace(place, *secret, None) != first)?;
        let parting = self.parting(place, [1, other]);
        Some(format!("another trace for secret {other:#x}: {parting}"))
    }
}

/// Writes a step of a trace.
fn step(record: &[u8]) -> String {
    let address = u32::from_le_bytes(record[..4].try_into().expect("eight bytes"));
    match record[4] {
        0 => format!("pc {address:#x}"),
        1 => format!("load {address:#x}"),
        _ => format!("store {address:#x}"),
    }
}

/// Returns the version of the emulator's interface for plug-ins.
fn interface() -> u32 {
    let output = Command::new("qemu-system-arm").arg("--version").output();
    let output = output.expect("it has built images").stdout;
    let text = String::from_utf8_lossy(&output);
    let version = text
        .split_whitespace()
        .skip_while(|word| *word != "version");
    let mut numbers = version.skip(1).flat_map(|word| word.split('.'));
    let mut number = || numbers.next().and_then(|text| text.parse::<u32>().ok());
    match (number(), number()) {
        (Some(..9), _) => 1,
        (Some(9), Some(0)) => 2,
        (Some(9), Some(1)) => 3,
        _ => 4,
    }
}

/// Returns true if an operation has a secret, and claims to keep it.
fn is_claimed(counted: &CountedOperation) -> bool {
    let kind = counted.operation.kind;
    let is_varying = VARYING.iter().any(|(varying, _)| *varying == kind);
    // ML-DSA does not fit the part, and its signatures are sampled by rejection.
    let is_too_large = counted.operation.algorithm == Algorithm::MlDsa44;
    !is_varying && !is_too_large && !PUBLIC.contains(&kind)
}

/// Checks places of the list on all processors; returns each with its leak.
fn leaks(watched: &Watched, places: &[usize], secrets: u32) -> Vec<(usize, Option<String>)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.push((*place, watched.leak(*place, secrets)));
        }
        found
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        let ends = threads.into_iter();
        ends.flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    all.sort_unstable();
    all
}

/// Each operation with a secret has one trace on a core.
fn have_one_trace(core: (&Core, &str, &'static str), secrets: u32) {
    let Some(watched) = Watched::new(core) else {
        return;
    };
    let places: Vec<usize> = (0..OPERATIONS.len())
        .filter(|place| is_claimed(&OPERATIONS[*place]))
        .collect();
    let mut found = Vec::new();
    for (place, leak) in leaks(&watched, &places, secrets) {
        let counted = &OPERATIONS[place];
        let name = format!("{:?} by {}", counted.operation, counted.by);
        match leak {
            None => println!("{name}: one trace for {secrets} secrets"),
            Some(leak) => found.push(format!("{name}: {leak}")),
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn operations_with_secrets_have_one_trace() {
    have_one_trace(M4F_OPERATIONS, SECRETS);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn operations_with_secrets_have_one_trace_on_the_m33() {
    have_one_trace(M33_OPERATIONS, SECRETS_OF_OTHERS);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn operations_that_are_listed_as_varying_do_vary() {
    let Some(watched) = Watched::new(M4F_OPERATIONS) else {
        return;
    };
    for (kind, why) in VARYING {
        let mut listed = OPERATIONS.iter().enumerate();
        let found = listed.find(|(_, counted)| counted.operation.kind == *kind);
        let (place, _) = found.expect("an operation of the list");
        assert!(watched.leak(place, 3).is_some(), "{kind:?}: not that {why}");
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn other_computations_have_one_trace() {
    let Some(watched) = Watched::new(M4F_OPERATIONS) else {
        return;
    };
    let places: Vec<usize> = (0..KEEPING.len()).map(|at| FIRST_KEPT + at).collect();
    for (place, leak) in leaks(&watched, &places, SECRETS) {
        assert_eq!(leak, None, "{}", KEEPING[place - FIRST_KEPT].by);
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn computations_that_show_their_secret_are_found() {
    let Some(watched) = Watched::new(M4F_OPERATIONS) else {
        return;
    };
    let places: Vec<usize> = (0..LEAKING.len()).map(|at| FIRST_LEAK + at).collect();
    for (place, leak) in leaks(&watched, &places, 10) {
        let by = LEAKING[place - FIRST_LEAK].by;
        let leak = leak.unwrap_or_else(|| panic!("{by} is not found"));
        println!("{by}: {leak}");
        let expected = match by {
            "a division" => "1 divisions",
            "a look-up" => "load",
            "a store" => "store",
            _ => "pc",
        };
        let last = leak.rsplit("; ").next().expect("a step");
        assert!(last.contains(expected), "{by}: {leak}");
    }
}

#[test]
fn each_operation_is_claimed_or_has_a_reason() {
    let claimed = OPERATIONS.iter().filter(|counted| is_claimed(counted));
    let secret = [
        OperationKind::Tag,
        OperationKind::KeyGenerate,
        OperationKind::Share,
        OperationKind::Extract,
        OperationKind::Sign,
        OperationKind::Decapsulate,
    ];
    let kinds: Vec<OperationKind> = claimed.map(|counted| counted.operation.kind).collect();
    for kind in secret {
        assert!(kinds.contains(&kind), "{kind:?} is not checked");
    }
}
