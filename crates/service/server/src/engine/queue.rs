//! Messages that wait for a thread that verifies.

use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use waywarden_v2x_schedule::{Bounds, DropCause, Dropped, Ego, Features, Policy};
use waywarden_v2x_security::{IncomingMessage, MessageSource, ReceptionContext};
use waywarden_v2x_wire::detect::{Envelope, NoSpdu, detect};
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64, TwoDLocation};

use super::answer::Answer;
use super::batches::{BatchUnderWay, BatchesUnderWay};
use super::client_queues::ClientQueues;
use crate::service::ClientId;
use waywarden_v2x_service_protocol::{ExhaustedShare, RefusedRequest, Status, VerifyRequest};
use waywarden_v2x_time::{StationPosition, TimeReading};

/// A message that waits, and where its verdict goes.
pub(super) struct Pending {
    message: MessageToVerify,
    pub(super) answer: Answer,
}

/// A message, what is known around it, and what decides on its turn.
pub(super) struct MessageToVerify {
    pub(super) message: Arc<[u8]>,
    /// Position of the SPDU in the message.
    spdu: Range<usize>,
    psid: Option<Psid>,
    place: Option<TwoDLocation>,
    features: Features,
    pub(super) received: Time64,
    pub(super) arrived: Instant,
    /// True if the verdict reports the payload check whatever its result.
    pub(super) reports_payload_check: bool,
    client: ClientId,
}

/// A message in which there is nothing to verify.
pub(super) struct Unreadable {
    pub(super) message: Arc<[u8]>,
    pub(super) received: Time64,
    pub(super) arrived: Instant,
    pub(super) error: NoSpdu,
    pub(super) answer: Answer,
}

impl Pending {
    /// Finds the SPDU in a message, and what decides on its turn. Linear in its length.
    pub(super) fn new(
        request: VerifyRequest,
        answer: Answer,
        now: &TimeReading,
        deadline: Duration,
    ) -> Result<Self, Box<Unreadable>> {
        let message: Arc<[u8]> = request.message.into();
        let arrived = Instant::now();
        let found = match detect(&message) {
            Ok(found) => found,
            Err(error) => {
                return Err(Box::new(Unreadable {
                    error,
                    message: Arc::clone(&message),
                    received: now.time,
                    arrived,
                    answer,
                }));
            }
        };
        let length = found.spdu.len();
        let begin = found.spdu.as_ptr() as usize - message.as_ptr() as usize;
        let wait = u64::try_from(deadline.as_micros()).unwrap_or(u64::MAX);
        let last = Time64(now.time.0.saturating_add(wait));
        let mut features = Features::of(&found);
        // One that has expired already gets a verdict that says so.
        let own = features.deadline.filter(|own| *own >= now.time);
        features.deadline = Some(own.map_or(last, |own| own.min(last)));
        let around = match &found.envelope {
            Envelope::Wsm(wsm) => Some(wsm.psid),
            _ => None,
        };
        let client = answer.client();
        Ok(Self {
            message: MessageToVerify {
                spdu: begin..begin + length,
                psid: request.psid.or(around),
                place: now.position.as_ref().map(place),
                features,
                received: now.time,
                arrived,
                reports_payload_check: request.reports_payload_check,
                client,
                message,
            },
            answer,
        })
    }

    /// Returns the message, and where its verdict goes.
    pub(super) fn split(self) -> (MessageToVerify, Answer) {
        (self.message, self.answer)
    }
}

impl MessageToVerify {
    /// The message with what is known around it.
    pub(super) fn received(&self) -> IncomingMessage<'_, 'static> {
        IncomingMessage {
            message: self.message.get(self.spdu.clone()).unwrap_or(&[]),
            context: ReceptionContext {
                now: self.received,
                place: self.place,
                psid: self.psid,
                external_data: None,
                data_hash: None,
                source: MessageSource::Radio,
            },
        }
    }
}

fn place(position: &StationPosition) -> TwoDLocation {
    TwoDLocation {
        latitude: position.location.latitude,
        longitude: position.location.longitude,
    }
}

/// Number of messages for which a thread waits that finds fewer: signatures are verified that many
/// side by side where the processor has the widest lanes.
const TOGETHER: usize = 8;

/// Number of recent messages over which their rate is averaged.
const AVERAGED: u32 = 16;

/// A queue of messages that threads wait at.
pub(super) struct WaitingMessages {
    state: Mutex<State>,
    /// There is a message that no thread waits for, or the queue is closed.
    changed: Condvar,
    /// There are enough messages for a thread that gathers them, or the queue is closed.
    gathered: Condvar,
    /// Longest wait of a message for others.
    gather: Duration,
    batches: Arc<BatchesUnderWay>,
}

/// Messages that a thread has taken.
pub(super) struct Taken {
    pub(super) batch: Vec<Pending>,
    /// Messages that have expired.
    pub(super) dropped: Vec<Dropped<Pending>>,
    /// Goes when they are judged.
    pub(super) under_way: BatchUnderWay,
}

struct State {
    queues: ClientQueues<Pending>,
    is_closed: bool,
    /// True if a thread gathers messages.
    is_gathering: bool,
    last: Instant,
    /// The mean time between two messages.
    interval: Duration,
}

impl State {
    /// Takes note of when a message comes.
    fn came(&mut self, now: Instant) {
        let since = now.saturating_duration_since(self.last);
        self.last = now;
        // So that after a pause the rate is not low for long.
        let since = since.min(self.interval * 2 + Duration::from_micros(1));
        self.interval = (self.interval * (AVERAGED - 1) + since) / AVERAGED;
    }

    /// Returns true if enough messages are to be expected in this time.
    fn is_worth(&self, gather: Duration) -> bool {
        self.interval * (TOGETHER as u32 / 2) <= gather
    }
}

impl WaitingMessages {
    pub(super) fn new(policy: Policy, bounds: Bounds, gather: Duration) -> Self {
        Self {
            state: Mutex::new(State {
                queues: ClientQueues::new(policy, bounds),
                is_closed: false,
                is_gathering: false,
                last: Instant::now(),
                interval: gather,
            }),
            changed: Condvar::new(),
            gathered: Condvar::new(),
            gather,
            batches: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message. Returns those of the same client that are dropped for it or have expired,
    /// and why.
    pub(super) fn push(&self, pending: Pending, now: &TimeReading) -> Vec<Dropped<Pending>> {
        let mut state = self.state();
        if state.is_closed {
            drop(state);
            pending.answer.send(Err(closing()));
            return Vec::new();
        }
        let ego = now.position.as_ref();
        let ego = ego.and_then(|one| Ego::new(place(one), one.heading));
        state.came(pending.message.arrived);
        let (client, features) = (pending.message.client, pending.message.features);
        let dropped = state
            .queues
            .push((client, ego), pending, &features, now.time);
        let (count, is_gathering) = (state.queues.len(), state.is_gathering);
        drop(state);
        match is_gathering {
            false => self.changed.notify_one(),
            true if count == TOGETHER => self.gathered.notify_one(),
            true => {}
        }
        dropped
    }

    /// Waits for messages and takes this thread's share of those that are there, at most `most`, of
    /// each client in turn, with those that have expired; `None` when the queue is closed and
    /// empty. `now` is asked once there are some.
    pub(super) fn take(
        &self,
        (most, threads): (usize, usize),
        now: impl Fn() -> Time64,
    ) -> Option<Taken> {
        let mut state = self.wait()?;
        let now = now();
        let mut dropped = Vec::new();
        let share = state.queues.len().div_ceil(threads.max(1));
        let most = share.max(TOGETHER).min(most);
        let mut taken = Vec::with_capacity(most);
        while taken.len() < most
            && let Some(next) = state.queues.pop(now, &mut dropped)
        {
            taken.push(next);
        }
        let is_left = state.queues.len() > 0;
        // Before another thread takes the next messages, so that the order is that of taking.
        let under_way = self.batches.begin();
        drop(state);
        if is_left {
            self.changed.notify_one();
        }
        Some(Taken {
            batch: taken,
            dropped,
            under_way,
        })
    }

    /// Waits until there are messages. Where they come so often that it is worth it, one thread
    /// waits for [`TOGETHER`] of them, for at most [`Self::gather`].
    fn wait(&self) -> Option<MutexGuard<'_, State>> {
        let mut state = self.state();
        loop {
            let count = state.queues.len();
            if state.is_closed {
                return (count > 0).then_some(state);
            }
            if count >= TOGETHER {
                return Some(state);
            }
            // What is there is left to the thread that gathers.
            if count == 0 || state.is_gathering {
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            if !state.is_worth(self.gather) {
                return Some(state);
            }
            state.is_gathering = true;
            let is_short = |state: &mut State| state.queues.len() < TOGETHER && !state.is_closed;
            let waited = self
                .gathered
                .wait_timeout_while(state, self.gather, is_short);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.is_gathering = false;
            if state.queues.len() > 0 {
                return Some(state);
            }
        }
    }

    /// Takes which messages were valid and which were not.
    pub(super) fn learn<'m>(&self, judged: impl Iterator<Item = (&'m MessageToVerify, bool)>) {
        let mut state = self.state();
        if !state.queues.learns() {
            return;
        }
        for (message, is_valid) in judged {
            let (features, received) = (&message.features, message.received);
            state
                .queues
                .learn(message.client, features, received, is_valid);
        }
    }

    /// Takes no more messages; those that wait are still verified.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
        self.gathered.notify_all();
    }

    pub(super) fn len(&self) -> usize {
        self.state().queues.len()
    }
}

/// The reason for which a message is not verified, as its client gets it.
pub(super) fn refusal(cause: DropCause, bounds: &Bounds) -> RefusedRequest {
    match cause {
        DropCause::Outside => RefusedRequest::new(
            Status::OutsidePolicy,
            "the policy verifies nothing from where the message claims to be",
        ),
        DropCause::Expired => RefusedRequest::new(
            Status::DeadlineExceeded,
            "the message waited longer than its deadline or the longest wait",
        ),
        DropCause::SenderFull => RefusedRequest::overloaded(
            ExhaustedShare::Sender,
            format!(
                "{} messages of this sender wait on this connection, which is its share; send \
                 fewer or verify more",
                bounds.per_sender
            ),
        ),
        DropCause::QueueFull => RefusedRequest::overloaded(
            ExhaustedShare::Connection,
            format!(
                "{} messages of this connection wait, which is its share; wait for answers before \
                 you send more",
                bounds.messages
            ),
        ),
    }
}

/// The answer to all that comes while the service ends.
pub(super) fn closing() -> RefusedRequest {
    RefusedRequest::new(Status::ShuttingDown, "the service is ending")
}
