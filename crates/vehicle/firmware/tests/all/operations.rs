//! The counts of `firmware/operations.toml` and of its siblings for the other cores: instructions
//! and stack of each operation, by measurement.
//!
//! Building the image takes a minute of processor time, so `make test` compares the table with the
//! list of operations alone, and `make soak` measures.

use std::fs;

use serde::Deserialize;
use waywarden_can::node::BusState;
use waywarden_firmware_link::{
    Answer, MESSAGE_MAX, Request, RetainedSlots, Status, TimedRequest, VERSION,
};
use waywarden_firmware_operations::{CountedOperation, Gate, OPERATIONS, SECRET, ml_dsa_44_sample};
use waywarden_testkit::workspace;
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::{FirmwareImage, ImageFault};
use waywarden_work::{Algorithm, Instant, OperationKind};

use crate::image::{Core, M4F, OTHERS, built, exchanged};

/// The tables, each with its core and the set of its image.
const TABLES: [(&str, &Core, &str); 3] = [
    ("firmware/operations.toml", &M4F, "operations"),
    ("firmware/operations-m33.toml", &OTHERS[0], "operations-m33"),
    ("firmware/operations-r5f.toml", &OTHERS[1], "operations-r5f"),
];
/// The change that is allowed, in parts of a thousand.
const CHANGE_MAX: u64 = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    compiler: String,
    operations: Vec<Row>,
}

/// A row of the table: an operation with its count, or with the reason why it has none.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Row {
    operation: String,
    algorithm: String,
    bytes: u32,
    by: String,
    instructions: Option<u64>,
    stack: Option<u64>,
    fault: Option<String>,
}

impl Row {
    /// The row of an operation, without its count.
    fn of(counted: &CountedOperation) -> Self {
        Row {
            operation: counted.operation.kind.name().to_owned(),
            algorithm: counted.operation.algorithm.name().to_owned(),
            bytes: counted.operation.bytes,
            by: counted.by.to_owned(),
            instructions: None,
            stack: None,
            fault: None,
        }
    }

    /// The operation of the row.
    fn name(&self) -> Row {
        Row {
            instructions: None,
            stack: None,
            fault: None,
            ..self.clone()
        }
    }

    fn text(&self) -> String {
        let Row {
            operation,
            algorithm,
            bytes,
            by,
            ..
        } = self;
        let result = match (&self.fault, self.instructions, self.stack) {
            (Some(fault), ..) => format!("fault = {fault:?}"),
            (None, Some(count), Some(stack)) => format!("instructions = {count}, stack = {stack}"),
            _ => panic!("{self:?}"),
        };
        format!(
            "  {{ operation = {operation:?}, algorithm = {algorithm:?}, bytes = {bytes}, \
             by = {by:?}, {result} }},"
        )
    }

    /// True if a value is more than the allowed change off.
    fn is_off(&self, measured: &Row) -> bool {
        let off = |own: Option<u64>, other: Option<u64>| match (own, other) {
            (Some(own), Some(other)) => own.abs_diff(other) * 1_000 > own * CHANGE_MAX,
            (own, other) => own != other,
        };
        self.name() != measured.name()
            || self.fault != measured.fault
            || off(self.instructions, measured.instructions)
            || off(self.stack, measured.stack)
    }
}

fn table(name: &str) -> Table {
    let text = fs::read_to_string(workspace().join(name)).expect(name);
    toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Instructions between both gates, and bytes of stack in the whole run.
pub(crate) struct Count {
    instructions: u64,
    stack: u32,
}

/// Has the image compute the operation at a place of the list, with the secret of a seed.
pub(crate) fn count(
    image: &QemuImage,
    place: usize,
    secret: u32,
    given: &[u8],
) -> Result<Count, ImageFault> {
    let status = Status {
        now: Instant::ZERO,
        is_sent: true,
        state: BusState::Active,
        has_frame: false,
    };
    let place = u16::try_from(place).expect("a short list").to_le_bytes();
    let record = [&place[..], &secret.to_le_bytes(), given].concat();
    let boot = Answer::Boot {
        status,
        picoseconds: 1,
        seed: [0; 32],
        retained: RetainedSlots::new(&[]).expect("none"),
        record: &record,
    };
    let mut running = image.start()?;
    let mut answer: Option<Vec<u8>> = None;
    let mut gates = Vec::new();
    loop {
        let request = exchanged(&mut *running, answer.as_deref())?;
        let timed = TimedRequest::decode(&request).expect("a request");
        let next = match timed.request {
            Request::Boot { version } if version == VERSION => &boot,
            Request::Wait { .. } => {
                gates.push(timed.instructions);
                if gates.len() < 2 {
                    &Answer::Status(status)
                } else {
                    &Answer::Finish
                }
            }
            Request::Stack(stack) => {
                let instructions = gates[1] - gates[0];
                return Ok(Count {
                    instructions,
                    stack,
                });
            }
            other => panic!("{other:?}"),
        };
        let mut buffer = vec![0; MESSAGE_MAX];
        let length = next.encode(&mut buffer).expect("an answer that fits");
        buffer.truncate(length);
        answer = Some(buffer);
    }
}

/// Inputs of an operation that a small ECU cannot make.
fn given(counted: &CountedOperation) -> Vec<u8> {
    let (kind, algorithm) = (counted.operation.kind, counted.operation.algorithm);
    if (kind, algorithm) != (OperationKind::Verify, Algorithm::MlDsa44) {
        return Vec::new();
    }
    let (public, signature) = ml_dsa_44_sample();
    [&public[..], &signature].concat()
}

/// Measures an operation; what the gates take themselves is left out.
fn measure(image: &QemuImage, place: usize, gates: u64) -> Row {
    let counted = &OPERATIONS[place];
    let mut row = Row::of(counted);
    match count(image, place, SECRET, &given(counted)) {
        Ok(count) => {
            row.instructions = Some(count.instructions - gates);
            row.stack = Some(count.stack.into());
        }
        Err(ImageFault::Panicked(why)) => row.fault = Some(why),
        Err(other) => panic!("{row:?}: {other}"),
    }
    row
}

/// The operations of a core keep their counts.
fn keeps_its_counts((name, core, set): (&str, &Core, &str)) {
    let Some(file) = built(&[set]) else {
        return;
    };
    let image = QemuImage::new(&file, core.machine).expect("our own image");
    let compiler = fs::read_to_string(file.with_file_name("compiler")).expect("the compiler");
    let table = table(name);
    let nothing = count(&image, OPERATIONS.len(), SECRET, &[]).expect("nothing at all");
    let measured: Vec<Row> = (0..OPERATIONS.len())
        .map(|place| measure(&image, place, nothing.instructions))
        .collect();
    let lines: Vec<String> = measured.iter().map(Row::text).collect();
    println!("flash and static RAM: {:?}", image.footprint());
    println!(
        "compiler = {:?}\noperations = [\n{}\n]",
        compiler.trim(),
        lines.join("\n")
    );
    if table.compiler != compiler.trim() {
        println!("skipped: {name} is not for this compiler");
        return;
    }
    let off: Vec<String> = table
        .operations
        .iter()
        .zip(&measured)
        .filter(|(row, measured)| row.is_off(measured))
        .map(|(_, measured)| measured.text())
        .collect();
    assert!(
        off.is_empty() && table.operations.len() == measured.len(),
        "{name}: more than 2 % off; the rows that were measured:\n{}\n",
        off.join("\n")
    );
}

#[test]
#[ignore = "builds an image with all of the cryptography: a minute"]
fn operations_keep_their_counts() {
    keeps_its_counts(TABLES[0]);
}

#[test]
#[ignore = "builds an image with all of the cryptography: a minute"]
fn operations_keep_their_counts_on_the_m33() {
    keeps_its_counts(TABLES[1]);
}

#[test]
#[ignore = "builds an image with all of the cryptography: a minute"]
fn operations_keep_their_counts_on_the_r5f() {
    keeps_its_counts(TABLES[2]);
}

#[test]
fn the_tables_list_every_operation() {
    for (name, ..) in TABLES {
        let table = table(name);
        let listed: Vec<Row> = table.operations.iter().map(Row::name).collect();
        let counted: Vec<Row> = OPERATIONS.iter().map(Row::of).collect();
        assert_eq!(listed, counted, "{name}: not the operations of the image");
        for row in &table.operations {
            let has_count = row.instructions.is_some() && row.stack.is_some();
            assert!(has_count != row.fault.is_some(), "{name}: {row:?}");
        }
    }
}

/// Bounds on the instructions of operations on a Cortex-M4F: those that made 32-bit code of our own
/// worth it. RustCrypto's generic P-256 takes 10.0 M for a verification.
const BOUNDS: [(&str, &str, &str, u64); 2] = [
    ("verify", "p256", "ecverify", 4_000_000),
    ("extract", "fourq", "key-suites", 1_200_000),
];

#[test]
fn a_verification_and_an_agreement_are_within_their_bounds() {
    let (name, ..) = TABLES[0];
    let table = table(name);
    for (operation, algorithm, by, most) in BOUNDS {
        let mut rows = table.operations.iter();
        let found = rows
            .find(|row| (&*row.operation, &*row.algorithm, &*row.by) == (operation, algorithm, by));
        let count = found.and_then(|row| row.instructions);
        let is_within = count.is_some_and(|count| count <= most);
        assert!(
            is_within,
            "{name}: {operation} {algorithm}: {count:?}, at most {most}"
        );
    }
}

/// Counts how often it is passed.
struct Passes(u32);

impl Gate for Passes {
    fn pass(&mut self) {
        self.0 += 1;
    }
}

#[test]
fn each_operation_runs_between_two_gates() {
    for counted in OPERATIONS {
        let mut passes = Passes(0);
        counted.run(&mut passes, SECRET, &given(counted));
        assert_eq!(passes.0, 2, "{:?} by {}", counted.operation, counted.by);
    }
}
