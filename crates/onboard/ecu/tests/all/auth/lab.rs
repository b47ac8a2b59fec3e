//! Whole ECUs with authenticators of any protocol on simulated buses, what each sends and takes,
//! and an attacker on the first bus.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use waywarden_boards::Board;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Slot, Token};
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can::{Frame, MessageHandle, StandardId};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::stream::{
    AnyReceiver, AnySender, LeiaReceivers, LeiaSenders, VaticanSenders,
};
use waywarden_can_auth::{leia, vatican};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BuildNode, BusConfig, EcuConfig, EcuFault, EcuFaultKind};
use waywarden_can_sim::controller::PortConfig;
use waywarden_can_sim::interferer::Interferer;
use waywarden_can_sim::trace::TraceEvent as Traced;
use waywarden_can_sim::{Config, Simulation};
use waywarden_ecu::{
    Authenticator, Ecu, EcuRole, End, ForwardedFrame, GatewayRoute, MessageObserver,
    PayloadContent, PeriodicStream, StreamFormat, StreamState,
};
use waywarden_work::{Duration, Instant};

/// The key of all streams, and the first of those that LeiA derives.
pub(crate) const KEY: KeyId = KeyId(1);
/// The slot in which an authenticator retains.
pub(crate) const SLOT: Slot = Slot(2);
/// The period of every stream.
pub(crate) const PERIOD: Duration = Duration::from_millis(10);

pub(crate) type Sending = AnySender<
    VaticanSenders<Vec<vatican::VaticanSender>>,
    LeiaSenders<Vec<leia::LeiaSender>, Vec<leia::LeiaConnection>>,
>;
pub(crate) type Receiving = AnyReceiver<
    vatican::VaticanReceiver<Vec<vatican::VaticanConnection>>,
    LeiaReceivers<Vec<leia::LeiaConnection>>,
>;
pub(crate) type Ring = Keyring<AesCmac, 8>;
pub(crate) type Auth =
    Authenticator<Ring, Vec<End<Sending>>, Vec<End<Receiving>>, Sending, Receiving>;
type Whole =
    Ecu<Vec<StreamState>, Vec<GatewayRoute>, Vec<ForwardedFrame>, Vec<EcuRole<Auth>>, Auth, Names>;

/// Something an ECU sent or made of what it received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    /// In nanoseconds since the beginning.
    pub(crate) at: u64,
    pub(crate) ecu: &'static str,
    pub(crate) what: AuthEvent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AuthEvent {
    Sent(StandardId, CanPayload),
    Event(FrameOutcome),
}

/// One ECU: what it sends in clear, and the authenticator that each boot makes.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// Identifiers and payload lengths.
    pub(crate) streams: Vec<(u16, u8)>,
    pub(crate) build: Box<dyn Fn(&Boot<'_>) -> Auth + Send>,
    /// The buses it is on.
    pub(crate) buses: Vec<usize>,
    /// In milliseconds: down from, up again.
    pub(crate) resets: Vec<(u64, u64)>,
}

/// The result of a run.
pub(crate) struct Ran {
    pub(crate) log: Vec<Entry>,
    /// Frames with their times, in nanoseconds, and the indices of their buses.
    pub(crate) frames: Vec<(u64, usize, Frame)>,
}

#[derive(Clone, Default)]
struct Log {
    now: Arc<AtomicU64>,
    entries: Arc<Mutex<Vec<Entry>>>,
}

pub(crate) fn id(raw: u16) -> StandardId {
    StandardId::new(raw).unwrap()
}

/// The keys that all ECUs have.
pub(crate) fn ring() -> Ring {
    let mut ring = Keyring::new();
    ring.insert(KEY, Usage::Both, &MacKey::from_bytes([7; 16]))
        .unwrap();
    ring
}

/// An ECU whose authenticator tells the test what it sees.
struct Open {
    name: &'static str,
    ecu: Whole,
    log: Log,
    /// Identifier and length of each stream, and how many of its messages have left.
    streams: Vec<(u16, u8, u32)>,
}

/// Names messages by the place of their stream, from 1, and by number, from 1.
#[derive(Default)]
struct Names(Vec<u32>);

impl MessageObserver for Names {
    fn released(&mut self, stream: usize) -> MessageHandle {
        self.0.resize(self.0.len().max(stream + 1), 0);
        self.0[stream] += 1;
        MessageHandle::new([stream as u32 + 1, 0, self.0[stream]])
    }
}

impl Open {
    fn note(&self, what: AuthEvent) {
        self.log.entries.lock().unwrap().push(Entry {
            at: self.log.now.load(Relaxed),
            ecu: self.name,
            what,
        });
    }
}

impl Node for Open {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.ecu.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let output = self.ecu.poll(now, room);
        let mut seen = Vec::new();
        if let Output::Transmit { frame, .. } = &output
            && let [stream @ 1..=u32::MAX, _, number] = frame.message().words()
            && let Some((raw, length, left)) = self.streams.get_mut(stream as usize - 1)
            && number > *left
        {
            // The payload is in the first frame of a message, before everything else.
            *left = number;
            let payload = CanPayload::new(&frame.data()[..usize::from(*length)]);
            seen.push(AuthEvent::Sent(id(*raw), payload));
        }
        let auth = self.ecu.roles_mut()[0].node_mut();
        while let Some((_, event)) = auth.event() {
            seen.push(AuthEvent::Event(event));
        }
        for what in seen {
            self.note(what);
        }
        output
    }
}

/// An attacker who sends frames of his own: asked at each frame and at each full 100 microseconds.
pub(crate) type Act = Box<dyn FnMut(Instant, Option<&Frame>) -> Option<Frame> + Send>;

struct Outsider {
    act: Act,
    waiting: Option<Frame>,
    count: u32,
}

impl Node for Outsider {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        if let Input::Frame { frame, .. } = input {
            let said = (self.act)(now, Some(frame));
            self.waiting = said.or(self.waiting);
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.waiting = self.waiting.or_else(|| (self.act)(now, None));
        match self.waiting.take_if(|_| room.contains(Port(0))) {
            Some(frame) => {
                self.count += 1;
                let (port, token) = (Port(0), Token(self.count));
                Output::Transmit { port, token, frame }
            }
            None => Output::Idle(Some(now + Duration::from_micros(100))),
        }
    }
}

fn config(name: &str, buses: &[usize], faults: Vec<EcuFault>, build: BuildNode) -> EcuConfig {
    let board = Arc::new(Board::builtin("tc297").unwrap());
    let ports = buses.iter().map(|bus| PortConfig::on(*bus)).collect();
    EcuConfig {
        faults,
        ..EcuConfig::new(name, board, ports, build)
    }
}

fn whole(part: Part, log: &Log) -> EcuConfig {
    let log = log.clone();
    let time = |ms: u64| Time::from_nanos(ms * 1_000_000);
    let faults = part.resets.iter().map(|&(from, until)| EcuFault {
        from: time(from),
        until: time(until),
        kind: EcuFaultKind::Reset,
    });
    let (faults, buses, name) = (faults.collect(), part.buses.clone(), part.name);
    let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
        let own = part.streams.iter();
        let own = own.map(|&(stream, length)| (stream, length, 0));
        let streams = part.streams.iter().map(|&(stream, length)| {
            StreamState::new(PeriodicStream {
                port: Port(0),
                id: id(stream).into(),
                format: StreamFormat::Classic,
                length,
                period: PERIOD,
                offset: Duration::from_millis(5),
                jitter: Duration::ZERO,
                content: PayloadContent::Random,
            })
        });
        let role = EcuRole::new((part.build)(boot), Ports::ALL, SLOT);
        let streams = streams.collect();
        Box::new(Open {
            name: part.name,
            ecu: Ecu::with_roles(boot, streams, Vec::new(), vec![None; 4], vec![role])
                .observed_by(Names::default()),
            log: log.clone(),
            streams: own.collect(),
        })
    };
    config(name, &buses, faults, Box::new(build))
}

/// Runs these ECUs, and an outsider on the first bus, for so many milliseconds.
pub(crate) fn run(parts: Vec<Part>, outsider: Option<Act>, ms: u64, seed: u64) -> Ran {
    run_with(Vec::new(), parts, outsider, ms, seed)
}

/// The same with something that disturbs the first bus.
pub(crate) fn run_with(
    interferers: Vec<Box<dyn Interferer>>,
    parts: Vec<Part>,
    outsider: Option<Act>,
    ms: u64,
    seed: u64,
) -> Ran {
    let log = Log::default();
    let count = parts.iter().flat_map(|part| &part.buses).max().unwrap() + 1;
    let mut ecus: Vec<EcuConfig> = parts.into_iter().map(|part| whole(part, &log)).collect();
    if let Some(act) = outsider {
        let mut act = Some(act);
        let build = move |_: &Boot<'_>| -> Box<dyn Node + Send> {
            Box::new(Outsider {
                act: act.take().unwrap(),
                waiting: None,
                count: 0,
            })
        };
        ecus.push(config("outsider", &[0], Vec::new(), Box::new(build)));
    }
    let mut interferers = Some(interferers);
    let timing = BitTiming::classic(BitRate::constant(500_000));
    let buses = (0..count).map(|bus| BusConfig {
        interferers: interferers.take().unwrap_or_default(),
        ..BusConfig::new(format!("can{bus}"), timing)
    });
    let buses = buses.collect();
    let mut frames = Vec::new();
    let now = log.now.clone();
    let mut sink = |at: Time, event: &Traced<'_>| {
        now.store(at.as_picos() / 1_000, Relaxed);
        if let Traced::Sent { bus, frame, .. } = event {
            frames.push((now.load(Relaxed), bus.0, **frame));
        }
    };
    let mut simulation = Simulation::new(Config { seed, buses, ecus }).unwrap();
    // In steps, so that what an ECU notes between two frames has its time, to 50 us.
    for step in 1..=ms * 20 {
        let end = Time::from_nanos(step * 50_000);
        simulation.run_until(end, &mut sink).unwrap();
        log.now.store(step * 50_000, Relaxed);
    }
    Ran {
        log: std::mem::take(&mut log.entries.lock().unwrap()),
        frames,
    }
}

impl Ran {
    /// Returns the protected messages of a stream from `from_ms` on, in order, with the times.
    pub(crate) fn sent(&self, stream: u16, from_ms: u64) -> Vec<(u64, CanPayload)> {
        let own = self
            .log
            .iter()
            .filter(|entry| entry.at >= from_ms * 1_000_000);
        own.filter_map(|entry| match entry.what {
            AuthEvent::Sent(of, payload) if of == id(stream) => Some((entry.at, payload)),
            _ => None,
        })
        .collect()
    }

    /// Returns the messages of a stream that an ECU took, in order, with the times.
    pub(crate) fn taken(&self, by: &str, stream: u16) -> Vec<(u64, CanPayload)> {
        let own = self.log.iter().filter(|entry| entry.ecu == by);
        own.filter_map(|entry| match entry.what {
            AuthEvent::Event(FrameOutcome::Authentic {
                stream: of,
                payload,
            }) if of == id(stream) => Some((entry.at, payload)),
            _ => None,
        })
        .collect()
    }

    /// Returns the number of such events of an ECU.
    pub(crate) fn count(&self, by: &str, which: impl Fn(&FrameOutcome) -> bool) -> usize {
        let own = self.log.iter().filter(|entry| entry.ecu == by);
        own.filter(|entry| matches!(&entry.what, AuthEvent::Event(event) if which(event)))
            .count()
    }

    /// Returns true if an ECU took only sent messages, each once and in order.
    pub(crate) fn is_faithful(&self, by: &str, stream: u16) -> bool {
        let sent = self.sent(stream, 0);
        let mut sent = sent.iter();
        let mut taken = self.taken(by, stream).into_iter();
        taken.all(|(_, payload)| sent.any(|(_, other)| *other == payload))
    }

    /// Panics unless an ECU took every message sent from `from_ms` on; the last two may be under
    /// way.
    pub(crate) fn assert_all(&self, by: &str, stream: u16, from_ms: u64) {
        let sent = self.sent(stream, from_ms);
        let taken = self.taken(by, stream);
        assert!(sent.len() > 20, "{} messages are no test", sent.len());
        for (at, payload) in &sent[..sent.len() - 2] {
            let is_taken = taken.iter().any(|(_, other)| other == payload);
            assert!(is_taken, "{stream:#x} of {at} ns was not taken by {by}");
        }
    }
}

/// Listens for `quiet_ms`, then says everything it heard again, in order and over and over, until
/// `until_ms`.
pub(crate) fn replays(quiet_ms: u64, until_ms: u64) -> Act {
    let (mut heard, mut at, mut next) = (Vec::<Frame>::new(), 0, 0);
    Box::new(move |now, frame| {
        let now = now.as_nanos();
        if let Some(frame) = frame {
            if now < quiet_ms * 1_000_000 {
                heard.push(*frame);
            }
            return None;
        }
        if now < quiet_ms * 1_000_000 || now >= until_ms * 1_000_000 || now < next {
            return None;
        }
        next = now + 700_000;
        at += 1;
        heard.get((at - 1) % heard.len()).copied()
    })
}

/// One end on the only port.
pub(crate) fn end<T>(end: T) -> End<T> {
    End { port: Port(0), end }
}
