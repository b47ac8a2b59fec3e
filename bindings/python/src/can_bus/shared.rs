//! A network that threads share, and the clock that it follows.
//!
//! No thread of its own drives it: each call lets it catch up with the present first, and of the
//! threads that wait one wakes at the next event. So nothing is late that a program could see, and
//! an idle network costs nothing.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use waywarden_can::Frame;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::live::{LiveError, LiveEvent, LiveNetwork, MailboxId};
use waywarden_vehicle_trace::Fact;

use crate::error::Failure;

/// Simulated time that is computed in one go before others get the lock.
const STEP_PS: u64 = 20_000_000_000;

pub(super) struct Shared {
    state: Mutex<State>,
    /// Events came, or no thread waits for the next one any more.
    changed: Condvar,
    /// The time of the next event has changed.
    rescheduled: Condvar,
    pub(super) clock: Clock,
}

pub(super) struct State {
    pub(super) network: LiveNetwork<Fact>,
    /// True if a thread waits for the next event to be due.
    driven: bool,
}

/// The clock of a network.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    /// The monotonic clock of the computer.
    Real {
        began: Instant,
        /// Seconds from the Epoch to the start.
        epoch: f64,
        /// Simulated seconds in a real one.
        scale: f64,
    },
    /// Goes on while a program waits.
    Virtual,
}

/// Result of a wait.
pub(super) enum Outcome {
    Event(Time, LiveEvent),
    TimedOut,
    /// Time for a look at signals.
    Slice,
}

impl Clock {
    pub(super) fn new(name: &str, scale: f64) -> PyResult<Self> {
        if !(1e-6..=1e6).contains(&scale) {
            return Err(Failure::parameter(
                "scale",
                format_args!("{scale} is out of range"),
                "0.000001 to 1000000 simulated seconds in a real one",
            ));
        }
        match name {
            "real" => Ok(Clock::Real {
                began: Instant::now(),
                epoch: SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .map_or(0.0, |since| since.as_secs_f64()),
                scale,
            }),
            "virtual" if scale == 1.0 => Ok(Clock::Virtual),
            "virtual" => Err(Failure::parameter(
                "scale",
                "a virtual clock has none: it goes on as fast as it is computed",
                "leave scale out, or use clock=\"real\"",
            )),
            _ => Err(Failure::parameter(
                "clock",
                format_args!("{name:?} is no clock"),
                "\"real\" or \"virtual\"",
            )),
        }
    }

    /// Returns the timestamp of a message, in seconds.
    pub(super) fn timestamp(&self, at: Time) -> f64 {
        match self {
            Clock::Real { epoch, .. } => epoch + at.as_seconds(),
            Clock::Virtual => at.as_seconds(),
        }
    }

    /// Returns the simulated time of the present.
    fn present(&self) -> Option<Time> {
        match self {
            Clock::Real { began, scale, .. } => {
                let picos = began.elapsed().as_secs_f64() * scale * 1e12;
                Some(Time::from_picos(picos.min(1e19) as u64))
            }
            Clock::Virtual => None,
        }
    }

    /// Returns how long it is to a simulated time.
    fn until(&self, due: Time, now: Time) -> Duration {
        match self {
            _ if due == Time::NEVER => Duration::MAX,
            Clock::Real { scale, .. } => {
                let ahead = due.as_picos().saturating_sub(now.as_picos());
                let seconds = ahead as f64 / 1e12 / scale;
                Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
            }
            Clock::Virtual => Duration::ZERO,
        }
    }
}

impl Shared {
    pub(super) fn new(network: LiveNetwork<Fact>, clock: Clock) -> Self {
        Shared {
            state: Mutex::new(State {
                network,
                driven: false,
            }),
            changed: Condvar::new(),
            rescheduled: Condvar::new(),
            clock,
        }
    }

    /// A network whose thread panicked refuses what comes after by itself.
    pub(super) fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs up to the present of a real clock, for at most `slice`; returns true if it is there.
    pub(super) fn catch_up(&self, slice: Duration) -> Result<bool, LiveError> {
        let end = Instant::now() + slice;
        loop {
            let Some(present) = self.clock.present() else {
                return Ok(true);
            };
            let mut state = self.locked();
            if self.step(&mut state, present)? {
                return Ok(true);
            }
            drop(state);
            if Instant::now() >= end {
                return Ok(false);
            }
        }
    }

    /// Runs up to a time, but not for long; returns true if it is there.
    fn step(&self, state: &mut State, present: Time) -> Result<bool, LiveError> {
        let now = state.network.now();
        if now >= present {
            return Ok(true);
        }
        let reach = Time::from_picos(now.as_picos().saturating_add(STEP_PS));
        // Up to the next event nothing is to compute.
        let reach = reach.max(state.network.next_due()).min(present);
        let before = state.network.delivered();
        state.network.run_until(reach)?;
        if state.network.delivered() != before {
            self.changed.notify_all();
        }
        Ok(reach == present)
    }

    pub(super) fn send(&self, id: MailboxId, frame: Frame) -> Result<(), LiveError> {
        self.act(|network| network.send(id, frame))
    }

    pub(super) fn raise_error_flag(&self, id: MailboxId) -> Result<(), LiveError> {
        self.act(|network| network.raise_error_flag(id))
    }

    /// Does something that changes the time of the next event.
    fn act(
        &self,
        action: impl FnOnce(&mut LiveNetwork<Fact>) -> Result<(), LiveError>,
    ) -> Result<(), LiveError> {
        let mut state = self.locked();
        action(&mut state.network)?;
        let driven = state.driven;
        drop(state);
        match driven {
            true => self.rescheduled.notify_one(),
            false => self.changed.notify_one(),
        }
        Ok(())
    }

    pub(super) fn leave(&self, id: MailboxId) {
        self.locked().network.retire(id);
        self.changed.notify_all();
        self.rescheduled.notify_all();
    }

    /// Waits until a mailbox takes part.
    pub(super) fn integrate(&self, id: MailboxId, longest: Duration) -> Result<(), LiveError> {
        let end = Instant::now() + longest;
        let mut state = self.locked();
        let limit = state
            .network
            .now()
            .as_picos()
            .saturating_add(super::picoseconds(longest));
        while !state.network.takes_part(id) && Instant::now() < end {
            let due = state.network.next_due();
            match self.clock.present() {
                Some(present) => {
                    if self.step(&mut state, present)? {
                        drop(state);
                        std::thread::sleep(Duration::from_micros(20));
                        state = self.locked();
                    }
                }
                None if due.as_picos() > limit => break,
                None => state.network.run_until(due)?,
            }
        }
        Ok(())
    }

    /// Waits for an event of a mailbox by the real clock.
    pub(super) fn wait(
        &self,
        id: MailboxId,
        end: Option<Instant>,
        slice: Duration,
    ) -> Result<Outcome, LiveError> {
        let look = Instant::now() + slice;
        let mut state = self.locked();
        loop {
            let present = self.clock.present().unwrap_or(Time::ZERO);
            let is_there = self.step(&mut state, present)?;
            if let Some((at, event)) = state.network.take(id)? {
                self.hand_on(state);
                return Ok(Outcome::Event(at, event));
            }
            let now = Instant::now();
            if is_there && end.is_some_and(|end| now >= end) {
                self.hand_on(state);
                return Ok(Outcome::TimedOut);
            }
            if now >= look {
                self.hand_on(state);
                return Ok(Outcome::Slice);
            }
            if !is_there {
                continue;
            }
            let longest = end.map_or(look, |end| end.min(look)).duration_since(now);
            if state.driven {
                let waited = self.changed.wait_timeout(state, longest);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            state.driven = true;
            let due = self.clock.until(state.network.next_due(), present);
            let waited = self.rescheduled.wait_timeout(state, longest.min(due));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.driven = false;
        }
    }

    /// Another thread waits for the next event now, unless one does already.
    fn hand_on(&self, state: MutexGuard<'_, State>) {
        let driven = state.driven;
        drop(state);
        if !driven {
            self.changed.notify_one();
        }
    }

    /// Lets simulated time go on until an event of a mailbox, up to a limit.
    pub(super) fn drive(
        &self,
        id: MailboxId,
        limit: Option<Time>,
        slice: Duration,
    ) -> Result<Outcome, LiveError> {
        let look = Instant::now() + slice;
        let mut state = self.locked();
        loop {
            if let Some((at, event)) = state.network.take(id)? {
                return Ok(Outcome::Event(at, event));
            }
            let due = state.network.next_due();
            match limit {
                Some(limit) if due > limit => {
                    state.network.run_until(limit)?;
                    return Ok(Outcome::TimedOut);
                }
                None if due == Time::NEVER => {
                    // Nothing comes unless another thread sends.
                    let longest = look.saturating_duration_since(Instant::now());
                    let waited = self.changed.wait_timeout(state, longest);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    if state.network.next_due() == Time::NEVER {
                        return Ok(Outcome::Slice);
                    }
                }
                _ => {
                    let before = state.network.delivered();
                    state.network.run_until(due)?;
                    if state.network.delivered() != before {
                        self.changed.notify_all();
                    }
                }
            }
            if Instant::now() >= look {
                return Ok(Outcome::Slice);
            }
        }
    }
}
