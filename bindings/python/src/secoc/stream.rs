//! Streams of secured messages.

use pyo3::prelude::*;
use waywarden_can::{Id, StandardId};
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::secoc::{Layout, SecocCarrier, SecocStream, SeparateStream};

use super::cmac::mac_key;
use super::profile::PyProfile;
use crate::arguments::Octets;
use crate::error::Failure;
use crate::frame::{identifier, shown};

/// Name of the one key of a stream's keyring.
pub(super) const KEY: KeyId = KeyId(0);

/// The keys of one end of a stream.
pub(super) type Keys = Keyring<AesCmac, 1>;

/// A stream of secured messages between one sender and its receivers.
///
/// Parameters
/// ----------
/// arbitration_id : int
///     Identifier of its frames: 0 to 0x7FF, or 0 to 0x1FFFFFFF if ``is_extended_id``.
/// profile : Profile or str
///     The profile, or its name.
/// key : bytes-like
///     16 bytes for AES-CMAC. A copy is kept and wiped at the end.
/// length : int or (int, int)
///     Bytes of the payload, 0 to 64, or the shortest and the longest. Of CAN FD frames only such
///     payloads of several lengths can be sent that fill a frame.
/// is_extended_id : bool, optional
///     True for an identifier of 29 bits; then ``data_id`` is needed.
/// is_fd : bool, optional
///     True for CAN FD frames.
/// data_id : int, optional
///     0 to 0xFFFF; the identifier by default. Under one key each stream needs its own.
/// cryptographic_id : int, optional
///     Sends freshness and code in a frame of their own under this identifier: a cryptographic
///     PDU. It has as many bits as ``arbitration_id``.
/// secured : (int, int), optional
///     First and last byte (exclusive) of the part of the payload that is authenticated. **Any node
///     may change the rest.** Not with ``cryptographic_id``.
/// padding : int, optional
///     Byte that fills CAN FD frames up, 0 to 255. Not with ``cryptographic_id``.
///
/// Raises
/// ------
/// waywarden.errors.ParameterError
///     A frame without room for payload, freshness and code, or a parameter out of range.
#[pyclass(name = "Stream", module = "waywarden.secoc", frozen)]
pub(crate) struct PyStream {
    pub(super) form: Form,
    pub(super) identifier: u32,
    key: MacKey,
}

/// The frames of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Freshness and code share the frame with the payload.
    Together(SecocStream),
    /// They have a frame of their own.
    Separate(SeparateStream),
}

impl PyStream {
    /// Returns the profile.
    pub(super) fn profile(&self) -> waywarden_can_auth::secoc::SecocProfile {
        match &self.form {
            Form::Together(stream) => stream.profile(),
            Form::Separate(stream) => stream.profile(),
        }
    }

    /// Returns a keyring with the key of the stream.
    pub(super) fn keys(&self, usage: Usage) -> PyResult<Keys> {
        keys(&self.key, usage)
    }
}

/// Returns a keyring with one key.
pub(super) fn keys(key: &MacKey, usage: Usage) -> PyResult<Keys> {
    let mut keys = Keyring::new();
    keys.insert(KEY, usage, key)
        .map_err(|error| refused_key(&error))?;
    Ok(keys)
}

/// Returns the exception of a keyring that refuses.
pub(crate) fn refused_key(error: &KeyStoreError) -> PyErr {
    Failure::new("RefusedError", error).code("key").into()
}

/// The parameters of a stream beside its identifier, profile and key.
struct Parts {
    lengths: (u8, u8),
    carrier: SecocCarrier,
    data_id: Option<u16>,
    secured: Option<(u8, u8)>,
    padding: u8,
}

#[pymethods]
impl PyStream {
    #[new]
    #[pyo3(signature = (arbitration_id, *, profile, key, length, is_extended_id=false,
        is_fd=false, data_id=None, cryptographic_id=None, secured=None, padding=0))]
    #[expect(clippy::too_many_arguments, reason = "named arguments in Python")]
    fn new(
        arbitration_id: &Bound<'_, PyAny>,
        profile: &Bound<'_, PyAny>,
        key: Octets,
        length: &Bound<'_, PyAny>,
        is_extended_id: bool,
        is_fd: bool,
        data_id: Option<u16>,
        cryptographic_id: Option<&Bound<'_, PyAny>>,
        secured: Option<(u8, u8)>,
        padding: u8,
    ) -> PyResult<Self> {
        let id = identifier("arbitration_id", arbitration_id, is_extended_id)?;
        let cryptographic = cryptographic_id
            .map(|id| identifier("cryptographic_id", id, is_extended_id))
            .transpose()?;
        let parts = Parts {
            lengths: lengths(length)?,
            carrier: if is_fd {
                SecocCarrier::Fd
            } else {
                SecocCarrier::Classic
            },
            data_id,
            secured,
            padding,
        };
        let PyProfile(profile) = chosen(profile)?;
        let form = match cryptographic {
            None => together(id, profile, &parts)?,
            Some(cryptographic) => separate((id, cryptographic), profile, &parts)?,
        };
        let key = mac_key("key", &key.0)?;
        Ok(PyStream {
            form,
            identifier: id.raw(),
            key,
        })
    }

    /// Identifier of its frames.
    #[getter]
    fn arbitration_id(&self) -> u32 {
        self.identifier
    }

    /// The profile.
    #[getter(profile)]
    fn profile_of(&self) -> PyProfile {
        PyProfile(self.profile())
    }

    fn __repr__(&self) -> String {
        format!("<Stream 0x{:X}>", self.identifier)
    }
}

/// Returns the profile that an argument is or names.
pub(super) fn chosen(profile: &Bound<'_, PyAny>) -> PyResult<PyProfile> {
    if let Ok(own) = profile.cast::<PyProfile>() {
        return Ok(*own.get());
    }
    match profile.extract::<String>() {
        Ok(name) => PyProfile::named(&name),
        Err(_) => Err(Failure::parameter(
            "profile",
            format_args!("{} is no profile", shown(profile)),
            "pass a Profile or the name of one",
        )),
    }
}

fn lengths(length: &Bound<'_, PyAny>) -> PyResult<(u8, u8)> {
    if let Ok(length) = length.extract::<u8>() {
        return Ok((length, length));
    }
    length.extract().map_err(|_| {
        let problem = format!("{} is no length", shown(length));
        Failure::parameter(
            "length",
            problem,
            "0 to 64 bytes, or the shortest and the longest",
        )
    })
}

/// Returns the identifier by which the libraries call a stream, and its data id.
fn named(id: Id, data_id: Option<u16>) -> PyResult<(StandardId, u16)> {
    match (id, data_id) {
        (Id::Standard(id), data_id) => Ok((id, data_id.unwrap_or(id.raw()))),
        (Id::Extended(_), Some(data_id)) => {
            let name = StandardId::new(0)
                .map_err(|error| Failure::parameter("arbitration_id", error, "0 to 0x7FF"))?;
            Ok((name, data_id))
        }
        (Id::Extended(_), None) => Err(Failure::parameter(
            "data_id",
            "an identifier of 29 bits is no data id",
            "give data_id, 0 to 0xFFFF",
        )),
    }
}

fn together(
    id: Id,
    profile: waywarden_can_auth::secoc::SecocProfile,
    parts: &Parts,
) -> PyResult<Form> {
    let (name, data_id) = named(id, parts.data_id)?;
    let (shortest, longest) = parts.lengths;
    let layout = Layout::variable(parts.carrier, shortest..=longest).padded_with(parts.padding);
    let layout = match parts.secured {
        Some((from, to)) => layout.secured(from..to),
        None => layout,
    };
    let stream = SecocStream::new(profile, layout, name, KEY).map_err(|error| {
        let remedy = "a shorter payload, a shorter code, or is_fd=True";
        Failure::parameter("length", error, remedy)
    })?;
    Ok(Form::Together(
        stream.with_data_id(data_id).with_frame_id(id),
    ))
}

fn separate(
    (id, cryptographic): (Id, Id),
    profile: waywarden_can_auth::secoc::SecocProfile,
    parts: &Parts,
) -> PyResult<Form> {
    let (name, data_id) = named(id, parts.data_id)?;
    let refused = |name, problem| {
        Failure::parameter(name, problem, "leave it out, or leave cryptographic_id out")
    };
    if parts.secured.is_some() {
        return Err(refused(
            "secured",
            "a cryptographic PDU secures all of the payload",
        ));
    }
    if parts.padding != 0 {
        return Err(refused(
            "padding",
            "frames of a cryptographic PDU are filled up with zeros",
        ));
    }
    if parts.lengths.0 != parts.lengths.1 {
        return Err(refused(
            "length",
            "beside a cryptographic PDU payloads have one length",
        ));
    }
    if id == cryptographic {
        return Err(refused(
            "cryptographic_id",
            "the identifier of the payload itself",
        ));
    }
    let ids = (name, cryptographic);
    let stream = SeparateStream::new(profile, (parts.carrier, parts.lengths.0), ids, KEY)
        .map_err(|error| Failure::parameter("length", error, "a shorter payload or code"))?;
    Ok(Form::Separate(
        stream.with_data_id(data_id).with_frame_id(id),
    ))
}
