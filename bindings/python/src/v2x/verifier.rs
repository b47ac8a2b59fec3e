//! A verifier that many threads share.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyList;
use waywarden_v2x_input::certificates::SignerKeys;
use waywarden_v2x_input::lists;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::time::{self, At};
use waywarden_v2x_receiver::{Receiver, ReceiverSettings, Reception};
use waywarden_v2x_security::Capacity;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::arguments::{at, bytes, message, paths, position, psid};
use super::options::{COUNT_MAX, TABLES_MAX, THREADS_MAX, count, nonce_form, source_of};
use super::refusal::wrong;
use super::trust::{Trust, trust_of};
use super::verdict::Verdict;
use crate::error::Failure;

/// Verifies messages and certificates, from any number of threads at a time.
///
/// It remembers the certificates and messages that it accepted: a message is accepted once. The
/// interpreter's lock is released while it works.
///
/// Parameters
/// ----------
/// trust : Trust, str, os.PathLike, bytes-like, or several of them
///     The certificates that are trusted; None trusts nothing.
/// at : str, int or datetime.datetime
///     Time at which messages are judged: "now", "capture", "generation", a time such as
///     "2026-03-01T12:00:00Z", microseconds since 2004 (TAI), or a datetime with a time zone.
/// position : (float, float), optional
///     Position of the receiver in degrees north and east: messages from too far are refused where
///     the profile of the application says so.
/// psid : int or str, optional
///     The application that messages have to be of: a number, or as text a name such as CAM,
///     "0x24", or p-encoded "0p24".
/// crl : path or several, optional
///     Files with signed revocation lists.
/// signer_keys : path, optional
///     Keys of signers whose issuers are not known (JSON).
/// strict : bool
///     Refuse `signer_keys` if an entry cannot be used.
/// nonce_form : str, optional
///     The form in which a message must give the r of its signature: "any", "point", "x-only".
/// lenient : bool
///     Drop what ETSI TS 103 097 demands beyond IEEE 1609.2.
/// unknown_implicit_issuers : bool
///     Take an implicit certificate that a message brings as the issuer of another.
/// payload_check : bool
///     Compare payloads with the certificate of their signer.
/// udp_ports : sequence of int
///     UDP ports of captures that have messages; empty: any may.
/// source : str
///     "file", or "radio" for what strangers send: a message may then have at most 2,302 bytes and
///     three signatures, so that none takes long.
/// certificates, messages : int
///     How many certificates of messages, and how many messages, are remembered.
/// table_memory : int, optional
///     Bytes for tables of keys that are met again, of all threads together; by default 1 MiB each.
/// threads : int, optional
///     Threads that have tables, and of `verify_many`; by default as many as cores.
///
/// Raises
/// ------
/// TrustError
///     Trust, a list or keys that cannot be used.
/// InputError
///     Another argument that cannot be used.
#[pyclass(module = "waywarden.v2x", frozen)]
pub(crate) struct Verifier {
    receiver: Receiver,
    reception: Reception,
    warnings: Vec<String>,
}

/// Arguments of a verifier, as they came.
struct Options {
    settings: ReceiverSettings,
    reception: Reception,
    crl: Vec<PathBuf>,
    signer_keys: Option<PathBuf>,
    is_strict: bool,
}

impl Verifier {
    fn of(trust: &Trust, options: &Options) -> Result<Self, Failure> {
        let failed = |one| Failure::of("TrustError", &one);
        let settings = &options.settings;
        let mut verifier = settings.verifier();
        // Lists are, unlike messages, judged as they are now.
        let now = match settings.at {
            At::Time(time) => time,
            At::Now | At::Capture | At::Generation => time::now(),
        };
        let (loaded, mut warnings) = trust.install(&mut verifier, now)?;
        warnings.extend(loaded.warnings(30));
        let keys = options.signer_keys.as_deref();
        let keys = keys.map(|path| SignerKeys::load(path, options.is_strict));
        let mut keys = keys.transpose().map_err(failed)?.unwrap_or_default();
        warnings.extend(keys.skipped.take());
        let applied = lists::apply_all(&options.crl, "crl", &mut verifier, now);
        warnings.extend(applied.map_err(failed)?);
        Ok(Self {
            receiver: Receiver::new(settings, verifier, loaded, keys),
            reception: options.reception,
            warnings,
        })
    }

    /// Returns the reception of a call.
    fn reception(&self, given: &Given<'_>) -> PyResult<Reception> {
        let mut reception = self.reception;
        if let Some(time) = &given.at {
            reception.at = Some(at(time, "at")?);
        }
        if let Some(place) = given.position {
            reception.place = Some(position(place)?);
        }
        if let Some(application) = &given.psid {
            reception.psid = Some(psid(application)?);
        }
        Ok(reception)
    }
}

/// Arguments of a call that stand above those of the verifier.
struct Given<'py> {
    at: Option<Bound<'py, PyAny>>,
    position: Option<(f64, f64)>,
    psid: Option<Bound<'py, PyAny>>,
}

#[pymethods]
impl Verifier {
    #[new]
    #[pyo3(signature = (
        trust = None, *, at = None, position = None, psid = None, crl = None, signer_keys = None,
        strict = false, nonce_form = None, lenient = false, unknown_implicit_issuers = false,
        payload_check = true, udp_ports = Vec::new(), source = "file", certificates = 4_096,
        messages = 65_536, table_memory = None, threads = None,
    ))]
    #[pyo3(
        text_signature = "(trust=None, *, at='now', position=None, psid=None, crl=None, \
                             signer_keys=None, strict=False, nonce_form=None, lenient=False, \
                             unknown_implicit_issuers=False, payload_check=True, udp_ports=(), \
                             source='file', certificates=4096, messages=65536, \
                             table_memory=None, threads=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    #[expect(clippy::fn_params_excessive_bools, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        trust: Option<Bound<'_, PyAny>>,
        at: Option<Bound<'_, PyAny>>,
        position: Option<(f64, f64)>,
        psid: Option<Bound<'_, PyAny>>,
        crl: Option<Bound<'_, PyAny>>,
        signer_keys: Option<PathBuf>,
        strict: bool,
        nonce_form: Option<&str>,
        lenient: bool,
        unknown_implicit_issuers: bool,
        payload_check: bool,
        udp_ports: Vec<u16>,
        source: &str,
        certificates: i64,
        messages: i64,
        table_memory: Option<i64>,
        threads: Option<i64>,
    ) -> PyResult<Self> {
        let trust = trust_of(trust.as_ref())?;
        let default = ReceiverSettings::default();
        let threads = threads
            .map(|value| count(value, THREADS_MAX, "threads"))
            .transpose()?;
        let threads = threads.unwrap_or(default.threads);
        let table_bytes = match table_memory {
            None => threads * Capacity::DEFAULT.table_bytes,
            Some(0) => 0,
            Some(value) => count(value, TABLES_MAX, "table_memory")?,
        };
        let settings = ReceiverSettings {
            capacity: Capacity {
                certificates: count(certificates, COUNT_MAX, "certificates")?,
                messages: count(messages, COUNT_MAX, "messages")?,
                table_bytes,
            },
            nonce_form: nonce_form.map(self::nonce_form).transpose()?,
            is_lenient: lenient,
            unknown_implicit_issuers,
            checks_payloads: payload_check,
            at: at.map_or(Ok(At::Now), |value| self::at(&value, "at"))?,
            udp_ports,
            threads,
        };
        let reception = Reception {
            at: None,
            place: position.map(self::position).transpose()?,
            psid: psid.map(|value| self::psid(&value)).transpose()?,
            source: source_of(source)?,
        };
        let options = Options {
            settings,
            reception,
            crl: crl.map_or(Ok(Vec::new()), |value| paths(&value))?,
            signer_keys,
            is_strict: strict,
        };
        Ok(py.detach(|| Self::of(trust.get(), &options))?)
    }

    /// Verifies a message or certificate.
    ///
    /// Parameters
    /// ----------
    /// message : bytes-like, str or Record
    ///     The message: its bytes, text with hexadecimal digits or base64, or a record of a file.
    /// at, position, psid
    ///     As of the verifier, for this message.
    ///
    /// Returns
    /// -------
    /// Verdict or None
    ///     None for a frame of other traffic in a capture. A message that cannot be read or is
    ///     refused is no exception.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     Text that is no message, and other arguments that cannot be used.
    #[pyo3(signature = (message, /, *, at = None, position = None, psid = None))]
    fn verify(
        &self,
        py: Python<'_>,
        message: Bound<'_, PyAny>,
        at: Option<Bound<'_, PyAny>>,
        position: Option<(f64, f64)>,
        psid: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<Verdict>> {
        let reception = self.reception(&Given { at, position, psid })?;
        let record = self::message(&message, "message")?;
        let verdict = py.detach(|| self.receiver.verify(&record, &reception));
        Ok(verdict.map(Verdict))
    }

    /// Verifies messages and certificates as if one came after the other, on several threads.
    ///
    /// Parameters
    /// ----------
    /// messages : iterable of bytes-like, str or Record
    ///     The messages; `records()` gives those of a file.
    /// threads : int, optional
    ///     Threads that verify: 1 to 1,024; by default those of the verifier. Their number changes
    ///     how long it takes and no verdict.
    /// at, position, psid
    ///     As of the verifier, for these messages.
    ///
    /// Returns
    /// -------
    /// list of Verdict or None
    ///     One of each message, in their order; None for a frame of other traffic in a capture.
    ///
    /// Raises
    /// ------
    /// InputError
    ///     Text that is no message, and other arguments that cannot be used; nothing is verified
    ///     then.
    #[pyo3(signature = (messages, /, *, threads = None, at = None, position = None, psid = None))]
    fn verify_many<'py>(
        &self,
        py: Python<'py>,
        messages: Bound<'py, PyAny>,
        threads: Option<i64>,
        at: Option<Bound<'py, PyAny>>,
        position: Option<(f64, f64)>,
        psid: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let reception = self.reception(&Given { at, position, psid })?;
        let threads = threads
            .map(|value| count(value, THREADS_MAX, "threads"))
            .transpose()?;
        let threads = threads.unwrap_or_else(|| self.receiver.threads());
        let mut all: Vec<InputRecord> = Vec::new();
        for (at, one) in messages.try_iter()?.enumerate() {
            all.push(message(&one?, &format!("messages[{at}]"))?);
        }
        let verdicts = py.detach(|| self.receiver.verify_many(all, &reception, threads));
        let verdicts = verdicts.into_iter().map(|verdict| verdict.map(Verdict));
        PyList::new(py, verdicts.collect::<Vec<_>>())
    }

    /// Verifies a signed revocation list, and refuses from now on what it revokes.
    ///
    /// Parameters
    /// ----------
    /// list : bytes-like
    ///     The list.
    /// at : int, str or datetime.datetime, optional
    ///     Time at which the list is judged; by default now.
    ///
    /// Raises
    /// ------
    /// TrustError
    ///     The list is refused; nothing is revoked then.
    #[pyo3(signature = (list, /, *, at = None))]
    fn apply_crl(
        &self,
        py: Python<'_>,
        list: Bound<'_, PyAny>,
        at: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let Some(list) = bytes(&list)? else {
            return Err(wrong("list", "give the bytes of a signed revocation list").into());
        };
        let now = moment(at.as_ref())?;
        let applied = py.detach(|| self.receiver.apply_crl(&list, now));
        applied.map_err(|refusal| {
            Failure::new(
                "TrustError",
                format_args!("list: {refusal}; nothing was revoked"),
            )
            .code("list-refused")
            .place("list")
        })?;
        Ok(())
    }

    /// Forgets messages that are too old to come again under any profile: more than ten minutes.
    ///
    /// Parameters
    /// ----------
    /// at : int, str or datetime.datetime, optional
    ///     The time; by default now.
    #[pyo3(signature = (*, at = None))]
    fn forget_old(&self, py: Python<'_>, at: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let now = moment(at.as_ref())?;
        py.detach(|| self.receiver.forget_old(now));
        Ok(())
    }

    /// Notes on trust, lists and keys that are not taken, and on lists that were expanded.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let mut all = self.warnings.clone();
        all.extend(self.receiver.notes());
        all
    }

    /// Numbers of certificates of messages, and of messages, that are remembered.
    #[getter]
    fn remembered(&self) -> (usize, usize) {
        self.receiver.remembered()
    }

    /// The number of threads that have tables of known keys.
    #[getter]
    fn threads(&self) -> usize {
        self.receiver.threads()
    }

    fn __repr__(&self) -> String {
        let (certificates, messages) = self.receiver.remembered();
        let anchors = self.receiver.rules().trust.anchors;
        format!(
            "<Verifier: {anchors} trust anchors, {certificates} certificates and {messages} \
             messages remembered>"
        )
    }
}

/// Takes a time that is no time of a message; `None` is now.
fn moment(value: Option<&Bound<'_, PyAny>>) -> PyResult<Time64> {
    let Some(value) = value else {
        return Ok(time::now());
    };
    match at(value, "at")? {
        At::Now => Ok(time::now()),
        At::Time(time) => Ok(time),
        At::Capture | At::Generation => Err(wrong("at", "give a time, or now").into()),
    }
}
