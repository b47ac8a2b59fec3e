//! Periodic streams: what an application sends without being asked.

use waywarden_can::node::Port;
use waywarden_can::{FdFlags, Frame, FrameError, Id, MessageHandle};
use waywarden_work::{Duration, Instant};

use crate::guard::Withheld;
use crate::observer::{KeptBack, MessageObserver};
use crate::random::Random;

/// The frame format of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamFormat {
    /// Classic CAN.
    Classic,
    /// CAN FD, with or without the switch to the data bit rate.
    Fd {
        /// BRS: the data phase runs at the data bit rate.
        bit_rate_switch: bool,
    },
}

/// The content of a stream's payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadContent {
    /// A little-endian counter of the instances, as wide as the payload allows up to 8 bytes; the
    /// rest is zero.
    Counter,
    /// Fresh random bytes each time.
    Random,
    /// The same bytes each time.
    Constant([u8; 64]),
}

/// A periodic stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodicStream {
    /// The port it leaves by.
    pub port: Port,
    /// Its identifier.
    pub id: Id,
    /// Its frame format.
    pub format: StreamFormat,
    /// Payload length in bytes, one that the format has.
    pub length: u8,
    /// Time between two instances, above zero.
    pub period: Duration,
    /// Time from boot to the first instance.
    pub offset: Duration,
    /// Each instance is late by a random time up to this, below the period.
    pub jitter: Duration,
    /// The content of the payloads.
    pub content: PayloadContent,
}

/// A stream and its state.
#[derive(Clone, Copy, Debug)]
pub struct StreamState {
    stream: PeriodicStream,
    /// The nominal release of the next instance, before jitter.
    nominal: Instant,
    /// The release of the next instance, with jitter.
    release: Instant,
    /// Instances released so far.
    instances: u64,
    /// Released while the transmit queue was full; sent as soon as there is room.
    waiting: bool,
    /// The instance that waits, or left last.
    message: MessageHandle,
    /// Instances that never left because a newer one took their place before there was room, or
    /// because the one before was still with the role that guards the stream.
    skipped: u64,
    /// Instances that never left because the ECU had no key of the stream.
    unauthorized: u64,
    /// Instances that never left for another reason of the role that guards the stream, and the
    /// last of these reasons.
    unready: u64,
    withheld: Option<Withheld>,
}

/// All streams of an ECU.
#[derive(Debug)]
pub struct Streams<S> {
    states: S,
    random: Random,
    /// The earliest release, so that most polls need not look at every stream.
    next: Instant,
    /// True if one may be waiting, for the same reason.
    waiting: bool,
    /// Instances of all streams that never left, by reason.
    skipped: u64,
    unauthorized: u64,
    unready: u64,
    /// The stream whose instance was due last.
    last: usize,
}

impl PeriodicStream {
    /// Checks that every instance makes a frame.
    ///
    /// # Errors
    /// [`FrameError`] if the format does not have the length.
    pub fn check(&self) -> Result<(), FrameError> {
        self.frame(&[0; 64]).map(|_| ())
    }

    fn frame(&self, payload: &[u8; 64]) -> Result<Frame, FrameError> {
        let data = payload.get(..usize::from(self.length)).unwrap_or(payload);
        match self.format {
            StreamFormat::Classic => Frame::classic(self.id, data),
            StreamFormat::Fd { bit_rate_switch } => Frame::fd_with(
                self.id,
                data,
                FdFlags {
                    bit_rate_switch,
                    error_state_indicator: false,
                },
            ),
        }
    }

    fn payload(&self, instance: u64, random: &mut Random) -> [u8; 64] {
        let mut payload = [0; 64];
        match self.content {
            PayloadContent::Counter => payload[..8].copy_from_slice(&instance.to_le_bytes()),
            PayloadContent::Random => payload
                .as_chunks_mut::<8>()
                .0
                .iter_mut()
                .take(usize::from(self.length).div_ceil(8))
                .for_each(|chunk| *chunk = random.next().to_le_bytes()),
            PayloadContent::Constant(bytes) => payload = bytes,
        }
        payload
    }
}

impl StreamState {
    /// Puts a stream before its first instance.
    #[must_use]
    pub const fn new(stream: PeriodicStream) -> Self {
        StreamState {
            stream,
            nominal: Instant::ZERO,
            release: Instant::ZERO,
            instances: 0,
            waiting: false,
            message: MessageHandle::NONE,
            skipped: 0,
            unauthorized: 0,
            unready: 0,
            withheld: None,
        }
    }

    /// Returns the stream.
    #[must_use]
    pub const fn stream(&self) -> PeriodicStream {
        self.stream
    }

    /// Returns how many instances were skipped because the transmit queue stayed full, or because
    /// the caller did not poll for longer than a period.
    #[must_use]
    pub const fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns how many instances never left because the ECU had no key of the stream.
    #[must_use]
    pub const fn unauthorized(&self) -> u64 {
        self.unauthorized
    }

    /// Returns how many instances never left because the role that guards the stream could not
    /// protect them: nothing retained yet, no epoch announced, a counter used up.
    #[must_use]
    pub const fn unready(&self) -> u64 {
        self.unready
    }

    /// Returns why the role that guards the stream last withheld an instance, if it ever did.
    #[must_use]
    pub const fn withheld(&self) -> Option<Withheld> {
        self.withheld
    }

    fn schedule(&mut self, nominal: Instant, random: &mut Random) {
        self.nominal = nominal;
        let late = match self.stream.jitter.as_nanos() {
            0 => 0,
            jitter => random.below(jitter + 1),
        };
        self.release = nominal + Duration::from_nanos(late);
    }
}

impl<S: AsMut<[StreamState]> + AsRef<[StreamState]>> Streams<S> {
    /// Starts the streams at `now`; jitter and random payloads follow from `seed`.
    pub fn new(states: S, now: Instant, seed: &[u8; 32]) -> Self {
        let mut streams = Streams {
            states,
            random: Random::new(seed),
            next: Instant::MAX,
            waiting: false,
            skipped: 0,
            unauthorized: 0,
            unready: 0,
            last: 0,
        };
        streams.start(now);
        streams
    }

    /// Has every stream begin again at `now`.
    pub(crate) fn start(&mut self, now: Instant) {
        self.next = Instant::MAX;
        for state in self.states.as_mut() {
            let offset = state.stream.offset;
            *state = StreamState::new(state.stream);
            state.schedule(now + offset, &mut self.random);
            self.next = self.next.min(state.release);
        }
    }

    /// Has the stream with this identifier carry these bytes from its next instance on.
    pub fn set_payload(&mut self, id: Id, payload: [u8; 64]) {
        for state in self
            .states
            .as_mut()
            .iter_mut()
            .filter(|state| state.stream.id == id)
        {
            state.stream.content = PayloadContent::Constant(payload);
        }
    }

    /// Returns where each stream stands.
    pub fn states(&self) -> &[StreamState] {
        self.states.as_ref()
    }

    /// Returns when the next instance is released; [`Instant::MAX`] without streams.
    pub fn next_release(&self) -> Instant {
        self.next
    }

    /// Returns how many instances of all streams never left, see [`StreamState::skipped`].
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns how many instances of all streams never left, see [`StreamState::unauthorized`].
    pub fn unauthorized(&self) -> u64 {
        self.unauthorized
    }

    /// Returns how many instances of all streams never left, see [`StreamState::unready`].
    pub fn unready(&self) -> u64 {
        self.unready
    }

    /// Returns the next frame that is due at `now` on a port with room.
    pub(crate) fn due(
        &mut self,
        now: Instant,
        has_room: impl Fn(Port) -> bool,
        observer: &mut impl MessageObserver,
    ) -> Option<(Port, Frame)> {
        let states = self.states.as_mut();
        if self.next <= now {
            self.next = Instant::MAX;
            for (at, state) in states.iter_mut().enumerate() {
                if state.release <= now {
                    let mut skipped = u64::from(state.waiting);
                    if state.waiting {
                        observer.kept_back(state.message, KeptBack::Skipped);
                    }
                    state.waiting = true;
                    state.message = observer.released(at);
                    self.waiting = true;
                    state.instances += 1;
                    let mut nominal = state.nominal + state.stream.period;
                    // After a long silence (a stalled driver) the past is not made up for.
                    if nominal + state.stream.period < now {
                        skipped +=
                            now.since(nominal).as_nanos() / state.stream.period.as_nanos() + 1;
                        nominal = now + state.stream.period;
                    }
                    state.skipped += skipped;
                    self.skipped += skipped;
                    state.schedule(nominal, &mut self.random);
                }
                self.next = self.next.min(state.release);
            }
        }
        if !self.waiting {
            return None;
        }
        let mut waiting = states.iter_mut().enumerate();
        let found = waiting.find(|(_, state)| state.waiting && has_room(state.stream.port));
        let Some((at, state)) = found else {
            self.waiting = states.iter().any(|state| state.waiting);
            return None;
        };
        state.waiting = false;
        self.last = at;
        let payload = state.stream.payload(state.instances - 1, &mut self.random);
        observer.sampled(state.message);
        let frame = state.stream.frame(&payload).ok()?;
        Some((state.stream.port, frame.with_message(state.message)))
    }

    /// Takes note that the role that guards the stream withheld the instance that was due last.
    pub(crate) fn withheld(&mut self, why: Withheld, observer: &mut impl MessageObserver) {
        let Some(state) = self.states.as_mut().get_mut(self.last) else {
            return;
        };
        let (count, of_all) = match why {
            Withheld::Unauthorized => (&mut state.unauthorized, &mut self.unauthorized),
            Withheld::Busy => (&mut state.skipped, &mut self.skipped),
            _ => (&mut state.unready, &mut self.unready),
        };
        *count += 1;
        *of_all += 1;
        state.withheld = Some(why);
        let why = match why {
            Withheld::Busy => KeptBack::Skipped,
            why => KeptBack::Withheld(why),
        };
        observer.kept_back(state.message, why);
    }
}
