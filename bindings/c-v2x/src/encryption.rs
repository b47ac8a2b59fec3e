//! Encryption and decryption of messages.

use std::ffi::c_char;

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::envelope::{self, Addressees, Content, EnvelopeFault, SharedKey};
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_signing::RECIPIENTS_MAX;

use crate::buffer::{Buffer, hand_over};
use crate::error::{Error, Failure, answer};
use crate::handle::{MESSAGE_MAX, checked, copied, path};
use crate::signer::{PAYLOAD_MAX, passphrases, refused};

fn not_done(fault: &EnvelopeFault) -> Failure {
    match fault {
        EnvelopeFault::Failure(failure) => refused(failure),
        EnvelopeFault::NotDecrypted(_) => {
            Failure::new(Status::Refused, "not-decrypted", fault).at("message")
        }
        EnvelopeFault::Recipient(..) => Failure::argument("certificates", fault),
        EnvelopeFault::Shared(_) => Failure::argument("shared_key", fault),
        EnvelopeFault::NotSecured(_) => {
            let why = format!("{fault}; is_payload takes any bytes");
            Failure::argument("data", why)
        }
        EnvelopeFault::Data(_) => Failure::argument("data", fault),
    }
}

/// # Safety
/// See [the rules on pointers](crate). The key has 16 bytes.
unsafe fn shared(key: *const u8) -> Option<SharedKey> {
    // SAFETY: null or 16 bytes, by the caller.
    let key = unsafe { key.cast::<[u8; 16]>().as_ref() };
    key.map(|key| SharedKey::new(*key))
}

/// Encrypts data with AES-128-CCM: to the holders of `count` certificates, which have encryption
/// keys, or under the 16 bytes of `shared_key`; the other is 0 and null. `data` is secured data of
/// IEEE 1609.2 as `waywarden_signer_sign` makes it; with `is_payload` any bytes.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_encrypt(
    data: Bytes,
    is_payload: bool,
    certificates: *const Bytes,
    count: usize,
    shared_key: *const u8,
    message: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(message)?;
            let data = copied("data", data, PAYLOAD_MAX)?;
            let shared = shared(shared_key);
            if (count == 0) == shared.is_none() || count > RECIPIENTS_MAX {
                let why = format!("give 1 to {RECIPIENTS_MAX} certificates, or shared_key");
                return Err(Failure::argument("certificates", why));
            }
            let holders = match count {
                0 => Vec::new(),
                _ => {
                    checked(certificates.cast_mut())?;
                    let given = std::slice::from_raw_parts(certificates, count).iter();
                    let all = given.map(|one| copied("certificates", *one, PAYLOAD_MAX));
                    all.collect::<Result<_, _>>()?
                }
            };
            let content = match is_payload {
                true => Content::Payload(&data),
                false => Content::Secured(&data),
            };
            let addressees = shared.as_ref();
            let addressees = addressees.map_or(Addressees::Holders(&holders), Addressees::Shared);
            let sealed = envelope::seal(content, addressees).map_err(|fault| not_done(&fault))?;
            hand_over(message, sealed)
        })
    }
}

/// Decrypts a message with the private key in the file `key` of the certificate in the file
/// `certificate`, both null without, or under the 16 bytes of `shared_key`, null without. Writes
/// the secured data in it, which is not verified.
///
/// Refused with WAYWARDEN_STATUS_REFUSED for a message that is for other keys or was changed,
/// _ARGUMENT, _INPUT for files.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_decrypt(
    message: Bytes,
    certificate: *const c_char,
    key: *const c_char,
    passphrase: Bytes,
    shared_key: *const u8,
    data: *mut Buffer,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(data)?;
            let bytes = copied("message", message, MESSAGE_MAX)?;
            let shared = shared(shared_key);
            let identity = match (certificate.is_null(), key.is_null()) {
                (true, true) if shared.is_some() => None,
                (false, false) => {
                    Some(CredentialIdentity::in_files(path(certificate)?, path(key)?))
                }
                _ => {
                    let why = "give certificate and key, or shared_key";
                    return Err(Failure::argument("certificate", why));
                }
            };
            let mut passphrases = passphrases(passphrase)?;
            let record = InputRecord::of("message".to_owned(), bytes);
            let spdu = record.find().map_or(&record.bytes[..], |found| found.spdu);
            let opened = envelope::open(spdu, identity.as_ref(), shared.as_ref(), &mut passphrases);
            let opened = opened.map_err(|fault| not_done(&fault))?;
            hand_over(data, opened.to_vec())
        })
    }
}
