//! SecOC: streams, profiles, and where freshness comes from.

pub mod freshness;
pub mod in_frame;
pub mod separate;

use waywarden_can::{Id, StandardId};
use waywarden_can_auth::secoc::{
    FreshnessWidths, Layout, ProfileParameters, SecocCarrier, SecocProfile, SecocStream,
    SeparateStream,
};

use crate::can::{WAYWARDEN_EXTENDED, WAYWARDEN_FD, identifier};
use crate::keys::KEY;
use crate::memory::{read, write};
use crate::status::{Status, answer};

/// AUTOSAR's profile 1: a counter, 8 bits of it travel, 24 bits of code.
pub const WAYWARDEN_SECOC_AUTOSAR_1: u8 = 1;
/// AUTOSAR's profile 2 as published: 24 bits of code and no freshness. **Replays are authentic.**
pub const WAYWARDEN_SECOC_AUTOSAR_2: u8 = 2;
/// The frames of AUTOSAR's profile 2 with freshness that does not travel.
pub const WAYWARDEN_SECOC_AUTOSAR_2_SYNCHRONISED: u8 = 3;
/// AUTOSAR's profile 3 (JASPAR): 64 bits of freshness, 4 of them travel, 28 bits of code.
pub const WAYWARDEN_SECOC_JASPAR: u8 = 4;
/// The profile of a large maker.
pub const WAYWARDEN_SECOC_PRODUCTION: u8 = 5;
/// The parameters in `own`.
pub const WAYWARDEN_SECOC_OWN: u8 = 0;

/// `data_id` is to be used; without, it is the identifier, which then has 11 bits.
pub const WAYWARDEN_SECOC_DATA_ID: u8 = 32;
/// The part of the payload from `secured_from` to `secured_to` is authenticated. **Any node may
/// change the rest.**
pub const WAYWARDEN_SECOC_SECURED_AREA: u8 = 64;

/// Parameters of a profile, in bits unless said otherwise.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecocProfileParameters {
    /// Trip counter of a freshness master, 0 to 24; with `reset`, or neither.
    pub trip: u8,
    /// Reset counter of a freshness master, 0 to 24.
    pub reset: u8,
    /// Counter of messages, 0 to 64.
    pub message: u8,
    /// Low bits of the reset counter that travel with each message, 0 to 2.
    pub flag: u8,
    /// Low bits of the freshness value in a frame.
    pub freshness_bits: u8,
    /// Bits of code in a frame, 24 to 128; 8 to 128 with `as_found`.
    pub code_bits: u8,
    /// Values that a receiver tries, 1 to 8. Each makes forging that much easier.
    pub attempts: u8,
    /// Not 0: allows a code of fewer than 24 bits, which **can be guessed**.
    pub as_found: u8,
}

/// A stream of secured messages between one sender and its receivers.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecocStreamOptions {
    /// Identifier of its frames: 0 to 0x7FF, with WAYWARDEN_EXTENDED 0 to 0x1FFFFFFF.
    pub identifier: u32,
    /// Identifier of the cryptographic PDU, with as many bits; for `waywarden_secoc_separate_...`
    /// alone.
    pub cryptographic_identifier: u32,
    /// Data id, with WAYWARDEN_SECOC_DATA_ID. Under one key each stream needs its own.
    pub data_id: u16,
    /// Any of WAYWARDEN_EXTENDED, WAYWARDEN_FD, WAYWARDEN_SECOC_DATA_ID,
    /// WAYWARDEN_SECOC_SECURED_AREA.
    pub flags: u8,
    /// WAYWARDEN_SECOC_AUTOSAR_1 and others; WAYWARDEN_SECOC_OWN takes `own`.
    pub profile: u8,
    /// Bytes of the shortest payload, 0 to 64.
    pub shortest: u8,
    /// Bytes of the longest payload, `shortest` to 64.
    pub longest: u8,
    /// First byte of the part that is authenticated, with WAYWARDEN_SECOC_SECURED_AREA.
    pub secured_from: u8,
    /// The byte behind it.
    pub secured_to: u8,
    /// Byte that fills CAN FD frames up.
    pub padding: u8,
    /// Parameters of WAYWARDEN_SECOC_OWN; not looked at for other profiles.
    pub own: SecocProfileParameters,
}

const FLAGS: u8 =
    WAYWARDEN_EXTENDED | WAYWARDEN_FD | WAYWARDEN_SECOC_DATA_ID | WAYWARDEN_SECOC_SECURED_AREA;

/// Fills `options` in for a stream of payloads of `length` bytes in classic frames under an
/// identifier of 11 bits, which is its data id, too. What differs is set behind it.
///
/// Refused with WAYWARDEN_STATUS_NULL_POINTER. The rest is checked where the options are used.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_secoc_stream_options_init(
    options: *mut SecocStreamOptions,
    identifier: u32,
    profile: u8,
    length: u8,
) -> Status {
    answer(|| {
        let filled = SecocStreamOptions {
            identifier,
            profile,
            shortest: length,
            longest: length,
            ..SecocStreamOptions::default()
        };
        // SAFETY: by the caller.
        unsafe { write(options, filled) }
    })
}

/// Returns the profile of its number.
pub(crate) fn profile(number: u8, own: &SecocProfileParameters) -> Result<SecocProfile, Status> {
    Ok(match number {
        WAYWARDEN_SECOC_OWN => {
            let parameters = ProfileParameters {
                freshness: FreshnessWidths {
                    trip: own.trip,
                    reset: own.reset,
                    message: own.message,
                    flag: own.flag,
                },
                truncated_bits: own.freshness_bits,
                mac_bits: own.code_bits,
                attempts: own.attempts,
            };
            let made = match own.as_found {
                0 => SecocProfile::new(parameters),
                _ => SecocProfile::as_found(parameters),
            };
            made.map_err(|_| Status::Profile)?
        }
        WAYWARDEN_SECOC_AUTOSAR_1 => SecocProfile::AUTOSAR_1,
        WAYWARDEN_SECOC_AUTOSAR_2 => SecocProfile::AUTOSAR_2_AS_PUBLISHED,
        WAYWARDEN_SECOC_AUTOSAR_2_SYNCHRONISED => SecocProfile::AUTOSAR_2_SYNCHRONISED,
        WAYWARDEN_SECOC_JASPAR => SecocProfile::JASPAR,
        WAYWARDEN_SECOC_PRODUCTION => SecocProfile::PRODUCTION,
        _ => return Err(Status::Argument),
    })
}

/// Parts of both kinds of stream.
struct Parts {
    options: SecocStreamOptions,
    profile: SecocProfile,
    carrier: SecocCarrier,
    id: Id,
    /// The name that the library calls the stream by.
    name: StandardId,
    data_id: u16,
}

/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn parts(options: *const SecocStreamOptions) -> Result<Parts, Status> {
    // SAFETY: by the caller.
    let options = unsafe { read(options) }?;
    let has = |flag| options.flags & flag != 0;
    if options.flags & !FLAGS != 0 {
        return Err(Status::Argument);
    }
    let id = identifier(options.identifier, has(WAYWARDEN_EXTENDED))?;
    let (name, data_id) = match (id, has(WAYWARDEN_SECOC_DATA_ID)) {
        (Id::Standard(id), true) => (id, options.data_id),
        (Id::Standard(id), false) => (id, id.raw()),
        (Id::Extended(_), true) => {
            let name = StandardId::new(0).map_err(|_| Status::Fault)?;
            (name, options.data_id)
        }
        (Id::Extended(_), false) => return Err(Status::Argument),
    };
    Ok(Parts {
        profile: profile(options.profile, &options.own)?,
        carrier: match has(WAYWARDEN_FD) {
            true => SecocCarrier::Fd,
            false => SecocCarrier::Classic,
        },
        options,
        id,
        name,
        data_id,
    })
}

/// Returns a stream whose freshness and code share the frame with the payload.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn in_frame(options: *const SecocStreamOptions) -> Result<SecocStream, Status> {
    // SAFETY: by the caller.
    let parts = unsafe { parts(options) }?;
    let own = &parts.options;
    let layout = Layout::variable(parts.carrier, own.shortest..=own.longest);
    let layout = layout.padded_with(own.padding);
    let layout = match own.flags & WAYWARDEN_SECOC_SECURED_AREA {
        0 => layout,
        _ => layout.secured(own.secured_from..own.secured_to),
    };
    let stream = SecocStream::new(parts.profile, layout, parts.name, KEY);
    let stream = stream.map_err(|_| Status::Stream)?;
    Ok(stream.with_data_id(parts.data_id).with_frame_id(parts.id))
}

/// Returns a stream whose freshness and code have a PDU of their own. It has payloads of one
/// length, all of it authenticated.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn separate(options: *const SecocStreamOptions) -> Result<SeparateStream, Status> {
    // SAFETY: by the caller.
    let parts = unsafe { parts(options) }?;
    let own = &parts.options;
    let is_extended = own.flags & WAYWARDEN_EXTENDED != 0;
    let cryptographic = identifier(own.cryptographic_identifier, is_extended)?;
    let is_secured = own.flags & WAYWARDEN_SECOC_SECURED_AREA != 0;
    if is_secured || own.padding != 0 || own.shortest != own.longest || cryptographic == parts.id {
        return Err(Status::Argument);
    }
    let carried = (parts.carrier, own.longest);
    let stream = SeparateStream::new(parts.profile, carried, (parts.name, cryptographic), KEY);
    let stream = stream.map_err(|_| Status::Stream)?;
    Ok(stream.with_data_id(parts.data_id).with_frame_id(parts.id))
}
