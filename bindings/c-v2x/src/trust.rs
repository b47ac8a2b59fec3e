//! Trusted certificates.

use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

use waywarden_c::status::Status;
use waywarden_c::verification::Bytes;
use waywarden_pki_folder::trust::{SourceFault, TrustSources};

use crate::error::{Error, Failure, answer};
use crate::handle::{MESSAGE_MAX, copied, free, give, object, path};

/// The certificates that a receiver is to trust. Any number of threads may use it.
pub struct Trust {
    pub(crate) sources: Mutex<TrustSources>,
}

pub(crate) fn untrusted(fault: &SourceFault) -> Failure {
    let code = match fault {
        SourceFault::Certificates(problem) => problem.code(),
        SourceFault::Store(_) => "trust-store",
    };
    let failure = Failure::new(Status::Input, code, fault);
    match fault {
        SourceFault::Certificates(problem) => match problem.place() {
            Some(place) => failure.at(place),
            None => failure,
        },
        SourceFault::Store(_) => failure,
    }
}

/// Makes trust in nothing.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_trust_new(trust: *mut *mut Trust) -> Status {
    let made = Trust {
        sources: Mutex::default(),
    };
    // SAFETY: by the caller.
    unsafe { answer(std::ptr::null_mut(), || give(trust, made)) }
}

/// Adds the certificates of a folder or a file, or a trust store of `waywarden pki trust`. Those
/// that issued themselves are trusted; others are taken if their chain ends at one of those.
///
/// Refused with WAYWARDEN_STATUS_INPUT if it cannot be read, or has no certificate.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_trust_add_path(
    trust: *mut Trust,
    path: *const c_char,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            let (trust, path) = (object(trust)?, self::path(path)?);
            let mut sources = trust.sources.lock().unwrap_or_else(PoisonError::into_inner);
            sources.add_path(&path).map_err(|fault| untrusted(&fault))
        })
    }
}

/// Adds a certificate.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_trust_add_certificate(
    trust: *mut Trust,
    certificate: Bytes,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: by the caller.
    unsafe {
        answer(error, || {
            let trust = object(trust)?;
            let bytes = copied("certificate", certificate, MESSAGE_MAX)?;
            let mut sources = trust.sources.lock().unwrap_or_else(PoisonError::into_inner);
            let added = sources.add_certificate("certificate", &bytes);
            added.map_err(|fault| untrusted(&fault))
        })
    }
}

/// Frees trust; null is allowed. Verifiers that were made with it go on.
///
/// # Safety
/// See [the rules on pointers](crate).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_trust_free(trust: *mut Trust) {
    // SAFETY: by the caller.
    unsafe { free(trust) }
}
