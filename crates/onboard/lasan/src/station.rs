//! The parts that an ECU and the security module have in common: their processor, their way out,
//! their randomness.

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Output, Port, Ports, Token};
use waywarden_work::{Instant, Operation};

use super::identifier::{LasanHeader, LasanKind};
use super::outbox::{Kept, Outbox};
use super::session::{Sealed, Session};
use super::settings::NetworkSettings;
use waywarden_key_roles::worker::Worker;
use waywarden_key_roles::{Address, Transport};
use waywarden_key_suites::Entropy;

/// Parts of a role. `N` is how many messages wait to be sent.
pub(super) struct Station<const N: usize> {
    pub(super) me: Address,
    pub(super) ports: Ports,
    pub(super) entropy: Entropy,
    pub(super) worker: Worker,
    pub(super) outbox: Outbox<N>,
}

impl<const N: usize> Station<N> {
    pub(super) fn new(boot: &Boot<'_>, me: Address, ports: Ports) -> Self {
        // Everything that the protocol computes is reported: it takes time on some board.
        const fn reports(_: &Operation) -> bool {
            true
        }
        Station {
            me,
            ports,
            entropy: Entropy::new(boot.seed),
            worker: Worker::new(reports),
            outbox: Outbox::new(),
        }
    }

    /// Returns the header of a message of one's own.
    pub(super) fn header(
        &self,
        settings: &NetworkSettings,
        kind: LasanKind,
        target: Address,
    ) -> LasanHeader {
        LasanHeader {
            gives_way: settings.gives_way,
            kind,
            source: self.me,
            target,
        }
    }

    /// Seals a message in a session.
    pub(super) fn seal(
        &mut self,
        session: &mut Session,
        header: &LasanHeader,
        plaintext: &[u8],
    ) -> Option<Sealed> {
        let random = self.entropy.draw();
        session.seal(&mut self.worker.meter, header, plaintext, &random)
    }

    /// Reports the next operation, or hands over the next frame.
    pub(super) fn poll<'a>(
        &mut self,
        now: Instant,
        settings: &NetworkSettings,
        room: Ports,
        kept: impl Fn(Kept) -> &'a [u8],
    ) -> Option<Output> {
        let work = self.worker.poll();
        work.or_else(|| self.outbox.poll(now, settings, self.ports, room, kept))
    }

    /// A frame has been sent or taken back.
    pub(super) fn answered(
        &mut self,
        now: Instant,
        frame: (Port, Token, bool),
        settings: &NetworkSettings,
        length: impl Fn(Kept) -> usize,
    ) {
        let way = (self.ports, settings);
        self.outbox.answered(now, frame, way, length);
    }

    /// Goes on without the ports that are too far behind; returns one that lags now and did not, or
    /// does not any more.
    pub(super) fn time_out(
        &mut self,
        now: Instant,
        settings: &NetworkSettings,
    ) -> Option<(Port, bool)> {
        self.outbox.time_out(now, self.ports, settings);
        self.outbox.change()
    }
}

/// Reads the header of a frame of the transport that the security module sends, or that is for it:
/// all others belong to other senders.
pub(super) fn header_of(settings: &NetworkSettings, frame: &Frame) -> Option<(LasanHeader, u8)> {
    let carried = matches!(settings.transport, Transport::Fd) == frame.is_fd();
    let (header, part) = LasanHeader::of_in(&settings.identifiers, frame.id())?;
    let module = settings.security_module;
    let is_its = (header.source == module) != (header.target == module);
    (is_its && carried).then_some((header, part))
}
