//! The choices: profile, truncation, and the frames that carry freshness and code.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::{FrameFormat, StreamIndex, VehicleFile};

use crate::compare::profile;

/// The profiles of SecOC, as vehicle files write them.
pub const PROFILES: [&str; 3] = ["production", "jaspar", "autosar-1"];

/// Bits of a classic frame, all of which a cryptographic PDU may use.
const FRAME_BITS: u8 = 64;

/// Frames that carry freshness and code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateCarrier {
    /// The message's own frame as it is, behind the payload.
    InMessage,
    /// A cryptographic PDU beside the message.
    CryptographicPdu,
    /// The message's own frame, which becomes CAN FD.
    CanFd,
}

/// Bits of freshness and code that travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// Those of the profile.
    Profile,
    /// As many bits of code as fill a classic frame together with the freshness of the profile.
    Fill,
    /// This many bits of code, and of freshness if it is not that of the profile.
    Bits(Option<u8>, u8),
}

/// A word that is no truncation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no truncation: write `profile`, `fill`, the bits of the code such as 28, or the bits \
     of freshness and code such as 8/56"
)]
pub struct TruncationError(String);

/// Choices of which each combination is a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateChoices {
    /// Profiles, of [`PROFILES`].
    pub profiles: Vec<&'static str>,
    /// Truncations.
    pub truncations: Vec<Truncation>,
    /// Carriers.
    pub carriers: Vec<CandidateCarrier>,
}

/// SecOC as a candidate has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecocChoice {
    /// Name of the profile.
    pub profile: &'static str,
    /// Bits of freshness that travel.
    pub freshness_bits: u8,
    /// Bits of the code that travel.
    pub mac_bits: u8,
    /// Frames that carry both.
    pub carrier: CandidateCarrier,
}

/// One of the possible buses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// Without codes, as it is.
    None,
    /// Without codes, the messages to protect on CAN FD: the fair comparison with codes on CAN FD.
    NoneOnFd,
    /// With SecOC.
    Secoc(SecocChoice),
}

impl CandidateCarrier {
    /// All of them.
    pub const ALL: [CandidateCarrier; 3] = [
        CandidateCarrier::InMessage,
        CandidateCarrier::CryptographicPdu,
        CandidateCarrier::CanFd,
    ];

    /// Returns its name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CandidateCarrier::InMessage => "in-message",
            CandidateCarrier::CryptographicPdu => "cryptographic-pdu",
            CandidateCarrier::CanFd => "can-fd",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            CandidateCarrier::InMessage => "in the messages",
            CandidateCarrier::CryptographicPdu => "in cryptographic PDUs",
            CandidateCarrier::CanFd => "in messages on CAN FD",
        }
    }
}

impl Default for CandidateChoices {
    /// All profiles and carriers, and the bits of the profile, 32, 64, and a full classic frame.
    fn default() -> Self {
        CandidateChoices {
            profiles: PROFILES.to_vec(),
            truncations: vec![
                Truncation::Profile,
                Truncation::Bits(None, 32),
                Truncation::Fill,
                Truncation::Bits(None, 64),
            ],
            carriers: CandidateCarrier::ALL.to_vec(),
        }
    }
}

impl FromStr for Truncation {
    type Err = TruncationError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let error = || TruncationError(word.to_owned());
        let bits = |text: &str| text.parse::<u8>().map_err(|_| error());
        match (word, word.split_once('/')) {
            ("profile", _) => Ok(Truncation::Profile),
            ("fill", _) => Ok(Truncation::Fill),
            (_, Some((freshness, mac))) => Ok(Truncation::Bits(Some(bits(freshness)?), bits(mac)?)),
            (word, None) => Ok(Truncation::Bits(None, bits(word)?)),
        }
    }
}

impl Truncation {
    /// Returns the bits of freshness and code under a profile.
    fn bits(self, name: &str) -> (u8, u8) {
        let own = profile(name, None).map_or((0, 0), |profile| {
            (profile.truncated_bits(), profile.mac_bits())
        });
        match self {
            Truncation::Profile => own,
            Truncation::Fill => (own.0, FRAME_BITS.saturating_sub(own.0)),
            Truncation::Bits(freshness, mac) => (freshness.unwrap_or(own.0), mac),
        }
    }
}

/// Lists the baselines, then each combination once.
pub(super) fn list(
    file: &VehicleFile,
    chosen: &[StreamIndex],
    choices: &CandidateChoices,
) -> Vec<Candidate> {
    let is_classic = |at: &StreamIndex| file.stream(*at).format == FrameFormat::Classic;
    let becomes_fd =
        choices.carriers.contains(&CandidateCarrier::CanFd) && chosen.iter().any(is_classic);
    let mut all = vec![Candidate::None];
    if becomes_fd {
        all.push(Candidate::NoneOnFd);
    }
    for &profile in &choices.profiles {
        for truncation in &choices.truncations {
            let (freshness_bits, mac_bits) = truncation.bits(profile);
            for &carrier in &choices.carriers {
                // If all messages are CAN FD already, both are one.
                let carrier = match carrier {
                    CandidateCarrier::CanFd if !becomes_fd => CandidateCarrier::InMessage,
                    carrier => carrier,
                };
                let candidate = Candidate::Secoc(SecocChoice {
                    profile,
                    freshness_bits,
                    mac_bits,
                    carrier,
                });
                if !all.contains(&candidate) {
                    all.push(candidate);
                }
            }
        }
    }
    all
}

impl Candidate {
    /// Returns its SecOC, if it has any.
    #[must_use]
    pub const fn secoc(self) -> Option<SecocChoice> {
        match self {
            Candidate::Secoc(secoc) => Some(secoc),
            Candidate::None | Candidate::NoneOnFd => None,
        }
    }

    /// Returns a name for files: letters, digits and hyphens.
    #[must_use]
    pub fn file_name(self) -> String {
        match self {
            Candidate::None => "none".to_owned(),
            Candidate::NoneOnFd => "none-on-can-fd".to_owned(),
            Candidate::Secoc(secoc) => format!(
                "secoc-{}-{}-{}-{}",
                secoc.profile,
                secoc.freshness_bits,
                secoc.mac_bits,
                secoc.carrier.name()
            ),
        }
    }
}

/// Prints it in words.
impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Candidate::None => f.write_str("without codes"),
            Candidate::NoneOnFd => f.write_str("without codes, on CAN FD"),
            Candidate::Secoc(secoc) => write!(
                f,
                "{} with {} bits of freshness and {} of code {}",
                secoc.profile,
                secoc.freshness_bits,
                secoc.mac_bits,
                secoc.carrier.words()
            ),
        }
    }
}
