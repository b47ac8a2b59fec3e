//! A PKI in a folder: read, made, and its authorities at work.

mod answers;
mod arguments;

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use waywarden_pki_authorities::clock::Clock;
use waywarden_pki_authorities::pseudonyms::{self, NewPseudonyms};
use waywarden_pki_authorities::{
    NewCertificates, NewCredential, NewCrl, NewCtl, NewPki, create, enrol, ignore, issue, make_crl,
    make_ctl, renew, revoke,
};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::TRUST;
use waywarden_pki_folder::token::TokenSource;

use self::answers::{interruptible, refused};
use super::arguments::passphrases;
use super::refusal::wrong;
use super::signer::{Signer, secret};
use super::trust::Trust;
use crate::error::Failure;

/// A PKI in a folder, as `create` and `waywarden pki init` make it.
///
/// It is read at each call, so that what another process has issued meanwhile is found. A call that
/// changes it locks the folder, waits for others that do, and leaves all of its change or nothing;
/// Ctrl-C ends the wait, and the issuing of pseudonyms after a whole week's.
/// Keys in a PKCS#11 token are the command's alone.
///
/// Parameters
/// ----------
/// folder : path
///     The folder.
///
/// Raises
/// ------
/// TrustError
///     The folder is no PKI, a name is unknown, a passphrase is wrong, an issuer may not give what
///     is asked for, the operating system refuses: each call raises it, and changes nothing then.
/// InputError
///     An argument that cannot be used.
#[pyclass(module = "waywarden.v2x", frozen)]
pub(crate) struct Pki {
    folder: PathBuf,
}

impl Pki {
    fn open(&self) -> Result<PkiDirectory, Failure> {
        PkiDirectory::open(&self.folder).map_err(|failure| refused(&failure.into()))
    }

    /// Returns a certificate and those above it.
    fn certificates(&self, name: &str) -> Result<Vec<Vec<u8>>, Failure> {
        let directory = self.open()?;
        let entry = directory.entry(name);
        let chain = entry.and_then(|entry| directory.chain(entry));
        chain.map_err(|failure| refused(&failure.into()))
    }
}

#[pymethods]
impl Pki {
    #[new]
    #[pyo3(signature = (folder, /))]
    fn new(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let own = Self { folder };
        py.detach(|| own.open().map(drop))?;
        Ok(own)
    }

    #[doc = include_str!("pki/create.txt")]
    #[staticmethod]
    #[pyo3(signature = (
        folder, *, shape = None, curve = None, region = None, start = None, years = None,
        validity_grid = None, passphrase = None, unencrypted = false, plain_keys = false,
        profile = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn create(
        py: Python<'_>,
        folder: PathBuf,
        shape: Option<&str>,
        curve: Option<&str>,
        region: Option<&str>,
        start: Option<Bound<'_, PyAny>>,
        years: Option<u16>,
        validity_grid: Option<&str>,
        passphrase: Option<Bound<'_, PyAny>>,
        unencrypted: bool,
        plain_keys: bool,
        profile: Option<PathBuf>,
    ) -> PyResult<Self> {
        let keys = arguments::KeyChoice::of(passphrase.as_ref(), unencrypted, plain_keys)?;
        let new = NewPki {
            profile: arguments::profile(profile.as_ref())?,
            shape: shape.map(arguments::shape).transpose()?,
            curve: arguments::curve(curve)?,
            region: arguments::region_of(region)?,
            start: arguments::start(start.as_ref())?,
            years,
            validity_grid: arguments::grid(validity_grid)?,
            ..NewPki::default()
        };
        interruptible(py, || create(&folder, &new, || keys.keys()).map(drop))?;
        Ok(Self { folder })
    }

    #[doc = include_str!("pki/issue.txt")]
    #[pyo3(signature = (
        name, /, permissions = Vec::new(), *, count = 1, start = None, validity = None,
        region = None, curve = None, issuer = None, implicit = None, encryption_key = false,
        public = None, authority = false, issues = Vec::new(), profile = None, passphrase = None,
    ))]
    #[pyo3(
        text_signature = "($self, name, /, permissions=(), *, count=1, start=None, validity=None, \
                             region=None, curve=None, issuer=None, implicit=None, \
                             encryption_key=False, public=None, authority=False, issues=(), \
                             profile=None, passphrase=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn issue<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        permissions: Vec<String>,
        count: u32,
        start: Option<Bound<'py, PyAny>>,
        validity: Option<&str>,
        region: Option<&str>,
        curve: Option<&str>,
        issuer: Option<String>,
        implicit: Option<bool>,
        encryption_key: bool,
        public: Option<PathBuf>,
        authority: bool,
        issues: Vec<String>,
        profile: Option<PathBuf>,
        passphrase: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let new = NewCertificates {
            station: arguments::profile(profile.as_ref())?.station,
            issuer,
            permissions: arguments::permissions(&permissions)?,
            form: arguments::form(implicit),
            count,
            period: arguments::period(start.as_ref(), validity)?,
            region: arguments::region_of(region)?,
            curve: arguments::curve(curve)?,
            encryption_key,
            public,
            is_authority: authority,
            issues: arguments::ranges(&issues)?,
            ..NewCertificates::of(name)
        };
        let mut known = passphrases(secret(passphrase.as_ref())?);
        let mut notes = Vec::new();
        let note = &mut |note| answers::keep(&mut notes, note);
        let token = TokenSource::default();
        let issued = interruptible(py, || issue(&self.folder, &new, &mut known, &token, note))?;
        answers::warn(py, &notes)?;
        answers::entries(py, &issued.directory, issued.entries())
    }

    /// Issues an enrolment credential, which signs requests for certificates; by default for three
    /// years. Arguments and the dict are those of `issue`.
    #[pyo3(signature = (
        name, /, *, start = None, validity = None, region = None, curve = None, issuer = None,
        passphrase = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn enrol<'py>(
        &self,
        py: Python<'py>,
        name: String,
        start: Option<Bound<'py, PyAny>>,
        validity: Option<&str>,
        region: Option<&str>,
        curve: Option<&str>,
        issuer: Option<String>,
        passphrase: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let new = NewCredential {
            name,
            issuer,
            period: arguments::period(start.as_ref(), validity)?,
            region: arguments::region_of(region)?,
            curve: arguments::curve(curve)?,
        };
        let mut known = passphrases(secret(passphrase.as_ref())?);
        let token = TokenSource::default();
        let issued = interruptible(py, || enrol(&self.folder, &new, &mut known, &token))?;
        answers::one(py, &issued)
    }

    /// Issues a certificate again: a new key, the same contents, a new period. The old certificate
    /// and its key stay. `name` may be a HashedId8; the dict is the new entry.
    #[pyo3(signature = (name, /, *, start = None, validity = None, passphrase = None))]
    fn renew<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        start: Option<Bound<'py, PyAny>>,
        validity: Option<&str>,
        passphrase: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let period = arguments::period(start.as_ref(), validity)?;
        let mut known = passphrases(secret(passphrase.as_ref())?);
        let token = TokenSource::default();
        let issued = interruptible(py, || renew(&self.folder, name, period, &mut known, &token))?;
        answers::one(py, &issued)
    }

    #[doc = include_str!("pki/revoke.txt")]
    #[pyo3(signature = (*names))]
    fn revoke<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Bound<'py, PyList>> {
        if names.is_empty() {
            return Err(wrong("names", "give a name, HashedId8 or file").into());
        }
        let done = interruptible(py, || revoke(&self.folder, &names, Clock::SYSTEM))?;
        answers::revocations(py, done)
    }

    #[doc = include_str!("pki/crl.txt")]
    #[pyo3(signature = (
        output = None, *, delta = false, seeds = None, discard_later = false, next = "24h",
        passphrase = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn crl<'py>(
        &self,
        py: Python<'py>,
        output: Option<PathBuf>,
        delta: bool,
        seeds: Option<PathBuf>,
        discard_later: bool,
        next: &str,
        passphrase: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let new = NewCrl {
            output: arguments::output(output, "output")?,
            seeds,
            is_delta: delta,
            discard_later,
            next: arguments::next(next)?,
        };
        let mut known = passphrases(secret(passphrase.as_ref())?);
        let mut notes = Vec::new();
        let note = &mut |note| answers::keep(&mut notes, note);
        let (clock, token) = (Clock::SYSTEM, TokenSource::default());
        let made = interruptible(py, || {
            make_crl(&self.folder, &new, clock, &mut known, &token, note)
        })?;
        answers::warn(py, &notes)?;
        answers::crls(py, &made)
    }

    #[doc = include_str!("pki/ctl.txt")]
    #[pyo3(signature = (
        output = None, *, delta = None, url = None, ea_url = None, aa_url = None, dc_url = None,
        delete = None, add = None, discard_later = false, next = "7d", passphrase = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn ctl<'py>(
        &self,
        py: Python<'py>,
        output: Option<PathBuf>,
        delta: Option<PathBuf>,
        url: Option<String>,
        ea_url: Option<String>,
        aa_url: Option<String>,
        dc_url: Option<String>,
        delete: Option<Bound<'py, PyAny>>,
        add: Option<Bound<'py, PyAny>>,
        discard_later: bool,
        next: &str,
        passphrase: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let new = NewCtl {
            output: arguments::output(output, "output")?,
            delta: arguments::output(delta, "delta")?,
            url,
            ea_url,
            aa_url,
            dc_url,
            delete: arguments::names(delete.as_ref())?,
            add: arguments::names(add.as_ref())?,
            discard_later,
            next: arguments::next(next)?,
        };
        let mut known = passphrases(secret(passphrase.as_ref())?);
        let (clock, token) = (Clock::SYSTEM, TokenSource::default());
        let made = interruptible(py, || {
            make_ctl(&self.folder, &new, clock, &mut known, &token)
        })?;
        answers::ctl(py, &made)
    }

    #[doc = include_str!("pki/pseudonyms.txt")]
    #[pyo3(signature = (
        name, /, *, weeks = 52, per_week = 20, start = None, vehicles = None, passphrase = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn pseudonyms<'py>(
        &self,
        py: Python<'py>,
        name: String,
        weeks: u16,
        per_week: u8,
        start: Option<Bound<'py, PyAny>>,
        vehicles: Option<u32>,
        passphrase: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let new = NewPseudonyms {
            name,
            weeks,
            per_week,
            start: arguments::start(start.as_ref())?,
            vehicles,
        };
        let mut known = passphrases(secret(passphrase.as_ref())?);
        let (clock, note) = (Clock::SYSTEM, &mut ignore);
        let done = interruptible(py, || {
            pseudonyms::issue(&self.folder, &new, clock, &mut known, note)
        })?;
        answers::pseudonyms(py, &done)
    }

    /// The folder.
    #[getter]
    fn folder(&self) -> String {
        self.folder.display().to_string()
    }

    /// Its certificates, in the order in which they were issued: dicts of `name`, `id` (HashedId8),
    /// `role`, `issuer` (HashedId8 or None), `is_authority`, `is_revoked`, and the files
    /// `certificate` and `key` (None if the key is elsewhere).
    #[getter]
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let directory = py.detach(|| self.open())?;
        answers::entries(py, &directory, &directory.index.entries)
    }

    /// Returns the newest certificate of a name, or that of a HashedId8.
    #[pyo3(signature = (name, /))]
    fn certificate<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let chain = py.detach(|| self.certificates(name))?;
        let own = chain.first().map(Vec::as_slice);
        Ok(PyBytes::new(py, own.unwrap_or_default()))
    }

    /// Returns a certificate and those above it, the root last.
    #[pyo3(signature = (name, /))]
    fn chain<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let chain = py.detach(|| self.certificates(name))?;
        PyList::new(py, chain.iter().map(|one| PyBytes::new(py, one)))
    }

    /// Returns a signer with a certificate of the PKI; see `Signer.from_pki`.
    #[pyo3(signature = (name, /, *, at = None, index = 0, passphrase = None))]
    fn signer(
        &self,
        py: Python<'_>,
        name: String,
        at: Option<Bound<'_, PyAny>>,
        index: u8,
        passphrase: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Signer> {
        Signer::from_pki(py, self.folder.clone(), name, at, index, passphrase)
    }

    /// Returns the certificates that receivers of its stations trust.
    fn trust(&self, py: Python<'_>) -> PyResult<Trust> {
        Trust::load(py, self.folder.join(TRUST))
    }

    fn __repr__(&self) -> String {
        format!("<Pki {:?}>", self.folder.display().to_string())
    }
}
