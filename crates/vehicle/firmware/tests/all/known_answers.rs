//! Frames on record: those of simulated ECUs, of the images for them, and of the same nodes on CAN
//! sockets, which the tests of `waywarden-can-linux` compare with the same files in `make guest`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use waywarden_can::Frame;
use waywarden_can_sim::clock::Time;
use waywarden_firmware_link::{Answer, MESSAGE_MAX, Request, TimedRequest, VERSION};
use waywarden_testkit::workspace;
use waywarden_testkit_firmware::{KnownAnswers, KnownFrame, KnownParty};
use waywarden_vehicle_resources::{FirmwareImage, ImageFault, RunningImage};
use waywarden_vehicle_trace::VehicleEvent;
use waywarden_work::Instant;

use crate::image::MACHINE;
use crate::vehicles::{simulate, simulated};

/// Reads known answers of a role's crate, by crate and name.
pub(crate) fn known(role: &str, name: &str) -> KnownAnswers {
    KnownAnswers::parse(&text(role, name))
}

fn text(role: &str, name: &str) -> String {
    let file = workspace().join(format!("crates/onboard/{role}/known-answers/{name}.txt"));
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Compares known answers with those on record, byte for byte.
pub(crate) fn are_on_record(role: &str, name: &str, own: &KnownAnswers) {
    let recorded = text(role, name);
    let recorded = recorded.lines().filter(|line| !line.starts_with('#'));
    let recorded: String = recorded.map(|line| format!("{line}\n")).collect();
    let own = own.to_string();
    if recorded != own {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{role}-{name}.txt"));
        fs::write(&file, own).expect("a file");
        panic!(
            "{role}, {name}: other frames than on record: {}",
            file.display()
        );
    }
}

/// Returns the known answers of a vehicle: the frames that its simulated ECUs send, and the records
/// and seeds that images in their place get.
pub(crate) fn of_simulated(vehicle: &str) -> KnownAnswers {
    let (mut booted, mut sent) = (BTreeMap::new(), BTreeMap::<usize, Vec<KnownFrame>>::new());
    let mut sink = |at: Time, event: &VehicleEvent<'_>| {
        let at = Instant::from_nanos(at.since(Time::from_nanos(0)).get() / 1_000);
        match event {
            VehicleEvent::Boot { ecu, .. } => _ = booted.insert(ecu.0, at),
            VehicleEvent::Sent { ecu, frame, .. } => {
                let (sent, frame) = (sent.entry(ecu.0).or_default(), **frame);
                sent.push(KnownFrame {
                    sent: Some(at),
                    frame,
                });
            }
            _ => {}
        }
    };
    let idle = Idle::default();
    let image: Arc<dyn FirmwareImage> = Arc::new(idle.clone());
    let report = simulate(&simulated(vehicle), (&image, MACHINE), 1, &mut sink);
    let names = report.ecus.iter().map(|row| row.ecu.clone());
    simulate(vehicle, (&image, MACHINE), 1, &mut |_, _| {});
    let boots = idle.boots.lock().expect("one thread");
    let parties = names.zip(&*boots).enumerate().map(|(place, (name, boot))| {
        let Ok(Answer::Boot { seed, record, .. }) = Answer::decode(boot) else {
            panic!("no boot");
        };
        KnownParty {
            name,
            boot: booted.get(&place).copied(),
            record: record.to_vec(),
            seed,
            frames: sent.remove(&place).unwrap_or_default(),
        }
    });
    KnownAnswers {
        parties: parties.collect(),
    }
}

/// Compares the frames that ECUs sent, by their places, with known answers.
pub(crate) fn assert_sent(known: &KnownAnswers, sent: &BTreeMap<usize, Vec<Frame>>) {
    for (place, party) in known.parties.iter().enumerate() {
        party.assert_sent(&sent[&place]);
    }
}

/// An image that does nothing, and keeps what its boots get, in their order.
#[derive(Clone, Debug, Default)]
struct Idle {
    boots: Arc<Mutex<Vec<Vec<u8>>>>,
}

struct IdleRun {
    boots: Arc<Mutex<Vec<Vec<u8>>>>,
    request: Vec<u8>,
}

impl FirmwareImage for Idle {
    fn start(&self) -> Result<Box<dyn RunningImage>, ImageFault> {
        let (boots, request) = (self.boots.clone(), Vec::new());
        Ok(Box::new(IdleRun { boots, request }))
    }
}

impl RunningImage for IdleRun {
    fn exchange(&mut self, answer: Option<&[u8]>) -> Result<&[u8], ImageFault> {
        let request = match answer.map(|bytes| (bytes, Answer::decode(bytes))) {
            None => Request::Boot { version: VERSION },
            Some((_, Ok(Answer::Finish))) => Request::Stack(0),
            Some((bytes, Ok(Answer::Boot { .. }))) => {
                self.boots.lock().expect("one thread").push(bytes.to_vec());
                Request::Wait { until: None }
            }
            Some(_) => Request::Wait { until: None },
        };
        self.request.resize(MESSAGE_MAX, 0);
        let timed = TimedRequest {
            instructions: 0,
            request,
        };
        let length = timed.encode(&mut self.request).expect("it fits");
        Ok(&self.request[..length])
    }
}
