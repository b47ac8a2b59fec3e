//! Authenticated streams between whole ECUs on the exact bus: what it costs in time, bit errors,
//! resets, and an ECU that spoofs and replays.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::bits::FdVariant;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Slot};
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::event::Event;
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, Key};
use waywarden_can_auth::paired::{Connection, Receiver, Sender, Wire};
use waywarden_can_auth::vault::{KeyId, Usage};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, EcuConfig, Fault};
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::cpu::Priorities;
use waywarden_can_sim::interferer::{BitErrors, Interferer};
use waywarden_can_sim::notes::Notes;
use waywarden_can_sim::trace::Event as Traced;
use waywarden_can_sim::{Config, Simulation};
use waywarden_ecu::{
    Authenticator, Content, Ecu, End, Forwarded, Freshness, Role, Route, Stream, StreamFormat,
    StreamState,
};
use waywarden_work::{Duration, Instant};

type Auth =
    Authenticator<Keyring<AesCmac, 1>, Vec<End<Sender>>, Vec<End<Receiver>>, Sender, Receiver>;
type Whole = Ecu<Vec<StreamState>, Vec<Route>, Vec<Forwarded>, Vec<Role<Auth>>, Auth>;
type Seen = Rc<RefCell<Vec<(Instant, Event)>>>;

const KEY: KeyId = KeyId(1);
const STREAM: u16 = 0x280;
const SLOT: Slot = Slot(2);

fn id(raw: u16) -> StandardId {
    StandardId::new(raw).unwrap()
}

/// An ECU whose authenticator tells the test what it sees.
struct Open {
    ecu: Whole,
    seen: Seen,
}

impl Node for Open {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.ecu.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let output = self.ecu.poll(now, room);
        for role in self.ecu.roles_mut() {
            while let Some((_, event)) = role.node_mut().event() {
                self.seen.borrow_mut().push((now, event));
            }
        }
        output
    }
}

fn auth(sends: bool, boot: &Boot<'_>) -> Auth {
    let mut keys = Keyring::new();
    keys.insert(KEY, Usage::Both, &Key::from_bytes([7; 16]))
        .unwrap();
    let connection = Connection::new(Wire::Vatican, id(STREAM), KEY).unwrap();
    let port = Port(0);
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    if sends {
        let end = Sender::new(connection, 0);
        senders.push(End { port, end });
    } else {
        let seed = boot.seed[..16].try_into().unwrap();
        let end = Receiver::new(connection, id(0x0AA), &seed);
        receivers.push(End { port, end });
    }
    let part = Freshness::Unsynchronised;
    Authenticator::new(SLOT, boot, part, keys, senders, receivers).unwrap()
}

fn ecu(name: &str, sends: bool, faults: Vec<Fault>, seen: &Seen) -> EcuConfig {
    let seen = seen.clone();
    let stream = Stream {
        port: Port(0),
        id: id(STREAM).into(),
        format: StreamFormat::Classic,
        length: 8,
        period: Duration::from_millis(10),
        offset: Duration::from_millis(5),
        jitter: Duration::ZERO,
        content: Content::Counter,
    };
    let build = move |boot: &Boot<'_>| -> Box<dyn Node> {
        let role = Role::new(auth(sends, boot), Ports::NONE.with(Port(0)), SLOT);
        let streams = sends
            .then_some(StreamState::new(stream))
            .into_iter()
            .collect();
        let ecu = Ecu::with_roles(boot, streams, Vec::new(), vec![None; 4], vec![role]);
        Box::new(Open {
            ecu,
            seen: seen.clone(),
        })
    };
    config(name, faults, Box::new(build))
}

/// An attacker that says again, a moment later, everything it hears, and says things of its own.
struct Attacker {
    heard: Vec<Frame>,
    next: Instant,
    count: u32,
}

impl Node for Attacker {
    fn handle(&mut self, _: Instant, input: Input<'_>) {
        if let Input::Frame { frame, .. } = input
            && self.heard.len() < 4_000
        {
            self.heard.push(*frame);
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        if now < self.next || !room.contains(Port(0)) {
            return Output::Idle(Some(self.next.max(now + Duration::from_micros(100))));
        }
        self.next = now + Duration::from_micros(1_700);
        self.count += 1;
        let forged = |id: Id| Frame::classic(id, &[self.count as u8; 8]).unwrap();
        let frame = match self.count % 4 {
            0 => forged(id(STREAM).into()),
            1 => forged(id(STREAM + 1).into()),
            _ => match self.heard.get(self.count as usize / 4) {
                Some(heard) => *heard,
                None => forged(id(STREAM).into()),
            },
        };
        Output::Transmit {
            port: Port(0),
            token: waywarden_can::node::Token(self.count),
            frame,
        }
    }
}

fn config(
    name: &str,
    faults: Vec<Fault>,
    build: waywarden_can_sim::config::BuildNode,
) -> EcuConfig {
    EcuConfig {
        name: name.to_owned(),
        board: Arc::new(Board::builtin("tc297").unwrap()),
        cores: 1,
        priorities: Priorities::default(),
        drift_ppb: 0,
        ports: vec![PortConfig::on(0)],
        start: Time::ZERO,
        faults,
        build,
        notes: Notes::default(),
    }
}

/// What a run came to.
struct Ran {
    /// Payloads that were taken, with the time.
    taken: Vec<(Instant, u64)>,
    events: Vec<(Instant, Event)>,
    /// When data and tags of the stream were on the bus.
    frames: Vec<(Time, Frame)>,
}

fn run(
    interferers: Vec<Box<dyn Interferer>>,
    resets: [Vec<Fault>; 2],
    attacker: bool,
    seed: u64,
) -> Ran {
    let (seen, nobody) = (Seen::default(), Seen::default());
    let [of_sender, of_receiver] = resets;
    let mut ecus = vec![
        ecu("central", true, of_sender, &nobody),
        ecu("cluster", false, of_receiver, &seen),
    ];
    if attacker {
        let build = |_: &Boot<'_>| -> Box<dyn Node> {
            Box::new(Attacker {
                heard: Vec::new(),
                next: Instant::ZERO,
                count: 0,
            })
        };
        ecus.push(config("attacker", Vec::new(), Box::new(build)));
    }
    let bus = BusConfig {
        name: "can".to_owned(),
        timing: BitTiming::classic(BitRate::constant(500_000)),
        variant: FdVariant::Iso,
        interferers,
    };
    let config = Config {
        seed,
        buses: vec![bus],
        ecus,
    };
    let mut frames = Vec::new();
    let mut sink = |at: Time, event: &Traced<'_>| {
        if let Traced::Sent { frame, .. } = event {
            frames.push((at, **frame));
        }
    };
    let mut simulation = Simulation::new(config).unwrap();
    let end = Time::from_nanos(2_000_000_000);
    simulation.run_until(end, &mut sink).unwrap();
    let events = seen.take();
    let taken = events.iter().filter_map(|(at, event)| match event {
        Event::Authentic { payload, .. } => {
            Some((*at, u64::from_le_bytes(payload.as_bytes().try_into().ok()?)))
        }
        _ => None,
    });
    Ran {
        taken: taken.collect(),
        frames,
        events,
    }
}

#[test]
fn every_message_is_authentic_and_its_tag_comes_a_computation_later() {
    let ran = run(Vec::new(), [Vec::new(), Vec::new()], false, 1);
    let numbers: Vec<u64> = ran.taken.iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, (0..200).collect::<Vec<u64>>());
    let at = |raw: u16| {
        let own = ran
            .frames
            .iter()
            .filter(move |(_, frame)| frame.id() == id(raw).into());
        own.map(|(at, _)| at.as_picos() / 1_000)
            .collect::<Vec<u64>>()
    };
    let (data, tags) = (at(STREAM), at(STREAM + 1));
    assert_eq!((data.len(), tags.len()), (200, 200));
    for (data, tag) in data.iter().zip(tags) {
        // The tag's frame takes some 250 us; the tag itself is computed while the data travel.
        assert!(
            (200_000..600_000).contains(&(tag - data)),
            "{} ns",
            tag - data
        );
    }
}

#[test]
fn bit_errors_cost_nothing_but_time() {
    let noise: Vec<Box<dyn Interferer>> = vec![Box::new(BitErrors::new(2e-4))];
    let ran = run(noise, [Vec::new(), Vec::new()], false, 2);
    assert!(ran.taken.len() >= 195, "{} of 200", ran.taken.len());
    assert!(ran.taken.is_sorted_by(|a, b| a.1 < b.1));
}

fn reset(from: u64, until: u64) -> Vec<Fault> {
    let time = |ms: u64| Time::from_nanos(ms * 1_000_000);
    vec![Fault {
        from: time(from),
        until: time(until),
        kind: waywarden_can_sim::config::FaultKind::Reset,
    }]
}

/// After a reset of either side the stream is authentic again within the bound that docs state.
#[test]
fn resets_of_either_side_are_overcome() {
    for resets in [
        [reset(500, 600), Vec::new()],
        [Vec::new(), reset(500, 600)],
        [reset(500, 600), reset(530, 700)],
    ] {
        let back = resets
            .iter()
            .flatten()
            .map(|fault| fault.until.as_picos() / 1_000)
            .max()
            .unwrap();
        let ran = run(Vec::new(), resets, false, 3);
        // The bound, in messages: 100 a second.
        let left = (2_000_000_000 - back - 400_000_000) / 10_000_000;
        let data = ran
            .frames
            .iter()
            .filter(|(_, frame)| frame.id() == id(STREAM).into());
        let number = |frame: &Frame| u64::from_le_bytes(frame.data().try_into().unwrap());
        let sent: Vec<u64> = data.map(|(_, frame)| number(frame)).collect();
        let taken: Vec<u64> = ran.taken.iter().map(|(_, number)| *number).collect();
        // The last message may still be on its way.
        let is_late = usize::from(sent.last() != taken.last());
        let tail = |all: &[u64], end: usize| all[end - left as usize..end].to_vec();
        assert_eq!(tail(&taken, taken.len()), tail(&sent, sent.len() - is_late));
    }
}

/// On the same bus somebody forges and replays; the messages that are taken are the sender's, each
/// once.
#[test]
fn a_spoofing_and_replaying_attacker_gets_nothing_through() {
    let ran = run(Vec::new(), [Vec::new(), Vec::new()], true, 4);
    assert!(
        ran.taken.is_sorted_by(|a, b| a.1 < b.1),
        "one came twice, or a forged one"
    );
    assert!(ran.taken.len() >= 190, "{} of 200", ran.taken.len());
    let bad = |event: &Event| matches!(event, Event::BadTag(_) | Event::Replay(_));
    let refused = ran.events.iter().filter(|(_, event)| bad(event)).count();
    assert!(refused > 100, "{refused} refused");
}
