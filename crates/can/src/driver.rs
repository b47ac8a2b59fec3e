//! The simplest driver of a [`Node`]: no bus, no time, no processor. For tests and for roles that
//! are run by hand. Feature `alloc`.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use waywarden_work::Instant;

use crate::frame::Frame;
use crate::node::{Input, Node, Output, Port, Ports, Slot, Ticket, Token};

/// How many outputs one input may cause.
const OUTPUTS_MAX: usize = 1 << 16;

/// A node wants something again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestlessNode;

impl core::fmt::Display for RestlessNode {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "the node is not idle after {OUTPUTS_MAX} outputs")
    }
}

impl core::error::Error for RestlessNode {}

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

/// Polls a node until it is idle and hands over what it wants; returns when it wants to be asked
/// again. Nothing is answered: that is left to the caller.
///
/// # Errors
/// [`RestlessNode`] after 65,536 outputs.
pub fn poll_until_idle(
    node: &mut (impl Node + ?Sized),
    now: Instant,
    room: Ports,
    mut take: impl FnMut(Output),
) -> Result<Option<Instant>, RestlessNode> {
    for _ in 0..OUTPUTS_MAX {
        match node.poll(now, room) {
            Output::Idle(wish) => return Ok(wish),
            output => take(output),
        }
    }
    Err(RestlessNode)
}

/// Hands a node an input and does at once what it wants, until it wants nothing more at this
/// instant: frames are sent, work is done, memory is kept. `seen` is shown every output but `Idle`.
/// Returns when the node wants to be asked again.
///
/// # Errors
/// [`RestlessNode`] if that takes no end: after 65,536 outputs in a row, or 65,536 answers.
pub fn drive_at_once(
    node: &mut (impl Node + ?Sized),
    now: Instant,
    input: Input<'_>,
    mut seen: impl FnMut(&Output),
) -> Result<Option<Instant>, RestlessNode> {
    node.handle(now, input);
    let mut answers = VecDeque::new();
    for _ in 0..OUTPUTS_MAX {
        let wish = poll_until_idle(node, now, Ports::ALL, |output| {
            seen(&output);
            answers.extend(answer(&output));
        })?;
        match answers.pop_front() {
            Some(answer) => node.handle(now, answer.input()),
            None => return Ok(wish),
        }
    }
    Err(RestlessNode)
}

/// As [`drive_at_once`]; returns the frames that the node sent.
///
/// # Errors
/// As [`drive_at_once`].
pub fn frames_at_once(
    node: &mut (impl Node + ?Sized),
    now: Instant,
    input: Input<'_>,
) -> Result<Vec<Frame>, RestlessNode> {
    let mut sent = Vec::new();
    drive_at_once(node, now, input, |output| {
        if let Output::Transmit { frame, .. } = output {
            sent.push(*frame);
        }
    })?;
    Ok(sent)
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
        let wish = drive_at_once(&mut node, now, Input::Timeout, |_| shown += 1);
        assert_eq!((wish, shown, node.answered), (Ok(Some(now)), 2, 1));
    }

    #[test]
    fn a_node_that_never_rests_is_left() {
        struct Restless;
        impl Node for Restless {
            fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

            fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
                Output::Retain {
                    slot: Slot(0),
                    value: [0; 32],
                }
            }
        }
        let driven = drive_at_once(&mut Restless, Instant::ZERO, Input::Timeout, |_| {});
        assert_eq!(driven, Err(RestlessNode));
    }
}
