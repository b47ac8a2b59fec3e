//! Applications: their numbers as users write them, their names, and what they are for.

use core::fmt;

use crate::coer;
use crate::ieee1609dot2::Psid;
use crate::wsmp::{Address, PSID_MAX};

/// An application that has a public number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Application {
    /// Number (PSID, ITS-AID).
    pub psid: Psid,
    /// Short name, mostly of its message; of one number the first name is shown.
    pub name: &'static str,
    /// Purpose, in a few words.
    pub meaning: &'static str,
}

const fn known(psid: u64, name: &'static str, meaning: &'static str) -> Application {
    Application {
        psid: Psid(psid),
        name,
        meaning,
    }
}

/// Applications with a name, in the order of their numbers, as the register of ISO/TC 204 has them
/// (github.com/ISO-TC204/iso5345, CC BY 4.0): the numbers of \[TS 102 965\] and of the public list
/// of PSIDs \[1609.12\] are the same. Names are those of messages, and after them of services where
/// \[TS 102 965\] has one.
pub const APPLICATIONS: [Application; 41] = [
    known(32, "BSM", "vehicle to vehicle safety and awareness, BSM"),
    known(35, "SCMS", "security management"),
    known(36, "CAM", "cooperative awareness, CAM"),
    known(37, "DENM", "environmental notification, DENM"),
    known(38, "MBR", "misbehaviour reports"),
    known(39, "PSM", "safety of vulnerable road users, PSM"),
    known(128, "RTCM", "corrections of satellite positions"),
    known(130, "SPAT", "intersection safety and awareness, SPAT"),
    known(131, "TIM", "traveller information, TIM"),
    known(131, "RSA", "traveller information, TIM"),
    known(133, "EVA", "emergency vehicles on the road, EVA"),
    known(135, "WSA", "WAVE service advertisement"),
    known(136, "P2PCD", "distribution of certificates between peers"),
    known(137, "SPATEM", "traffic light manoeuvre, SPATEM"),
    known(137, "TLM", "traffic light manoeuvre, SPATEM"),
    known(138, "MAPEM", "road and lane topology, MAPEM"),
    known(138, "RLT", "road and lane topology, MAPEM"),
    known(139, "IVIM", "infrastructure to vehicle information, IVIM"),
    known(139, "IVI", "infrastructure to vehicle information, IVIM"),
    known(140, "SREM", "requests to traffic lights, SREM"),
    known(140, "TLC-REQ", "requests to traffic lights, SREM"),
    known(141, "GN-MGMT", "GeoNetworking management"),
    known(144, "SDSM", "sensor sharing, SDSM"),
    known(145, "MSCM", "manoeuvre coordination, MSCM"),
    known(256, "CRL-1609", "certificate revocation list"),
    known(622, "CRL", "certificate revocation list of TS 102 941"),
    known(623, "SCR", "secured certificate request of TS 102 941"),
    known(624, "CTL", "certificate trust list of TS 102 941"),
    known(637, "SSEM", "answers of traffic lights, SSEM"),
    known(637, "TLC-STAT", "answers of traffic lights, SSEM"),
    known(638, "VAM", "vulnerable road users, VAM"),
    known(639, "CPM", "collective perception, CPM"),
    known(640, "IMZM", "interference management zones, IMZM"),
    known(1618, "MRS", "misbehaviour reports of TS 103 759"),
    known(1619, "POIM", "points of interest, POIM"),
    known(540_801, "SAEM", "service announcement, SAEM"),
    known(
        540_802,
        "RTCMEM",
        "corrections of satellite positions, RTCMEM",
    ),
    known(2_113_685, "SSM", "traffic signal priority status, SSM"),
    known(2_113_686, "SRM", "traffic signal request, SRM"),
    known(2_113_687, "MAP", "road and lane topology, MAP"),
    known(2_113_689, "RWM", "road weather, RWM"),
];

/// Most octets of a p-encoded number.
const OCTETS_MAX: usize = 4;

/// A text that is neither the name nor the number of an application. As text it says what would be
/// right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplicationError {
    /// No name, and no number in any form.
    Unknown,
    /// A number above 2^64 - 1.
    TooLarge,
    /// Text after `0p` that is no number in p-encoding \[1609.12 §4\].
    NotPEncoded,
    /// A number in p-encoding without `0p` before it, that is none in another form.
    WithoutPrefix {
        /// The number of which the text is the p-encoding.
        encoded: Psid,
    },
    /// Four digits that are a number in decimal, and another one in p-encoding.
    Ambiguous {
        /// The number of the digits in decimal.
        decimal: u64,
        /// The number of which they are the p-encoding.
        encoded: Psid,
    },
}

impl fmt::Display for ApplicationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                f.write_str(
                    "give its number (PSID, ITS-AID), as 36, 0x24 or p-encoded as 0p24, or one of ",
                )?;
                for (at, one) in APPLICATIONS.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", one.name)?;
                }
                Ok(())
            }
            Self::TooLarge => f.write_str("its number is at most 2^64 - 1"),
            Self::NotPEncoded => f.write_str(
                "after 0p come the octets of a p-encoded PSID: 00 to 7F, 80-00 to BF-FF, \
                 C0-00-00 to DF-FF-FF, or E0-00-00-00 to EF-FF-FF-FF",
            ),
            Self::WithoutPrefix { encoded } => write!(
                f,
                "a p-encoded number begins with 0p; this one would be PSID {number} (write \
                 0x{number:X}). A hexadecimal number begins with 0x and is at most 0x{PSID_MAX:X}",
                number = encoded.0,
            ),
            Self::Ambiguous { decimal, encoded } => write!(
                f,
                "{decimal} may be the decimal PSID {decimal} (write 0x{decimal:X}) or the \
                 p-encoded 0p{:02}-{:02}, PSID {number} (write 0x{number:X})",
                decimal / 100,
                decimal % 100,
                number = encoded.0,
            ),
        }
    }
}

impl core::error::Error for ApplicationError {}

/// Reads an application: its name in letters of either case, or its number in decimal (`36`), in
/// hexadecimal (`0x24`) or in p-encoding (`0p24`, `0p80-02`) \[1609.12 §4\].
///
/// # Errors
/// [`ApplicationError`], also for four digits that are a p-encoding too, as 8002: many write the
/// numbers so, without `0p`.
pub fn application(text: &str) -> Result<Psid, ApplicationError> {
    let mut named = APPLICATIONS.iter();
    if let Some(named) = named.find(|one| one.name.eq_ignore_ascii_case(text)) {
        return Ok(named.psid);
    }
    let after = |prefix: &str| {
        let (start, rest) = text.split_at_checked(prefix.len())?;
        start.eq_ignore_ascii_case(prefix).then_some(rest)
    };
    if let Some(octets) = after("0p") {
        return p_encoded(octets).ok_or(ApplicationError::NotPEncoded);
    }
    if let Some(digits) = after("0x") {
        let Psid(number) = number(digits, 16)?;
        // So some write p-encoded numbers of four octets.
        return match p_encoded(digits).filter(|_| number > PSID_MAX) {
            Some(encoded) => Err(ApplicationError::WithoutPrefix { encoded }),
            None => Ok(Psid(number)),
        };
    }
    let encoded = p_encoded(text);
    let Psid(decimal) = number(text, 10).map_err(|error| match encoded {
        Some(encoded) => ApplicationError::WithoutPrefix { encoded },
        None => error,
    })?;
    // Two digits are decimal; other p-encodings have letters.
    match encoded.filter(|_| text.len() == 4) {
        Some(encoded) => Err(ApplicationError::Ambiguous { decimal, encoded }),
        None => Ok(Psid(decimal)),
    }
}

/// Returns the first name of an application that has one.
#[must_use]
pub fn application_name(psid: Psid) -> Option<&'static str> {
    named(psid).map(|one| one.name)
}

/// Returns the purpose of an application that has a name.
#[must_use]
pub fn application_meaning(psid: Psid) -> Option<&'static str> {
    named(psid).map(|one| one.meaning)
}

fn named(psid: Psid) -> Option<&'static Application> {
    APPLICATIONS.iter().find(|one| one.psid == psid)
}

/// Reads digits alone: Rust takes a sign as well.
fn number(digits: &str, radix: u32) -> Result<Psid, ApplicationError> {
    let are_digits = digits.chars().all(|one| one.is_digit(radix));
    match are_digits && !digits.is_empty() {
        true => u64::from_str_radix(digits, radix)
            .map(Psid)
            .map_err(|_| ApplicationError::TooLarge),
        false => Err(ApplicationError::Unknown),
    }
}

/// Reads octets of two digits each, with a hyphen between all of them or none.
fn p_encoded(text: &str) -> Option<Psid> {
    let step = if text.contains('-') { 3 } else { 2 };
    let digits = text.as_bytes();
    let mut octets = [0; OCTETS_MAX];
    let mut count = 0;
    for group in digits.chunks(step) {
        let is_last = (count + 1) * step >= digits.len();
        let octet = match *group {
            [high, low] if step == 2 || is_last => [high, low],
            [high, low, b'-'] if !is_last => [high, low],
            _ => return None,
        };
        let [high, low] = octet.map(|digit| char::from(digit).to_digit(16));
        let number = high? << 4 | low?;
        *octets.get_mut(count)? = u8::try_from(number).ok()?;
        count += 1;
    }
    let Address(psid) = coer::parse(octets.get(..count)?).ok()?;
    Some(psid)
}
