//! `--counter`: the counter that a stream of the log begins with.

use std::str::FromStr;

/// The counter of the first message of a stream, or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FirstCounter {
    /// The name or identifier of the stream; none is all.
    pub stream: Option<String>,
    pub counter: u64,
}

impl FromStr for FirstCounter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (stream, counter) = match text.rsplit_once('=') {
            Some((stream, counter)) => (Some(stream.trim()), counter.trim()),
            None => (None, text.trim()),
        };
        if stream.is_some_and(str::is_empty) {
            return Err("no stream before `=`; write 0x120=70000, or 70000 for all".to_owned());
        }
        let number = match counter.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => counter.parse().ok(),
        };
        let counter = number.ok_or_else(|| {
            format!("{counter:?} is no counter; write a number, such as 70000 or 0x120=70000")
        })?;
        Ok(FirstCounter {
            stream: stream.map(canonical),
            counter,
        })
    }
}

/// Writes an identifier as tables of streams have it: 3 digits for 11 bits, 8 for 29.
fn canonical(stream: &str) -> String {
    let digits = stream.strip_prefix("0x").unwrap_or("");
    match u32::from_str_radix(digits, 16) {
        Ok(id) if digits.len() <= 3 => format!("0x{id:03X}"),
        Ok(id) => format!("0x{id:08X}"),
        Err(_) => stream.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Option<String>, u64), String> {
        let first: Result<FirstCounter, _> = text.parse();
        first.map(|first| (first.stream, first.counter))
    }

    #[test]
    fn counter_is_of_one_stream_or_of_all() {
        let named = |name: &str, counter| Ok((Some(name.to_owned()), counter));
        assert_eq!(read("70000"), Ok((None, 70_000)));
        assert_eq!(read("0x12c=0x10"), named("0x12C", 16));
        assert_eq!(read("0x1a=1"), named("0x01A", 1));
        assert_eq!(read("0x18fef100=2"), named("0x18FEF100", 2));
        assert_eq!(read("Speed=3"), named("Speed", 3));
        for (text, said) in [
            ("=3", "no stream"),
            ("x", "no counter"),
            ("a=-1", "no counter"),
        ] {
            assert!(read(text).unwrap_err().contains(said), "{text}");
        }
    }
}
