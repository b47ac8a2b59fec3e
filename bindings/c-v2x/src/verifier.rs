//! A verifier that many threads share.

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_v2x_input::certificates::SignerKeys;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::time::{self, At};
use waywarden_v2x_receiver::{Receiver, ReceiverSettings};
use waywarden_v2x_security::Capacity;
use waywarden_v2x_security::profile::AcceptedNonceForm;

use std::sync::PoisonError;

use crate::error::{Error, Failure, answer};
use crate::handle::{MESSAGE_MAX, checked, copied, fill, free, give, moment, object};
use crate::reception::{ReceptionOptions, of};
use crate::trust::{Trust, untrusted};
use crate::verdict::Verdict;

/// Drops what ETSI TS 103 097 demands beyond IEEE 1609.2.
pub const WAYWARDEN_LENIENT: u32 = 1;
/// Takes an implicit certificate that a message brings as the issuer of another.
pub const WAYWARDEN_UNKNOWN_IMPLICIT_ISSUERS: u32 = 2;
/// Does not compare payloads with the certificate of their signer.
pub const WAYWARDEN_NO_PAYLOAD_CHECK: u32 = 4;

/// A message must give r as the profile of its application says.
pub const WAYWARDEN_NONCE_BY_PROFILE: u8 = 0;
/// A message may give r in any form.
pub const WAYWARDEN_NONCE_ANY: u8 = 1;
/// A message must give r as a point.
pub const WAYWARDEN_NONCE_POINT: u8 = 2;
/// A message must give r as an x-coordinate.
pub const WAYWARDEN_NONCE_X_ONLY: u8 = 3;

/// Most certificates or messages that may be remembered, and most threads and bytes of tables.
const COUNT_MAX: usize = 1 << 26;
const THREADS_MAX: usize = 1_024;
const TABLES_MAX: usize = 1 << 36;
/// Most messages of one call.
const MANY_MAX: usize = 1 << 20;

/// Settings of a verifier.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VerifierOptions {
    /// Certificates of messages that are remembered, 1 to 2^26.
    pub certificates: usize,
    /// Messages that are remembered, so that each is accepted once, 1 to 2^26.
    pub messages: usize,
    /// Bytes for tables of keys that are met again, of all threads together, 0 to 2^36.
    pub table_bytes: usize,
    /// Threads that have tables, 1 to 1,024.
    pub threads: usize,
    /// Any of WAYWARDEN_LENIENT, WAYWARDEN_UNKNOWN_IMPLICIT_ISSUERS, WAYWARDEN_NO_PAYLOAD_CHECK.
    pub flags: u32,
    /// WAYWARDEN_NONCE_BY_PROFILE and others.
    pub nonce_form: u8,
}

/// Verifies messages and certificates, from any number of threads at a time. It remembers the
/// certificates and messages that it accepted: a message is accepted once.
pub struct Verifier {
    receiver: Receiver,
}

/// Fills `options` in with what `waywarden verify` has: 4,096 certificates, 65,536 messages, a
/// thread for each core with 1 MiB of tables.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verifier_options_init(options: *mut VerifierOptions) -> Status {
    let default = ReceiverSettings::default();
    let Capacity {
        certificates,
        messages,
        table_bytes,
        ..
    } = default.capacity;
    let filled = VerifierOptions {
        certificates,
        messages,
        table_bytes,
        threads: default.threads,
        flags: 0,
        nonce_form: WAYWARDEN_NONCE_BY_PROFILE,
    };
    // SAFETY: by the caller.
    unsafe { fill(options, filled) }
}

fn within(place: &str, value: usize, least: usize, most: usize) -> Result<usize, Failure> {
    match (least..=most).contains(&value) {
        true => Ok(value),
        false => Err(Failure::argument(
            place,
            format_args!("{value}; give {least} to {most}"),
        )),
    }
}

fn settings(options: &VerifierOptions) -> Result<ReceiverSettings, Failure> {
    let all = WAYWARDEN_LENIENT | WAYWARDEN_UNKNOWN_IMPLICIT_ISSUERS | WAYWARDEN_NO_PAYLOAD_CHECK;
    if options.flags & !all != 0 {
        return Err(Failure::argument("flags", "a bit that means nothing"));
    }
    let has = |flag| options.flags & flag != 0;
    Ok(ReceiverSettings {
        capacity: Capacity {
            certificates: within("certificates", options.certificates, 1, COUNT_MAX)?,
            messages: within("messages", options.messages, 1, COUNT_MAX)?,
            table_bytes: within("table_bytes", options.table_bytes, 0, TABLES_MAX)?,
        },
        nonce_form: match options.nonce_form {
            WAYWARDEN_NONCE_BY_PROFILE => None,
            WAYWARDEN_NONCE_ANY => Some(AcceptedNonceForm::Any),
            WAYWARDEN_NONCE_POINT => Some(AcceptedNonceForm::Point),
            WAYWARDEN_NONCE_X_ONLY => Some(AcceptedNonceForm::XOnly),
            other => {
                let why = format!("{other}; give WAYWARDEN_NONCE_ANY or another");
                return Err(Failure::argument("nonce_form", why));
            }
        },
        is_lenient: has(WAYWARDEN_LENIENT),
        unknown_implicit_issuers: has(WAYWARDEN_UNKNOWN_IMPLICIT_ISSUERS),
        checks_payloads: !has(WAYWARDEN_NO_PAYLOAD_CHECK),
        at: At::Now,
        udp_ports: Vec::new(),
        threads: within("threads", options.threads, 1, THREADS_MAX)?,
    })
}

/// Makes a verifier with trust, which may be freed behind it. `options` may be null: then they are
/// those of `waywarden_verifier_options_init`.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT, _INPUT.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verifier_new(
    trust: *const Trust,
    options: *const VerifierOptions,
    verifier: *mut *mut Verifier,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            let trust = object(trust)?;
            let settings = options
                .as_ref()
                .map(settings)
                .transpose()?
                .unwrap_or_default();
            let mut made = settings.verifier();
            let sources = trust.sources.lock().unwrap_or_else(PoisonError::into_inner);
            let installed = sources.install(&mut made, time::now());
            drop(sources);
            let (loaded, _) = installed.map_err(|fault| untrusted(&fault))?;
            let receiver = Receiver::new(&settings, made, loaded, SignerKeys::default());
            give(verifier, Verifier { receiver })
        })
    }
}

/// Verifies a signed revocation list, and refuses from now on what it revokes. `at` is the time at
/// which it is judged, in microseconds since 2004 (TAI); 0 for now.
///
/// Refused with WAYWARDEN_STATUS_INPUT: nothing is revoked then.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verifier_apply_crl(
    verifier: *const Verifier,
    list: Bytes,
    at: u64,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            let verifier = object(verifier)?;
            let list = copied("list", list, MESSAGE_MAX)?;
            let applied = verifier.receiver.apply_crl(&list, moment(at));
            applied.map(drop).map_err(|refusal| {
                let why = format!("list: {refusal}; nothing was revoked");
                Failure::new(Status::Input, "list-refused", why).at("list")
            })
        })
    }
}

/// Verifies a message or certificate, and makes a verdict. `reception` may be null: a message of a
/// radio that is judged now. A message that cannot be read or is refused is no error: the verdict
/// says it.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT.
///
/// Time: at most three signatures of a radio's message; hashing of its bytes.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verifier_verify(
    verifier: *const Verifier,
    message: Bytes,
    reception: *const ReceptionOptions,
    verdict: *mut *mut Verdict,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            checked(verdict)?;
            let verifier = object(verifier)?;
            let reception = of(reception)?;
            let record = record("message", message)?;
            let made = verifier.receiver.verify(&record, &reception);
            give(verdict, Verdict::of(made, &record.place)?)
        })
    }
}

/// Verifies `count` messages as if one came after the other, on up to `threads` threads, and makes
/// as many verdicts. Their number changes how long it takes and no verdict.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT: nothing is verified, and no verdict made, then.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verifier_verify_many(
    verifier: *const Verifier,
    messages: *const Bytes,
    count: usize,
    reception: *const ReceptionOptions,
    threads: usize,
    verdicts: *mut *mut Verdict,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            let verifier = object(verifier)?;
            let threads = within("threads", threads, 1, THREADS_MAX)?;
            within("count", count, 0, MANY_MAX)?;
            if count == 0 {
                return Ok(());
            }
            checked(verdicts)?;
            checked(messages.cast_mut())?;
            let reception = of(reception)?;
            let given = std::slice::from_raw_parts(messages, count);
            let records = given.iter().enumerate();
            let records = records.map(|(at, one)| record(&format!("messages[{at}]"), *one));
            let records: Vec<InputRecord> = records.collect::<Result<_, _>>()?;
            let made = verifier.receiver.verify_many(records, &reception, threads);
            let made = made.into_iter().enumerate();
            let made = made.map(|(at, one)| Verdict::of(one, &format!("messages[{at}]")));
            for (at, one) in made.collect::<Result<Vec<_>, _>>()?.into_iter().enumerate() {
                give(verdicts.add(at), one)?;
            }
            Ok(())
        })
    }
}

/// # Safety
/// See [the rules on pointers](crate).
unsafe fn record(place: &str, message: Bytes) -> Result<InputRecord, Failure> {
    // SAFETY: by the caller.
    let bytes = unsafe { copied(place, message, MESSAGE_MAX) }?;
    Ok(InputRecord::of(place.to_owned(), bytes))
}

/// Forgets messages that are too old to come again under any profile: more than ten minutes before
/// `at`, microseconds since 2004 (TAI), 0 for now. To be called every now and then.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verifier_forget_old(
    verifier: *const Verifier,
    at: u64,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(std::ptr::null_mut(), || {
            object(verifier)?.receiver.forget_old(moment(at));
            Ok(())
        })
    }
}

/// Frees a verifier, which no thread uses any more; null is allowed.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_verifier_free(verifier: *mut Verifier) {
    // SAFETY: by the caller.
    unsafe { free(verifier) }
}
