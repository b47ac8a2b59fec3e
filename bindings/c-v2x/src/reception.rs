//! Time, place and medium of reception.

use waywarden_c::status::Status;
use waywarden_v2x_input::time::At;
use waywarden_v2x_receiver::Reception;
use waywarden_v2x_security::MessageSource;
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, Psid, TwoDLocation};

use crate::error::Failure;
use crate::handle::{fill, moment};

/// `latitude` and `longitude` are to be used.
pub const WAYWARDEN_HAS_PLACE: u32 = 1;
/// `psid` is to be used.
pub const WAYWARDEN_HAS_PSID: u32 = 2;
/// The message came from a file of the caller's and not from strangers: it may have up to 16 MiB.
pub const WAYWARDEN_FROM_FILE: u32 = 4;

/// The message is judged at its generation time, whatever `at` is: for recordings.
pub const WAYWARDEN_AT_GENERATION: u32 = 8;

/// Time, place and medium of reception.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ReceptionOptions {
    /// Microseconds since 2004-01-01 (TAI) at which the message is judged; 0 for now.
    pub at: u64,
    /// The application that messages have to be of, with WAYWARDEN_HAS_PSID.
    pub psid: u64,
    /// Position of the receiver in 10^-7 degrees north, with WAYWARDEN_HAS_PLACE.
    pub latitude: i32,
    /// In 10^-7 degrees east.
    pub longitude: i32,
    /// Any of WAYWARDEN_HAS_PLACE, WAYWARDEN_HAS_PSID, WAYWARDEN_FROM_FILE,
    /// WAYWARDEN_AT_GENERATION.
    pub flags: u32,
}

/// Fills `reception` in for a message of a radio that is judged now.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_reception_init(reception: *mut ReceptionOptions) -> Status {
    let filled = ReceptionOptions {
        at: 0,
        psid: 0,
        latitude: 0,
        longitude: 0,
        flags: 0,
    };
    // SAFETY: by the caller.
    unsafe { fill(reception, filled) }
}

fn reception(options: &ReceptionOptions) -> Result<Reception, Failure> {
    let all =
        WAYWARDEN_HAS_PLACE | WAYWARDEN_HAS_PSID | WAYWARDEN_FROM_FILE | WAYWARDEN_AT_GENERATION;
    if options.flags & !all != 0 {
        return Err(Failure::argument("flags", "a bit that means nothing"));
    }
    let has = |flag| options.flags & flag != 0;
    let place = TwoDLocation {
        latitude: Latitude(options.latitude),
        longitude: Longitude(options.longitude),
    };
    let is_place = options.latitude.abs_diff(0) <= 900_000_000
        && options.longitude.abs_diff(0) <= 1_800_000_000;
    if has(WAYWARDEN_HAS_PLACE) && !is_place {
        let why = "no position in 10^-7 degrees";
        return Err(Failure::argument("latitude", why));
    }
    Ok(Reception {
        at: Some(match has(WAYWARDEN_AT_GENERATION) {
            true => At::Generation,
            false => At::Time(moment(options.at)),
        }),
        place: has(WAYWARDEN_HAS_PLACE).then_some(place),
        psid: has(WAYWARDEN_HAS_PSID).then_some(Psid(options.psid)),
        source: match has(WAYWARDEN_FROM_FILE) {
            true => MessageSource::File,
            false => MessageSource::Radio,
        },
    })
}

/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn of(reception: *const ReceptionOptions) -> Result<Reception, Failure> {
    // SAFETY: by the caller.
    match unsafe { reception.as_ref() } {
        Some(options) => self::reception(options),
        None => Ok(Reception {
            at: Some(At::Now),
            source: MessageSource::Radio,
            ..Reception::default()
        }),
    }
}
