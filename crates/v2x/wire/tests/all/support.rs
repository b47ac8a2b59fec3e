//! Shared parts of the tests: real data, and values that are read and written again.

pub(crate) mod maker;

use std::fs;

use waywarden_testkit::{bytes_of, corpus, corpus_text, hex_of};
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::coer::{CoerDecode, CoerEncode, CoerSlice, Rebuilt, emit, length, parse};

/// The certificates of the ETSI test suite, with their names.
pub(crate) fn etsi_certificates() -> Option<Vec<(String, Vec<u8>)>> {
    let folder = corpus("v2x/etsi_tsits_certs")?;
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "oer"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    Some(files)
}

/// Messages from the field, with their source.
pub(crate) fn field_messages() -> Option<Vec<(String, Vec<u8>)>> {
    let text = corpus_text("v2x/us_field/signed.hex")?;
    let lines = text.lines().map(|line| {
        let (from, digits) = line.split_once(' ').unwrap();
        (from.to_owned(), bytes_of(digits))
    });
    Some(lines.collect())
}

/// Writes a value: as it was read, and from its parts; both are the same, and as long as was said.
pub(crate) fn written<T: CoerEncode>(value: &T) -> Vec<u8> {
    let size = length(value).unwrap();
    let mut buffer = vec![0; size];
    assert_eq!(emit(value, &mut buffer).unwrap().len(), size);
    let mut rebuilt = vec![0; size];
    let mut slice = CoerSlice::new(&mut rebuilt);
    value.encode(&mut Rebuilt(&mut slice)).unwrap();
    assert_eq!(slice.used(), size);
    assert_eq!(rebuilt, buffer, "from its parts, and as it was read");
    buffer
}

/// Reads `bytes`; what is read is written again as it was.
pub(crate) fn comes_back<'a, T: CoerDecode<'a> + CoerEncode>(
    bytes: &'a [u8],
) -> Result<T, WireError> {
    let value: T = parse(bytes)?;
    assert_eq!(
        hex_of(&written(&value)),
        hex_of(bytes),
        "{} is written as it was read",
        T::NAME
    );
    Ok(value)
}
