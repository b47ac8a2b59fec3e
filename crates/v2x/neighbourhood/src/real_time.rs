//! Stations on threads of their own, each with a link.

mod memory;
mod wire;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

pub use memory::{MediumLink, medium};
use waywarden_v2x_wire::ieee1609dot2::Time64;
pub use wire::WireLink;

use crate::actor::STEP;
use crate::command::Command;
use crate::event::{NeighbourhoodEvent, NotSentCause};
use crate::frame::{EthernetFrame, StationFix, StationMoment};
use crate::virtual_time::{PlacedStation, StationEvent};

/// Limit on events that wait for the caller; more are lost, and counted.
const EVENTS_MAX: usize = 1 << 16;
/// After so long a link that does not work is tried again.
const RETRY: Duration = Duration::from_millis(200);
/// So often a port is drawn again that is in use.
const PORT_DRAWS: u16 = 64;

/// A carrier of frames between stations.
pub trait StationLink: Send {
    /// Waits at most so long for a frame, then takes those that are there: a bounded number.
    ///
    /// # Errors
    /// The operating system's. The link may work again later.
    fn receive(&mut self, within: Duration, take: &mut dyn FnMut(EthernetFrame)) -> io::Result<()>;

    /// Sends a frame.
    ///
    /// # Errors
    /// The operating system's. The link may work again later.
    fn send(&mut self, frame: &EthernetFrame) -> io::Result<()>;

    /// Sends from this UDP port from now on, if it has one.
    ///
    /// # Errors
    /// [`io::ErrorKind::AddrInUse`]: draw another one.
    fn set_port(&mut self, port: u16) -> io::Result<()>;

    /// Returns how many frames were lost because they were not taken in time, or were none.
    fn lost(&self) -> u64;
}

/// Stations that run.
pub struct Running {
    stop: Arc<AtomicBool>,
    lost_events: Arc<AtomicU64>,
    lost_frames: Arc<AtomicU64>,
    commands: Vec<Sender<Command>>,
    events: Receiver<StationEvent>,
    threads: Vec<JoinHandle<PlacedStation>>,
}

impl Running {
    /// Starts a thread for each station.
    ///
    /// # Errors
    /// If the operating system gives no thread.
    pub fn start(stations: Vec<(PlacedStation, Box<dyn StationLink>)>) -> io::Result<Self> {
        let (sender, events) = sync_channel(EVENTS_MAX);
        let mut running = Self {
            stop: Arc::default(),
            lost_events: Arc::default(),
            lost_frames: Arc::default(),
            commands: Vec::new(),
            events,
            threads: Vec::new(),
        };
        let begun = Instant::now();
        for (station, (place, link)) in stations.into_iter().enumerate() {
            let (command, commands) = channel();
            let thread = StationThread {
                station,
                place,
                link,
                begun,
                commands,
                reporter: Reporter {
                    sender: sender.clone(),
                    lost: Arc::clone(&running.lost_events),
                },
                stop: Arc::clone(&running.stop),
                lost_frames: Arc::clone(&running.lost_frames),
                link_fault: None,
                retry: Duration::ZERO,
                port: None,
            };
            let name = format!("station {station}");
            let started = Builder::new().name(name).spawn(move || thread.run())?;
            running.commands.push(command);
            running.threads.push(started);
        }
        Ok(running)
    }

    /// Waits at most so long for the next event; `None` if there is none.
    pub fn next(&self, within: Duration) -> Option<StationEvent> {
        match self.events.recv_timeout(within) {
            Ok(happened) => Some(happened),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                sleep(within);
                None
            }
        }
    }

    /// Has a station carry out a command at its next step; a station that there is not does
    /// nothing.
    pub fn command(&self, station: usize, command: Command) {
        if let Some(commands) = self.commands.get(station) {
            // A thread that has ended takes none.
            let _ = commands.send(command);
        }
    }

    /// Returns how many events the caller lost, because it read too slowly.
    #[must_use]
    pub fn lost_events(&self) -> u64 {
        self.lost_events.load(Ordering::Relaxed)
    }

    /// Returns how many frames the stations lost, because they were not taken in time.
    #[must_use]
    pub fn lost_frames(&self) -> u64 {
        self.lost_frames.load(Ordering::Relaxed)
    }

    /// Returns whether a station's thread has ended, by a fault of this program.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Ends the threads; returns the stations, and the events that are left.
    pub fn stop(self) -> (Vec<PlacedStation>, Vec<StationEvent>) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.threads.into_iter().map(JoinHandle::join);
        let places = ended.filter_map(Result::ok).collect();
        (places, self.events.try_iter().collect())
    }
}

struct Reporter {
    sender: SyncSender<StationEvent>,
    lost: Arc<AtomicU64>,
}

impl Reporter {
    fn tell(&self, station: usize, now: StationMoment, event: NeighbourhoodEvent) {
        let happened = StationEvent {
            station,
            now,
            event,
        };
        if self.sender.try_send(happened).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

struct StationThread {
    station: usize,
    place: PlacedStation,
    link: Box<dyn StationLink>,
    begun: Instant,
    commands: Receiver<Command>,
    reporter: Reporter,
    stop: Arc<AtomicBool>,
    lost_frames: Arc<AtomicU64>,
    /// Reason why the link does not work.
    link_fault: Option<String>,
    retry: Duration,
    /// The port that frames leave from.
    port: Option<u16>,
}

impl StationThread {
    fn run(mut self) -> PlacedStation {
        let mut next = Duration::ZERO;
        let mut is_more = false;
        let mut lost = 0;
        while !self.stop.load(Ordering::Relaxed) {
            let elapsed = self.begun.elapsed();
            let Some(fix) = self.place.position.read(elapsed) else {
                sleep(STEP);
                continue;
            };
            let wait = match is_more {
                true => Duration::ZERO,
                false => next.saturating_sub(elapsed),
            };
            self.listen(&fix, elapsed, wait);
            let now = self.now(&fix, elapsed);
            let (reporter, station) = (&self.reporter, self.station);
            let actor = &mut self.place.actor;
            is_more = actor.work(now, &mut |event| reporter.tell(station, now, event));
            if self.begun.elapsed() >= next {
                self.step();
                next = self.next_step();
            }
            let all = self.link.lost();
            self.lost_frames.fetch_add(all - lost, Ordering::Relaxed);
            lost = all;
        }
        self.place
    }

    /// Returns the time of the next step. A station that is late does not make up for missed steps.
    fn next_step(&self) -> Duration {
        let phase = self.place.actor.phase();
        let elapsed = self.begun.elapsed().saturating_sub(phase);
        let steps = elapsed.as_nanos() / STEP.as_nanos() + 1;
        phase + STEP * u32::try_from(steps).unwrap_or(u32::MAX)
    }

    /// The moment of now, by a fix that was read a little earlier.
    fn now(&self, fix: &StationFix, read: Duration) -> StationMoment {
        let elapsed = self.begun.elapsed();
        let since = elapsed.saturating_sub(read).as_micros();
        let since = u64::try_from(since).unwrap_or(0);
        StationMoment {
            time: Time64(fix.time.0.saturating_add(since)),
            elapsed,
        }
    }

    fn listen(&mut self, fix: &StationFix, read: Duration, wait: Duration) {
        if self.link_fault.is_some() && read < self.retry {
            return sleep(wait);
        }
        let begun = self.begun;
        let (reporter, station) = (&self.reporter, self.station);
        let actor = &mut self.place.actor;
        let received = self.link.receive(wait, &mut |frame| {
            let elapsed = begun.elapsed();
            let since = u64::try_from(elapsed.saturating_sub(read).as_micros()).unwrap_or(0);
            let now = StationMoment {
                time: Time64(fix.time.0.saturating_add(since)),
                elapsed,
            };
            actor.receive(&frame, now, &mut |event| {
                reporter.tell(station, now, event);
            });
        });
        if let Err(error) = received {
            let now = self.now(fix, read);
            self.fail(&error, now);
            sleep(wait);
        }
    }

    fn step(&mut self) {
        let elapsed = self.begun.elapsed();
        let Some(fix) = self.place.position.read(elapsed) else {
            return;
        };
        let now = self.now(&fix, elapsed);
        let mut events = Vec::new();
        let (reporter, station) = (&self.reporter, self.station);
        let actor = &mut self.place.actor;
        for command in self.commands.try_iter() {
            if let Err(reason) = actor.command(command, &fix) {
                reporter.tell(station, now, NeighbourhoodEvent::CommandRefused { reason });
            }
        }
        actor.step(&fix, now, &mut |event| events.push(event));
        // Before the first frame of a pseudonym.
        let mut link = self.follow_port();
        for event in events {
            if let NeighbourhoodEvent::Sent { frame, .. } = &event {
                link = link.and_then(|()| self.link.send(frame));
                match &link {
                    Ok(()) => self.recover(now),
                    // The frame is lost, and so are those after it.
                    Err(_) => continue,
                }
            }
            self.reporter.tell(self.station, now, event);
        }
        if let Err(error) = link {
            self.fail(&error, now);
        }
    }

    /// Sends from the port that belongs to the pseudonym.
    fn follow_port(&mut self) -> io::Result<()> {
        let mut port = self.place.actor.udp_port();
        if self.port == Some(port) {
            return Ok(());
        }
        for _ in 0..PORT_DRAWS {
            match self.link.set_port(port) {
                Ok(()) => {
                    self.place.actor.take_udp_port(port);
                    self.port = Some(port);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    // Any step that visits all ports of the range; the first one was drawn.
                    port = 0xC000 | (port.wrapping_add(4_099) & 0x3FFF);
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AddrInUse.into())
    }

    fn fail(&mut self, error: &io::Error, now: StationMoment) {
        self.retry = now.elapsed + RETRY;
        let why = error.to_string();
        if self.link_fault.as_ref() != Some(&why) {
            self.link_fault = Some(why.clone());
            let event = NeighbourhoodEvent::Impaired(NotSentCause::Link(why));
            self.reporter.tell(self.station, now, event);
        }
    }

    fn recover(&mut self, now: StationMoment) {
        if let Some(why) = self.link_fault.take() {
            let event = NeighbourhoodEvent::Recovered(NotSentCause::Link(why));
            self.reporter.tell(self.station, now, event);
        }
    }
}
