//! A PKI in a folder, to read.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{IndexEntry, TRUST};

use super::signer::{Signer, refused};
use super::trust::Trust;
use crate::error::Failure;

/// A PKI in a folder, as `waywarden pki init` makes it and `waywarden pki issue` adds to it.
///
/// It is read at each call, so that what the command has issued meanwhile is found.
///
/// Parameters
/// ----------
/// folder : path
///     The folder.
///
/// Raises
/// ------
/// TrustError
///     The folder is no PKI.
#[pyclass(module = "waywarden.v2x", frozen)]
pub(crate) struct Pki {
    folder: PathBuf,
}

impl Pki {
    fn open(&self) -> Result<PkiDirectory, Failure> {
        PkiDirectory::open(&self.folder).map_err(|failure| refused(failure.lines()))
    }

    /// Returns a certificate and those above it.
    fn certificates(&self, name: &str) -> Result<Vec<Vec<u8>>, Failure> {
        let directory = self.open()?;
        let entry = directory.entry(name);
        let chain = entry.and_then(|entry| directory.chain(entry));
        chain.map_err(|failure| refused(failure.lines()))
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

    /// The folder.
    #[getter]
    fn folder(&self) -> String {
        self.folder.display().to_string()
    }

    /// Its certificates, in the order in which they were issued: dicts of `name`, `id` (HashedId8),
    /// `role`, `issuer` (HashedId8 or None), `is_authority` and `is_revoked`.
    #[getter]
    fn entries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let directory = py.detach(|| self.open())?;
        let shape = directory.index.shape;
        let all = PyList::empty(py);
        for entry in &directory.index.entries {
            let IndexEntry {
                name, id, issuer, ..
            } = entry;
            let row = PyDict::new(py);
            row.set_item("name", name)?;
            row.set_item("id", id)?;
            row.set_item("role", entry.role.show(shape))?;
            row.set_item("issuer", issuer)?;
            row.set_item("is_authority", entry.role.is_authority())?;
            row.set_item("is_revoked", entry.revoked.is_some())?;
            all.append(row)?;
        }
        Ok(all)
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

    /// Returns who signs with a certificate of the PKI; see `Signer.from_pki`.
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

    /// Returns what receivers of its stations trust.
    fn trust(&self, py: Python<'_>) -> PyResult<Trust> {
        Trust::load(py, self.folder.join(TRUST))
    }

    fn __repr__(&self) -> String {
        format!("<Pki {:?}>", self.folder.display().to_string())
    }
}
