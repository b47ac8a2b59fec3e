//! Function `bits`: a frame on the wire, bit by bit.

use pyo3::prelude::*;
use pyo3::types::PyString;
use waywarden_can::Frame;
use waywarden_documents::table::Table as Rows;
use waywarden_vehicle_report::bus_bits::{DOCUMENT, Explained, bits_of};

use super::rates::{Rates, variant};
use crate::arrow::{Table, table};
use crate::document;
use crate::error::Failure;
use crate::frame::extract_with_state;

/// A frame on the wire, bit by bit.
#[pyclass(module = "waywarden.can", frozen)]
pub(super) struct Bits {
    explained: Explained,
}

/// Explains a frame bit by bit: fields, stuff bits, CRC, duration.
///
/// Parameters
/// ----------
/// frame : str or message
///     The frame as candump writes it, such as "123#1122" or "18FEF100##1AABB", or an object with
///     the attributes of python-can's ``Message``.
/// bitrate, data_bitrate : int or str
///     Bit rates: bits per second, or text such as "500k".
/// non_iso : bool
///     The CAN FD frame format before ISO 11898-1:2015.
///
/// Raises
/// ------
/// ParameterError
///     For a frame that no bus carries, or a rate out of its range.
#[pyfunction]
#[pyo3(signature = (frame, *, bitrate=None, data_bitrate=None, non_iso=false))]
pub(super) fn bits(
    py: Python<'_>,
    frame: &Bound<'_, PyAny>,
    bitrate: Option<Bound<'_, PyAny>>,
    data_bitrate: Option<Bound<'_, PyAny>>,
    non_iso: bool,
) -> PyResult<Bits> {
    let text = |text: &str| PyString::new(py, text).into_any();
    let rates = Rates {
        bitrate: &bitrate.unwrap_or_else(|| text("500k")),
        data_bitrate: Some(&data_bitrate.unwrap_or_else(|| text("2M"))),
        sample_point: None,
        data_sample_point: None,
    };
    let timing = rates.timing()?;
    let frame = match frame.cast::<PyString>() {
        Ok(text) => parsed(text.to_str()?)?,
        Err(_) => extract_with_state(frame)?,
    };
    let explained = bits_of(&frame, variant(non_iso), &timing);
    Ok(Bits { explained })
}

fn parsed(text: &str) -> Result<Frame, Failure> {
    // No more of it than a frame can have.
    let shown: String = text.chars().take(200).collect();
    let entry = waywarden_can_log::candump::parse_frame(text.as_bytes());
    let entry = entry.map_err(|cause| {
        Failure::new("ParameterError", format_args!("{shown}: {cause}"))
            .remedy("such as 123#1122, 123#R4 or 123##1AABB")
    })?;
    entry.frame().copied().ok_or_else(|| {
        let why = "an error report has no bits of its own";
        Failure::new("ParameterError", format_args!("{shown}: {why}"))
    })
}

#[pymethods]
impl Bits {
    /// The document of ``waywarden bus bits --format json`` as a dict.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        document::object(py, &self.json()?)
    }

    /// Returns the same document as text, byte for byte as the command prints it.
    fn json(&self) -> PyResult<String> {
        document::text(&DOCUMENT, &self.explained)
    }

    /// A row for each bit: field, level, stuff bit, rate, start.
    #[getter]
    fn table(&self) -> PyResult<Table> {
        table(Rows::of(&self.explained.bits))
    }

    /// Duration of the frame without intermission, in microseconds.
    #[getter]
    fn duration_us(&self) -> f64 {
        self.explained.duration_us
    }

    fn __len__(&self) -> usize {
        self.explained.bits.len()
    }

    fn __repr__(&self) -> String {
        let Explained {
            frame, duration_us, ..
        } = &self.explained;
        format!(
            "Bits({frame}: {} bits, {duration_us:.3} us)",
            self.explained.bits.len()
        )
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.table()?.html(py)
    }
}
