//! An attacker that registers with a security module in the names of others, one after the other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_group_keys::{Address, Transport};
use waywarden_lasan::{IdentifierPlan, LasanFrameReader, LasanHeader, LasanKind};
use waywarden_work::{Duration, Instant};

/// Limit on overheard frames of one message; the longest has fewer.
const FRAMES_MAX: usize = 2_048;

/// Value in a hello whose sender lacks its turn.
const LACKS_TURN: u8 = 2;

/// The names in which an impostor registers, and the security module it registers with.
#[derive(Clone, Debug)]
pub struct ImpostorNames {
    /// Address of the security module.
    pub module: Address,
    /// The others, in the order in which they are gone round.
    pub ecus: Vec<Address>,
    /// Frame format of its messages.
    pub transport: Transport,
    /// Identifiers of its messages.
    pub identifiers: IdentifierPlan,
    /// Reader of the network's messages.
    pub frames: LasanFrameReader,
    /// True if messages of the network give way to application traffic.
    pub gives_way: bool,
}

/// Asks for the turn of the next ECU each period. When it is given that turn it repeats the last
/// certificate and registration that it overheard of that ECU, in which everything is right but
/// that they are for an earlier turn: no node gets farther without a secret. With nothing overheard
/// it lets the turn pass.
#[derive(Debug)]
pub struct Impostor {
    names: ImpostorNames,
    period: Duration,
    next: Instant,
    until: Instant,
    /// Index of the ECU whose turn is requested next.
    turn: usize,
    /// Addresses for which it has asked and was not invited yet.
    asked: BTreeSet<Address>,
    /// The frames of certificates and registrations.
    overheard: BTreeMap<(Address, LasanKind), Vec<Frame>>,
    /// Frames that wait to be sent: at most what was overheard of each ECU.
    sending: VecDeque<Frame>,
    token: u32,
}

impl Impostor {
    /// Starts at `now`; a period of zero is taken as one nanosecond.
    #[must_use]
    pub fn new(names: ImpostorNames, period: Duration, now: Instant, until: Instant) -> Self {
        Impostor {
            names,
            period: period.max(Duration::from_nanos(1)),
            next: now,
            until,
            turn: 0,
            asked: BTreeSet::new(),
            overheard: BTreeMap::new(),
            sending: VecDeque::new(),
            token: 0,
        }
    }

    fn overhear(&mut self, header: LasanHeader, part: u8, frame: &Frame) {
        let frames = self.overheard.entry((header.source, header.kind));
        let frames = frames.or_default();
        if part == 0 {
            frames.clear();
        }
        if frames.len() < FRAMES_MAX {
            frames.push(*frame);
        }
    }

    fn answer(&mut self, ecu: Address) {
        if !self.asked.remove(&ecu) {
            return;
        }
        for kind in [LasanKind::Certificate, LasanKind::Register] {
            let frames = self.overheard.get(&(ecu, kind));
            self.sending.extend(frames.into_iter().flatten());
        }
    }

    /// Makes the next hello.
    fn hello(&mut self) -> Option<Frame> {
        let source = *self
            .names
            .ecus
            .get(self.turn % self.names.ecus.len().max(1))?;
        self.turn += 1;
        self.asked.insert(source);
        let header = LasanHeader {
            gives_way: self.names.gives_way,
            kind: LasanKind::Hello,
            source,
            target: self.names.module,
        };
        let frame = match self.names.transport {
            Transport::Classic => Frame::classic,
            Transport::Fd => Frame::fd,
        };
        let id = header.identifier_in(&self.names.identifiers, 0)?;
        frame(id, &[LACKS_TURN]).ok()
    }
}

impl Node for Impostor {
    fn handle(&mut self, _now: Instant, input: Input<'_>) {
        let Input::Frame { frame, .. } = input else {
            return;
        };
        match self.names.frames.read(frame) {
            Some((header, part)) if self.names.ecus.contains(&header.source) => {
                if matches!(header.kind, LasanKind::Certificate | LasanKind::Register) {
                    self.overhear(header, part, frame);
                }
            }
            Some((header, _)) if header.kind == LasanKind::Invite => self.answer(header.target),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let is_due = self.next <= now && self.next < self.until;
        if self.sending.is_empty() && !is_due {
            return Output::Idle((self.next < self.until).then_some(self.next));
        }
        // Without room it waits for the next `Sent`, which polls again.
        if !room.contains(Port(0)) {
            return Output::Idle(None);
        }
        let frame = self.sending.pop_front().or_else(|| {
            self.next = (self.next + self.period).max(now);
            self.hello()
        });
        let Some(frame) = frame else {
            return Output::Idle(None);
        };
        self.token = self.token.wrapping_add(1);
        Output::Transmit {
            port: Port(0),
            token: Token(self.token),
            frame,
        }
    }
}
