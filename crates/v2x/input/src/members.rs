//! Unpacks a gzip file \[RFC 1952\]: its members, one after the other, up to a bound. Zeros behind
//! the last member are padding; other bytes there are left, and reported.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use flate2::bufread::GzDecoder;

/// The most bytes that a file is unpacked to: 1 GiB. A file of a megabyte can be a thousand times
/// as long unpacked; who has a longer one unpacks it first.
pub(crate) const UNPACKED_MAX: u64 = 1 << 30;

/// Unpacks a file.
pub(crate) struct Members<R> {
    state: State<R>,
    /// Number of bytes that may still come.
    left: u64,
    is_first: bool,
    /// True if other bytes stand behind the last member.
    rest: Rc<Cell<bool>>,
}

enum State<R> {
    /// Before a member, or the end.
    Between(R),
    Member(Box<GzDecoder<R>>),
    Ended,
    /// Returned again at each read.
    Failed(io::ErrorKind, String),
}

impl<R: BufRead> Members<R> {
    /// Begins with the first member; `rest` is set where something stands behind the last one.
    pub(crate) fn new(input: R, rest: Rc<Cell<bool>>, most: u64) -> Self {
        Self {
            state: State::Member(Box::new(GzDecoder::new(input))),
            left: most,
            is_first: true,
            rest,
        }
    }

    /// Finds the next member behind one that ended.
    fn next(&self, mut input: R) -> io::Result<State<R>> {
        loop {
            let bytes = input.fill_buf()?;
            let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
            match bytes.first() {
                None => return Ok(State::Ended),
                Some(0) => input.consume(zeros),
                Some(0x1F) => return Ok(State::Member(Box::new(GzDecoder::new(input)))),
                Some(_) => {
                    self.rest.set(true);
                    return Ok(State::Ended);
                }
            }
        }
    }

    fn fail(&mut self, error: io::Error) -> io::Error {
        self.state = State::Failed(error.kind(), error.to_string());
        error
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::Failed(kind, words) => {
                    self.state = State::Failed(kind, words.clone());
                    return Err(io::Error::new(kind, words));
                }
                State::Between(input) => {
                    self.state = self.next(input).map_err(|error| self.fail(error))?;
                }
                State::Member(mut decoder) => match decoder.read(buffer) {
                    Ok(0) => {
                        self.is_first = false;
                        self.state = State::Between(decoder.into_inner());
                    }
                    Ok(read) if read as u64 > self.left => {
                        let words = format!("unpacks to more than {UNPACKED_MAX} bytes");
                        let error = io::Error::new(io::ErrorKind::FileTooLarge, words);
                        return Err(self.fail(error));
                    }
                    Ok(read) => {
                        self.left -= read as u64;
                        self.state = State::Member(decoder);
                        return Ok(read);
                    }
                    // What does not begin as a member is none.
                    Err(error)
                        if !self.is_first
                            && decoder.header().is_none()
                            && error.kind() != io::ErrorKind::UnexpectedEof =>
                    {
                        self.rest.set(true);
                    }
                    Err(error) => return Err(self.fail(error)),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    /// Returns the unpacked bytes, whether other bytes stand behind them, and the final error.
    fn unpack(bytes: &[u8], most: u64) -> (Vec<u8>, bool, Option<io::ErrorKind>) {
        let rest = Rc::new(Cell::new(false));
        // A buffer of one byte, as a pipe may give.
        let input = io::BufReader::with_capacity(1, bytes);
        let mut members = Members::new(input, Rc::clone(&rest), most);
        let mut out = Vec::new();
        let error = members.read_to_end(&mut out).err();
        // An error is returned again, and no end.
        if error.is_some() {
            assert!(members.read(&mut [0]).is_err());
        }
        (out, rest.get(), error.map(|error| error.kind()))
    }

    #[test]
    fn members_padding_and_what_is_neither() {
        let (one, two) = (packed(b"one"), packed(b"two"));
        let both = [one.clone(), two.clone()].concat();
        let zeros = vec![0; 700];
        for (bytes, rest) in [
            (both.clone(), false),
            ([one.clone(), zeros.clone(), two.clone()].concat(), false),
            ([both.clone(), zeros.clone()].concat(), false),
            ([&both[..], b"garbage"].concat(), true),
            ([&both[..], &zeros, b"garbage"].concat(), true),
            ([&both[..], b"\x1F\x9Dgarbage at the end"].concat(), true),
        ] {
            assert_eq!(unpack(&bytes, 6), (b"onetwo".to_vec(), rest, None));
        }
        let eof = Some(io::ErrorKind::UnexpectedEof);
        for cut in 1..two.len() {
            let (out, rest, error) = unpack(&both[..both.len() - cut], 6);
            assert!(out.starts_with(b"one"));
            assert_eq!((rest, error), (false, eof), "{cut}");
        }
    }

    #[test]
    fn no_more_is_unpacked_than_the_bound() {
        let bytes = packed(&[b'\n'; 100_000]);
        assert_eq!(unpack(&bytes, 100_000).0.len(), 100_000);
        let (out, _, error) = unpack(&bytes, 99_999);
        assert!(out.len() < 100_000);
        assert_eq!(error, Some(io::ErrorKind::FileTooLarge));
    }
}
