//! Secured I-PDUs as `[[authentication]]`.
//!
//! A system description states lengths and identifiers; how the freshness value is made, and which
//! key a code comes under, it leaves to the maker. What is assumed of that is said in comments.

mod announcer;

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};

use waywarden_can::Id;
use waywarden_can::frame::FD_LENGTHS;
use waywarden_can_auth::secoc::{FreshnessWidths, ProfileParameters, RESERVE, SecocProfile};

use self::announcer::Announcer;
use super::draft::{Draft, comment};
use crate::authentication::STREAMS_MAX;
use waywarden_can_matrix::{AuthenticatorPlace, MatrixMessage, MessageFormat, SecuredPdu};

/// The most bits of a freshness value.
const FRESHNESS_MAX: u64 = 64;

/// The most freshness values that a receiver tries.
const ATTEMPTS_MAX: u64 = 8;

/// Bits of a counter whose length the file does not state.
const COUNTER_BITS: u64 = 64;

/// Trip, reset and message counter and flag that together have some bits.
const TRIP_BITS: u8 = 16;
const RESET_BITS: u8 = 20;

/// The protection of a stream as a vehicle file can have it.
pub(super) struct Plan {
    key: Key,
    data_id: Option<u16>,
    area: Option<(u64, u64)>,
    cryptographic_id: Option<Id>,
    /// Length of the payload, in bytes.
    pub(super) length: u8,
    /// Differences from the file.
    pub(super) remarks: Vec<String>,
}

/// The common properties of the streams of one table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Trip, reset, message and flag bits.
    freshness: (u8, u8, u8, u8),
    truncated: u8,
    mac: u8,
    attempts: u8,
    is_separate: bool,
    algorithm: Option<String>,
    freshness_name: Option<String>,
}

/// The tables of a vehicle file.
#[derive(Default)]
pub(super) struct Tables {
    /// Streams by their profile; those with synchronised freshness also by their bus, whose ECUs
    /// need a master.
    entries: BTreeMap<(Key, usize), Vec<(String, Plan)>>,
}

/// Returns the protection of a message, or why a vehicle file cannot have it.
pub(super) fn plan(message: &MatrixMessage, secured: &SecuredPdu) -> Result<Plan, String> {
    let mut remarks = Vec::new();
    let (freshness, attempts) = freshness(secured, &mut remarks)?;
    let travelling = secured.freshness_tx_bits.unwrap_or(0);
    let truncated = u8::try_from(travelling)
        .ok()
        .filter(|bits| u64::from(*bits) <= FRESHNESS_MAX)
        .ok_or_else(|| {
            format!(
                "{travelling} bits of its freshness value travel (FRESHNESS-VALUE-TX-LENGTH); a \
                 freshness value has {FRESHNESS_MAX} bits at most"
            )
        })?;
    let mac = secured
        .authenticator_bits
        .ok_or("its secured I-PDU has no AUTH-INFO-TX-LENGTH")?;
    let mac = u8::try_from(mac).map_err(|_| {
        format!("its authenticator has {mac} bits (AUTH-INFO-TX-LENGTH); AES-128-CMAC has 128")
    })?;
    let profile = SecocProfile::as_found(ProfileParameters {
        freshness,
        truncated_bits: truncated,
        mac_bits: mac,
        attempts,
    })
    .map_err(|error| error.to_string())?;
    let (cryptographic_id, link_bits) = match secured.carrier {
        AuthenticatorPlace::Trailer => (None, 0),
        AuthenticatorPlace::Separate { id, link_bits } => (Some(id), link_bits),
    };
    if link_bits > 0 {
        remarks.push(format!(
            "its cryptographic I-PDU has {link_bits} bits of message link, which are left out"
        ));
    }
    if secured.has_header {
        remarks.push("its secured I-PDU has a header, which is left out".to_owned());
    }
    if mac < 24 {
        remarks.push(format!(
            "its authenticator has {mac} bits: one guess in {} is right",
            1_u64 << mac
        ));
    }
    let trailer = match cryptographic_id {
        Some(_) => 0,
        None => profile.trailer_length(),
    };
    let length = payload(message, secured, trailer, &mut remarks)?;
    Ok(Plan {
        key: Key {
            freshness: (
                freshness.trip,
                freshness.reset,
                freshness.message,
                freshness.flag,
            ),
            truncated,
            mac,
            attempts,
            is_separate: cryptographic_id.is_some(),
            algorithm: secured.algorithm.clone(),
            freshness_name: secured.freshness.clone(),
        },
        data_id: data_id(secured, &mut remarks),
        area: area(secured, length, cryptographic_id.is_some(), &mut remarks),
        cryptographic_id,
        length,
        remarks,
    })
}

/// Returns the counters that a freshness value of the file's lengths can be made of, and the number
/// of values that a receiver tries.
fn freshness(
    secured: &SecuredPdu,
    remarks: &mut Vec<String>,
) -> Result<(FreshnessWidths, u8), String> {
    let travelling = secured.freshness_tx_bits.unwrap_or(0);
    let whole = secured.freshness_bits.unwrap_or(match travelling {
        0 => 0,
        _ => COUNTER_BITS,
    });
    if travelling > whole {
        return Err(format!(
            "{travelling} of {whole} bits of freshness cannot travel (FRESHNESS-VALUE-TX-LENGTH \
             above FRESHNESS-VALUE-LENGTH)"
        ));
    }
    if whole > FRESHNESS_MAX {
        remarks.push(format!(
            "its freshness value has {whole} bits, of which {FRESHNESS_MAX} are taken"
        ));
    }
    let whole = whole.min(FRESHNESS_MAX) as u8;
    if let Some(attempts @ (0 | 9..)) = secured.attempts {
        remarks.push(format!(
            "its receivers try {attempts} freshness values; a vehicle file has 1 to {ATTEMPTS_MAX}"
        ));
    }
    let stated = secured.attempts;
    let stated = stated.map(|attempts| attempts.clamp(1, ATTEMPTS_MAX) as u8);
    if whole == 0 {
        return Ok((FreshnessWidths::NONE, stated.unwrap_or(1)));
    }
    // A counter of each end is enough where a receiver finds the next values from the bits that
    // travel; else a master announces trip and reset.
    let least = (2 * RESERVE).div_ceil(1 << travelling.min(32)).max(1);
    if travelling > 0 && least <= 8 {
        let attempts = stated.unwrap_or(2).max(least as u8);
        if stated.is_some_and(|stated| stated < attempts) {
            remarks.push(format!(
                "its receivers try {attempts} freshness values: so few bits travel that fewer \
                 would lose step after a reset"
            ));
        }
        return Ok((FreshnessWidths::counter(whole), attempts));
    }
    let message = whole
        .checked_sub(TRIP_BITS + RESET_BITS + 2)
        .filter(|bits| *bits > 0)
        .ok_or_else(|| {
            format!(
                "{travelling} of {whole} bits of freshness travel, too few for counters of the \
                 ends and for a master's"
            )
        })?;
    let widths = FreshnessWidths {
        trip: TRIP_BITS,
        reset: RESET_BITS,
        message,
        flag: 2,
    };
    Ok((widths, stated.unwrap_or(4)))
}

/// Returns the length of the payload with which the frame has the length that the file states.
fn payload(
    message: &MatrixMessage,
    secured: &SecuredPdu,
    trailer: usize,
    remarks: &mut Vec<String>,
) -> Result<u8, String> {
    let own = secured.payload_length;
    if let MessageFormat::Classic = message.format {
        if own + trailer > 8 {
            return Err(format!(
                "{own} bytes of payload and {trailer} of freshness and authenticator fit no \
                 classic frame"
            ));
        }
        // Another PDU or padding in the frame is no reason to shorten it.
        let length = own.max(message.length.min(8).saturating_sub(trailer));
        if length != own {
            remarks.push(format!(
                "its payload has {own} bytes; with {length} its frame has the {} of the file",
                message.length
            ));
        }
        return Ok(length as u8);
    }
    let fits = |wanted: usize| {
        FD_LENGTHS
            .iter()
            .copied()
            .find(|one| usize::from(*one) >= wanted)
    };
    let frame = fits((own + trailer).max(message.length)).ok_or_else(|| {
        format!("{own} bytes of payload and {trailer} of freshness and authenticator fit no frame")
    })?;
    let with_frame = |one: &u8| fits(usize::from(*one) + trailer) == Some(frame);
    let mut same = FD_LENGTHS.iter().copied().filter(with_frame);
    let nearest = same
        .clone()
        .find(|one| usize::from(*one) >= own)
        .or_else(|| same.next_back());
    let length = nearest.or_else(|| fits(own)).unwrap_or(64);
    if usize::from(length) != own {
        remarks.push(format!(
            "its payload has {own} bytes; {length} are the nearest with which its frame has {frame}"
        ));
    }
    Ok(length)
}

fn data_id(secured: &SecuredPdu, remarks: &mut Vec<String>) -> Option<u16> {
    let stated = secured.data_id?;
    let data_id = u16::try_from(stated).ok();
    if data_id.is_none() {
        remarks.push(format!(
            "its data id {stated:#X} has more than 16 bits: the identifier is taken"
        ));
    }
    data_id
}

fn area(
    secured: &SecuredPdu,
    length: u8,
    is_separate: bool,
    remarks: &mut Vec<String>,
) -> Option<(u64, u64)> {
    let (offset, bytes) = secured.area?;
    let is_within = offset.saturating_add(bytes) <= u64::from(length) && bytes > 0;
    if is_within && !is_separate {
        return Some((offset, bytes));
    }
    remarks.push(format!(
        "its secured area of {bytes} bytes from byte {offset} on is not carried over: all of the \
         payload is authenticated"
    ));
    None
}

impl Tables {
    pub(super) fn add(&mut self, name: &str, bus: usize, plan: Plan) {
        let is_synchronised = plan.key.freshness.0 > 0;
        let key = (plan.key.clone(), if is_synchronised { bus } else { 0 });
        self.entries
            .entry(key)
            .or_default()
            .push((name.to_owned(), plan));
    }

    /// Writes the tables behind the streams.
    pub(super) fn write(&self, text: &mut String, draft: &Draft<'_>) {
        let mut number = 0;
        let mut announcers = HashMap::new();
        for ((key, bus), streams) in &self.entries {
            for part in streams.chunks(STREAMS_MAX) {
                number += 1;
                let own = (key.freshness.0 > 0).then(|| {
                    let announcer = announcers.entry(*bus);
                    announcer.or_insert_with(|| Announcer::of(draft, *bus))
                });
                let _ = table(text, (key, part), own, number);
            }
        }
    }
}

fn table(
    text: &mut String,
    (key, streams): (&Key, &[(String, Plan)]),
    announcer: Option<&mut Announcer<'_>>,
    number: usize,
) -> fmt::Result {
    let names = [
        ("algorithm", &key.algorithm),
        ("freshness", &key.freshness_name),
    ];
    for (what, name) in names {
        if let Some(name) = name {
            comment(text, &format!("{what} in the file: {name}"))?;
        }
    }
    comment(
        text,
        "Taken as AES-128-CMAC; the file has no keys: each stream has one of its own.",
    )?;
    let (trip, reset, message, flag) = key.freshness;
    let profile = match (trip, message) {
        (1.., _) => "jaspar",
        (0, 0) => "autosar-2-as-published",
        _ => "autosar-1",
    };
    writeln!(
        text,
        "[[authentication]]\nname = \"secoc-{number}\"\nscheme = \"secoc\"\nprofile = \"{profile}\""
    )?;
    if let Some(announcer) = announcer {
        writeln!(
            text,
            "freshness = {{ trip = {trip}, reset = {reset}, message = {message}, flag = {flag} }} \
             # assumed: the file has their sum"
        )?;
        let master = announcer.master;
        writeln!(text, "master = \"{master}\" # assumed: the file has none")?;
        let id = announcer.next_id();
        writeln!(text, "announce_id = 0x{id:03X}")?;
    } else if message > 0 {
        writeln!(text, "freshness = {{ message = {message} }}")?;
    }
    writeln!(
        text,
        "freshness_bits = {}\nmac_bits = {}\nattempts = {}",
        key.truncated, key.mac, key.attempts
    )?;
    list(text, "data_ids", streams, |plan| {
        Some(format!("data_id = 0x{:04X}", plan.data_id?))
    })?;
    list(text, "areas", streams, |plan| {
        let (offset, length) = plan.area?;
        Some(format!("offset = {offset}, length = {length}"))
    })?;
    list(text, "cryptographic_pdus", streams, |plan| {
        Some(match plan.cryptographic_id? {
            Id::Standard(id) => format!("id = 0x{:03X}", id.raw()),
            Id::Extended(id) => format!("id = 0x{:08X}, extended = true", id.raw()),
        })
    })?;
    let names: Vec<String> = streams
        .iter()
        .map(|(name, _)| format!("\"{name}\""))
        .collect();
    writeln!(text, "protect = [{}]\n", names.join(", "))
}

/// Writes a list with an entry for each stream that has one.
fn list(
    text: &mut String,
    key: &str,
    streams: &[(String, Plan)],
    entry: impl Fn(&Plan) -> Option<String>,
) -> fmt::Result {
    let entries: Vec<String> = streams
        .iter()
        .filter_map(|(name, plan)| Some(format!("  {{ stream = \"{name}\", {} }},", entry(plan)?)))
        .collect();
    if entries.is_empty() {
        return Ok(());
    }
    writeln!(text, "{key} = [\n{}\n]", entries.join("\n"))
}
