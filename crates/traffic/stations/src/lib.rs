//! The V2X stack of each vehicle in the traffic lab.
//!
//! [`VehicleStations`] is the [`MessageSource`](waywarden_traffic_lab::MessageSource) of a run:
//!
//! ```text
//! lab asks: due? -> Station::poll -> MessageSigner::send -> SPDU -> airtime -> the radio
//! the radio -> received -> CertificateStore knows the signer? -> CertificateDistribution::hear
//! the radio -> measured -> ChannelControl or SafetyControl -> when the next one may be sent
//! ```
#![forbid(unsafe_code)]

mod authority;
mod control;
mod detection;
mod false_claims;
mod figures;
mod hostile;
mod hostile_sender;
mod identity;
mod kinematics;
mod messages;
mod motion;
mod receiver;
mod scheme;
mod sending;
mod settings;
mod source;
mod symbols;
mod vehicle;
mod warnings;

pub use authority::RevocationSettings;
pub use figures::{DetectionFigures, HostileFigures, StackFigures, WarningFigures};
pub use hostile::{HostileKind, HostileSettings};
pub use motion::{Plane, time as station_time};
pub use receiver::Judgement;
pub use scheme::{FRAGMENT_BYTES, SentFrames, SignatureScheme, TRANSMISSION_MOST_NS};
pub use sending::on_air_bytes;
pub use settings::{
    CertificateCondition, CertificateInclusion, CertificateSource, CongestionControl,
    NoCertificate, StackSettings, VehicleIdentity,
};
pub use source::{ReceivedJudgement, VehicleStations};
