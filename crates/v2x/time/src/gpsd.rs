//! A client of gpsd, the daemon for receivers of satellite navigation: its JSON over TCP.
//!
//! Choice: a thread of its own, no task of the runtime. A fix is compared with the clock at the
//! moment of its arrival; a runtime that is busy with a thousand connections would make it late.

mod connection;
mod lines;
mod report;

use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use waywarden_v2x_security::time::LeapSeconds;

use self::connection::connect;
use super::clock::{Clock, ClockSettings};
use super::{ClockEvent, MachineClock, ReceiverFix, TimeReading, TimeSource, UntrustedTime};

/// Address of gpsd, and rules for trust in its receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct GpsdSettings {
    /// Name or address of the host: `127.0.0.1`. The protocol has no protection: over a network
    /// every machine on it can set the time.
    pub host: String,
    /// TCP port: 2947.
    pub port: u16,
    /// Receiver to read, as gpsd names it: `/dev/ttyACM0`. `None`: all of them, for a gpsd with a
    /// single one. Reports of two receivers would look like jumps.
    pub device: Option<String>,
    /// Maximum silence of a connection before it is closed: 10 s; 1 s to 10 min make sense. After
    /// half of it gpsd is asked for its version, which it answers without a receiver.
    pub max_silence: Duration,
    /// Rules for trust in the receiver.
    pub clock: ClockSettings,
}

impl Default for GpsdSettings {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 2947,
            device: None,
            max_silence: Duration::from_secs(10),
            clock: ClockSettings::default(),
        }
    }
}

/// First and maximum delay before a lost connection is opened again. Each failure doubles it.
const BACKOFF_MIN: Duration = Duration::from_millis(500);
const BACKOFF_MAX: Duration = Duration::from_secs(10);

/// gpsd as a [`TimeSource`]. Dropping it ends its thread and connection, within about a second
/// unless the host's name takes longer to resolve.
pub struct Gpsd {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    machine: MachineClock,
    clock: Mutex<Clock>,
    is_stopped: Mutex<bool>,
    stopped: Condvar,
    observe: Box<dyn Fn(&ClockEvent) + Send + Sync>,
}

impl Gpsd {
    /// Starts a thread that connects, and connects again whenever the connection is lost. Events
    /// are logged and handed to `observe` in that thread.
    ///
    /// # Errors
    ///
    /// The error of the operating system if it has no thread.
    pub fn start(
        settings: GpsdSettings,
        leap_seconds: LeapSeconds,
        observe: impl Fn(&ClockEvent) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            machine: MachineClock::new(),
            clock: Mutex::new(Clock::new(settings.clock, leap_seconds)),
            is_stopped: Mutex::new(false),
            stopped: Condvar::new(),
            observe: Box::new(observe),
        });
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("gpsd".to_owned())
            .spawn(move || of_thread.run(&settings))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Replaces the table of leap seconds.
    pub fn set_leap_seconds(&self, leap_seconds: LeapSeconds) {
        self.shared.clock().set_leap_seconds(leap_seconds);
    }
}

impl TimeSource for Gpsd {
    fn read(&self) -> TimeReading {
        let mut clock = self.shared.clock();
        // Within the lock, so that the clock sees moments in their order.
        clock.read(self.shared.machine.now())
    }

    fn doubt(&self) -> Option<UntrustedTime> {
        self.shared.clock().doubt()
    }
}

impl Drop for Gpsd {
    fn drop(&mut self) {
        *self.shared.is_stopped() = true;
        self.shared.stopped.notify_all();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has logged it.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Gpsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpsd").finish_non_exhaustive()
    }
}

impl Shared {
    fn run(&self, settings: &GpsdSettings) {
        let mut delay = BACKOFF_MIN;
        let (host, port) = (settings.host.as_str(), settings.port);
        while !*self.is_stopped() {
            let mut has_reported = false;
            let error = match connect(settings) {
                Ok(mut connection) => {
                    self.change(|clock, now| clock.handle_connection(true, now));
                    let error = loop {
                        match connection.receive(self.machine.now().monotonic) {
                            Ok(fix) => {
                                has_reported |= fix.is_some();
                                self.report(fix.as_ref());
                            }
                            Err(error) => break error,
                        }
                        if let Some(lines) = connection.skipped() {
                            self.tell(&ClockEvent::LinesSkipped(lines));
                        }
                        if *self.is_stopped() {
                            return;
                        }
                    };
                    self.change(|clock, now| clock.handle_connection(false, now));
                    error
                }
                Err(error) => error,
            };
            if has_reported {
                delay = BACKOFF_MIN;
            }
            tracing::warn!(
                host,
                port,
                retry_ms = delay.as_millis() as u64,
                "gpsd: {error}"
            );
            self.wait(delay);
            delay = (delay * 2).min(BACKOFF_MAX);
        }
    }

    /// Hands over a fix, or reports that none was received.
    fn report(&self, fix: Option<&ReceiverFix>) {
        self.change(|clock, now| match fix {
            Some(fix) => clock.handle_fix(fix, now),
            None => clock.advance(now),
        });
    }

    fn change(&self, change: impl FnOnce(&mut Clock, super::ClockReading)) {
        let mut clock = self.clock();
        change(&mut clock, self.machine.now());
        // Without the lock: logging and the observer may take their time.
        let events: Vec<ClockEvent> = std::iter::from_fn(|| clock.next_event()).collect();
        drop(clock);
        events.iter().for_each(|event| self.tell(event));
    }

    fn tell(&self, event: &ClockEvent) {
        event.log();
        (self.observe)(event);
    }

    fn wait(&self, span: Duration) {
        let end = self.machine.now().monotonic + span;
        let mut is_stopped = self.is_stopped();
        while !*is_stopped {
            let left = end.saturating_sub(self.machine.now().monotonic);
            if left.is_zero() {
                break;
            }
            // The clock's fix becomes stale while gpsd is away: that is reported, too.
            let slice = left.min(Duration::from_millis(200));
            let waited = self.stopped.wait_timeout(is_stopped, slice);
            drop(waited.unwrap_or_else(PoisonError::into_inner).0);
            self.report(None);
            is_stopped = self.is_stopped();
        }
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> MutexGuard<'_, bool> {
        self.is_stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
