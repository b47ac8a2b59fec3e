//! Attackers on the road: stations beside a car that send what is not so.

use std::collections::VecDeque;

use waywarden_random::Random;
use waywarden_traffic_lab::VehicleMotion;
use waywarden_traffic_lab::radio::PlanePoint;
use waywarden_traffic_stations::{CertificateSource, NoCertificate, Plane};

use crate::station::{SignedMessage, SigningStation};

/// Vehicles that an attacker with several valid certificates pretends to be.
const SYBILS: usize = 5;
/// Transmitters of a flood, each with a message in 10 ms.
const FLOODING: usize = 10;
/// A message is sent again this time after it was heard, in ns.
const REPLAY_AFTER_NS: u64 = 2_000_000_000;
/// Messages that wait to be sent again at most.
const REPLAYED_MOST: usize = 1_024;
/// Distance of an attacker behind its victim, in metres.
pub(crate) const BEHIND_M: f64 = 10.0;
/// Speed at which a vehicle that is not there begins to brake, in m/s.
const GHOST_M_S: f64 = 15.0;
/// Its deceleration, in m/s².
const GHOST_BRAKES_M_S2: f64 = 7.0;
/// Time after which it begins again, in ns.
const GHOST_AGAIN_NS: u64 = 2_000_000_000;

/// An attack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoadAttack {
    /// None: the attackers of the vehicle file do not act either.
    #[default]
    None,
    /// The attackers of the vehicle file act in each car.
    Wheel,
    /// CAM of a vehicle that brakes, with a signature that its key did not make.
    ForgedCam,
    /// Messages of the cars, sent again two seconds later.
    Replay,
    /// CAM of five vehicles that are not there, with valid certificates.
    Sybil,
    /// A thousand messages a second with wrong signatures.
    Flood,
}

/// One transmitter of an attack.
pub(crate) struct Attacker {
    attack: RoadAttack,
    ghosts: Vec<SigningStation>,
    from_ns: u64,
    heard: VecDeque<(u64, SignedMessage)>,
    last: Option<SignedMessage>,
    random: Random,
}

impl RoadAttack {
    /// Returns the number of transmitters on the road.
    pub(crate) const fn transmitters(self) -> usize {
        match self {
            Self::None | Self::Wheel => 0,
            Self::ForgedCam | Self::Replay | Self::Sybil => 1,
            Self::Flood => FLOODING,
        }
    }
}

impl Attacker {
    /// An attacker that begins at a time; its certificates are valid ones.
    pub(crate) fn new(
        attack: RoadAttack,
        certificates: &mut impl CertificateSource,
        (from_ns, random): (u64, Random),
    ) -> Result<Self, NoCertificate> {
        let ghosts = match attack {
            RoadAttack::Sybil => SYBILS,
            RoadAttack::Replay => 0,
            _ => 1,
        };
        let ghost = |number: usize| {
            let seeds = random.stream("ghost", number as u64);
            SigningStation::new(certificates, from_ns, seeds)
        };
        Ok(Self {
            attack,
            ghosts: (0..ghosts).map(ghost).collect::<Result<_, _>>()?,
            from_ns,
            heard: VecDeque::new(),
            last: None,
            random,
        })
    }

    /// Hears a message of a car.
    pub(crate) fn heard(&mut self, time_ns: u64, message: SignedMessage) {
        if self.attack == RoadAttack::Replay && self.heard.len() < REPLAYED_MOST {
            self.heard.push_back((time_ns + REPLAY_AFTER_NS, message));
        }
    }

    /// Returns the message that is due now.
    pub(crate) fn due(
        &mut self,
        (own, plane): (&VehicleMotion, &mut Plane),
        certificates: &mut impl CertificateSource,
        time_ns: u64,
    ) -> Result<Option<SignedMessage>, NoCertificate> {
        if time_ns < self.from_ns {
            return Ok(None);
        }
        if self.attack == RoadAttack::Replay {
            let is_due = self.heard.front().is_some_and(|(at, _)| *at <= time_ns);
            let due = is_due.then(|| self.heard.pop_front()).flatten();
            return Ok(due.map(|(_, message)| message));
        }
        let braked_s = ((time_ns - self.from_ns) % GHOST_AGAIN_NS) as f64 / 1e9;
        let speed = (GHOST_M_S - GHOST_BRAKES_M_S2 * braked_s).max(0.0);
        let heading = own.heading_degrees.unwrap_or(0.0);
        let (sine, cosine) = heading.to_radians().sin_cos();
        let at = Plane::place(own, time_ns);
        let mut made = None;
        for (number, ghost) in self.ghosts.iter_mut().enumerate() {
            let ahead = BEHIND_M + 20.0 + 10.0 * number as f64;
            let place = PlanePoint {
                x_m: at.x_m + ahead * sine,
                y_m: at.y_m + ahead * cosine,
            };
            let claimed = VehicleMotion {
                speed_m_s: Some(speed),
                ..*own
            };
            let motion = plane.motion(&claimed, &place, time_ns);
            made = ghost.due(&motion, certificates, time_ns)?;
            if made.is_some() {
                break;
            }
        }
        Ok(match self.attack {
            RoadAttack::ForgedCam => made.map(|message| self.unsigned(message)),
            RoadAttack::Flood => {
                self.last = made.or(self.last.take());
                let last = self.last.clone();
                last.map(|message| self.unsigned(message))
            }
            _ => made,
        })
    }

    /// Replaces the signature by bytes that the key did not make.
    fn unsigned(&mut self, mut message: SignedMessage) -> SignedMessage {
        let signature = message.spdu.len().saturating_sub(24);
        for byte in &mut message.spdu[signature..] {
            *byte = self.random.next_u64() as u8;
        }
        message
    }
}
