//! Roles driven by hand: who gets what, under which number.

extern crate std;

mod streams;
mod wake;

use std::vec;
use std::vec::Vec;

use waywarden_can::node::{Boot, BusState, Input, Node, Output, Port, Ports, Slot, Task, Ticket};
use waywarden_can::node::{Retained, Token};
use waywarden_can::{Frame, Id};
use waywarden_work::{Algorithm, Duration, Instant, Operation, OperationKind};

use super::{EcuRole, OWN, OWN_BITS, own};
use crate::{
    Ecu, ForwardedFrame, GatewayRoute, Guard, Matching, PayloadContent, PeriodicStream,
    StreamFormat, StreamState, Withheld,
};

const SIGN: Operation = Operation::new(OperationKind::Sign, Algorithm::P256, 0);

/// A node that sends scripted outputs and records its inputs.
#[derive(Default)]
struct Scripted {
    says: Vec<Output>,
    next_deadline: Option<Instant>,
    heard: Vec<&'static str>,
    tokens: Vec<u32>,
    tickets: Vec<u32>,
    guarded: Option<Id>,
    withholds: Option<Withheld>,
    /// Frames with other identifiers are nothing to it.
    hears_only: Option<Id>,
    is_stirred: bool,
    polled: usize,
}

impl Node for Scripted {
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        self.heard.push(match input {
            Input::Frame { .. } => "frame",
            Input::Sent { token, .. } | Input::Withdrawn { token, .. } => {
                self.tokens.push(token.0);
                "answer"
            }
            Input::Bus { .. } => "bus",
            Input::Done(ticket) => {
                self.tickets.push(ticket.0);
                "done"
            }
            Input::Retained(_) => "retained",
            Input::Timeout => "timeout",
            _ => "else",
        });
    }

    fn poll(&mut self, _now: Instant, room: Ports) -> Output {
        self.polled += 1;
        let possible = |output: &Output| match output {
            Output::Transmit { port, .. } => room.contains(*port),
            _ => true,
        };
        match self.says.first().copied() {
            Some(output) if possible(&output) => self.says.remove(0),
            _ => Output::Idle(self.next_deadline),
        }
    }
}

impl Guard for Scripted {
    fn hears(&self, _port: Port, frame: &Frame) -> bool {
        self.hears_only.is_none_or(|id| id == frame.id())
    }

    fn is_stirred(&self) -> bool {
        self.is_stirred
    }

    fn guards(&self, id: Id) -> bool {
        Some(id) == self.guarded
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        if let Some(why) = self.withholds {
            return Err(why);
        }
        let (token, frame) = (Token(9), *frame);
        self.says.push(Output::Transmit { port, token, frame });
        Ok(())
    }
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn frame(id: u32) -> Frame {
    Frame::classic(Id::extended(id).unwrap(), &[1]).unwrap()
}

fn transmit(port: u8, token: u32) -> Output {
    Output::Transmit {
        port: Port(port),
        token: Token(token),
        frame: frame(token & 0xFFFF),
    }
}

fn boot() -> Boot<'static> {
    Boot {
        now: Instant::ZERO,
        seed: [7; 32],
        retained: &[],
    }
}

type Two =
    Ecu<Vec<StreamState>, Vec<GatewayRoute>, [ForwardedFrame; 4], Vec<EcuRole<Scripted>>, Scripted>;

/// Two roles: the first on ports 0 and 1, the second on port 1 alone.
fn two(first: Scripted, second: Scripted, streams: Vec<StreamState>) -> Two {
    let both = Ports::NONE.with(Port(0)).with(Port(1));
    let one = Ports::NONE.with(Port(1));
    let roles = vec![
        EcuRole::new(first, both, Slot(3)),
        EcuRole::new(second, one, Slot(4)),
    ];
    let routes = vec![GatewayRoute {
        from: Port(0),
        to: Port(2),
        matching: Matching::Extended {
            value: 0x0100_0000,
            mask: 0x0F00_0000,
        },
        in_order: false,
    }];
    Ecu::with_roles(&boot(), streams, routes, [None; 4], roles)
}

fn heard(ecu: &mut Two) -> [Vec<&'static str>; 2] {
    [0, 1].map(|role| std::mem::take(&mut ecu.roles_mut()[role].node_mut().heard))
}

fn rest(ecu: &mut Two, now: Instant, room: Ports) -> Vec<Output> {
    let mut outputs = Vec::new();
    loop {
        outputs.push(ecu.poll(now, room));
        if let Some(Output::Idle(_)) = outputs.last() {
            return outputs;
        }
    }
}

#[test]
fn inputs_reach_those_they_concern() {
    let mut ecu = two(Scripted::default(), Scripted::default(), vec![]);
    let frame = frame(0x0100_0000);
    for (port, expected) in [
        (0, [vec!["frame"], vec![]]),
        (1, [vec!["frame"], vec!["frame"]]),
        (2, [vec![], vec![]]),
    ] {
        let port = Port(port);
        let input = Input::Frame {
            port,
            frame: &frame,
        };
        ecu.handle(at(0), input);
        assert_eq!(heard(&mut ecu), expected);
    }
    // The frame of port 0 is forwarded as well.
    let outputs = rest(&mut ecu, at(0), Ports::ALL);
    assert!(matches!(
        outputs[0],
        Output::Transmit {
            port: Port(2),
            token: Token(1),
            ..
        }
    ));
    let state = BusState::Passive;
    ecu.handle(
        at(0),
        Input::Bus {
            port: Port(0),
            state,
        },
    );
    ecu.handle(at(0), Input::Retained(Slot(4)));
    assert_eq!(heard(&mut ecu), [vec!["bus"], vec!["retained"]]);
    // The answer to the forwarded frame belongs to no role.
    let (port, token) = (Port(2), Token(1));
    ecu.handle(at(0), Input::Sent { port, token });
    assert_eq!(heard(&mut ecu).concat(), [""; 0]);
}

#[test]
fn answers_come_back_to_their_owner_under_its_own_numbers() {
    let (token, ticket) = (OWN + 5, u32::MAX);
    let work = Output::Work {
        ticket: Ticket(ticket),
        task: Task::Crypto,
        operation: SIGN,
    };
    let first = Scripted {
        says: vec![transmit(0, token - 1), transmit(1, token), work],
        ..Scripted::default()
    };
    let second = Scripted {
        says: vec![transmit(1, 0)],
        ..Scripted::default()
    };
    let mut ecu = two(first, second, vec![]);
    let mut seen = Vec::new();
    for output in rest(&mut ecu, at(0), Ports::ALL) {
        match output {
            Output::Transmit { port, token, .. } => {
                seen.push(token.0 >> OWN_BITS);
                ecu.handle(at(0), Input::Sent { port, token });
            }
            Output::Work { ticket, .. } => ecu.handle(at(0), Input::Done(ticket)),
            _ => {}
        }
    }
    // By turns, so that none keeps the others waiting.
    assert_eq!(seen, [1, 2, 1]);
    let [first, second] = [0, 1].map(|role| ecu.roles_mut()[role].node().tokens.clone());
    assert_eq!((first, second), (vec![token - 1, token], vec![0]));
    assert_eq!(ecu.roles_mut()[0].node().tickets, [ticket]);
    assert!(ecu.roles_mut()[1].node().tickets.is_empty());
}

#[test]
fn a_role_gets_its_own_number_back_across_every_wrap() {
    for last in [0, 1, OWN, OWN + 1, u32::MAX, 3] {
        for ago in [0, 1, 1_000, OWN] {
            let number = u32::wrapping_sub(last, ago);
            assert_eq!(own(2 << OWN_BITS | number & OWN, last), number);
        }
    }
}

#[test]
fn a_full_port_holds_up_no_other_role_and_what_is_kept_goes_out_as_it_is() {
    let keep: Retained = [9; 32];
    let first = Scripted {
        says: vec![transmit(0, 1)],
        ..Scripted::default()
    };
    let slot = Slot(4);
    let second = Scripted {
        says: vec![Output::Retain { slot, value: keep }, transmit(1, 7)],
        ..Scripted::default()
    };
    let mut ecu = two(first, second, vec![]);
    let outputs = rest(&mut ecu, at(0), Ports::ALL.without(Port(0)));
    assert_eq!(outputs[0], Output::Retain { slot, value: keep });
    assert!(matches!(outputs[1], Output::Transmit { port: Port(1), .. }));
    assert_eq!(outputs.len(), 3);
    let outputs = rest(&mut ecu, at(0), Ports::ALL);
    assert!(matches!(outputs[0], Output::Transmit { port: Port(0), .. }));
}

fn stream() -> StreamState {
    stream_of(0x100)
}

fn stream_of(id: u16) -> StreamState {
    StreamState::new(PeriodicStream {
        port: Port(0),
        id: Id::standard(id).unwrap(),
        format: StreamFormat::Classic,
        length: 8,
        period: Duration::from_millis(10),
        offset: Duration::from_millis(2),
        jitter: Duration::ZERO,
        content: PayloadContent::Counter,
    })
}
