//! The simplest driver of a [`Node`]: no bus, no time, no processor. For tests and for roles that
//! are run by hand. Feature `alloc`.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use waywarden_work::Instant;

use crate::frame::Frame;
pub use crate::node::NotIdle;
use crate::node::{Input, Node, Output, Port, Ports, Slot, Ticket, Token};

/// Maximum number of outputs that one input may cause.
const OUTPUTS_MAX: usize = 1 << 16;

/// Maximum number of frames that one instant of [`run_bus_at_once`] may have.
const FRAMES_MAX: usize = 1 << 16;

enum Answer {
    Sent(Port, Token),
    Done(Ticket),
    Retained(Slot),
}

impl Answer {
    const fn input(&self) -> Input<'_> {
        match *self {
            Answer::Sent(port, token) => Input::Sent { port, token },
            Answer::Done(ticket) => Input::Done(ticket),
            Answer::Retained(slot) => Input::Retained(slot),
        }
    }
}

/// Polls a node until it is idle and hands over its outputs; returns its next deadline. Nothing is
/// answered: that is left to the caller.
///
/// # Errors
/// [`NotIdle`] after 65,536 outputs.
pub fn poll_until_idle(
    node: &mut (impl Node + ?Sized),
    now: Instant,
    room: Ports,
    mut take: impl FnMut(Output),
) -> Result<Option<Instant>, NotIdle> {
    for _ in 0..OUTPUTS_MAX {
        match node.poll(now, room) {
            Output::Idle(next_deadline) => return Ok(next_deadline),
            output => take(output),
        }
    }
    Err(NotIdle { bound: OUTPUTS_MAX })
}

/// Hands a node an input and does at once what it wants, until it wants nothing more at this
/// instant: frames are sent, work is done, memory is kept. `seen` is shown every output but `Idle`.
/// Returns the node's next deadline.
///
/// # Errors
/// [`NotIdle`] if that takes no end: after 65,536 outputs in a row, or 65,536 answers.
pub fn drive_at_once(
    node: &mut (impl Node + ?Sized),
    now: Instant,
    input: Input<'_>,
    mut seen: impl FnMut(&Output),
) -> Result<Option<Instant>, NotIdle> {
    node.handle(now, input);
    let mut answers = VecDeque::new();
    for _ in 0..OUTPUTS_MAX {
        let next_deadline = poll_until_idle(node, now, Ports::ALL, |output| {
            seen(&output);
            answers.extend(answer(&output));
        })?;
        match answers.pop_front() {
            Some(answer) => node.handle(now, answer.input()),
            None => return Ok(next_deadline),
        }
    }
    Err(NotIdle { bound: OUTPUTS_MAX })
}

/// As [`drive_at_once`]; returns the frames that the node sent.
///
/// # Errors
/// As [`drive_at_once`].
pub fn frames_at_once(
    node: &mut (impl Node + ?Sized),
    now: Instant,
    input: Input<'_>,
) -> Result<Vec<Frame>, NotIdle> {
    let mut sent = Vec::new();
    drive_at_once(node, now, input, |output| {
        if let Output::Transmit { frame, .. } = output {
            sent.push(*frame);
        }
    })?;
    Ok(sent)
}

/// Lets nodes on one bus exchange frames at one instant until none has anything to send: each gets
/// a timeout, then hears on `port` what the others send, in the order in which it was sent. Frames
/// take no time and none is lost. Returns how many there were.
///
/// # Errors
/// As [`drive_at_once`]; and if there are more than 65,536 frames.
pub fn run_bus_at_once(
    nodes: &mut [&mut dyn Node],
    port: Port,
    now: Instant,
) -> Result<usize, NotIdle> {
    let mut waiting = VecDeque::new();
    for (from, node) in nodes.iter_mut().enumerate() {
        let sent = frames_at_once(&mut **node, now, Input::Timeout)?;
        waiting.extend(sent.into_iter().map(|frame| (from, frame)));
    }
    for count in 0..FRAMES_MAX {
        let Some((sender, frame)) = waiting.pop_front() else {
            return Ok(count);
        };
        for (from, node) in nodes.iter_mut().enumerate().filter(|&(at, _)| at != sender) {
            let input = Input::Frame {
                port,
                frame: &frame,
            };
            let sent = frames_at_once(&mut **node, now, input)?;
            waiting.extend(sent.into_iter().map(|frame| (from, frame)));
        }
    }
    Err(NotIdle { bound: FRAMES_MAX })
}

const fn answer(output: &Output) -> Option<Answer> {
    match *output {
        Output::Transmit { port, token, .. } => Some(Answer::Sent(port, token)),
        Output::Work { ticket, .. } => Some(Answer::Done(ticket)),
        Output::Retain { slot, .. } => Some(Answer::Retained(slot)),
        // What was handed over counts as sent already.
        Output::Withdraw { .. } | Output::Idle(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wants each output once, and counts its answers.
    struct Scripted {
        wants: VecDeque<Output>,
        answered: usize,
    }

    impl Node for Scripted {
        fn handle(&mut self, _now: Instant, input: Input<'_>) {
            self.answered += usize::from(!matches!(input, Input::Timeout));
        }

        fn poll(&mut self, now: Instant, _room: Ports) -> Output {
            self.wants.pop_front().unwrap_or(Output::Idle(Some(now)))
        }
    }

    #[test]
    fn each_output_is_shown_once_and_answered_after_the_node_is_idle() {
        let port = Port(0);
        let token = Token(7);
        let wants = [
            Output::Retain {
                slot: Slot(1),
                value: [0; 32],
            },
            Output::Withdraw { port, token },
        ];
        let mut node = Scripted {
            wants: wants.into(),
            answered: 0,
        };
        let (now, mut shown) = (Instant::ZERO, 0);
        let next_deadline = drive_at_once(&mut node, now, Input::Timeout, |_| shown += 1);
        assert_eq!((next_deadline, shown, node.answered), (Ok(Some(now)), 2, 1));
    }

    /// Sends a frame at the first timeout, and answers each of the first `answers` frames.
    struct Talker {
        answers: usize,
        sends: usize,
        heard: usize,
    }

    impl Talker {
        const fn new(sends: usize, answers: usize) -> Self {
            Talker {
                answers,
                sends,
                heard: 0,
            }
        }
    }

    impl Node for Talker {
        fn handle(&mut self, _now: Instant, input: Input<'_>) {
            if let Input::Frame { .. } = input {
                self.heard += 1;
                self.sends += usize::from(self.heard <= self.answers);
            }
        }

        fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
            if self.sends == 0 {
                return Output::Idle(None);
            }
            self.sends -= 1;
            let id = crate::StandardId::new(1).unwrap();
            Output::Transmit {
                port: Port(0),
                token: Token(0),
                frame: Frame::classic(id, &[]).unwrap(),
            }
        }
    }

    #[test]
    fn nodes_on_a_bus_hear_each_other_until_all_are_silent() {
        let [mut first, mut second, mut third] =
            [(1, 1), (0, 2), (0, 0)].map(|(sends, answers)| Talker::new(sends, answers));
        let nodes: &mut [&mut dyn Node] = &mut [&mut first, &mut second, &mut third];
        // One frame; its answer; the answer to that; the last answer is answered by none.
        let frames = run_bus_at_once(nodes, Port(0), Instant::ZERO);
        assert_eq!(frames, Ok(4));
        assert_eq!([first.heard, second.heard, third.heard], [2, 2, 4]);
    }

    #[test]
    fn nodes_that_answer_each_other_without_an_end_are_left() {
        let mut first = Talker::new(1, usize::MAX);
        let mut second = Talker::new(0, usize::MAX);
        let nodes: &mut [&mut dyn Node] = &mut [&mut first, &mut second];
        let frames = run_bus_at_once(nodes, Port(0), Instant::ZERO);
        assert_eq!(frames, Err(NotIdle { bound: OUTPUTS_MAX }));
    }

    #[test]
    fn a_node_that_never_rests_is_left() {
        struct EndlessNode;
        impl Node for EndlessNode {
            fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

            fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
                Output::Retain {
                    slot: Slot(0),
                    value: [0; 32],
                }
            }
        }
        let driven = drive_at_once(&mut EndlessNode, Instant::ZERO, Input::Timeout, |_| {});
        assert_eq!(driven, Err(NotIdle { bound: OUTPUTS_MAX }));
    }
}
