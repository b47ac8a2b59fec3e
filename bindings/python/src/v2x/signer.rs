//! Signing payloads.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use waywarden_ecverify::Curve;
use waywarden_pki_folder::credential::CredentialIdentity;
use waywarden_pki_folder::key_store::MemoryKeys;
use waywarden_pki_folder::signer::{MessageForm, PayloadSigner, SigningFault};
use waywarden_pki_folder::{public, random, region};
use waywarden_v2x_input::records::show;
use waywarden_v2x_input::time::{self, At};
use waywarden_v2x_keys::NonceForm;
use waywarden_v2x_signing::{SignerForm, wire_key};
use waywarden_v2x_wire::ieee1609dot2::{Duration, ThreeDLocation, Time64};

use super::arguments::{at, bytes, passphrases, psid};
use super::refusal::{with_warnings, wrong};
use crate::error::Failure;

/// The longest payload, in bytes.
const PAYLOAD_MAX: usize = 1 << 20;

/// Longest lifetime of a message in seconds: what ten-minute units can say, and no more.
const LIFETIME_MAX: f64 = 65_535.0;

/// Returns the exception for what the folder of a PKI or a key refuses.
pub(super) fn refused(lines: &[String]) -> Failure {
    // The name of the argument here.
    let text = lines
        .join("\n")
        .replace("give passphrase_file", "give passphrase");
    Failure::new("TrustError", text).code("credential")
}

/// Signs payloads with a certificate and its private key.
///
/// May be used from any number of threads; they take turns.
///
/// Parameters
/// ----------
/// certificate : path
///     The certificate, in a file.
/// key : path
///     Its private key: PKCS#8 (`.p8`) or raw bytes (`.vkey`).
/// chain : paths
///     The certificates above it, up to the root.
/// passphrase : str or bytes, optional
///     The passphrase of an encrypted key.
///
/// Raises
/// ------
/// TrustError
///     A file that cannot be used, a key that is not the certificate's, a wrong passphrase.
#[pyclass(module = "waywarden.v2x", frozen)]
pub(crate) struct Signer {
    signer: Mutex<PayloadSigner<MemoryKeys>>,
    certificate: Vec<u8>,
    id: String,
}

/// The place of a certificate among several.
struct Selection {
    chain: Vec<PathBuf>,
    time: Time64,
    index: u8,
}

impl Signer {
    fn of(
        identity: &CredentialIdentity,
        selection: &Selection,
        passphrase: Option<Vec<u8>>,
    ) -> Result<Self, Failure> {
        let mut passphrases = passphrases(passphrase);
        let Selection { chain, time, index } = selection;
        let held = identity.signer(chain, *time, *index, &mut passphrases);
        let held = held.map_err(|failure| refused(failure.lines()))?;
        let credential = held.credential_in_memory(&mut passphrases);
        let (store, credential) = credential.map_err(|failure| refused(failure.lines()))?;
        let seeds = random::seeds().map_err(|failure| refused(failure.lines()))?;
        let verified = credential.certificate();
        Ok(Self {
            certificate: held.certificate,
            id: show(&verified.id().0),
            signer: Mutex::new(PayloadSigner::new(store, credential, seeds)),
        })
    }
}

#[pymethods]
impl Signer {
    #[new]
    #[pyo3(signature = (certificate, key, *, chain = Vec::new(), passphrase = None))]
    #[pyo3(text_signature = "(certificate, key, *, chain=(), passphrase=None)")]
    fn new(
        py: Python<'_>,
        certificate: PathBuf,
        key: PathBuf,
        chain: Vec<PathBuf>,
        passphrase: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let passphrase = secret(passphrase.as_ref())?;
        let identity = CredentialIdentity::in_files(certificate, key);
        let selection = Selection {
            chain,
            time: time::now(),
            index: 0,
        };
        with_warnings(py, || Self::of(&identity, &selection, passphrase))
    }

    /// Takes a certificate of a PKI in a folder, as `waywarden pki` makes it.
    ///
    /// Parameters
    /// ----------
    /// folder : path
    ///     The folder of the PKI.
    /// name : str
    ///     The name or HashedId8 of the certificate; of several the newest that is valid.
    /// at : str, int or datetime.datetime, optional
    ///     The time at which it is to be valid; by default now.
    /// index : int
    ///     Among the certificates that a vehicle has for a week: 0 to 255.
    /// passphrase : str or bytes, optional
    ///     The passphrase of the keys.
    ///
    /// Raises
    /// ------
    /// TrustError
    ///     No such certificate, a key that cannot be opened.
    #[staticmethod]
    #[pyo3(signature = (folder, name, *, at = None, index = 0, passphrase = None))]
    pub(super) fn from_pki(
        py: Python<'_>,
        folder: PathBuf,
        name: String,
        at: Option<Bound<'_, PyAny>>,
        index: u8,
        passphrase: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let passphrase = secret(passphrase.as_ref())?;
        let selection = Selection {
            chain: Vec::new(),
            time: made(at.as_ref(), "at")?,
            index,
        };
        let identity = CredentialIdentity::in_pki(folder, name);
        with_warnings(py, || Self::of(&identity, &selection, passphrase))
    }

    /// Signs a payload.
    ///
    /// Parameters
    /// ----------
    /// payload : bytes-like
    ///     At most 1 MiB.
    /// psid : int or str
    ///     The application: a number, or as text a name such as CAM, DENM or BSM, "0x24", or
    ///     p-encoded "0p24".
    /// time : str, int or datetime.datetime, optional
    ///     Generation time; by default now.
    /// location : (float, float) or (float, float, float), optional
    ///     Generation location: degrees north and east, and metres above the ellipsoid.
    /// lifetime : float, optional
    ///     Seconds until the message expires: 0.001 to 65,535.
    /// signer : str
    ///     How the message names its signer: "certificate", "digest" or "chain".
    /// x_only : bool
    ///     Give r as an x-coordinate.
    /// answer_key : path, optional
    ///     A public key for the header, to which answers are encrypted.
    /// lenient : bool
    ///     Sign messages that deviate from the profile of the application.
    ///
    /// Returns
    /// -------
    /// bytes
    ///     Secured data of IEEE 1609.2.
    ///
    /// Raises
    /// ------
    /// RefusedError
    ///     The certificate does not permit the message, or the profile demands something else.
    /// InputError
    ///     An argument that cannot be used.
    #[pyo3(signature = (
        payload, /, psid, *, time = None, location = None, lifetime = None,
        signer = "certificate", x_only = false, answer_key = None, lenient = false,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        payload: Bound<'py, PyAny>,
        psid: Bound<'py, PyAny>,
        time: Option<Bound<'py, PyAny>>,
        location: Option<Vec<f64>>,
        lifetime: Option<f64>,
        signer: &str,
        x_only: bool,
        answer_key: Option<PathBuf>,
        lenient: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let payload = payload_of(&payload, "payload")?;
        let made = made(time.as_ref(), "time")?;
        let form = MessageForm {
            psid: self::psid(&psid)?,
            location: location.map(|place| place_of(&place)).transpose()?,
            lifetime: lifetime.map(duration).transpose()?,
            answer_key: answer_key.map(|path| key_of(&path)).transpose()?,
            signer: match signer {
                "certificate" => SignerForm::Certificate,
                "digest" => SignerForm::Digest,
                "chain" => SignerForm::Chain,
                _ => {
                    let why = format!("{signer:?}; give certificate, digest or chain");
                    return Err(wrong("signer", why).into());
                }
            },
            nonce: match x_only {
                true => NonceForm::XOnly,
                false => NonceForm::Point,
            },
        };
        let signed = py.detach(|| -> Result<_, SigningFault> {
            if !lenient {
                form.check()?;
            }
            let mut own = self.signer.lock().unwrap_or_else(PoisonError::into_inner);
            let signed = own.sign(&payload, &form, made)?;
            drop(own);
            if !lenient {
                form.check_signed(&signed)?;
            }
            Ok(signed)
        });
        let signed = signed.map_err(|fault| unsigned(&fault))?;
        Ok(PyBytes::new(py, &signed))
    }

    /// HashedId8 of the certificate, in hexadecimal digits.
    #[getter]
    fn id(&self) -> &str {
        &self.id
    }

    /// The certificate.
    #[getter]
    fn certificate<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.certificate)
    }

    fn __repr__(&self) -> String {
        format!("<Signer {}>", self.id)
    }
}

fn unsigned(fault: &SigningFault) -> Failure {
    let (remedy, place) = match fault {
        SigningFault::NoLocation(_) => ("give location, or lenient=True", "location"),
        SigningFault::NoExpiry(_) => ("give lifetime, or lenient=True", "lifetime"),
        SigningFault::Deviations(..) => ("lenient=True signs it all the same", "payload"),
        SigningFault::Signing(_) => {
            return Failure::new("RefusedError", fault).code("not-signed");
        }
    };
    Failure::new("RefusedError", format_args!("{fault}; {remedy}"))
        .code("profile")
        .place(place)
        .remedy(remedy)
}

/// Takes a passphrase.
pub(super) fn secret(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<u8>>> {
    let Some(value) = value else { return Ok(None) };
    if let Ok(text) = value.extract::<String>() {
        return Ok(Some(text.into_bytes()));
    }
    match bytes(value)? {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(wrong("passphrase", "give text or bytes").into()),
    }
}

/// Takes bytes of at most a payload's length.
pub(super) fn payload_of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u8>> {
    let Some(payload) = bytes(value)? else {
        return Err(wrong(name, "give bytes").into());
    };
    match payload.len() > PAYLOAD_MAX {
        false => Ok(payload),
        true => {
            let count = payload.len();
            Err(wrong(
                name,
                format_args!("{count} bytes; give at most {PAYLOAD_MAX}"),
            )
            .into())
        }
    }
}

fn made(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Time64> {
    match value.map(|value| at(value, name)).transpose()? {
        None | Some(At::Now) => Ok(time::now()),
        Some(At::Time(time)) => Ok(time),
        Some(At::Capture | At::Generation) => Err(wrong(name, "give a time, or now").into()),
    }
}

fn place_of(numbers: &[f64]) -> Result<ThreeDLocation, Failure> {
    region::location_of(numbers).map_err(|fault| wrong("location", fault))
}

/// Takes a duration in seconds: in milliseconds where they fit, else in seconds.
fn duration(seconds: f64) -> Result<Duration, Failure> {
    if !(0.001..=LIFETIME_MAX).contains(&seconds) {
        let why = format!("{seconds}; give 0.001 to {LIFETIME_MAX} seconds");
        return Err(wrong("lifetime", why));
    }
    // Both fit sixteen bits: the bound is theirs.
    let milliseconds = (seconds * 1e3).round();
    Ok(match milliseconds <= LIFETIME_MAX {
        true => Duration::Milliseconds(milliseconds as u16),
        false => Duration::Seconds(seconds.round() as u16),
    })
}

fn key_of(path: &std::path::Path) -> Result<waywarden_ecverify::Point, Failure> {
    let point = public::read(path, Curve::P256).map_err(|failure| refused(failure.lines()))?;
    wire_key(&point).map_err(|error| wrong("answer_key", error))?;
    Ok(point)
}
