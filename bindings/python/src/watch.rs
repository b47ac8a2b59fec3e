//! Signals such as Ctrl-C, and progress, while the libraries work without the interpreter.

use std::time::{Duration, Instant};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyType};

/// Time between two looks for signals.
const SIGNALS: Duration = Duration::from_millis(5);

/// Time between two reports of progress.
const PROGRESS: Duration = Duration::from_millis(50);

/// Looks for signals and reports progress while the interpreter's lock is released.
pub(crate) struct Watch {
    progress: Option<Progress>,
    signals_at: Instant,
    progress_at: Instant,
    fault: Option<PyErr>,
}

enum Progress {
    /// Called with the share that is done, 0 to 1.
    Callback(Py<PyAny>),
    /// A bar like those of tqdm: its total, and how much of it is shown.
    Bar {
        bar: Py<PyAny>,
        total: f64,
        shown: f64,
        is_own: bool,
    },
}

impl Watch {
    /// Takes a callback, a bar like those of tqdm, the class tqdm, or True for `tqdm.auto.tqdm`.
    pub(crate) fn new(progress: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let now = Instant::now();
        let progress = progress.map(read).transpose()?.flatten();
        Ok(Watch {
            progress,
            signals_at: now,
            progress_at: now,
            fault: None,
        })
    }

    /// Returns true unless a signal or the callback ends the work; `share` of it is done.
    pub(crate) fn go_on(&mut self, share: f64) -> bool {
        if self.fault.is_some() {
            return false;
        }
        let now = Instant::now();
        if now >= self.signals_at {
            self.signals_at = now + SIGNALS;
            let checked = Python::attach(|py| {
                py.check_signals()?;
                match now >= self.progress_at {
                    true => {
                        self.progress_at = now + PROGRESS;
                        self.report(py, share)
                    }
                    false => Ok(()),
                }
            });
            self.fault = checked.err();
        }
        self.fault.is_none()
    }

    /// Returns the exception of a signal or of the callback, if there is one; else the work is
    /// done.
    pub(crate) fn finish(mut self, py: Python<'_>) -> PyResult<()> {
        match self.fault.take() {
            Some(fault) => {
                // A bar that closes with an error must not hide the first one.
                let _ = self.close(py);
                Err(fault)
            }
            None => {
                self.report(py, 1.0)?;
                self.close(py)
            }
        }
    }

    fn report(&mut self, py: Python<'_>, share: f64) -> PyResult<()> {
        match &mut self.progress {
            None => Ok(()),
            Some(Progress::Callback(callback)) => callback.call1(py, (share,)).map(drop),
            Some(Progress::Bar {
                bar, total, shown, ..
            }) => {
                let more = *total * share - *shown;
                if more <= 0.0 {
                    return Ok(());
                }
                *shown += more;
                bar.call_method1(py, "update", (more,)).map(drop)
            }
        }
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match &self.progress {
            Some(Progress::Bar {
                bar, is_own: true, ..
            }) => bar.call_method0(py, "close").map(drop),
            _ => Ok(()),
        }
    }
}

fn read(progress: &Bound<'_, PyAny>) -> PyResult<Option<Progress>> {
    let py = progress.py();
    if let Ok(wanted) = progress.cast::<PyBool>() {
        return match wanted.is_true() {
            true => own_bar(&py.import("tqdm.auto")?.getattr("tqdm")?).map(Some),
            false => Ok(None),
        };
    }
    if progress.is_instance_of::<PyType>() {
        return own_bar(progress).map(Some);
    }
    if progress.hasattr("update")? {
        let total = progress.getattr("total").and_then(|total| total.extract());
        let total = total
            .ok()
            .filter(|total: &f64| total.is_finite() && *total > 0.0);
        return Ok(Some(Progress::Bar {
            bar: progress.clone().unbind(),
            total: total.unwrap_or(1.0),
            shown: 0.0,
            is_own: false,
        }));
    }
    match progress.is_callable() {
        true => Ok(Some(Progress::Callback(progress.clone().unbind()))),
        false => Err(PyTypeError::new_err(
            "progress: give a function of the share that is done, a bar such as tqdm(total=1), or \
             True for a bar of tqdm",
        )),
    }
}

fn own_bar(class: &Bound<'_, PyAny>) -> PyResult<Progress> {
    let named = PyDict::new(class.py());
    named.set_item("total", 100)?;
    named.set_item("unit", "%")?;
    let bar = class.call((), Some(&named))?;
    Ok(Progress::Bar {
        bar: bar.unbind(),
        total: 100.0,
        shown: 0.0,
        is_own: true,
    })
}
