//! The driver on real CAN sockets. Skips, with a message, what the machine has not.
//!
//! | variable | what for |
//! |---|---|
//! | `WAYWARDEN_CAN` | the virtual interface (MTU 72, up); `vcan0` if unset |
//! | `WAYWARDEN_CAN_PAIR` | two controllers on one bus, as `can0,can1` |
//! | `WAYWARDEN_CAN_ADMIN=1` | the tests may make and change interfaces with `ip` and `tc` |
//! | `WAYWARDEN_REQUIRE_CAN=1` | missing CAN is a failure |
#![cfg(target_os = "linux")]

use std::collections::VecDeque;
use std::env;
use std::sync::{Mutex, MutexGuard, PoisonError};

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::node::{Boot, BusState, Input, Node, Output, Port, Ports, Token};
use waywarden_can::{FdFlags, Frame, Id};
use waywarden_can_linux::{
    CanLinkError, Depth, Driver, DriverError, Host, Interface, OpenError, SystemHost, Volatile,
    socket,
};
use waywarden_work::{Duration, Instant};

#[path = "vcan/administered.rs"]
mod administered;
#[path = "vcan/images.rs"]
mod images;
#[path = "vcan/virtual_bus.rs"]
mod virtual_bus;

/// Sends what it is given, and writes down what it hears.
#[derive(Default)]
struct Recorder {
    frames: VecDeque<(Port, Token, Frame)>,
    next_deadline: Option<Instant>,
    received: Vec<Frame>,
    sent: Vec<Token>,
    withdrawn: Vec<Token>,
    states: Vec<BusState>,
    timeouts: Vec<Instant>,
    next: u32,
    /// Sends each received frame back with its identifier plus one.
    answering: bool,
}

impl Recorder {
    fn send(&mut self, frame: Frame) -> Token {
        let token = Token(self.next);
        self.next += 1;
        self.frames.push_back((Port(0), token, frame));
        token
    }

    fn answered(&self) -> usize {
        self.sent.len() + self.withdrawn.len()
    }
}

impl Node for Recorder {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Frame { frame, .. } => {
                self.received.push(*frame);
                if self.answering {
                    let id = Id::standard(frame.id().raw() as u16 + 1).unwrap();
                    self.send(Frame::classic(id, frame.data()).unwrap());
                }
            }
            Input::Sent { token, .. } => self.sent.push(token),
            Input::Withdrawn { token, .. } => self.withdrawn.push(token),
            Input::Bus { state, .. } => self.states.push(state),
            Input::Timeout => {
                self.next_deadline = None;
                self.timeouts.push(now);
            }
            other => panic!("{other:?}"),
        }
    }

    fn poll(&mut self, _: Instant, room: Ports) -> Output {
        match self.frames.pop_front() {
            Some((port, token, frame)) if room.contains(port) => {
                Output::Transmit { port, token, frame }
            }
            Some(waiting) => {
                self.frames.push_front(waiting);
                Output::Idle(self.next_deadline)
            }
            None => Output::Idle(self.next_deadline),
        }
    }
}

/// Held by each test: they hear each other on the one bus.
fn alone() -> MutexGuard<'static, ()> {
    static BUS: Mutex<()> = Mutex::new(());
    BUS.lock().unwrap_or_else(PoisonError::into_inner)
}

type Real = Driver<SystemHost, Recorder, Volatile>;

fn asked_for(variable: &str) -> bool {
    env::var(variable).is_ok_and(|value| value == "1")
}

/// Returns a driver, or None (with a message) where the machine has no such interface.
fn driver(interface: &Interface) -> Option<Real> {
    let links = match socket::open(std::slice::from_ref(interface)) {
        Ok(links) => links,
        Err(error) if asked_for("WAYWARDEN_REQUIRE_CAN") => panic!("{error}"),
        Err(error) => {
            println!("skipped: {error}");
            return None;
        }
    };
    let store = Volatile::default();
    Driver::new(SystemHost::new(), links, store, [0; 32], |_| {
        Recorder::default()
    })
    .ok()
}

fn virtual_interface() -> Interface {
    Interface::fd(env::var("WAYWARDEN_CAN").unwrap_or_else(|_| "vcan0".into()))
}

/// Steps until the condition holds; fails after ten seconds.
fn until(driver: &mut Real, what: &str, mut holds: impl FnMut(&Recorder) -> bool) {
    let from = std::time::Instant::now();
    while !holds(driver.node()) {
        assert!(from.elapsed().as_secs() < 10, "{what}");
        driver.step(Some(Duration::from_millis(5))).unwrap();
    }
}

fn id(raw: u16) -> Id {
    Id::standard(raw).unwrap()
}

fn classic(raw: u16, byte: u8) -> Frame {
    Frame::classic(id(raw), &[byte]).unwrap()
}

/// Every format, both kinds of identifiers, every length.
fn every_format() -> Vec<Frame> {
    let data: Vec<u8> = (1..=64).collect();
    let mut frames = Vec::new();
    for id in [id(0x123), Id::extended(0x1ABC_DE01).unwrap()] {
        frames.extend((0..=8).map(|n| Frame::classic(id, &data[..n]).unwrap()));
        let full = Frame::classic(id, &data[..8]).unwrap();
        frames.extend((9..=15).map(|code| full.with_raw_dlc(code).unwrap()));
        frames.extend((0..=15).map(|code| Frame::remote(id, code).unwrap()));
        for n in FD_LENGTHS {
            let data = &data[..usize::from(n)];
            for flags in 0..4 {
                frames.push(
                    Frame::fd_with(
                        id,
                        data,
                        FdFlags {
                            bit_rate_switch: flags & 1 != 0,
                            error_state_indicator: flags & 2 != 0,
                        },
                    )
                    .unwrap(),
                );
            }
        }
    }
    frames
}

/// Runs on every machine: without CAN too, the message says what is wrong and what to do.
#[test]
fn an_interface_that_is_not_there_is_reported_with_the_remedy() {
    let error = socket::open(&[Interface::classic("wwnone0")]).unwrap_err();
    let text = error.to_string();
    match error {
        OpenError::NoCan { .. } => assert!(text.contains("modprobe can_raw"), "{text}"),
        OpenError::NoSuchInterface { .. } => {
            assert!(text.contains("ip link add dev wwnone0 type vcan"), "{text}");
        }
        OpenError::NotPermitted { .. } => assert!(text.contains("container"), "{text}"),
        other => panic!("{other:?}"),
    }
    assert!(text.starts_with("wwnone0: "), "{text}");
}
