//! `pkcs11:` URIs of private keys \[RFC 7512\]. None has a PIN, nor the path of a module: a file
//! from elsewhere must not decide which code is loaded.

use core::fmt;

use crate::error::TokenError;

/// Maximum length of a URI, in bytes.
const URI_MAX: usize = 1_024;

/// URI of a key in a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUri {
    /// Label of the token.
    pub token: String,
    /// Serial number of the token; may be empty.
    pub serial: String,
    /// Label of the key (`CKA_LABEL`).
    pub object: String,
    /// Identifier of the key (`CKA_ID`).
    pub id: Vec<u8>,
}

impl KeyUri {
    /// Reads a URI. Attributes that it does not know are refused.
    ///
    /// # Errors
    /// [`TokenError::Uri`].
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let wrong = |why| TokenError::Uri { why };
        if text.len() > URI_MAX {
            return Err(wrong("it is longer than 1,024 bytes"));
        }
        let path = text.strip_prefix("pkcs11:");
        let path = path.ok_or(wrong("it does not begin with pkcs11:"))?;
        if path.contains('?') {
            return Err(wrong(
                "a query is not taken: module and PIN come from the command",
            ));
        }
        let mut own = Self {
            token: String::new(),
            serial: String::new(),
            object: String::new(),
            id: Vec::new(),
        };
        let mut seen: Vec<&str> = Vec::new();
        for attribute in path.split(';') {
            let (name, value) = attribute
                .split_once('=')
                .ok_or(wrong("an attribute has no value"))?;
            if seen.contains(&name) {
                return Err(wrong("an attribute is there twice"));
            }
            seen.push(name);
            let bytes = decoded(value).ok_or(wrong("a value is not percent-encoded"))?;
            let text = |bytes| String::from_utf8(bytes).map_err(|_| wrong("a value is not UTF-8"));
            match name {
                "token" => own.token = text(bytes)?,
                "serial" => own.serial = text(bytes)?,
                "object" => own.object = text(bytes)?,
                "id" => own.id = bytes,
                "type" if value == "private" => {}
                _ => return Err(wrong("an attribute is not known")),
            }
        }
        match own.id.is_empty() {
            true => Err(wrong("it has no id")),
            false => Ok(own),
        }
    }
}

impl fmt::Display for KeyUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("pkcs11:")?;
        for (name, value) in [
            ("token", &self.token),
            ("serial", &self.serial),
            ("object", &self.object),
        ] {
            if !value.is_empty() {
                write!(f, "{name}={};", encoded(value.as_bytes(), is_plain))?;
            }
        }
        write!(f, "id={};type=private", encoded(&self.id, |_| false))
    }
}

/// Letters that need no encoding in a URI.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn encoded(bytes: &[u8], is_plain: impl Fn(u8) -> bool) -> String {
    let letter = |byte: &u8| match is_plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    bytes.iter().map(letter).collect()
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        let value = |digit: u8| char::from(digit).to_digit(16);
        let byte = value(digits[0])? * 16 + value(digits[1])?;
        bytes.push(byte as u8);
        rest = after;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_testkit::{Random, cases};

    #[test]
    fn uris_are_read_as_they_are_written() {
        let mut random = Random::of_test("uris_are_read_as_they_are_written");
        for _ in 0..cases(200) {
            let text = |random: &mut Random| -> String {
                let length = random.index(12);
                (0..length)
                    .map(|_| char::from(random.below(256) as u8))
                    .collect()
            };
            let own = KeyUri {
                token: text(&mut random),
                serial: text(&mut random),
                object: text(&mut random),
                id: {
                    let length = 1 + random.index(20);
                    random.bytes(length)
                },
            };
            let written = own.to_string();
            assert!(written.is_ascii(), "{written}");
            assert_eq!(KeyUri::parse(&written), Ok(own), "{written}");
            let garbage = text(&mut random);
            let _ = KeyUri::parse(&format!("pkcs11:{garbage}"));
        }
    }

    #[test]
    fn uris_with_modules_and_pins_are_refused() {
        for (text, why) in [
            ("pkcs11:id=%01?module-path=/tmp/x.so", "a query"),
            ("pkcs11:id=%01?pin-value=1234", "a query"),
            ("pkcs11:id=%01;pin-value=1234", "not known"),
            ("pkcs11:id=%01;id=%02", "twice"),
            ("pkcs11:id=%0", "percent"),
            ("pkcs11:id=%g0", "percent"),
            ("pkcs11:id=%+1", "percent"),
            ("pkcs11:token=x", "no id"),
            ("pkcs11:", "no value"),
            ("pkcs11:token=%FF;id=%01", "UTF-8"),
            ("keys/1.p8", "begin"),
        ] {
            let error = KeyUri::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
