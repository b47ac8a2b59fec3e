//! The third world of the roles of ECU images: their frames on CAN sockets are those of the images
//! and of simulated ECUs, which the tests of `waywarden-vehicle-firmware` compare with the same
//! files.
//!
//! Each ECU is a driver with a socket of its own. What it sent is what the kernel handed back to
//! it, and one more socket sees the same. The sensor runs by the computer's clock. Where ECUs wait
//! for each other, as long as their time limits say, the test sets their clocks: else a computer
//! that is busy would have them repeat what they said.

use waywarden_testkit_firmware::{KnownAnswers, KnownParty, RecordNode, frame_text};

use super::*;

#[path = "images/set_clock.rs"]
mod set_clock;

use set_clock::Network;

/// A file of known answers of a role's crate.
macro_rules! known {
    ($role:literal, $name:literal) => {
        KnownAnswers::parse(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../onboard/",
            $role,
            "/known-answers/",
            $name,
            ".txt"
        )))
    };
}

/// The node of a record, and the frames that it sent, by their echoes.
struct Acknowledged {
    node: RecordNode<'static>,
    under_way: Vec<(Token, Frame)>,
    sent: Vec<Frame>,
}

impl Acknowledged {
    /// Boots an ECU on a host and its links.
    fn boot<H: Host>(
        host: H,
        links: Vec<H::Link>,
        party: &KnownParty,
    ) -> Driver<H, Acknowledged, Volatile> {
        let node = |boot: Boot<'_>| Acknowledged {
            node: RecordNode::new(&boot, &party.record),
            under_way: Vec::new(),
            sent: Vec::new(),
        };
        Driver::new(host, links, Volatile::default(), party.seed, node).unwrap()
    }
}

impl Node for Acknowledged {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        if let Input::Sent { token, .. } = input {
            let mut under_way = self.under_way.iter();
            let at = under_way.position(|(of, _)| *of == token).unwrap();
            self.sent.push(self.under_way.remove(at).1);
        }
        self.node.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let output = self.node.poll(now, room);
        if let Output::Transmit { token, frame, .. } = output {
            self.under_way.push((token, frame));
        }
        output
    }
}

#[test]
fn a_sensor_with_secoc_sends_the_frames_on_record() {
    let _alone = alone();
    let Some(mut recorder) = driver(&virtual_interface()) else {
        return;
    };
    let known = known!("firmware-secoc", "sensor");
    let [sensor] = &known.parties[..] else {
        panic!("one ECU");
    };
    let links = socket::open(&[virtual_interface()]).unwrap();
    let mut ecu = Acknowledged::boot(SystemHost::new(), links, sensor);
    let from = std::time::Instant::now();
    while ecu.node().sent.len() < sensor.frames.len() {
        assert!(from.elapsed().as_secs() < 10, "{:?}", ecu.node().sent);
        ecu.step(Some(Duration::from_millis(5))).unwrap();
    }
    sensor.assert_sent(&ecu.node().sent);
    sees(&mut recorder, &ecu.node().sent);
}

/// The first frames of the recorder's socket are these.
fn sees(recorder: &mut Real, frames: &[Frame]) {
    until(recorder, "every frame", |node| {
        node.received.len() >= frames.len()
    });
    let text = |frames: &[Frame]| frames.iter().map(frame_text).collect::<Vec<_>>();
    let received = &recorder.node().received[..frames.len()];
    assert_eq!(text(received), text(frames));
}

/// Runs ECUs whose frames do not depend on time, until each has sent what is on record. Time passes
/// only while all of them wait.
fn compare(known: &KnownAnswers) {
    let _alone = alone();
    let Some(mut recorder) = driver(&virtual_interface()) else {
        return;
    };
    let mut network = Network::new(known);
    network.advance(Instant::ZERO);
    while !network.is_reached() {
        network.carry_all();
        let minute = Instant::ZERO + Duration::from_millis(60_000);
        let next = network.next_deadline().filter(|next| *next < minute);
        let Some(next) = next else {
            // Says which frames are missing, or others.
            network.assert_sent();
            panic!("no more frames, and not all on record");
        };
        network.advance(next);
    }
    network.carry_all();
    network.assert_sent();
    let carried = network.carried();
    sees(&mut recorder, &carried);
    println!("{} frames, those on record", carried.len());
}

/// Runs ECUs whose messages tell milliseconds by the clock of the record, and compares what they
/// send, in the order of all.
///
/// An ECU boots at the time on record, its timeouts come at theirs, and it takes a frame from its
/// socket, or the echo of its own, at the time on record at which the simulated bus has carried it.
/// Its computations take no time, as in the simulation. So each byte is compared, also those of
/// the beginning of an epoch and the ends of keys. That a computer's own clock gives the same
/// milliseconds is not tested: it does not.
fn compare_by_times(known: &KnownAnswers) {
    let _alone = alone();
    let Some(mut recorder) = driver(&virtual_interface()) else {
        return;
    };
    let mut network = Network::new(known);
    for (sent, place, frame) in known.in_order() {
        network.advance(sent);
        network.carry();
        let own = network.carried().last().map(frame_text);
        let name = &known.parties[place].name;
        assert_eq!(own, Some(frame_text(&frame)), "of {name}, at {sent:?}");
    }
    network.assert_sent();
    let carried = network.carried();
    sees(&mut recorder, &carried);
    println!("{} frames, those on record", carried.len());
}

#[test]
fn a_group_on_fourq_sends_the_frames_on_record() {
    compare(&known!("firmware-group-keys", "fourq"));
}

#[test]
fn a_group_on_p256_sends_the_frames_on_record() {
    compare(&known!("firmware-group-keys", "p256"));
}

#[test]
fn a_pair_with_vatican_sends_the_frames_on_record() {
    compare(&known!("firmware-paired", "vatican"));
}

#[test]
fn a_pair_with_leia_sends_the_frames_on_record() {
    compare(&known!("firmware-paired", "leia"));
}

#[test]
fn a_security_module_and_its_ecus_on_fourq_send_the_frames_on_record() {
    compare_by_times(&known!("firmware-lasan", "fourq"));
}

#[test]
fn a_security_module_and_its_ecus_on_p256_send_the_frames_on_record() {
    compare_by_times(&known!("firmware-lasan", "p256"));
}
