//! Attackers that take part in the exchange of keys with a security module under another's name.
//!
//! They play the roles of the protocol with a secret of their own: what they lack to be believed
//! they cannot make up by deviating from them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Token};
use waywarden_group_keys::Address;
use waywarden_lasan::{EcuEvent, LasanFrameReader, LasanKind, ModuleEvent};
use waywarden_work::Instant;

use super::authorization_role::{AdministrativeCommand, LasanRole, NetworkPlaces};
use waywarden_vehicle_trace::{AuthorizationEvent, Fact, Facts};

/// The bit of the tokens that no role has: a role's have 28 bits.
const OWN: u32 = 1 << 31;

/// Makes a role of an attacker's at a boot.
pub type MakePlayed = Arc<dyn Fn(&Boot<'_>) -> Box<dyn LasanRole> + Send + Sync>;

/// Recorder of the sessions that an attacker shares with others.
#[derive(Clone)]
pub struct Sessions {
    /// The attacker, by its place in the vehicle file.
    pub attacker: usize,
    /// The security module's network, by its place in the vehicle file.
    pub network: usize,
    /// Address of the security module.
    pub module: Address,
    /// Reader of the network's messages.
    pub frames: LasanFrameReader,
    /// Places of the ECUs and streams in the vehicle file.
    pub places: Arc<NetworkPlaces>,
    /// Recorder of its facts.
    pub facts: Facts,
}

impl Sessions {
    /// Hears a role of the attacker's.
    pub(super) fn listen(&self, role: &mut dyn LasanRole) {
        while let Some(event) = role.event() {
            let other = match event {
                AuthorizationEvent::Ecu(EcuEvent::Authenticated { .. }) => self.module,
                AuthorizationEvent::Module(ModuleEvent::Authenticated(ecu)) => ecu,
                _ => continue,
            };
            let Some(&ecu) = self.places.ecus.get(&other) else {
                continue;
            };
            let (network, attacker) = (self.network, self.attacker);
            let event = AuthorizationEvent::SharesSession { attacker, ecu };
            self.facts.push(Fact::Authorization { network, event });
        }
    }
}

/// Plan of an attacker that plays a role.
#[derive(Clone)]
pub struct MasqueradePlan {
    /// Maker of its role.
    pub make: MakePlayed,
    /// True if the role is the security module's.
    pub is_module: bool,
    /// Recorder of the sessions that it shares with others.
    pub sessions: Sessions,
    /// Number of frames of each of the security module's messages to all, if the attacker repeats
    /// overheard ones in place of its own.
    pub overhears: Option<BTreeMap<LasanKind, usize>>,
}

/// Listens, and then plays an ECU or the security module on a bus.
pub struct Masquerade {
    masked: MasqueradePlan,
    seed: [u8; 32],
    begins: Instant,
    role: Option<Box<dyn LasanRole>>,
    /// The last frames of each kind that the security module sent to all: as many as a message has.
    overheard: BTreeMap<LasanKind, VecDeque<Frame>>,
    /// Number of frames of each kind that its role wanted to send.
    wanted: BTreeMap<LasanKind, usize>,
    /// Frames that it repeats: at most two messages.
    sending: VecDeque<Frame>,
    tokens: u32,
}

impl Masquerade {
    /// Listens from its boot on, and begins to play at a time.
    #[must_use]
    pub fn new(masked: MasqueradePlan, boot: &Boot<'_>, begins: Instant) -> Self {
        Masquerade {
            masked,
            seed: boot.seed,
            begins,
            role: None,
            overheard: BTreeMap::new(),
            wanted: BTreeMap::new(),
            sending: VecDeque::new(),
            tokens: 0,
        }
    }

    fn overhear(&mut self, frame: &Frame) {
        let module = self.masked.sessions.module;
        let header = self.masked.sessions.frames.read(frame);
        let (Some((header, _)), Some(lengths)) = (header, &self.masked.overhears) else {
            return;
        };
        if let Some(&frames) = lengths
            .get(&header.kind)
            .filter(|_| header.source == module)
        {
            let kept = self.overheard.entry(header.kind).or_default();
            if kept.len() == frames {
                kept.pop_front();
            }
            kept.push_back(*frame);
        }
    }

    /// Returns true if its role could not sign a frame. At the beginning of such a message it
    /// repeats the overheard one.
    fn replaces(&mut self, frame: &Frame) -> bool {
        let header = self.masked.sessions.frames.read(frame);
        let (Some((header, _)), Some(lengths)) = (header, &self.masked.overhears) else {
            return false;
        };
        let Some(&frames) = lengths.get(&header.kind) else {
            return false;
        };
        let wanted = self.wanted.entry(header.kind).or_default();
        let overheard = self.overheard.get(&header.kind);
        if *wanted == 0
            && let Some(overheard) = overheard.filter(|one| one.len() == frames)
        {
            self.sending.extend(overheard);
        }
        *wanted = (*wanted + 1) % frames;
        true
    }

    fn begin(&mut self, now: Instant) {
        if self.role.is_none() && now >= self.begins {
            let mut role = (self.masked.make)(&Boot {
                now,
                seed: self.seed,
                retained: &[],
            });
            if self.masked.is_module {
                // Only a replacement can be refused.
                let _ = role.take(AdministrativeCommand::Start);
            }
            self.role = Some(role);
        }
    }

    fn repeat(&mut self, room: Ports) -> Option<Output> {
        if !room.contains(Port(0)) {
            return None;
        }
        let frame = self.sending.pop_front()?;
        self.tokens = self.tokens.wrapping_add(1);
        Some(Output::Transmit {
            port: Port(0),
            token: Token(OWN | self.tokens),
            frame,
        })
    }
}

impl Node for Masquerade {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.begin(now);
        match (&mut self.role, input) {
            (None, Input::Frame { frame, .. }) => self.overhear(frame),
            (_, Input::Sent { token, .. } | Input::Withdrawn { token, .. })
                if token.0 & OWN != 0 => {}
            (Some(role), input) => role.handle(now, input),
            (None, _) => {}
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.begin(now);
        loop {
            if let Some(output) = self.repeat(room) {
                return output;
            }
            let Some(role) = &mut self.role else {
                return Output::Idle(Some(self.begins));
            };
            let output = role.poll(now, room);
            self.masked.sessions.listen(role.as_mut());
            match output {
                Output::Transmit { port, token, frame } if self.replaces(&frame) => {
                    if let Some(role) = &mut self.role {
                        role.handle(now, Input::Sent { port, token });
                    }
                }
                output => return output,
            }
        }
    }
}
