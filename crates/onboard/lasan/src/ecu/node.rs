//! An ECU as a node: frames that come in, what leaves, and when it wants to be asked again.

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_work::Instant;

use super::super::identifier::{EVERY_ECU, LasanHeader, LasanKind};
use super::super::inbox::Piece;
use super::super::settings::PartyDirectory;
use super::super::station::header_of;
use super::super::suites::LasanSuite;
use super::clock::kept;
use super::{LasanEcu, Stage, kept_bytes};

impl<S: LasanSuite, D: PartyDirectory> LasanEcu<'_, S, D> {
    fn take_frame(&mut self, frame: &Frame) {
        let settings = self.directory.settings();
        let is_for_me = |(header, _): &(LasanHeader, u8)| {
            let to_me = header.target == self.station.me || header.target == EVERY_ECU;
            to_me && header.source == settings.security_module
        };
        let Some((header, part)) = header_of(settings, frame).filter(is_for_me) else {
            // A stream may have an identifier that no party's messages have.
            return self.streams.take(frame);
        };
        let Some(length) = self.lengths().of(header.kind) else {
            return;
        };
        let (transport, numbered) = (settings.transport, !settings.profile.is_as_published());
        let piece = Piece {
            kind: header.kind,
            part,
            data: frame.data(),
            length,
        };
        match header.kind {
            LasanKind::ModuleCertificate | LasanKind::Answer | LasanKind::ModuleConfirmation => {
                self.inbound[0].take(transport, numbered, &piece);
            }
            LasanKind::Startup | LasanKind::ModuleOffer => {
                self.inbound[1].take(transport, numbered, &piece);
            }
            LasanKind::Invite
            | LasanKind::Grant
            | LasanKind::Deny
            | LasanKind::Acknowledge
            | LasanKind::Beacon => {
                self.short.take(transport, numbered, &piece);
            }
            _ => {}
        }
    }

    fn next_wish(&mut self) -> Option<Instant> {
        // What is due waits for the processor or for the way out, and either will say so.
        let blocked = !self.station.worker.is_at_rest() || self.outgoing_is_busy();
        let stage = match &self.stage {
            Stage::Registered { since, .. } => {
                Some(*since + self.directory.settings().timing.authentication)
            }
            _ => None,
        };
        let deadlines = [
            stage,
            self.repeat.at,
            self.session_end(),
            self.streams.next_expiry(),
            self.next_request(),
            self.station.outbox.next_deadline(self.now),
        ];
        let deadlines = deadlines.into_iter().flatten();
        deadlines.filter(|&at| !blocked || at > self.now).min()
    }
}

impl<S: LasanSuite, D: PartyDirectory> Node for LasanEcu<'_, S, D> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.now = now;
        match input {
            Input::Frame { frame, .. } => self.take_frame(frame),
            Input::Sent { port, token } => self.take_answer((port, token, true)),
            Input::Withdrawn { port, token } => self.take_answer((port, token, false)),
            Input::Done(ticket) => self.station.worker.done(ticket),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.now = now;
        let _ = self.station.time_out(now, self.directory.settings());
        self.time_out();
        while self.station.worker.is_at_rest() && self.step() {}
        if core::mem::take(&mut self.retain) {
            let value = kept(self.epoch, self.clock.time(now));
            let slot = self.slot;
            return Output::Retain { slot, value };
        }
        if let Some(output) = self.transmit_stream(room) {
            return output;
        }
        let settings = self.directory.settings();
        let (directory, me) = (&self.directory, self.station.me);
        let (outgoing, length) = (&self.outgoing, self.outgoing_length);
        let output = self.station.poll(now, settings, room, |kept| {
            kept_bytes(directory, me, outgoing, length, kept)
        });
        match output {
            Some(output) => output,
            None => Output::Idle(self.next_wish()),
        }
    }
}
