//! Trusted certificates.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyString;
use waywarden_pki_folder::trust::{SourceFault, TrustSources};
use waywarden_v2x_input::certificates::Trust as LoadedTrust;
use waywarden_v2x_input::time;
use waywarden_v2x_receiver::ReceiverSettings;
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::arguments::bytes;
use crate::error::Failure;

/// Most warnings that name a certificate; the others are counted.
const WARNINGS_MAX: usize = 30;

/// The certificates that a receiver trusts.
///
/// Those that issued themselves are trusted, the others are taken if their chain ends at one of
/// those. `Trust()` trusts nothing.
///
/// Parameters
/// ----------
/// *sources : str, os.PathLike or bytes-like
///     Folders, trust stores, files with certificates, or certificates in their bytes.
///
/// Raises
/// ------
/// TrustError
///     A source that cannot be read, or has no certificate.
#[pyclass(module = "waywarden.v2x", frozen)]
pub(crate) struct Trust {
    sources: TrustSources,
    summary: Summary,
}

struct Summary {
    anchors: usize,
    warnings: Vec<String>,
    certificates: usize,
}

/// A place that certificates come from.
enum Source {
    Path(PathBuf),
    Bytes(Vec<u8>),
}

impl Trust {
    fn of(all: Vec<Source>) -> Result<Self, Failure> {
        let mut sources = TrustSources::default();
        for (at, source) in all.into_iter().enumerate() {
            let added = match source {
                Source::Path(path) => sources.add_path(&path),
                Source::Bytes(bytes) => {
                    sources.add_certificate(&format!("certificate {at}"), &bytes)
                }
            };
            added.map_err(|fault| failed(&fault))?;
        }
        let mut own = Self {
            sources,
            summary: Summary {
                anchors: 0,
                warnings: Vec::new(),
                certificates: 0,
            },
        };
        let mut verifier = ReceiverSettings::default().verifier();
        let (loaded, notes) = own.install(&mut verifier, time::now())?;
        let mut warnings = notes;
        warnings.extend(loaded.warnings(WARNINGS_MAX));
        own.summary = Summary {
            anchors: loaded.anchors,
            warnings,
            certificates: loaded.by_id.len(),
        };
        Ok(own)
    }

    /// Gives the certificates to a verifier. Returns them, with notes on lists of trust stores.
    pub(super) fn install(
        &self,
        verifier: &mut Verifier,
        now: Time64,
    ) -> Result<(LoadedTrust, Vec<String>), Failure> {
        let installed = self.sources.install(verifier, now);
        installed.map_err(|fault| failed(&fault))
    }
}

fn failed(fault: &SourceFault) -> Failure {
    match fault {
        SourceFault::Certificates(one) => Failure::of("TrustError", one),
        SourceFault::Store(_) => Failure::new("TrustError", fault).code("trust-store"),
    }
}

/// Takes a source of certificates.
fn source(value: &Bound<'_, PyAny>) -> PyResult<Source> {
    if value.cast::<PyString>().is_err()
        && let Some(bytes) = bytes(value)?
    {
        return Ok(Source::Bytes(bytes));
    }
    value.extract().map(Source::Path)
}

/// Takes trust as verifiers do: a `Trust`, one source, or several; nothing for `None`.
pub(super) fn trust_of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Py<Trust>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Python::attach(|py| Py::new(py, Trust::of(Vec::new())?));
    };
    let py = value.py();
    if let Ok(trust) = value.cast::<Trust>() {
        return Ok(trust.clone().unbind());
    }
    let sources = match source(value) {
        Ok(source) => vec![source],
        Err(_) if value.hasattr("__iter__")? => {
            let all: PyResult<Vec<Source>> = value.try_iter()?.map(|one| source(&one?)).collect();
            all?
        }
        Err(error) => return Err(error),
    };
    let trust = py.detach(|| Trust::of(sources))?;
    Py::new(py, trust)
}

#[pymethods]
impl Trust {
    #[new]
    #[pyo3(signature = (*sources))]
    fn new(py: Python<'_>, sources: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let sources: Vec<Source> = sources.iter().map(source).collect::<PyResult<_>>()?;
        Ok(py.detach(|| Self::of(sources))?)
    }

    /// Reads the certificates of a folder, a trust store (see `waywarden pki trust`) or a file.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike
    ///     The folder or file.
    ///
    /// Raises
    /// ------
    /// TrustError
    ///     It cannot be read, or has no certificate.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    pub(super) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(py.detach(|| Self::of(vec![Source::Path(path)]))?)
    }

    /// The number of trust anchors: certificates that issued themselves.
    #[getter]
    fn anchors(&self) -> usize {
        self.summary.anchors
    }

    /// Notes on certificates that are not taken, each with its place and the reason.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.summary.warnings.clone()
    }

    /// The number of certificates, also of those that are not taken.
    fn __len__(&self) -> usize {
        self.summary.certificates
    }

    fn __bool__(&self) -> bool {
        self.summary.anchors > 0
    }

    fn __repr__(&self) -> String {
        let Summary {
            anchors,
            warnings,
            certificates,
        } = &self.summary;
        format!(
            "<Trust: {certificates} certificates, {anchors} trust anchors, {} warnings>",
            warnings.len()
        )
    }
}
