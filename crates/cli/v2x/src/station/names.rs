//! The words of the station's options.

use std::time::Duration;

use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_neighbourhood::StationAttack;

/// Type of the messages that a station sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum MessageName {
    /// CAM in GeoNetworking, as in Europe.
    #[default]
    Cam,
    /// CAM in WAVE short messages, as in the paper WAVE-SEC.
    CamWsmp,
    /// BSM in WAVE short messages, as in America.
    Bsm,
}

/// Congestion control of stations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum CongestionName {
    /// None.
    #[default]
    Off,
    /// Least times by states of the channel [TS 102 687 annex A].
    Reactive,
    /// A share of time for each station, LIMERIC [TS 102 687 5.4].
    Adaptive,
    /// The same with a faster fall.
    DualAlpha,
}

impl CongestionName {
    pub(super) fn algorithm(self) -> Option<Algorithm> {
        match self {
            Self::Off => None,
            Self::Reactive => Some(Algorithm::Reactive),
            Self::Adaptive => Some(Algorithm::Adaptive),
            Self::DualAlpha => Some(Algorithm::DualAlpha),
        }
    }
}

/// Form of the key in a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FormName {
    /// The public key itself, signed.
    #[default]
    Explicit,
    /// As a reconstruction value (ECQV).
    Implicit,
}

/// Rate at which a station takes new certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum RoleName {
    /// It signs many messages with one.
    #[default]
    DirectSender,
    /// One for each message.
    FullSender,
}

/// Link that carries frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkName {
    /// UDP multicast, between programs and machines.
    Udp,
    /// The memory of the program.
    Memory,
    /// Raw frames on an interface.
    Ethernet(String),
}

pub(super) fn link(text: &str) -> Result<LinkName, String> {
    let interface = text.strip_prefix("ethernet:");
    match (text, interface.filter(|name| !name.is_empty())) {
        ("udp", _) => Ok(LinkName::Udp),
        ("memory", _) => Ok(LinkName::Memory),
        (_, Some(name)) => Ok(LinkName::Ethernet(name.to_owned())),
        (_, None) => Err("udp, memory or ethernet:INTERFACE is expected".to_owned()),
    }
}

/// Attack of a hostile station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum AttackName {
    /// Its own messages in the name of another station.
    Forged,
    /// Messages that it heard a moment ago.
    Replayed,
    /// Messages that it heard ten seconds ago.
    Late,
    /// Warnings from outside of its certificate's region.
    Displaced,
    /// Many messages with wrong signatures.
    FloodInvalid,
    /// Many messages with right signatures.
    FloodValid,
}

impl AttackName {
    pub(super) fn attack(self) -> StationAttack {
        match self {
            Self::Forged => StationAttack::Forged,
            Self::Replayed => StationAttack::Replayed,
            Self::Late => StationAttack::Late,
            Self::Displaced => StationAttack::Displaced,
            Self::FloodInvalid => StationAttack::FloodInvalid,
            Self::FloodValid => StationAttack::FloodValid,
        }
    }
}

/// Form in which events are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FormatName {
    /// Tables that follow what happens, until the end.
    Live,
    /// A line for each thing that matters.
    Text,
    /// Every event as a line of JSON.
    Json,
}

pub(super) fn span(text: &str) -> Result<Duration, String> {
    let span = waywarden_command_line::quantity::duration(text)
        .map_err(|failure| failure.lines().join(" "))?;
    match span.as_nanos() {
        0 => Err(format!("{text}: above zero is expected")),
        nanos => Ok(Duration::from_nanos(nanos)),
    }
}

fn number(text: &str, most: f64) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let number = number.filter(|number| (0.0..=most).contains(number));
    number.ok_or_else(|| format!("a number from 0 to {most}"))
}

pub(super) fn speed(text: &str) -> Result<f64, String> {
    number(text, 100.0)
}

pub(super) fn rate(text: &str) -> Result<f64, String> {
    number(text, 100_000.0)
}
