//! The image with implicit certificates: its results are those of its library on this machine, for
//! several seeds, and it keeps its budget on each core.
//!
//! Building the image takes a minute of processor time, so `make soak` runs these.

use waywarden_can::node::{BusState, Retained};
use waywarden_firmware_certificates::{OPERATIONS, run};
use waywarden_firmware_link::{
    Answer, Link, MESSAGE_MAX, Request, RetainedSlots, Status, TimedRequest,
};
use waywarden_testkit::{Random, cases, first_seed};
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::{FirmwareImage, ImageFault};
use waywarden_work::Instant;

use crate::budgets::{hold_all, off};
use crate::image::{Core, M4F, OTHERS, exchanged};

/// Seed of the run that is counted.
const COUNTED: [u8; 32] = [1; 32];
/// Requests to wait in a run: two around nothing, two around each operation, one at the end.
const GATES: usize = 2 + 2 * OPERATIONS.len() + 1;

/// A host of a run: it hands out the seed, and takes down what the run gives.
struct Host {
    seed: [u8; 32],
    /// Instructions at each gate.
    gates: Vec<u64>,
    /// Hash of each result, in the order of the operations; a verification has none.
    results: Vec<Retained>,
}

impl Host {
    fn new(seed: [u8; 32]) -> Self {
        let (gates, results) = (Vec::new(), Vec::new());
        Host {
            seed,
            gates,
            results,
        }
    }

    fn answer(&mut self, timed: &TimedRequest<'_>) -> Answer<'static> {
        let status = Status {
            now: Instant::ZERO,
            is_sent: true,
            state: BusState::Active,
            has_frame: false,
        };
        match timed.request {
            Request::Boot { .. } => {
                return Answer::Boot {
                    status,
                    picoseconds: 1,
                    seed: self.seed,
                    retained: RetainedSlots::new(&[]).expect("none"),
                    record: &[],
                };
            }
            Request::Wait { .. } => {
                self.gates.push(timed.instructions);
                if self.gates.len() == GATES {
                    return Answer::Finish;
                }
            }
            Request::Store { slot, value } => {
                assert_eq!(usize::from(slot.0), self.results.len());
                self.results.push(value);
            }
            other => panic!("{other:?}"),
        }
        Answer::Status(status)
    }
}

impl Link for Host {
    fn exchange(&mut self, request: &Request<'_>) -> Answer<'_> {
        let (instructions, request) = (0, *request);
        self.answer(&TimedRequest {
            instructions,
            request,
        })
    }

    fn instructions(&mut self) -> u64 {
        0
    }
}

/// Returns the results of the library on this machine.
fn on_this_machine(seed: [u8; 32]) -> Vec<Retained> {
    let mut host = Host::new(seed);
    run(&mut host);
    assert_eq!(host.gates.len(), GATES);
    host.results
}

/// Runs the image; returns its host and the bytes of stack that it used.
fn on_board(image: &QemuImage, seed: [u8; 32]) -> Result<(Host, u32), ImageFault> {
    let mut running = image.start()?;
    let mut host = Host::new(seed);
    let mut answer: Option<Vec<u8>> = None;
    loop {
        let request = exchanged(&mut *running, answer.as_deref())?;
        let timed = TimedRequest::decode(&request).expect("a request");
        if let Request::Stack(stack) = timed.request {
            return Ok((host, stack));
        }
        let mut buffer = vec![0; MESSAGE_MAX];
        let length = host.answer(&timed).encode(&mut buffer);
        buffer.truncate(length.expect("an answer that fits"));
        answer = Some(buffer);
    }
}

#[test]
fn results_are_those_of_the_seed() {
    let seed = first_seed(1);
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let seeds: [[u8; 32]; 2] = [(); 2].map(|()| random.array());
    let [one, other] = seeds.map(on_this_machine);
    assert_eq!(one, on_this_machine(seeds[0]), "seed {seed}");
    assert_eq!(one.len(), OPERATIONS.len() - 1, "seed {seed}");
    for (operation, pair) in OPERATIONS.iter().zip(one.iter().zip(&other)) {
        assert_ne!(pair.0, pair.1, "seed {seed}: {operation}");
    }
    // The key that the station derives is the one that a receiver extracts.
    let [accepted, extracted] = [3, 5].map(|at| one[at]);
    assert_eq!(accepted, extracted, "seed {seed}");
}

#[test]
#[ignore = "builds an image for three cores: make soak"]
fn certificates_on_the_board_are_those_of_this_machine() {
    let first = first_seed(1);
    println!("seed {first}");
    for core in [M4F].into_iter().chain(OTHERS) {
        let Some(image) = image_for(&core) else {
            return;
        };
        let mut random = Random::new(first);
        for case in 0..cases(10) {
            let seed = random.array();
            let (board, _) = on_board(&image, seed).expect("a run");
            let own = on_this_machine(seed);
            assert_eq!(board.results, own, "{core:?}: seed {first}, {case}");
        }
    }
}

fn image_for(core: &Core) -> Option<QemuImage> {
    core.of_set("certificates", "certificates")
}

/// Measures the image: names and values, in the order of the table.
fn measure(image: &QemuImage) -> Vec<(String, u64)> {
    let (host, stack) = on_board(image, COUNTED).expect("a run");
    let counts: Vec<u64> = host
        .gates
        .as_chunks()
        .0
        .iter()
        .map(|[before, behind]| behind - before)
        .collect();
    let footprint = image.footprint();
    let memory = [
        ("flash_bytes", footprint.flash),
        ("ram_bytes", footprint.ram),
        ("stack_bytes", stack),
    ];
    let memory = memory.map(|(name, bytes)| (name.to_owned(), bytes.into()));
    let operations = OPERATIONS.iter().zip(&counts[1..]);
    let operations = operations.map(|(kind, count)| {
        let name = kind.name().replace('-', "_");
        (name, count - counts[0])
    });
    memory.into_iter().chain(operations).collect()
}

#[test]
#[ignore = "builds an image for three cores: make soak"]
fn certificates_keep_their_budget() {
    let cores = [M4F].into_iter().chain(OTHERS);
    let rows = cores.filter_map(|core| {
        let image = image_for(&core)?;
        let measured = measure(&image);
        let measured: Vec<(&str, u64)> = measured.iter().map(|(name, at)| (&**name, *at)).collect();
        off(&core.row("certificates"), &measured, &image)
    });
    hold_all(&rows.collect::<Vec<_>>());
}
