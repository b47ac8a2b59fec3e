//! CAN frames as Python has them: ours, and any object with the attributes of python-can's
//! messages.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use waywarden_can::frame::FdFlags;
use waywarden_can::{Format, Frame, Id};

use crate::arguments::Octets;
use crate::error::Failure;

/// A CAN or CAN FD frame.
///
/// Parameters
/// ----------
/// arbitration_id : int
///     The identifier: 0 to 0x7FF, or 0 to 0x1FFFFFFF if ``is_extended_id``.
/// data : bytes-like, optional
///     Up to 8 bytes; 0 to 8, 12, 16, 20, 24, 32, 48 or 64 bytes if ``is_fd``.
/// is_extended_id : bool, optional
///     True for an identifier of 29 bits.
/// is_fd : bool, optional
///     True for a CAN FD frame.
/// bitrate_switch : bool, optional
///     True if a CAN FD frame has its data at the higher bit rate.
/// is_remote_frame : bool, optional
///     True for a remote frame, which has no data.
/// dlc : int, optional
///     Data length code of a remote frame, 0 to 8.
///
/// The attributes have the names of python-can's ``Message``; ``to_can()`` makes one of it.
///
/// Raises
/// ------
/// waywarden.errors.ParameterError
///     An identifier or a length that no frame has.
#[pyclass(name = "Frame", module = "waywarden.secoc", frozen, eq, hash)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PyFrame(pub(crate) Frame);

impl std::hash::Hash for PyFrame {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.0.id(), self.0.dlc(), self.0.data()).hash(state);
    }
}

#[pymethods]
impl PyFrame {
    #[new]
    #[pyo3(signature = (arbitration_id, data=None, *, is_extended_id=false, is_fd=false,
        bitrate_switch=true, is_remote_frame=false, dlc=0))]
    fn new(
        arbitration_id: &Bound<'_, PyAny>,
        data: Option<Octets>,
        is_extended_id: bool,
        is_fd: bool,
        bitrate_switch: bool,
        is_remote_frame: bool,
        dlc: u8,
    ) -> PyResult<Self> {
        let id = identifier("arbitration_id", arbitration_id, is_extended_id)?;
        let data = data.map_or_else(Vec::new, |Octets(data)| data);
        frame(
            id,
            &data,
            &Kind {
                is_fd,
                bitrate_switch,
                error_state_indicator: false,
                is_remote_frame,
                dlc,
            },
        )
        .map(PyFrame)
    }

    /// Identifier of the frame.
    #[getter]
    fn arbitration_id(&self) -> u32 {
        self.0.id().raw()
    }

    /// Payload of the frame; empty for a remote frame.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.data())
    }

    /// Data length code, 0 to 15.
    #[getter]
    fn dlc(&self) -> u8 {
        self.0.dlc()
    }

    /// True if the identifier has 29 bits.
    #[getter]
    fn is_extended_id(&self) -> bool {
        self.0.id().is_extended()
    }

    /// True for a CAN FD frame.
    #[getter]
    fn is_fd(&self) -> bool {
        self.0.is_fd()
    }

    /// True if the data of a CAN FD frame have the higher bit rate.
    #[getter]
    fn bitrate_switch(&self) -> bool {
        matches!(
            self.0.format(),
            Format::Fd {
                bit_rate_switch: true,
                ..
            }
        )
    }

    /// True for a remote frame.
    #[getter]
    fn is_remote_frame(&self) -> bool {
        self.0.format() == Format::Remote
    }

    /// Returns the frame as a ``can.Message``.
    ///
    /// Raises
    /// ------
    /// ImportError
    ///     python-can is missing: ``pip install waywarden[can]``.
    #[expect(
        clippy::wrong_self_convention,
        reason = "Python passes an object by reference"
    )]
    fn to_can<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let named = PyDict::new(py);
        named.set_item("arbitration_id", self.arbitration_id())?;
        named.set_item("is_extended_id", self.is_extended_id())?;
        named.set_item("is_fd", self.is_fd())?;
        named.set_item("is_remote_frame", self.is_remote_frame())?;
        if self.is_remote_frame() {
            named.set_item("dlc", self.dlc())?;
        } else {
            named.set_item("data", self.data(py))?;
            named.set_item("bitrate_switch", self.bitrate_switch())?;
        }
        py.import("can")?.getattr("Message")?.call((), Some(&named))
    }

    fn __len__(&self) -> usize {
        self.0.data_len()
    }

    fn __repr__(&self) -> String {
        let digits = if self.is_extended_id() { 8 } else { 3 };
        let mut text = format!("Frame(0x{:0digits$X}", self.arbitration_id());
        if self.is_remote_frame() {
            text += &format!(", is_remote_frame=True, dlc={}", self.dlc());
        } else {
            let bytes: String = self
                .0
                .data()
                .iter()
                .map(|byte| format!("{byte:02X}"))
                .collect();
            text += &format!(", bytes.fromhex(\"{bytes}\")");
        }
        if self.is_extended_id() {
            text += ", is_extended_id=True";
        }
        if self.is_fd() {
            text += ", is_fd=True";
        }
        text + ")"
    }
}

/// The kind of a frame, unchecked.
struct Kind {
    is_fd: bool,
    bitrate_switch: bool,
    error_state_indicator: bool,
    is_remote_frame: bool,
    dlc: u8,
}

fn frame(id: Id, data: &[u8], kind: &Kind) -> PyResult<Frame> {
    let made = if kind.is_remote_frame {
        if kind.is_fd || !data.is_empty() {
            return Err(Failure::parameter(
                "is_remote_frame",
                "a remote frame has no data and is never CAN FD",
                "leave data out and is_fd False",
            ));
        }
        Frame::remote(id, kind.dlc)
    } else if kind.is_fd {
        let flags = FdFlags {
            bit_rate_switch: kind.bitrate_switch,
            error_state_indicator: kind.error_state_indicator,
        };
        Frame::fd_with(id, data, flags)
    } else {
        Frame::classic(id, data)
    };
    made.map_err(|error| {
        let remedy = "classic frames have 0 to 8 bytes; CAN FD frames (is_fd=True) 0 to 8, 12, \
                      16, 20, 24, 32, 48 or 64";
        Failure::parameter("data", error, remedy)
    })
}

/// Returns the identifier that an integer is.
pub(crate) fn identifier(
    name: &'static str,
    value: &Bound<'_, PyAny>,
    is_extended: bool,
) -> PyResult<Id> {
    let refused = |what: String| {
        let remedy = "0 to 0x7FF, or 0 to 0x1FFFFFFF for an identifier of 29 bits";
        Failure::parameter(name, what, remedy)
    };
    let raw: u32 = match value.extract() {
        Ok(raw) => raw,
        Err(_) => return Err(refused(format!("{} is no identifier", shown(value)))),
    };
    let id = match is_extended {
        true => Id::extended(raw),
        false => u16::try_from(raw)
            .map_or(Err(()), |raw| Id::standard(raw).map_err(|_| ()))
            .map_err(|()| refused(format!("0x{raw:X} has more than 11 bits")))
            .map(Ok)?,
    };
    id.map_err(|_| refused(format!("0x{raw:X} has more than 29 bits")))
}

/// Returns the beginning of a value's representation, for messages.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|text| text.to_string());
    let text = text.unwrap_or_else(|_| "the value".to_owned());
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Returns true if an object is an error frame of python-can.
pub(crate) fn is_error(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if value.is_instance_of::<PyFrame>() {
        return Ok(false);
    }
    match value.getattr_opt("is_error_frame")? {
        Some(flag) => flag.is_truthy(),
        None => Ok(false),
    }
}

/// Returns the frame that an object is: a [`PyFrame`], or a message of python-can.
pub(crate) fn extract(value: &Bound<'_, PyAny>) -> PyResult<Frame> {
    read(value, false)
}

/// Returns the same, with the error state of its sender.
pub(crate) fn extract_with_state(value: &Bound<'_, PyAny>) -> PyResult<Frame> {
    read(value, true)
}

fn read(value: &Bound<'_, PyAny>, keeps_state: bool) -> PyResult<Frame> {
    if let Ok(own) = value.cast::<PyFrame>() {
        return Ok(own.get().0);
    }
    let Ok(id) = value.getattr("arbitration_id") else {
        return Err(Failure::parameter(
            "frame",
            format_args!("{} is no frame", shown(value)),
            "pass a waywarden.secoc.Frame or a can.Message",
        ));
    };
    let flag = |name: &str| -> PyResult<bool> {
        match value.getattr_opt(name)? {
            Some(flag) => flag.is_truthy(),
            None => Ok(false),
        }
    };
    if is_error(value)? {
        return Err(Failure::parameter(
            "frame",
            "an error frame has no identifier and no payload",
            "filter error frames out before",
        ));
    }
    let is_remote_frame = flag("is_remote_frame")?;
    let id = identifier("arbitration_id", &id, flag("is_extended_id")?)?;
    let data: Vec<u8> = match value.getattr_opt("data")? {
        Some(data) if !is_remote_frame && !data.is_none() => data.extract::<Octets>()?.0,
        _ => Vec::new(),
    };
    let dlc = match value.getattr_opt("dlc")? {
        Some(dlc) if is_remote_frame => dlc.extract()?,
        _ => 0,
    };
    let kind = Kind {
        is_fd: flag("is_fd")?,
        bitrate_switch: flag("bitrate_switch")?,
        error_state_indicator: keeps_state && flag("error_state_indicator")?,
        is_remote_frame,
        dlc,
    };
    frame(id, &data, &kind)
}
