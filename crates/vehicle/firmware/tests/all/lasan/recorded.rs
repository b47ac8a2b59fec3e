//! Parties of a recorded vehicle, each with what its first boot got and the frames that the others
//! sent it.

use std::sync::{Arc, Mutex};

use waywarden_can::mailbox::Mailbox;
use waywarden_can::{FdFlags, Frame, Id};
use waywarden_firmware_ecu::{Board, boot, serve};
use waywarden_firmware_lasan::LasanStart;
use waywarden_firmware_link::{Answer, LasanRecord, Record};
use waywarden_lasan::{AuthenticationSuite, EcdheEcdsa, FourQSchnorrQ, MlKem768MlDsa44};
use waywarden_testkit::Random;
use waywarden_testkit_firmware::{KnownAnswers, KnownParty, lasan_node};
use waywarden_vehicle_firmware::QemuImage;
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, RunningImage};
use waywarden_vehicle_trace::VehicleEvent;
use waywarden_work::{Duration, Instant};

use crate::vehicles::simulate;
use crate::world::{Native, World};

/// A party.
pub(super) struct Party {
    pub(super) name: String,
    record: Vec<u8>,
    seed: [u8; 32],
    /// The frames of the others, on its own clock.
    frames: Vec<(Instant, Frame)>,
}

/// Names, and boots in milliseconds, of the parties of the quiet vehicle, by their places.
const PARTIES: [(&str, u64); 3] = [("security", 10), ("cluster", 20), ("steering", 2_500)];

/// An image that keeps what its boots get.
#[derive(Debug)]
struct Tapped {
    image: QemuImage,
    boots: Arc<Mutex<Vec<Vec<u8>>>>,
}

struct TappedRun {
    running: Box<dyn RunningImage>,
    boots: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl FirmwareImage for Tapped {
    fn start(&self) -> Result<Box<dyn RunningImage>, ImageFault> {
        let (running, boots) = (self.image.start()?, self.boots.clone());
        Ok(Box::new(TappedRun { running, boots }))
    }
}

impl RunningImage for TappedRun {
    fn exchange(&mut self, answer: Option<&[u8]>) -> Result<&[u8], ImageFault> {
        if let Some(bytes) = answer
            && matches!(Answer::decode(bytes), Ok(Answer::Boot { .. }))
        {
            self.boots.lock().expect("one thread").push(bytes.to_vec());
        }
        self.running.exchange(answer)
    }
}

/// Runs the quiet vehicle, and returns its parties by their places.
pub(super) fn recorded(text: &str, image: &QemuImage) -> Vec<Party> {
    let boots = Arc::new(Mutex::new(Vec::new()));
    let tapped = Tapped {
        image: image.clone(),
        boots: boots.clone(),
    };
    let mut sent = Vec::new();
    let mut sink = |at: waywarden_can_sim::clock::Time, event: &VehicleEvent<'_>| {
        if let VehicleEvent::Requested { ecu, frame, .. } = event {
            let since = at.since(waywarden_can_sim::clock::Time::from_nanos(0));
            sent.push((since.get() / 1_000, ecu.0, **frame));
        }
    };
    let image = (&(Arc::new(tapped) as _), image.machine().name);
    simulate(text, image, 1, &mut sink);
    let boots = boots.lock().expect("one thread");
    let party = |(place, (name, start)): (usize, (&'static str, u64))| {
        // Each boots once, in the order of the file.
        let Ok(Answer::Boot { seed, record, .. }) = Answer::decode(&boots[place]) else {
            panic!("no boot");
        };
        let others = sent.iter().filter(|(_, ecu, _)| *ecu != place);
        let frames = others.filter_map(|(at, _, frame)| {
            // The time of a frame on the bus, so that it arrives after what it answers.
            let at = (at + 250_000).checked_sub(start * 1_000_000)?;
            Some((Instant::from_nanos(at), *frame))
        });
        Party {
            name: name.to_owned(),
            record: record.to_vec(),
            seed,
            frames: frames.collect(),
        }
    };
    PARTIES.into_iter().enumerate().map(party).collect()
}

/// Returns the ECUs of known answers as parties, each of which gets the others' frames when the bus
/// has carried them.
pub(super) fn on_record(known: &KnownAnswers) -> Vec<Party> {
    let all = known.in_order();
    let party = |(place, party): (usize, &KnownParty)| {
        let boot = party.boot.expect("a boot");
        let others = all.iter().filter(|(_, sender, _)| *sender != place);
        let heard = others.filter(|(at, ..)| *at > boot);
        let frames = heard.map(|(at, _, frame)| (Instant::ZERO + at.since(boot), *frame));
        Party {
            name: party.name.clone(),
            record: party.record.clone(),
            seed: party.seed,
            frames: frames.collect(),
        }
    };
    known.parties.iter().enumerate().map(party).collect()
}

impl Party {
    /// Returns a world in which the party gets all that the others sent.
    pub(super) fn world(&self) -> World {
        let record = LasanRecord::decode(&self.record).expect("a record");
        let last = self.frames.last().map_or(Instant::ZERO, |(at, _)| *at);
        let mut world = World::new(&record, last + Duration::from_millis(50));
        (world.seed, world.arrivals) = (self.seed, self.frames.iter().copied().collect());
        world
    }
}

/// Returns the world of a party, in which these many hostile frames follow the genuine ones.
pub(super) fn hostile(party: &Party, random: &mut Random, count: usize) -> World {
    let mut world = party.world();
    let mut at = world.end;
    for _ in 0..count {
        at += Duration::from_micros(300);
        let (_, model) = &party.frames[random.index(party.frames.len())];
        world.arrivals.push_back((at, changed(random, model)));
    }
    world.end = at + Duration::from_millis(50);
    world
}

/// Makes a frame of a genuine one: it as it is, changed, or under another identifier of the
/// network.
fn changed(random: &mut Random, model: &Frame) -> Frame {
    let mut data = model.data().to_vec();
    let flags = FdFlags {
        bit_rate_switch: true,
        error_state_indicator: false,
    };
    let id = match random.below(4) {
        0 => Id::extended(0x0B00_0000 | random.below(1 << 24) as u32).expect("29 bits"),
        _ => model.id(),
    };
    match random.below(8) {
        0..=2 => {}
        3..=5 => {
            for _ in 0..=random.below(3) {
                if !data.is_empty() {
                    let at = random.index(data.len());
                    data[at] ^= 1 << random.below(8);
                }
            }
        }
        6 => return Frame::classic(id, &data[..random.index(9).min(data.len())]).expect("8 bytes"),
        _ => {
            let lengths = [0, 1, 7, 8, 12, 16, 20, 24, 32, 48, 64];
            data.resize(lengths[random.index(lengths.len())], 0);
            data.iter_mut().for_each(|byte| *byte = random.u64() as u8);
        }
    }
    Frame::fd_with(id, &data, flags).expect("a length of CAN FD")
}

/// Runs the library of an image in a world, on this machine. All it has stays in memory, as in an
/// image.
pub(super) fn run_native(suite: &str, world: &mut World) {
    const FOURQ: usize = <FourQSchnorrQ as AuthenticationSuite>::MESSAGE_MAX;
    const P256: usize = <EcdheEcdsa as AuthenticationSuite>::MESSAGE_MAX;
    const ML_DSA: usize = <MlKem768MlDsa44 as AuthenticationSuite>::MESSAGE_MAX;
    match suite {
        "fourq" => native::<FourQSchnorrQ, FOURQ>(world),
        "p256" => native::<EcdheEcdsa, P256>(world),
        _ => native::<MlKem768MlDsa44, ML_DSA>(world),
    }
}

/// Bytes of the longest public key of these suites.
const KEY_MAX: usize = <MlKem768MlDsa44 as AuthenticationSuite>::SIZES.public_key;

fn native<S: AuthenticationSuite + Default, const M: usize>(world: &mut World) {
    let answer = Vec::new();
    let mut link = Native { world, answer };
    let start: &LasanStart = &boot(&mut link);
    let board = &Board::new(link, start);
    let node = lasan_node::<S, M, KEY_MAX>(start, board);
    serve(board, &mut Mailbox::new(node, start.status.now));
}
