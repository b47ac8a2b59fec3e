//! Encryption and decryption of messages.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::directory::certificate;
use waywarden_pki_folder::envelope::{self, Addressees, Content, EnvelopeFault, SharedKey};
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_signing::RECIPIENTS_MAX;
use zeroize::Zeroizing;

use super::arguments::{bytes, message, passphrases};
use super::refusal::{with_warnings, wrong};
use super::signer::{payload_of, refused, secret};
use crate::error::Failure;

/// Encrypts data with AES-128-CCM, to the holders of certificates or under a shared key.
///
/// Parameters
/// ----------
/// data : bytes-like
///     Secured data of IEEE 1609.2, as `Signer.sign` makes it; with `payload` any bytes.
/// to : bytes-like or path, or several
///     Certificates with encryption keys.
/// pre_shared_key : bytes-like, optional
///     A key of AES-128, in place of `to`.
/// payload : bool
///     The data is a payload, which becomes unsecured data.
///
/// Returns
/// -------
/// bytes
///     Encrypted data of IEEE 1609.2.
///
/// Raises
/// ------
/// InputError
///     Data, a certificate or a key that cannot be used.
#[pyfunction]
#[pyo3(signature = (data, /, to = None, *, pre_shared_key = None, payload = false))]
pub(crate) fn encrypt<'py>(
    py: Python<'py>,
    data: Bound<'py, PyAny>,
    to: Option<Bound<'py, PyAny>>,
    pre_shared_key: Option<Bound<'py, PyAny>>,
    payload: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let data = payload_of(&data, "data")?;
    let shared = pre_shared_key.map(|key| shared_key(&key)).transpose()?;
    let recipients = match (&to, &shared) {
        (Some(to), None) => certificates(to)?,
        (None, Some(_)) => Vec::new(),
        _ => return Err(wrong("to", "give certificates, or a pre_shared_key").into()),
    };
    let sealed = py.detach(|| sealed(&data, payload, &recipients, shared.as_ref()))?;
    Ok(PyBytes::new(py, &sealed))
}

/// Decrypts a message, and returns the secured data in it, which is not verified.
///
/// Parameters
/// ----------
/// message : bytes-like, str or Record
///     The message.
/// certificate, key : path, optional
///     The certificate and the private key that decrypts, in files.
/// pki, name : path and str, optional
///     A PKI in a folder, and the name of the certificate in it.
/// pre_shared_key : bytes-like, optional
///     A key of AES-128.
/// passphrase : str or bytes, optional
///     The passphrase of the private key.
///
/// Returns
/// -------
/// bytes
///     The secured data.
///
/// Raises
/// ------
/// RefusedError
///     The message is for other keys, or was changed.
/// TrustError, InputError
///     A certificate, key or argument that cannot be used.
#[pyfunction]
#[pyo3(signature = (
    message, /, *, certificate = None, key = None, pki = None, name = None,
    pre_shared_key = None, passphrase = None,
))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn decrypt<'py>(
    py: Python<'py>,
    message: Bound<'py, PyAny>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    pki: Option<PathBuf>,
    name: Option<String>,
    pre_shared_key: Option<Bound<'py, PyAny>>,
    passphrase: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let record = self::message(&message, "message")?;
    let passphrase = secret(passphrase.as_ref())?;
    let shared = pre_shared_key.map(|key| shared_key(&key)).transpose()?;
    let identity = match (certificate, key, pki, name) {
        (Some(certificate), Some(key), None, None) => {
            Some(CredentialIdentity::in_files(certificate, key))
        }
        (None, None, Some(folder), Some(name)) => Some(CredentialIdentity::in_pki(folder, name)),
        (None, None, None, None) if shared.is_some() => None,
        _ => {
            let why = "give certificate and key, pki and name, or pre_shared_key";
            return Err(wrong("certificate", why).into());
        }
    };
    let opened = with_warnings(py, || {
        opened(&record, identity.as_ref(), shared.as_ref(), passphrase)
    })?;
    Ok(PyBytes::new(py, &opened))
}

fn shared_key(value: &Bound<'_, PyAny>) -> PyResult<SharedKey> {
    let key = bytes(value)?.map(Zeroizing::new);
    let key = key.and_then(|key| <[u8; 16]>::try_from(key.as_slice()).ok());
    let key = key.ok_or_else(|| wrong("pre_shared_key", "give the 16 bytes of a key of AES-128"));
    Ok(Zeroizing::new(key?))
}

/// Takes certificates: one, or several.
fn certificates(to: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u8>>> {
    let one = |value: &Bound<'_, PyAny>| -> PyResult<Option<Vec<u8>>> {
        if value.cast::<PyString>().is_err()
            && let Some(bytes) = bytes(value)?
        {
            return Ok(Some(bytes));
        }
        let Ok(path) = value.extract::<PathBuf>() else {
            return Ok(None);
        };
        let read = certificate(&path).map_err(|failure| refused(failure.lines()));
        Ok(Some(read?))
    };
    if let Some(only) = one(to)? {
        return Ok(vec![only]);
    }
    let mut all = Vec::new();
    for value in to.try_iter()? {
        let Some(bytes) = one(&value?)? else {
            return Err(wrong("to", "give certificates: bytes or paths").into());
        };
        if all.len() == RECIPIENTS_MAX {
            let why = format!("more than {RECIPIENTS_MAX} recipients; encrypt in parts");
            return Err(wrong("to", why).into());
        }
        all.push(bytes);
    }
    match all.is_empty() {
        false => Ok(all),
        true => Err(wrong("to", "no recipient; give a certificate").into()),
    }
}

fn sealed(
    data: &[u8],
    is_payload: bool,
    recipients: &[Vec<u8>],
    shared: Option<&SharedKey>,
) -> Result<Vec<u8>, Failure> {
    let content = match is_payload {
        true => Content::Payload(data),
        false => Content::Secured(data),
    };
    let addressees = shared.map_or(Addressees::Holders(recipients), Addressees::Shared);
    envelope::seal(content, addressees).map_err(|fault| not_done(&fault, "data"))
}

fn opened(
    record: &InputRecord,
    identity: Option<&CredentialIdentity>,
    shared: Option<&SharedKey>,
    passphrase: Option<Vec<u8>>,
) -> Result<Vec<u8>, Failure> {
    let spdu = record.find().map_or(&record.bytes[..], |found| found.spdu);
    let plain = envelope::open(spdu, identity, shared, &mut passphrases(passphrase));
    let plain = plain.map_err(|fault| not_done(&fault, &record.place))?;
    Ok(plain.to_vec())
}

fn not_done(fault: &EnvelopeFault, place: &str) -> Failure {
    match fault {
        EnvelopeFault::NotSecured(_) => {
            let why = format!("{fault}; give payload=True for any bytes");
            wrong(place, why)
        }
        EnvelopeFault::Recipient(at, why) => wrong(&format!("to[{at}]"), why),
        EnvelopeFault::Shared(why) => wrong("pre_shared_key", why),
        EnvelopeFault::Data(why) => wrong(place, why),
        EnvelopeFault::Failure(failure) => refused(failure.lines()),
        EnvelopeFault::NotDecrypted(why) => {
            let failure = Failure::new("RefusedError", format_args!("{place}: {why}"));
            failure.code("not-decrypted").place(place)
        }
    }
}
