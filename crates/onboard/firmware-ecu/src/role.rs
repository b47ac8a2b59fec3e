//! An authenticator as a role, with reports of what it checks.

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id};
use waywarden_can_auth::key_store::MacKeyStore;
use waywarden_can_auth::stream::{Check, Protect};
use waywarden_ecu::{Authenticator, End, Guard, Withheld};
use waywarden_firmware_link::{Link, Request};
use waywarden_work::Instant;

use crate::{Board, LAB};

/// The source of the keys of a role that change while it runs. `()` is that of keys that are in
/// place.
pub trait KeySource<V> {
    /// Gives the role the keys that it is to have at this time.
    fn renew(&mut self, now: Instant, keys: &mut V) {
        let _ = (now, keys);
    }

    /// Returns true if there is a key to check a frame with.
    fn is_there(&self, frame: &Frame) -> bool {
        let _ = frame;
        true
    }

    /// Returns true if keys have changed since it renewed them.
    fn is_behind(&self) -> bool {
        false
    }

    /// Returns the time at which it has something to renew next.
    fn next_deadline(&self) -> Option<Instant> {
        None
    }
}

impl<V> KeySource<V> for () {}

/// An authenticator whose findings go to the simulation, in the order in which a simulated ECU
/// reports them; without `lab` they go nowhere.
pub struct ReportingRole<'a, L, A, K = ()> {
    authenticator: A,
    keys: K,
    board: &'a Board<L>,
}

impl<'a, L, A, K> ReportingRole<'a, L, A, K> {
    /// Makes a role of an authenticator and the source of its keys.
    pub const fn new(authenticator: A, keys: K, board: &'a Board<L>) -> Self {
        ReportingRole {
            authenticator,
            keys,
            board,
        }
    }
}

impl<L, V, P, C, S, R, K> ReportingRole<'_, L, Authenticator<V, P, C, S, R>, K>
where
    L: Link,
    V: MacKeyStore,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
    K: KeySource<V>,
{
    /// Returns the frame of an input if it is for one of the receiving ends.
    fn checked<'f>(&self, input: &Input<'f>) -> Option<&'f Frame> {
        let Input::Frame { port, frame } = *input else {
            return None;
        };
        let mut ends = self.authenticator.receivers().iter();
        let knows = ends.any(|end| end.port == port && end.end.knows(frame));
        knows.then_some(frame)
    }

    /// Says that a frame could not be checked, if that is so.
    fn report_refusal(&self, frame: &Frame, dropped_before: u64) {
        let is_full = self.authenticator.dropped() > dropped_before;
        let is_faulty = self.authenticator.fault().is_some() || !self.keys.is_there(frame);
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

    fn renew_keys(&mut self, now: Instant) {
        self.keys.renew(now, self.authenticator.key_store_mut());
    }
}

impl<L, V, P, C, S, R, K> Node for ReportingRole<'_, L, Authenticator<V, P, C, S, R>, K>
where
    L: Link,
    V: MacKeyStore,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
    K: KeySource<V>,
{
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.renew_keys(now);
        if !LAB {
            return self.authenticator.handle(now, input);
        }
        let board = self.board;
        let before = board.uncounted(|| {
            let frame = self.checked(&input);
            frame.map(|frame| (frame, self.authenticator.dropped()))
        });
        self.authenticator.handle(now, input);
        if let Some((frame, before)) = before {
            board.uncounted(|| self.report_refusal(frame, before));
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.renew_keys(now);
        let output = self.authenticator.poll(now, room);
        let board = self.board;
        if LAB {
            board.uncounted(|| self.report_checks());
        } else {
            // An application would take them here.
            while self.authenticator.report().is_some() {}
        }
        match output {
            Output::Idle(deadline) => {
                let keys = self.keys.next_deadline();
                Output::Idle(deadline.into_iter().chain(keys).min())
            }
            output => output,
        }
    }
}

impl<L, V, P, C, S, R, K> Guard for ReportingRole<'_, L, Authenticator<V, P, C, S, R>, K>
where
    L: Link,
    V: MacKeyStore,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
    K: KeySource<V>,
{
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        Guard::hears(&self.authenticator, port, frame)
    }

    fn is_stirred(&self) -> bool {
        self.keys.is_behind()
    }

    fn guards(&self, id: Id) -> bool {
        self.authenticator.guards(id)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        self.authenticator.send(port, frame)
    }
}
