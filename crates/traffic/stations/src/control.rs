//! Congestion control of one vehicle.

use std::collections::HashMap;

use waywarden_random::Random;
use waywarden_traffic_lab::MessageReception;
use waywarden_traffic_lab::radio::PlanePoint;
use waywarden_v2x_congestion::{
    BusyRatio, ChannelControl, DccMcoField, NeighbourRatios, SafetyControl, SafetyParameters,
};

use crate::settings::CongestionControl;

/// A vehicle counts for the density while it was heard within this time, in ns.
const HEARD_NS: u64 = 1_000_000_000;
/// Time from one look at the error of others' estimate to the next, in ns.
const ERROR_EACH_NS: u64 = 100_000_000;

/// Congestion control of one vehicle, with what it hears.
#[derive(Clone, Debug)]
pub(crate) enum Control {
    Etsi(Box<Etsi>),
    Sae(Box<Sae>),
}

/// ETSI's control, with the ratios that stations share.
#[derive(Clone, Debug)]
pub(crate) struct Etsi {
    channel: ChannelControl,
    heard: NeighbourRatios,
    /// The field of own packets.
    field: DccMcoField,
}

/// Control of basic safety messages.
#[derive(Clone, Debug)]
pub(crate) struct Sae {
    safety: SafetyControl,
    /// Time of the last message of each vehicle that was within the radius.
    near: HashMap<usize, u64>,
    said: Option<Said>,
    looked_ns: u64,
    random: Random,
}

/// Motion in the last message: others move the vehicle on from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    pub(crate) at_ns: u64,
    pub(crate) place: PlanePoint,
    pub(crate) speed_m_s: f64,
    pub(crate) heading_degrees: f64,
}

impl Said {
    /// Returns how far a place is from where others think that the vehicle is, in metres.
    fn error_m(&self, place: &PlanePoint, now_ns: u64) -> f64 {
        let moved = self.speed_m_s * now_ns.saturating_sub(self.at_ns) as f64 / 1e9;
        let (sine, cosine) = self.heading_degrees.to_radians().sin_cos();
        let thought = PlanePoint {
            x_m: self.place.x_m + moved * sine,
            y_m: self.place.y_m + moved * cosine,
        };
        thought.distance_m(place)
    }
}

impl Control {
    /// `power_dbm` is the power of the radio, in whole dBm.
    pub(crate) fn new(control: CongestionControl, power_dbm: u8, random: Random) -> Self {
        match control {
            CongestionControl::Etsi(algorithm) => Self::Etsi(Box::new(Etsi {
                channel: ChannelControl::new(algorithm),
                heard: NeighbourRatios::default(),
                field: DccMcoField {
                    power_dbm,
                    ..DccMcoField::default()
                },
            })),
            CongestionControl::Sae => Self::Sae(Box::new(Sae {
                safety: SafetyControl::new(SafetyParameters::STANDARD),
                near: HashMap::new(),
                said: None,
                looked_ns: 0,
                random,
            })),
        }
    }

    /// Returns whether a frame may begin now.
    pub(crate) fn is_open(&self, now_ns: u64) -> bool {
        match self {
            Self::Etsi(etsi) => now_ns / 1_000 >= etsi.channel.opens_at_us(),
            Self::Sae(_) => true,
        }
    }

    /// Returns the time between awareness messages, and that between safety messages, in
    /// microseconds. The last frame was on the air for `airtime_us`.
    pub(crate) fn intervals_us(&self, airtime_us: u64) -> (u64, u64) {
        match self {
            Self::Etsi(etsi) => {
                let interval = etsi.channel.interval_us(airtime_us);
                (interval, interval)
            }
            Self::Sae(sae) => (0, sae.safety.interval_us()),
        }
    }

    /// Returns whether others know the position so wrongly that a message is due now.
    pub(crate) fn is_hastened(&mut self, place: &PlanePoint, now_ns: u64) -> bool {
        let Self::Sae(sae) = self else { return false };
        // Counted from the last message: else all stations would look, and send, at once.
        if now_ns < sae.looked_ns.saturating_add(ERROR_EACH_NS) {
            return false;
        }
        sae.looked_ns = now_ns;
        let error = sae.said.map(|said| said.error_m(place, now_ns));
        let drawn = sae.random.unit();
        error.is_some_and(|error| sae.safety.is_due(error, drawn))
    }

    /// Takes note of what a message says.
    pub(crate) fn said(&mut self, said: Said) {
        if let Self::Sae(sae) = self {
            sae.looked_ns = said.at_ns;
            sae.said = Some(said);
        }
    }

    /// Returns the power for a message, in dBm below the greatest.
    pub(crate) fn below_most_db(&self) -> f64 {
        match self {
            Self::Etsi(_) => 0.0,
            Self::Sae(sae) => SafetyParameters::STANDARD.power_dbm.1 - sae.safety.power_dbm(),
        }
    }

    /// Returns the field of packets, for those that have one.
    pub(crate) fn field(&self) -> Option<DccMcoField> {
        match self {
            Self::Etsi(etsi) => Some(etsi.field),
            Self::Sae(_) => None,
        }
    }

    /// A frame begins.
    pub(crate) fn sent(&mut self, now_ns: u64, airtime_ns: u64) {
        if let Self::Etsi(etsi) = self {
            etsi.channel
                .sent(now_ns / 1_000, airtime_ns.div_ceil(1_000));
        }
    }

    /// A message of another vehicle came, with the ratios of its sender.
    pub(crate) fn received(&mut self, reception: &MessageReception, said: Option<&DccMcoField>) {
        match self {
            Self::Etsi(etsi) => {
                if let Some(said) = said {
                    etsi.heard.add(reception.sender as u64, said);
                }
            }
            Self::Sae(sae) => {
                if reception.distance_m <= SafetyParameters::STANDARD.radius_m {
                    sae.near.insert(reception.sender, reception.time_ns);
                }
            }
        }
    }

    /// The channel was so busy in the last 100 ms.
    pub(crate) fn measured(&mut self, now_ns: u64, ratio: BusyRatio) {
        match self {
            Self::Etsi(etsi) => {
                let heard = std::mem::take(&mut etsi.heard);
                etsi.channel.measured(heard.global(ratio), now_ns / 1_000);
                etsi.field.own = ratio;
                etsi.field.neighbours = heard.one_hop();
            }
            Self::Sae(sae) => {
                sae.near
                    .retain(|_, at| now_ns.saturating_sub(*at) <= HEARD_NS);
                // As many as there are vehicles, at most.
                sae.safety.measured(ratio, sae.near.len() as u32);
            }
        }
    }
}
