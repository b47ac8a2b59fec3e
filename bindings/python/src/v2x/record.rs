//! Records of files and captures, one after the other.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use waywarden_input_files::Problem;
use waywarden_v2x_input::record::{InputRecord, Recognized};
use waywarden_v2x_input::records as input;
use waywarden_v2x_input::time;
use waywarden_v2x_input::unread::{StopReason, UnreadFile};

use crate::error::Failure;

/// Records that wait for the one who iterates: so a file of any length takes a bounded memory.
const WAITING_MAX: usize = 256;

/// A message, certificate or frame of a file, with its place in it.
#[pyclass(module = "waywarden.v2x", frozen)]
pub(crate) struct Record {
    pub(super) record: InputRecord,
}

#[pymethods]
impl Record {
    /// The file and the place in it.
    #[getter]
    fn place(&self) -> &str {
        &self.record.place
    }

    /// The label before the record in its line, or None.
    #[getter]
    fn label(&self) -> Option<&str> {
        self.record.label.as_deref()
    }

    /// The bytes of the message or certificate, in a capture those of the frame.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.record.bytes)
    }

    /// The time of capture, in microseconds since 2004 (TAI), or None.
    #[getter]
    fn captured(&self) -> Option<u64> {
        self.record.captured.map(|time| time.0)
    }

    /// The time of capture as text (UTC), or None.
    #[getter]
    fn captured_text(&self) -> Option<String> {
        self.record.captured.map(time::show)
    }

    /// The kind: a certificate, a message with the layers around it, "other traffic", or a name for
    /// what cannot be read.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.record.recognize(&[]) {
            Recognized::Certificate(certificate) => {
                waywarden_v2x_input::record::certificate_kind(&certificate)
            }
            Recognized::Message(found) => waywarden_v2x_input::record::envelope(&found.envelope),
            Recognized::Other => "other traffic",
            Recognized::Unread(unread) => unread.kind,
        }
    }

    fn __len__(&self) -> usize {
        self.record.bytes.len()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.data(py)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Record {:?}: {} bytes>",
            self.record.place,
            self.record.bytes.len()
        )
    }
}

type Item = Result<InputRecord, Failure>;

/// The records of a file. An iterator; it ends with an exception if a line or the rest of the file
/// cannot be read.
#[pyclass(module = "waywarden.v2x", frozen)]
pub(crate) struct Records {
    path: PathBuf,
    /// `None` after the end.
    waiting: Mutex<Option<Receiver<Item>>>,
}

#[pymethods]
impl Records {
    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        let next = py.detach(|| {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let next = waiting.as_ref()?.recv().ok();
            if !matches!(next, Some(Ok(_))) {
                // The thread has ended, and the next call says so.
                *waiting = None;
            }
            next
        });
        match next {
            None => Ok(None),
            Some(Ok(record)) => Ok(Some(Record { record })),
            Some(Err(failure)) => Err(failure.into()),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Records of {:?}>", self.path.display().to_string())
    }
}

/// Reads the messages and certificates of a file, one after the other.
///
/// The file is read as `waywarden verify` reads it: one message or certificate in its bytes, a text
/// (a message a line in hexadecimal digits or base64, dumps, JSON, arrays of C, logs), or a capture
/// (pcap, pcapng); each may be compressed with gzip. It may have any length.
///
/// Parameters
/// ----------
/// path : str or os.PathLike
///     The file.
///
/// Returns
/// -------
/// Records
///     An iterator of `Record`. Each frame of a capture is one, also that of other traffic.
///
/// Raises
/// ------
/// InputError
///     While iterating, after the records that can be read: a line, or the rest of the file, cannot
///     be read. `problems` has all of them if there are several. A file that cannot be opened is
///     reported by the first step.
#[pyfunction]
#[pyo3(signature = (path, /))]
pub(crate) fn records(path: PathBuf) -> PyResult<Records> {
    let (sender, waiting) = sync_channel::<Item>(WAITING_MAX);
    let read = path.clone();
    let thread = thread::Builder::new().name("waywarden-records".to_owned());
    let started = thread.spawn(move || {
        let result = input::each::<StopReason<Gone>>(&read, |record| {
            sender
                .send(Ok(record))
                .map_err(|_| StopReason::Failed(Gone))
        });
        let wrong: Vec<UnreadFile> = match result {
            Ok(file) => file.wrong,
            Err(StopReason::Unread(unread)) => vec![unread],
            Err(StopReason::Failed(Gone)) => return,
        };
        if !wrong.is_empty() {
            // If the one who iterates has gone, the error is of no concern.
            let _ = sender.send(Err(unreadable(wrong)));
        }
    });
    started.map_err(|error| {
        Failure::new(
            "InputError",
            format_args!("{}: no thread to read it: {error}", path.display()),
        )
    })?;
    Ok(Records {
        path,
        waiting: Mutex::new(Some(waiting)),
    })
}

/// The iterator is not there any more.
struct Gone;

fn unreadable(wrong: Vec<UnreadFile>) -> Failure {
    let problems: Vec<Problem> = wrong.into_iter().map(Problem::from).collect();
    match &problems[..] {
        [one] => Failure::of("InputError", one),
        all => {
            let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
            Failure::of("InputError", &Problem::all("file-not-read", lines))
        }
    }
}
