//! Forgery by an intruder with a group key, of streams that its ECU neither sends nor checks.
//!
//! The role follows the counters of these streams by accepting overheard messages as authentic. It
//! tags its own messages with keys derived from its ECU's group key. It never sends its own
//! requests and announcements.

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_ecu::Guard;
use waywarden_work::Instant;

use super::authentication_role::{MessageAuthenticator, impersonated};
use super::key_role::KeyRole;
use super::session_keys::FollowingKeys;

/// The message authentication role of an intruder.
pub struct OverhearingRole {
    role: Box<dyn MessageAuthenticator>,
    keys: FollowingKeys,
}

impl OverhearingRole {
    /// Creates an intruder from an authenticator with the receiving ends.
    #[must_use]
    pub fn new(role: Box<dyn MessageAuthenticator>, keys: FollowingKeys) -> Self {
        OverhearingRole { role, keys }
    }
}

impl Node for OverhearingRole {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.keys.renew(now, &mut *self.role);
        self.role.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.keys.renew(now, &mut *self.role);
        // This ends: each pass removes a frame from the role, whose queues are bounded.
        loop {
            let output = self.role.poll(now, room);
            while self.role.report().is_some() {}
            match output {
                Output::Transmit { port, token, .. } => {
                    self.role.handle(now, Input::Sent { port, token });
                }
                other => return other,
            }
        }
    }
}

impl Guard for OverhearingRole {
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        self.role.hears(port, frame)
    }

    fn is_stirred(&self) -> bool {
        self.keys.is_behind()
    }
}

impl KeyRole for OverhearingRole {
    fn impersonate(&mut self, port: Port, frame: &Frame) -> Vec<Frame> {
        impersonated(&mut *self.role, port, frame)
    }
}
