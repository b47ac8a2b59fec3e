//! The attacker's node: it records, injects, and can stand between two buses. CAN FD alone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Token};
use waywarden_can_sim::Config;
use waywarden_can_sim::config::{BuildNode, BusConfig};
use waywarden_can_sim::controller::PortConfig;
use waywarden_group_keys::{GroupHeader, Step};
use waywarden_work::{Duration, Instant};

use crate::network::ecu;

pub(crate) type Frames = Arc<Mutex<Vec<Frame>>>;
pub(crate) type Injected = Arc<Mutex<VecDeque<(Port, Frame)>>>;
/// The frames that a node sends for a frame that it receives.
pub(crate) type Pass = Box<dyn FnMut(Port, &Frame) -> Vec<(Port, Frame)> + Send>;

const TICK: Duration = Duration::from_millis(1);

/// A node of the attacker's: hears everything, sends what it likes.
struct Meddler {
    heard: Frames,
    injected: Injected,
    pass: Pass,
    queue: VecDeque<(Port, Frame)>,
    tokens: u32,
}

impl Node for Meddler {
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        if let Input::Frame { port, frame } = input {
            self.heard.lock().unwrap().push(*frame);
            self.queue.extend((self.pass)(port, frame));
        }
        self.queue.append(&mut self.injected.lock().unwrap());
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        if let Some(&(port, frame)) = self.queue.front()
            && room.contains(port)
        {
            self.queue.pop_front();
            self.tokens += 1;
            let token = Token(self.tokens);
            return Output::Transmit { port, token, frame };
        }
        Output::Idle(Some(now + TICK))
    }
}

/// The attacker's node, as the test sees it from outside.
pub(crate) struct Foothold {
    pub(crate) heard: Frames,
    pub(crate) injected: Injected,
}

impl Foothold {
    /// Adds a node that hears everything on the only bus, and can inject.
    pub(crate) fn on_the_bus(config: &mut Config) -> Self {
        Self::add(config, Box::new(|_, _| Vec::new()))
    }

    /// Moves some ECUs, by index, to a bus of their own behind a gateway of the attacker's.
    pub(crate) fn between(config: &mut Config, behind: &[usize], pass: Pass) -> Self {
        config.buses.push(BusConfig {
            name: "behind".to_owned(),
            timing: config.buses[0].timing,
            variant: config.buses[0].variant,
            interferers: Vec::new(),
        });
        for &ecu in behind {
            config.ecus[ecu].ports[0].bus = 1;
        }
        let foothold = Self::add(config, pass);
        let port = PortConfig {
            bus: 1,
            ..config.ecus.last().unwrap().ports[0].clone()
        };
        config.ecus.last_mut().unwrap().ports.push(port);
        foothold
    }

    fn add(config: &mut Config, pass: Pass) -> Self {
        let (heard, injected) = (Frames::default(), Injected::default());
        let (records, injects) = (heard.clone(), injected.clone());
        let mut pass = Some(pass);
        let build = move |_: &Boot<'_>| -> Box<dyn Node + Send> {
            Box::new(Meddler {
                heard: records.clone(),
                injected: injects.clone(),
                pass: pass.take().expect("the attacker's node is never reset"),
                queue: VecDeque::new(),
                tokens: 0,
            })
        };
        config
            .ecus
            .push(ecu("attacker".to_owned(), "ideal", Vec::new(), build));
        Foothold { heard, injected }
    }

    pub(crate) fn inject(&self, frame: Frame) {
        self.injected.lock().unwrap().push_back((Port(0), frame));
    }

    /// A frame that means nothing, so that every role is asked what it wants.
    pub(crate) fn stir(&self) {
        self.inject(Frame::classic(waywarden_can::Id::standard(0x7FF).unwrap(), &[]).unwrap());
    }
}

/// Returns the gateway's other port.
pub(crate) fn other_side(port: Port) -> Port {
    Port(1 - port.0)
}

/// A frame of the protocol.
pub(crate) fn frame_of(header: GroupHeader, step: Step, payload: &[u8]) -> Frame {
    Frame::fd(header.identifier(step), payload).unwrap()
}

/// Gives an ECU this seed instead of the simulator's.
pub(crate) fn reseed(config: &mut Config, ecu: usize, seed: [u8; 32]) {
    let build = &mut config.ecus[ecu].build;
    let mut inner: BuildNode = std::mem::replace(build, Box::new(|_| unreachable!()));
    *build = Box::new(move |boot| inner(&Boot { seed, ..*boot }));
}
