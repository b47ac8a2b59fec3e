//! What the run shows of the messages that ECUs take: whether their senders sent them.
//!
//! Whether an attack worked is not for the attacked protocol to say: one that takes a forgery calls
//! it authentic. So the truth is computed from the trace alone, by what left each ECU and what each
//! took. A message is followed by the serial number of its frame, over gateways too; only what came
//! by a frame of unknown origin is compared with all that was sent.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::Payload;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{self, EcuIndex, Serial, Sink};

use super::ledger::{Genuine, Ledger, REMEMBERED, Sent};
use super::{
    CheckOutcome, Event, Fact, JudgedFact, ProtectedEvent, SentMessage, Source, TraceSink,
};
use waywarden_vehicle_file::VehicleFile;

/// Of how many transmissions the message is remembered that they carry.
const CARRIED_MAX: usize = 1 << 16;

/// How many frames of one stream wait at most at a role that checks them, as far as they are
/// followed.
const HANDED_IN_MAX: usize = 64;

/// Whether a message is what its sender sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The sender sent it.
    Genuine(Genuine),
    /// The sender did not send it, or sent it only once and it is here again.
    Forged,
}

/// Follows the messages of a run.
#[derive(Debug, Default)]
pub struct GroundTruth {
    ledger: Ledger,
    /// By stream: its identifier.
    ids: Vec<Id>,
    carried: Carried,
    ecus: Vec<EcuTruth>,
}

/// The stream and the number of a message.
type Message = (usize, u64);

/// The messages that transmissions carry, by serial number, which counts up from 1.
#[derive(Debug, Default)]
struct Carried {
    messages: VecDeque<Option<Message>>,
    first: u64,
}

/// What is known of an ECU.
#[derive(Clone, Debug, Default)]
struct EcuTruth {
    /// The message that it is about to ask a frame for.
    leaving: Option<Message>,
    /// The frame that was handed to it last.
    delivered: Option<Serial>,
    /// By stream.
    streams: BTreeMap<usize, StreamTruth>,
}

/// What is known of a stream at one ECU.
#[derive(Clone, Debug, Default)]
struct StreamTruth {
    /// The messages whose frames wait at the role that checks them.
    handed_in: VecDeque<u64>,
    /// The last messages that were taken since the boot, and how many there were before.
    taken: VecDeque<Truth>,
    before: u64,
    /// Of protected frames that wait to be opened: whether they are their sender's.
    waiting: VecDeque<Truth>,
}

/// A sink that adds the truth to what it passes on.
pub struct Judging<'a> {
    /// Knows the truth.
    pub truth: &'a mut GroundTruth,
    /// Gets the events.
    pub next: &'a mut dyn TraceSink,
}

impl Sink<Fact> for Judging<'_> {
    fn record(&mut self, at: Time, event: &trace::Event<'_, Fact>) {
        match event.without_remark() {
            Some(event) => {
                self.truth.follow(&event);
                self.next.record(at, &event);
            }
            None => {
                if let &trace::Event::Noted { ecu, remark } = event {
                    let judged = JudgedFact {
                        truth: self.truth.judge(at, ecu, remark),
                        fact: remark,
                    };
                    let remark = &judged;
                    self.next.record(at, &Event::Noted { ecu, remark });
                }
            }
        }
    }
}

impl GroundTruth {
    /// Follows the messages of a vehicle, in a run of so many ECUs.
    #[must_use]
    pub fn new(file: &VehicleFile, ecus: usize) -> Self {
        GroundTruth {
            ledger: Ledger::new(file.streams.iter().map(|stream| stream.period)),
            ids: file.streams.iter().map(|one| one.id.value).collect(),
            carried: Carried::default(),
            ecus: vec![EcuTruth::default(); ecus],
        }
    }

    fn follow(&mut self, event: &Event<'_>) {
        match *event {
            Event::Requested {
                ecu,
                serial,
                cause,
                frame,
                ..
            } => self.requested(ecu, serial, cause, frame),
            Event::Delivered { ecu, serial, .. } => {
                if let Some(ecu) = self.ecus.get_mut(ecu.0) {
                    ecu.delivered = Some(serial);
                }
            }
            Event::Boot { ecu, .. } => {
                if let Some(ecu) = self.ecus.get_mut(ecu.0) {
                    *ecu = EcuTruth::default();
                }
            }
            _ => {}
        }
    }

    /// Finds the message that a new transmission carries: the one that its sender just reported,
    /// or the one in the frame that it was made of.
    fn requested(&mut self, ecu: EcuIndex, serial: Serial, cause: Option<Serial>, frame: &Frame) {
        let leaving = self.ecus.get_mut(ecu.0).and_then(|ecu| ecu.leaving.take());
        let forwarded = cause.and_then(|cause| self.carried.get(cause));
        let has_id = |(stream, _): &Message| is_of(self.ids[*stream], frame.id());
        let message = leaving.or(forwarded).filter(has_id);
        self.carried.add(serial, message);
    }

    fn judge(&mut self, at: Time, ecu: EcuIndex, fact: &Fact) -> Option<Truth> {
        match fact {
            Fact::MessageSent(sent) => {
                self.sent(at, ecu, sent);
                None
            }
            &Fact::HandedIn { stream } => {
                let number = self.delivered(ecu, stream);
                if let (Some(number), Some(own)) = (number, self.stream(ecu, stream)) {
                    push(&mut own.handed_in, number, HANDED_IN_MAX);
                }
                None
            }
            Fact::Checked {
                stream,
                outcome: CheckOutcome::Authentic(payload),
                ..
            } => {
                let number = self.settled(at, (*stream, ecu), payload);
                Some(self.taken(at, (*stream, ecu), payload.as_bytes(), number))
            }
            Fact::Taken {
                stream,
                frame,
                length,
            } => {
                let number = self.delivered(ecu, *stream);
                let data = frame.data();
                // Who has no keys reads what stands before freshness and code.
                let data = data.get(..usize::from(*length)).unwrap_or(data);
                Some(self.taken(at, (*stream, ecu), data, number))
            }
            Fact::Protected { stream, event } => self.protected(at, (*stream, ecu), event),
            Fact::Displayed {
                source: Some(source),
                ..
            } => Some(self.source(ecu, *source)),
            _ => None,
        }
    }

    fn sent(&mut self, at: Time, ecu: EcuIndex, sent: &SentMessage) {
        let waited = sent.waited.as_nanos().saturating_mul(1_000);
        let own = sent.own.map(|(payload, cause)| Sent {
            payload,
            cause,
            released: Time::from_picos(at.as_picos().saturating_sub(waited)),
            at,
        });
        let number = self.ledger.sent(sent.stream, own);
        if let Some(ecu) = self.ecus.get_mut(ecu.0) {
            ecu.leaving = number.map(|number| (sent.stream, number));
        }
    }

    /// Returns the number of the message of a stream that the last frame carries which an ECU was
    /// handed.
    fn delivered(&self, ecu: EcuIndex, stream: usize) -> Option<u64> {
        let serial = self.ecus.get(ecu.0)?.delivered?;
        let (carried, number) = self.carried.get(serial)?;
        (carried == stream).then_some(number)
    }

    /// Returns the number of the message that a role found authentic, of those that it was handed.
    fn settled(
        &mut self,
        now: Time,
        (stream, ecu): (usize, EcuIndex),
        payload: &Payload,
    ) -> Option<u64> {
        let own = self.ecus.get_mut(ecu.0)?.streams.get_mut(&stream)?;
        let (ledger, bytes) = (&self.ledger, payload.as_bytes());
        // Those before it were refused, or lost on the way to being checked.
        let is_it = |number: &u64| ledger.is_under_way((stream, *number), bytes, now);
        let at = own.handed_in.iter().position(is_it)?;
        own.handed_in.drain(..=at).next_back()
    }

    fn taken(
        &mut self,
        at: Time,
        (stream, ecu): (usize, EcuIndex),
        payload: &[u8],
        number: Option<u64>,
    ) -> Truth {
        let genuine = self.ledger.taken((stream, ecu.0), payload, number, at);
        let truth = genuine.map_or(Truth::Forged, Truth::Genuine);
        if let Some(own) = self.stream(ecu, stream) {
            own.before += push(&mut own.taken, truth, REMEMBERED);
        }
        truth
    }

    fn protected(
        &mut self,
        at: Time,
        (stream, ecu): (usize, EcuIndex),
        event: &ProtectedEvent,
    ) -> Option<Truth> {
        match event {
            ProtectedEvent::Waiting(data)
            | ProtectedEvent::NoRoom(data)
            | ProtectedEvent::WithoutKey(data) => {
                let number = self.delivered(ecu, stream);
                let genuine = self
                    .ledger
                    .taken((stream, ecu.0), data.as_bytes(), number, at);
                let truth = genuine.map_or(Truth::Forged, Truth::Genuine);
                if let (ProtectedEvent::Waiting(_), Some(own)) = (event, self.stream(ecu, stream)) {
                    push(&mut own.waiting, truth, HANDED_IN_MAX);
                }
                Some(truth)
            }
            ProtectedEvent::Opened(_) | ProtectedEvent::TooLate => {
                self.stream(ecu, stream)?.waiting.pop_front()
            }
            ProtectedEvent::Unsent => None,
        }
    }

    /// Returns the truth of a message that something shows.
    fn source(&self, ecu: EcuIndex, source: Source) -> Truth {
        let Source::Message { stream, number } = source else {
            return Truth::Forged;
        };
        let own = self
            .ecus
            .get(ecu.0)
            .and_then(|ecu| ecu.streams.get(&stream));
        let truth = own.and_then(|own| {
            let place = usize::try_from(number.checked_sub(own.before)?).ok()?;
            own.taken.get(place).copied()
        });
        truth.unwrap_or(Truth::Forged)
    }

    fn stream(&mut self, ecu: EcuIndex, stream: usize) -> Option<&mut StreamTruth> {
        Some(self.ecus.get_mut(ecu.0)?.streams.entry(stream).or_default())
    }
}

impl Carried {
    /// Adds the next transmission.
    fn add(&mut self, serial: Serial, message: Option<Message>) {
        if self.messages.is_empty() {
            self.first = serial.0;
        }
        self.first += push(&mut self.messages, message, CARRIED_MAX);
    }

    fn get(&self, serial: Serial) -> Option<Message> {
        let place = usize::try_from(serial.0.checked_sub(self.first)?).ok()?;
        *self.messages.get(place)?
    }
}

/// Adds to a queue of this many at most; returns how many that pushed out.
fn push<T>(queue: &mut VecDeque<T>, new: T, most: usize) -> u64 {
    let is_full = queue.len() == most;
    if is_full {
        queue.pop_front();
    }
    queue.push_back(new);
    u64::from(is_full)
}

/// Whether a frame with this identifier can carry a message of a stream: as it is, or with a
/// counter behind it.
fn is_of(stream: Id, id: Id) -> bool {
    match (stream, id) {
        (Id::Standard(stream), Id::Extended(id)) => stream.raw() == id.base(),
        (stream, id) => stream == id,
    }
}
