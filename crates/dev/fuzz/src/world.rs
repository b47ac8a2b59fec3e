//! A network in memory: three ECUs, the one in charge of them, and a bus that is a queue.

use std::collections::VecDeque;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Retained, Slot, Ticket, Token};
use waywarden_work::{Duration, Instant};

use crate::seen::Seen;
use crate::source::Source;

/// Count of ECUs; the one in charge comes after them.
pub(crate) const ECUS: usize = 3;
/// Count of roles.
pub(crate) const ROLES: usize = ECUS + 1;

/// The only port of a role.
pub(crate) const PORT: Port = Port(0);

/// Most outputs that one input may cause.
const OUTPUTS_MAX: usize = 4_096;

/// Most frames that wait for the bus. The longest message is a certificate of ML-DSA in frames of 8
/// bytes, as published.
const QUEUE_MAX: usize = 512;

/// Most rounds of work that one input may cause.
const ROUNDS_MAX: usize = 1_024;

/// Most slots that a role retains values in: one, and one for each ECU.
const SLOTS: usize = 1 + ECUS;

/// The roles of a protocol, numbered, and its messages.
pub(crate) trait Network {
    /// Most frames that one byte delivers, above zero.
    const BURST: u8;

    /// Returns a role.
    fn role(&mut self, at: usize) -> &mut dyn Node;

    /// Restarts a role, which has lost all but its retained state.
    fn restart(&mut self, at: usize, boot: &Boot<'_>);

    /// Returns how many frames a role may have handed over and not seen answered.
    fn frames_max(&self) -> usize;

    /// Takes a role's events, and checks the laws on its state.
    fn inspect(&mut self, at: usize, seen: &mut Seen);

    /// Makes up a message of the protocol; `last` was the last frame on the bus.
    fn forge(&self, last: Option<&Frame>, source: &mut Source<'_>) -> Vec<Frame>;

    /// Returns how frames of earlier on are disguised before a replay.
    fn disguise(&self, _source: &mut Source<'_>) -> Box<dyn Fn(&Frame) -> Frame> {
        Box::new(|frame| *frame)
    }

    /// Has the one in charge do something; returns the role that then acts.
    fn command(&mut self, source: &mut Source<'_>) -> usize;

    /// Has an application use a role; returns the role that then acts.
    fn call(&mut self, source: &mut Source<'_>) -> usize;
}

/// A frame that a role has handed over.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) from: usize,
    token: Token,
    pub(crate) frame: Frame,
}

/// State that a driver keeps for its role.
#[derive(Clone, Copy, Default)]
pub(crate) struct Station {
    ticket: Option<Ticket>,
    due: Option<Instant>,
    kept: [Option<Retained>; SLOTS],
    retaining: [bool; SLOTS],
    boots: u8,
    under_way: usize,
    /// True while work is not answered.
    pub(crate) busy: bool,
    /// True while the controller takes no frame.
    pub(crate) full: bool,
}

/// The roles, their drivers, and the bus.
pub(crate) struct World<N> {
    pub(crate) network: N,
    pub(crate) stations: [Station; ROLES],
    queue: VecDeque<Waiting>,
    pub(crate) now: Instant,
    pub(crate) seen: Seen,
}

fn seed(at: usize, boots: u8) -> [u8; 32] {
    let mut seed = [boots; 32];
    seed[0] = at as u8;
    seed
}

/// Returns the first boot of a role.
pub(crate) fn first_boot(at: usize) -> Boot<'static> {
    Boot {
        now: Instant::ZERO,
        seed: seed(at, 0),
        retained: &[],
    }
}

impl<N: Network> World<N> {
    /// Drives roles that have just booted.
    pub(crate) fn new(network: N) -> Self {
        let mut world = World {
            network,
            stations: [Station::default(); ROLES],
            queue: VecDeque::new(),
            now: Instant::ZERO,
            seen: Seen::default(),
        };
        (0..ROLES).for_each(|at| world.drain(at));
        world.settle();
        world
    }

    /// Hands a role one input and takes everything that it wants.
    pub(crate) fn input(&mut self, at: usize, input: Input<'_>) {
        self.network.role(at).handle(self.now, input);
        self.seen.inputs += 1;
        self.drain(at);
    }

    /// Hands a role a frame.
    pub(crate) fn frame(&mut self, at: usize, frame: &Frame) {
        self.input(at, Input::Frame { port: PORT, frame });
    }

    /// Polls until there is nothing more.
    pub(crate) fn drain(&mut self, at: usize) {
        for outputs in 1.. {
            assert!(outputs <= OUTPUTS_MAX, "role {at} does not stop");
            self.seen.outputs_max = self.seen.outputs_max.max(outputs);
            let has_room = !self.stations[at].full && self.queue.len() < QUEUE_MAX;
            let room = if has_room { Ports::ALL } else { Ports::NONE };
            let output = self.network.role(at).poll(self.now, room);
            let station = &mut self.stations[at];
            match output {
                Output::Work { ticket, .. } => {
                    assert!(station.ticket.is_none(), "role {at} works on two things");
                    station.ticket = Some(ticket);
                }
                Output::Transmit { port, token, frame } => {
                    assert!(
                        port == PORT && has_room,
                        "role {at} sends where it must not"
                    );
                    station.under_way += 1;
                    let most = self.network.frames_max();
                    assert!(station.under_way <= most, "role {at} sends too much");
                    self.queue.push_back(Waiting {
                        from: at,
                        token,
                        frame,
                    });
                }
                Output::Retain { slot, value } => {
                    let place = usize::from(slot.0);
                    station.kept[place] = Some(value);
                    station.retaining[place] = true;
                }
                Output::Idle(due) => {
                    let is_never = due == Some(Instant::MAX);
                    assert!(!is_never, "role {at} waits for the end of time");
                    station.due = due;
                    break;
                }
                // What was handed over stays so: a frame may be on the wire already.
                _ => {}
            }
        }
        self.network.inspect(at, &mut self.seen);
    }

    /// Looks at the frame that has waited longest.
    #[cfg(test)]
    pub(crate) fn next(&self) -> Option<&Waiting> {
        self.queue.front()
    }

    /// Takes the frame that has waited longest.
    pub(crate) fn take(&mut self) -> Option<Waiting> {
        let oldest = self.queue.pop_front()?;
        self.stations[oldest.from].under_way -= 1;
        Some(oldest)
    }

    /// Answers a frame to its sender.
    pub(crate) fn answer(&mut self, waiting: &Waiting, is_sent: bool) {
        let (port, token) = (PORT, waiting.token);
        let answer = match is_sent {
            true => Input::Sent { port, token },
            false => Input::Withdrawn { port, token },
        };
        self.input(waiting.from, answer);
    }

    /// Does the work of all roles, and writes their retained state.
    pub(crate) fn settle(&mut self) {
        for round in 0.. {
            assert!(round < ROUNDS_MAX, "work without end");
            let mut is_settled = true;
            for at in 0..ROLES {
                if self.stations[at].busy {
                    continue;
                }
                if let Some(ticket) = self.stations[at].ticket.take() {
                    is_settled = false;
                    self.input(at, Input::Done(ticket));
                }
                for slot in 0..SLOTS {
                    if std::mem::take(&mut self.stations[at].retaining[slot]) {
                        is_settled = false;
                        self.input(at, Input::Retained(Slot(slot as u8)));
                    }
                }
            }
            if is_settled {
                return;
            }
        }
    }

    /// Lets time go on to the next instant that a role waits for.
    pub(crate) fn wait(&mut self) {
        let due = self.stations.iter().filter_map(|station| station.due);
        if let Some(next) = due.min() {
            self.pass(next.since(self.now));
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.now += time;
        for at in 0..ROLES {
            if self.stations[at].due.is_some_and(|due| due <= self.now) {
                self.input(at, Input::Timeout);
            }
        }
    }

    /// Resets an ECU: its role starts again, and its queued frames are lost.
    pub(crate) fn reset(&mut self, at: usize) {
        let Station { boots, kept, .. } = self.stations[at];
        let boots = boots.wrapping_add(1);
        self.queue.retain(|waiting| waiting.from != at);
        self.stations[at] = Station {
            boots,
            kept,
            ..Station::default()
        };
        let kept = kept.iter().enumerate();
        let retained: Vec<(Slot, Retained)> = kept
            .filter_map(|(slot, value)| Some((Slot(slot as u8), (*value)?)))
            .collect();
        let boot = Boot {
            now: self.now,
            seed: seed(at, boots),
            retained: &retained,
        };
        self.network.restart(at, &boot);
        self.drain(at);
    }
}
