//! The role of SecOC, with reports of what it checks.

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id};
use waywarden_ecu::{Guard, Withheld};
use waywarden_firmware_link::Request;
use waywarden_work::Instant;

use crate::{Board, LAB, Link, SecocAuthenticator};

/// An authenticator whose findings go to the simulation, in the order in which a simulated ECU
/// reports them; without `lab` they go nowhere.
pub struct Role<'a, L> {
    authenticator: SecocAuthenticator<'a>,
    board: &'a Board<L>,
}

impl<'a, L: Link> Role<'a, L> {
    /// Makes a role of an authenticator.
    pub(crate) const fn new(authenticator: SecocAuthenticator<'a>, board: &'a Board<L>) -> Self {
        Role {
            authenticator,
            board,
        }
    }

    /// Returns true if a frame is for one of the receiving ends.
    fn checks(&self, input: &Input<'_>) -> bool {
        let Input::Frame { port, frame } = *input else {
            return false;
        };
        let mut ends = self.authenticator.receivers().iter();
        ends.any(|end| end.port == port && end.end.knows(frame))
    }

    /// Says that the frame before could not be checked, if that is so.
    fn report_refusal(&self, dropped_before: u64) {
        let is_full = self.authenticator.dropped() > dropped_before;
        let is_faulty = self.authenticator.fault().is_some();
        if is_faulty || is_full {
            let is_full = !is_faulty;
            self.board.report(&Request::NotChecked { is_full });
        }
    }

    fn report_checks(&mut self) {
        while let Some(report) = self.authenticator.report() {
            self.board.report(&Request::Checked(report));
        }
    }
}

impl<L: Link> Node for Role<'_, L> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        if !LAB {
            return self.authenticator.handle(now, input);
        }
        let board = self.board;
        let before = board.uncounted(|| {
            let is_checked = self.checks(&input);
            is_checked.then(|| self.authenticator.dropped())
        });
        self.authenticator.handle(now, input);
        if let Some(before) = before {
            board.uncounted(|| self.report_refusal(before));
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let output = self.authenticator.poll(now, room);
        let board = self.board;
        if LAB {
            board.uncounted(|| self.report_checks());
        } else {
            // An application would take them here.
            while self.authenticator.report().is_some() {}
        }
        output
    }
}

impl<L: Link> Guard for Role<'_, L> {
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        Guard::hears(&self.authenticator, port, frame)
    }

    fn guards(&self, id: Id) -> bool {
        self.authenticator.guards(id)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        self.authenticator.send(port, frame)
    }
}
