//! Function `bits`: a frame on the wire, bit by bit.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use waywarden_can::{FdFlags, Frame, Id};
use waywarden_documents::table::Table as Rows;
use waywarden_vehicle_report::bus_bits::{DOCUMENT, Explained, bits_of};

use super::rates::{Rates, variant};
use crate::arrow::{Table, table};
use crate::document;
use crate::error::Failure;

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
        Err(_) => of_message(frame)?,
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

/// Reads an object with the attributes of python-can's messages.
fn of_message(message: &Bound<'_, PyAny>) -> PyResult<Frame> {
    let truth = |name: &str| {
        message
            .getattr(name)
            .and_then(|value| value.extract::<bool>())
    };
    let raw = message.getattr("arbitration_id")?.extract::<u32>()?;
    let id = match truth("is_extended_id")? {
        true => Id::extended(raw),
        false => Id::standard(raw as u16),
    };
    // Digits beyond 16 bits are no identifier of 11.
    let refused = |why: String| Failure::new("ParameterError", why).into();
    if !truth("is_extended_id")? && raw > 0x7FF {
        return Err(refused(format!(
            "identifier 0x{raw:X}: above 0x7FF for 11 bits"
        )));
    }
    let id = id.map_err(|error| refused(error.to_string()))?;
    if truth("is_error_frame")? {
        return Err(refused("an error report has no bits of its own".to_owned()));
    }
    let dlc = message.getattr("dlc")?.extract::<u64>()?;
    let data = message.getattr("data")?;
    let data = match data.cast::<PyByteArray>() {
        Ok(bytes) => bytes.to_vec(),
        Err(_) => match data.cast::<PyBytes>() {
            Ok(bytes) => bytes.as_bytes().to_vec(),
            Err(_) => Vec::new(),
        },
    };
    let frame = match (truth("is_remote_frame")?, truth("is_fd")?) {
        (true, _) => Frame::remote(id, u8::try_from(dlc).unwrap_or(u8::MAX)),
        (false, true) => {
            let flags = FdFlags {
                bit_rate_switch: truth("bitrate_switch")?,
                error_state_indicator: truth("error_state_indicator")?,
            };
            Frame::fd_with(id, &data, flags)
        }
        (false, false) => Frame::classic(id, &data),
    };
    frame.map_err(|error| refused(error.to_string()))
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
