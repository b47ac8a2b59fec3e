//! Times in seconds, as Python has them.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use waywarden_work::{Duration, Instant};

use crate::error::Failure;

/// Longest time that a caller may name, in seconds: 200 years.
const SECONDS_MAX: f64 = 6.4e9;

/// Returns the time `now` in seconds; that of Python's `time.monotonic()` if there is none.
pub(crate) fn instant(py: Python<'_>, now: Option<f64>) -> PyResult<Instant> {
    static CLOCK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let seconds = match now {
        Some(seconds) => seconds,
        None => {
            let clock = CLOCK.get_or_try_init(py, || -> PyResult<Py<PyAny>> {
                Ok(py.import("time")?.getattr("monotonic")?.unbind())
            })?;
            clock.bind(py).call0()?.extract()?
        }
    };
    nanos("now", seconds).map(Instant::from_nanos)
}

/// Returns a duration of so many seconds.
pub(crate) fn duration(name: &'static str, seconds: f64) -> PyResult<Duration> {
    nanos(name, seconds).map(Duration::from_nanos)
}

/// Returns an instant as seconds.
pub(crate) fn seconds(instant: Instant) -> f64 {
    instant.as_nanos() as f64 / 1e9
}

fn nanos(name: &'static str, seconds: f64) -> PyResult<u64> {
    if (0.0..=SECONDS_MAX).contains(&seconds) {
        Ok((seconds * 1e9).round() as u64)
    } else {
        Err(Failure::parameter(
            name,
            format_args!("{seconds} s"),
            "0 to 6.4e9 seconds",
        ))
    }
}
