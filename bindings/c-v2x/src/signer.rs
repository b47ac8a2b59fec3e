//! Signing payloads.

use std::ffi::{CString, c_char};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_command_line::exit;
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::key_store::MemoryKeys;
use waywarden_pki_folder::passphrase::{Passphrase, Passphrases};
use waywarden_pki_folder::random;
use waywarden_pki_folder::signer::{MessageForm, PayloadSigner, SigningFault};
use waywarden_v2x_input::records::show;
use waywarden_v2x_keys::NonceForm;
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, Elevation, Latitude, Longitude, Psid, ThreeDLocation, Time64,
};
use zeroize::Zeroizing;

use crate::buffer::{Buffer, hand_over};
use crate::error::{Error, Failure, answer, c_text};
use crate::handle::{checked, copied, fill, free, give, moment, object, path, text};

/// The longest payload, in bytes.
pub(crate) const PAYLOAD_MAX: usize = 1 << 20;
/// Most certificates above that of a signer.
const CHAIN_MAX: usize = 16;

/// The message has the certificate of its signer.
pub const WAYWARDEN_SIGNER_CERTIFICATE: u8 = 0;
/// The message has the hash of the certificate.
pub const WAYWARDEN_SIGNER_DIGEST: u8 = 1;
/// The message has the certificates up to the root.
pub const WAYWARDEN_SIGNER_CHAIN: u8 = 2;

/// The header has a generation location.
pub const WAYWARDEN_HAS_LOCATION: u32 = 1;
/// The header has an expiry time.
pub const WAYWARDEN_HAS_LIFETIME: u32 = 2;
/// r is given as an x-coordinate.
pub const WAYWARDEN_X_ONLY: u32 = 4;
/// Messages that deviate from the profile of the application are signed, too.
pub const WAYWARDEN_SIGN_LENIENT: u32 = 8;

/// Header and form of a message.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MessageOptions {
    /// The application: 36 for CAM, 37 for DENM, 32 for BSM.
    pub psid: u64,
    /// Generation time in microseconds since 2004 (TAI); 0 for now.
    pub time: u64,
    /// Generation location in 10^-7 degrees north, with WAYWARDEN_HAS_LOCATION.
    pub latitude: i32,
    /// In 10^-7 degrees east.
    pub longitude: i32,
    /// In 10^-1 metres above the ellipsoid, -4,095 to 61,439.
    pub elevation: i32,
    /// Milliseconds until the message expires, 1 to 65,535, with WAYWARDEN_HAS_LIFETIME.
    pub lifetime: u16,
    /// WAYWARDEN_SIGNER_CERTIFICATE and others.
    pub signer: u8,
    /// Any of WAYWARDEN_HAS_LOCATION, WAYWARDEN_HAS_LIFETIME, WAYWARDEN_X_ONLY,
    /// WAYWARDEN_SIGN_LENIENT.
    pub flags: u32,
}

/// Signs payloads with a certificate and its private key. Any number of threads may use it; they
/// take turns.
pub struct Signer {
    signer: Mutex<PayloadSigner<MemoryKeys>>,
    certificate: Vec<u8>,
    id: CString,
}

/// Returns the failure of a file, a folder or the operating system.
pub(crate) fn refused(failure: &exit::Failure) -> Failure {
    let text = failure.lines().join("\n");
    Failure::new(Status::Input, "credential", text)
}

/// Returns the passphrase of a key file; none if it has no bytes.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn passphrases(from: Bytes) -> Result<Passphrases<'static>, Failure> {
    // SAFETY: by the caller.
    Ok(Passphrases::known(unsafe { passphrase(from) }?))
}

/// Reads a passphrase; none without bytes.
///
/// # Safety
/// See [the rules on pointers](crate).
pub(crate) unsafe fn passphrase(from: Bytes) -> Result<Option<Passphrase>, Failure> {
    // SAFETY: by the caller.
    let bytes = unsafe { copied("passphrase", from, 1 << 16) }?;
    Ok((!bytes.is_empty()).then(|| Passphrase::of_secret(Zeroizing::new(bytes))))
}

impl Signer {
    fn of(
        identity: &CredentialIdentity,
        chain: &[PathBuf],
        (time, index): (Time64, u8),
        passphrases: &mut Passphrases<'_>,
    ) -> Result<Self, Failure> {
        let held = identity.signer(chain, time, index, passphrases);
        let held = held.map_err(|failure| refused(&failure))?;
        let credential = held.credential_in_memory(passphrases);
        let (store, credential) = credential.map_err(|failure| refused(&failure))?;
        let seeds = random::seeds().map_err(|failure| refused(&failure))?;
        Ok(Self {
            certificate: held.certificate,
            id: c_text(&show(&credential.certificate().id().0)),
            signer: Mutex::new(PayloadSigner::new(store, credential, seeds)),
        })
    }
}

/// Takes a certificate and its private key in files, PKCS#8 (`.p8`) or raw bytes (`.vkey`), with
/// the `count` files of the certificates above it. `passphrase` has no bytes for a key that is not
/// encrypted.
///
/// Refused with WAYWARDEN_STATUS_INPUT: a file that cannot be used, a key that is not the
/// certificate's, a wrong passphrase.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_signer_from_files(
    certificate: *const c_char,
    key: *const c_char,
    chain: *const *const c_char,
    count: usize,
    passphrase: Bytes,
    signer: *mut *mut Signer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(signer)?;
            let identity = CredentialIdentity::in_files(path(certificate)?, path(key)?);
            if count > CHAIN_MAX {
                let why = format!("{count} certificates; at most {CHAIN_MAX}");
                return Err(Failure::argument("chain", why));
            }
            let above = match count {
                0 => Vec::new(),
                _ => {
                    checked(chain.cast_mut())?;
                    let given = std::slice::from_raw_parts(chain, count).iter();
                    given.map(|one| path(*one)).collect::<Result<_, _>>()?
                }
            };
            let mut passphrases = passphrases(passphrase)?;
            let made = Signer::of(&identity, &above, (moment(0), 0), &mut passphrases)?;
            give(signer, made)
        })
    }
}

/// Takes a certificate of a PKI in a folder, as `waywarden pki` makes it, by its name or HashedId8:
/// of several the newest that is valid at `at`, microseconds since 2004 (TAI), 0 for now. Of a
/// vehicle with pseudonyms it is the one with this index in the week.
///
/// Refused with WAYWARDEN_STATUS_INPUT.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_signer_from_pki(
    folder: *const c_char,
    name: *const c_char,
    at: u64,
    index: u8,
    passphrase: Bytes,
    signer: *mut *mut Signer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(signer)?;
            let name = text("name", name)?.to_owned();
            let identity = CredentialIdentity::in_pki(path(folder)?, name);
            let mut passphrases = passphrases(passphrase)?;
            let made = Signer::of(&identity, &[], (moment(at), index), &mut passphrases)?;
            give(signer, made)
        })
    }
}

/// Fills `options` in for a message of an application, made now, with the signer's certificate and
/// neither location nor expiry time.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_message_options_init(
    options: *mut MessageOptions,
    psid: u64,
) -> Status {
    let filled = MessageOptions {
        psid,
        time: 0,
        latitude: 0,
        longitude: 0,
        elevation: 0,
        lifetime: 0,
        signer: WAYWARDEN_SIGNER_CERTIFICATE,
        flags: 0,
    };
    // SAFETY: by the caller.
    unsafe { fill(options, filled) }
}

fn form(options: &MessageOptions) -> Result<MessageForm, Failure> {
    let all =
        WAYWARDEN_HAS_LOCATION | WAYWARDEN_HAS_LIFETIME | WAYWARDEN_X_ONLY | WAYWARDEN_SIGN_LENIENT;
    if options.flags & !all != 0 {
        return Err(Failure::argument("flags", "a bit that means nothing"));
    }
    let has = |flag| options.flags & flag != 0;
    Ok(MessageForm {
        psid: Psid(options.psid),
        location: has(WAYWARDEN_HAS_LOCATION)
            .then(|| place(options))
            .transpose()?,
        lifetime: match (has(WAYWARDEN_HAS_LIFETIME), options.lifetime) {
            (false, _) => None,
            (true, 0) => return Err(Failure::argument("lifetime", "0; give 1 to 65535")),
            (true, lifetime) => Some(Duration::Milliseconds(lifetime)),
        },
        answer_key: None,
        signer: match options.signer {
            WAYWARDEN_SIGNER_CERTIFICATE => SignerForm::Certificate,
            WAYWARDEN_SIGNER_DIGEST => SignerForm::Digest,
            WAYWARDEN_SIGNER_CHAIN => SignerForm::Chain,
            other => {
                let why = format!("{other}; give WAYWARDEN_SIGNER_DIGEST or another");
                return Err(Failure::argument("signer", why));
            }
        },
        nonce: match has(WAYWARDEN_X_ONLY) {
            true => NonceForm::XOnly,
            false => NonceForm::Point,
        },
    })
}

fn place(options: &MessageOptions) -> Result<ThreeDLocation, Failure> {
    let elevation = Elevation::from_decimetres(options.elevation);
    let is_place = options.latitude.abs_diff(0) <= 900_000_000
        && options.longitude.abs_diff(0) <= 1_800_000_000;
    match (elevation, is_place) {
        (Some(elevation), true) => Ok(ThreeDLocation {
            latitude: Latitude(options.latitude),
            longitude: Longitude(options.longitude),
            elevation,
        }),
        _ => Err(Failure::argument(
            "latitude",
            "no position in 10^-7 degrees and 10^-1 metres",
        )),
    }
}

fn unsigned(fault: &SigningFault) -> Failure {
    let (code, place) = match fault {
        SigningFault::NoLocation(_) => ("profile", "latitude"),
        SigningFault::NoExpiry(_) => ("profile", "lifetime"),
        SigningFault::Deviations(..) => ("profile", "payload"),
        SigningFault::Signing(_) => ("not-signed", "payload"),
    };
    Failure::new(Status::Refused, code, fault).at(place)
}

/// Signs a payload of at most 1 MiB, and writes secured data of IEEE 1609.2.
///
/// Refused with WAYWARDEN_STATUS_REFUSED where the certificate does not permit the message or the
/// profile of the application demands something else, _ARGUMENT.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_signer_sign(
    signer: *const Signer,
    payload: Bytes,
    options: *const MessageOptions,
    message: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(message)?;
            let (signer, options) = (object(signer)?, object(options)?);
            let payload = copied("payload", payload, PAYLOAD_MAX)?;
            let form = form(options)?;
            let is_lenient = options.flags & WAYWARDEN_SIGN_LENIENT != 0;
            if !is_lenient {
                form.check().map_err(|fault| unsigned(&fault))?;
            }
            let mut own = signer.signer.lock().unwrap_or_else(PoisonError::into_inner);
            let signed = own.sign(&payload, &form, moment(options.time));
            drop(own);
            let signed = signed.map_err(|fault| unsigned(&fault))?;
            if !is_lenient {
                form.check_signed(&signed)
                    .map_err(|fault| unsigned(&fault))?;
            }
            hand_over(message, signed.to_vec())
        })
    }
}

/// Returns the certificate, which lives as long as the signer; no bytes for null.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_signer_certificate(signer: *const Signer) -> Bytes {
    // SAFETY: by the caller.
    let certificate = unsafe { signer.as_ref() }.map(|own| own.certificate.as_slice());
    Bytes {
        data: certificate.map_or(std::ptr::null(), <[u8]>::as_ptr),
        length: certificate.map_or(0, <[u8]>::len),
    }
}

/// Returns the HashedId8 of the certificate, in hexadecimal digits, which lives as long as the
/// signer; null for null.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_signer_id(signer: *const Signer) -> *const c_char {
    // SAFETY: by the caller.
    unsafe { signer.as_ref() }.map_or(std::ptr::null(), |own| own.id.as_ptr())
}

/// Wipes the key of a signer and frees it; null is allowed.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_signer_free(signer: *mut Signer) {
    // SAFETY: by the caller.
    unsafe { free(signer) }
}
