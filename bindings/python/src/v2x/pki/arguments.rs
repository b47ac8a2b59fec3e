//! Arguments of the authorities of a PKI, as their library takes them.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyString;
use waywarden_pki_authorities::profile::Profile;
use waywarden_pki_authorities::{CertificateForm, NewKeys, NewPeriod, PkiError};
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::index::CertificateShape;
use waywarden_pki_folder::passphrase::Passphrase;
use waywarden_pki_folder::permission::{PsidPermission, Range, permission, range};
use waywarden_pki_folder::{region, validity};
use waywarden_v2x_input::time::At;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};
use zeroize::Zeroizing;

use super::super::arguments::at;
use super::super::refusal::wrong;
use super::super::signer::secret;
use super::answers::refused;
use crate::error::Failure;

/// Reads a text argument, if it is given.
fn read<T>(
    name: &str,
    text: Option<&str>,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, Failure> {
    let read = text.map(parse).transpose();
    read.map_err(|why| wrong(name, why))
}

pub(super) fn shape(text: &str) -> Result<CertificateShape, Failure> {
    match text {
        "european" => Ok(CertificateShape::Etsi),
        "american" => Ok(CertificateShape::Us),
        _ => {
            let why = format!("{text:?}; give european or american");
            Err(wrong("shape", why))
        }
    }
}

pub(super) fn curve(text: Option<&str>) -> Result<Option<CurveName>, Failure> {
    read("curve", text, str::parse)
}

pub(super) fn region_of(text: Option<&str>) -> Result<Option<waywarden_v2x_pki::Region>, Failure> {
    read("region", text, region::parse)
}

pub(super) fn grid(text: Option<&str>) -> Result<Option<waywarden_v2x_pki::ValidityGrid>, Failure> {
    read("validity_grid", text, validity::grid)
}

/// Reads the time until the next list is due.
pub(super) fn next(text: &str) -> Result<Duration, Failure> {
    validity::until_next(text).map_err(|why| wrong("next", why))
}

/// Takes a moment that may be left out.
pub(super) fn start(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Time64>> {
    let Some(value) = value else { return Ok(None) };
    match at(value, "start")? {
        At::Now => Ok(None),
        At::Time(time) => Ok(Some(time)),
        At::Capture | At::Generation => Err(wrong("start", "give a time, or now").into()),
    }
}

pub(super) fn period(
    start: Option<&Bound<'_, PyAny>>,
    validity: Option<&str>,
) -> PyResult<NewPeriod> {
    Ok(NewPeriod {
        start: self::start(start)?,
        validity: read("validity", validity, validity::duration)?,
    })
}

pub(super) fn permissions(texts: &[String]) -> Result<Vec<PsidPermission>, Failure> {
    let read = texts.iter().map(|text| permission(text));
    let read: Result<_, String> = read.collect();
    read.map_err(|why| wrong("permissions", why))
}

pub(super) fn ranges(texts: &[String]) -> Result<Vec<Range>, Failure> {
    let read: Result<_, String> = texts.iter().map(|text| range(text)).collect();
    read.map_err(|why| wrong("issues", why))
}

pub(super) fn form(implicit: Option<bool>) -> CertificateForm {
    match implicit {
        None => CertificateForm::OfShape,
        Some(true) => CertificateForm::Implicit,
        Some(false) => CertificateForm::Explicit,
    }
}

pub(super) fn profile(path: Option<&PathBuf>) -> Result<Profile, Failure> {
    let read = path.map(|path| Profile::read(path)).transpose();
    let read = read.map_err(|error| refused(&error))?;
    Ok(read.unwrap_or_default())
}

/// Takes names: one, or several.
pub(super) fn names(value: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    match value.cast::<PyString>() {
        Ok(name) => Ok(vec![name.to_str()?.to_owned()]),
        Err(_) => value.try_iter()?.map(|one| one?.extract()).collect(),
    }
}

/// Takes a file to write. The name `-` is a file's here: standard output is the interpreter's. A
/// pipe is refused: nothing could interrupt the wait for its reader.
pub(super) fn output(path: Option<PathBuf>, name: &str) -> Result<Option<PathBuf>, Failure> {
    let place = path
        .as_deref()
        .and_then(|path| std::fs::metadata(path).ok());
    if place.is_some_and(|place| !place.is_file()) {
        return Err(wrong(
            name,
            "is there, and is no file: give the name of a file, or take the bytes",
        ));
    }
    match path.as_deref().and_then(std::path::Path::to_str) {
        Some("-" | "/dev/stdout") => Err(wrong(name, "give a file, or take the bytes")),
        _ => Ok(path),
    }
}

/// The form of new keys: exactly one has to be chosen.
pub(super) struct KeyChoice {
    passphrase: Option<Vec<u8>>,
    is_plain: bool,
}

impl KeyChoice {
    pub(super) fn of(
        passphrase: Option<&Bound<'_, PyAny>>,
        is_unencrypted: bool,
        is_plain: bool,
    ) -> PyResult<Self> {
        let passphrase = secret(passphrase)?;
        match (passphrase.is_some(), is_unencrypted, is_plain) {
            (true, false, false) | (false, true, false) | (false, false, true) => Ok(Self {
                passphrase,
                is_plain,
            }),
            _ => Err(wrong(
                "passphrase",
                "give one of passphrase, unencrypted=True and plain_keys=True",
            )
            .into()),
        }
    }

    pub(super) fn keys(self) -> Result<NewKeys, PkiError> {
        match (self.passphrase, self.is_plain) {
            (Some(bytes), _) => {
                let passphrase = Passphrase::chosen(Zeroizing::new(bytes));
                let named = |why| PkiError::new(format_args!("--passphrase: {why}"));
                Ok(NewKeys::Encrypted(passphrase.map_err(named)?))
            }
            (None, true) => Ok(NewKeys::Plain),
            (None, false) => Ok(NewKeys::Unencrypted),
        }
    }
}
