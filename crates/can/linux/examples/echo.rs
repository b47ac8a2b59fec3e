//! A node that answers a request: `cargo run --example echo -- vcan0 7E0` sends the data of each
//! frame 7E0 back as 7E8. Try it with `candump vcan0` and `cansend vcan0 7E0#0102`.

use std::collections::VecDeque;

use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_can::{Frame, Id};
use waywarden_can_linux::{Driver, Interface, SystemHost, Volatile, socket};
use waywarden_work::Instant;

struct Echo {
    request: Id,
    answer: Id,
    /// At most `QUEUE_MAX`; a request too many goes unanswered.
    queue: VecDeque<Frame>,
    next: u32,
}

const QUEUE_MAX: usize = 64;

impl Node for Echo {
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        match input {
            Input::Frame { frame, .. } if frame.id() == self.request => {
                let answer = Frame::classic(self.answer, frame.data());
                if let (Ok(answer), true) = (answer, self.queue.len() < QUEUE_MAX) {
                    self.queue.push_back(answer);
                }
            }
            Input::Sent { token, .. } => println!("answer {} was sent", token.0),
            Input::Withdrawn { token, .. } => println!("answer {} was not sent", token.0),
            Input::Bus { state, .. } => println!("bus: {state:?}"),
            _ => {}
        }
    }

    fn poll(&mut self, _now: Instant, room: Ports) -> Output {
        if !room.contains(Port(0)) {
            return Output::Idle(None);
        }
        let Some(frame) = self.queue.pop_front() else {
            return Output::Idle(None);
        };
        let token = Token(self.next);
        self.next = self.next.wrapping_add(1);
        let port = Port(0);
        Output::Transmit { port, token, frame }
    }
}

fn main() {
    if let Err(error) = run() {
        eprintln!("echo: {error}");
        std::process::exit(2);
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "vcan0".into());
    let request = arguments.next().unwrap_or_else(|| "7E0".into());
    let request = u16::from_str_radix(&request, 16)?;
    let (request, answer) = (Id::standard(request)?, Id::standard(request + 8)?);
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;

    let links = socket::open(&[Interface::classic(&name)])?;
    println!("answering {request} on {name}");
    let store = Volatile::default();
    let mut driver = Driver::new(SystemHost::new(), links, store, seed, |_boot| Echo {
        request,
        answer,
        queue: VecDeque::new(),
        next: 0,
    })?;
    driver.run_until(|_| false)?;
    Ok(())
}
