//! Kinds of foreign bytes, recognized by their beginning.

/// A file of keys or certificates of X.509.
pub(super) const PEM: &str =
    "a PEM file, as X.509 certificates and keys come in; this reads IEEE 1609.2";

/// Returns what it is, and what is read here.
pub fn foreign(bytes: &[u8]) -> Option<&'static str> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    Some(if begins(b"-----BEGIN") {
        PEM
    } else if begins(&[0x30, 0x82]) || begins(&[0x30, 0x81]) {
        "DER, as X.509 certificates come in; this reads IEEE 1609.2 in COER"
    } else if begins(b"{") || begins(b"[") {
        "JSON; this reads IEEE 1609.2 in COER"
    } else if begins(b"<") {
        "XML; this reads IEEE 1609.2 in COER"
    } else if begins(b"PK\x03\x04") {
        "a ZIP archive; unpack it"
    } else if begins(&[0x1F, 0x8B]) {
        "compressed with gzip, twice; unpack it once"
    } else {
        return None;
    })
}

/// Returns true if a text is in UTF-16: with a byte order mark, or every other byte of its
/// beginning zero and the ones between printable.
pub fn is_utf16(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 8;
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return true;
    }
    let Some(bytes) = bytes.get(..LOOKED_AT) else {
        return false;
    };
    let printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    [(0, 1), (1, 0)].into_iter().any(|(letter, zero)| {
        let every_other = |from: usize| bytes.iter().skip(from).step_by(2);
        every_other(letter).all(printable) && every_other(zero).all(|byte| *byte == 0)
    })
}
