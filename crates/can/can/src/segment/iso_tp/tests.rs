//! ISO-TP against recorded exchanges, against itself, and against hostile bytes.

extern crate std;

mod errors;
mod exchanges;
mod flow_control;
mod hostile;

use std::format;
use std::string::String;
use std::vec::Vec;

use waywarden_work::Instant;

use super::*;

const EXCHANGES: &str = include_str!("../../../../../../vectors/can-iso-tp.txt");

fn payload(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + 3) as u8).collect()
}

fn ms(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// The two ends of one direction, with a bus that takes no time.
struct Pair<const N: usize> {
    sender: IsoTpSender<N>,
    receiver: IsoTpReceiver<N>,
    now: Instant,
    /// `>` or `<`, the data, and when.
    bus: Vec<(char, DataFieldBytes, Instant)>,
}

type DataFieldBytes = Vec<u8>;

/// The results of an exchange at both ends.
#[derive(Debug, PartialEq)]
struct Outcome {
    sent: Result<(), SendError>,
    received: Result<Vec<u8>, ReceiveError>,
}

impl<const N: usize> Pair<N> {
    fn new(link: IsoTpLink, parameters: FlowControlParameters) -> Self {
        let back = IsoTpLink {
            addressing: match link.addressing {
                Addressing::Normal => Addressing::Normal,
                Addressing::Extended { transmit, receive } => Addressing::Extended {
                    transmit: receive,
                    receive: transmit,
                },
            },
            ..link
        };
        Pair {
            sender: IsoTpSender::new(link, SenderLimits::STANDARD),
            receiver: IsoTpReceiver::new(back, parameters),
            now: Instant::ZERO,
            bus: Vec::new(),
        }
    }

    /// Runs until both ends have told their outcome.
    fn run(&mut self, payload: &[u8]) -> Outcome {
        self.sender.start(payload).unwrap();
        let (mut sent, mut received) = (None, None);
        for _ in 0..100_000 {
            let mut next = Instant::MAX;
            match self.sender.poll(self.now) {
                SenderOutput::Transmit(field) => {
                    self.bus.push(('>', field.to_vec(), self.now));
                    self.sender.sent(self.now);
                    self.receiver.frame(self.now, &field).unwrap();
                    next = self.now;
                }
                SenderOutput::Sent => sent = Some(Ok(())),
                SenderOutput::Failed(error) => sent = Some(Err(error)),
                SenderOutput::Idle(wake) => next = next.min(wake.unwrap_or(Instant::MAX)),
            }
            match self.receiver.poll(self.now) {
                ReceiverOutput::Transmit(field) => {
                    self.bus.push(('<', field.to_vec(), self.now));
                    self.receiver.sent(self.now);
                    self.sender.frame(self.now, &field).unwrap();
                    next = self.now;
                }
                ReceiverOutput::Received => {
                    received = Some(Ok(self.receiver.payload().unwrap().to_vec()));
                }
                ReceiverOutput::Failed(error) => received = Some(Err(error)),
                ReceiverOutput::Idle(wake) => next = next.min(wake.unwrap_or(Instant::MAX)),
            }
            if let (Some(sent), Some(received)) = (&sent, &received) {
                return Outcome {
                    sent: *sent,
                    received: received.clone(),
                };
            }
            if next != Instant::MAX {
                self.now = next;
            }
        }
        panic!("no end: {:?}", self.bus.last());
    }
}
