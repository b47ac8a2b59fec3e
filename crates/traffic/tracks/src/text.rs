//! Text of other encodings as UTF-8: UTF-16, which Windows programs write.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_16BE, UTF_16LE};

/// The number of first bytes of a file that show its encoding and format.
pub(crate) const BEGIN: u64 = 64 * 1024;

/// Returns the first bytes of a file, and the whole of it.
pub(crate) fn begin<'a>(
    mut input: impl BufRead + 'a,
) -> io::Result<(Vec<u8>, Box<dyn BufRead + 'a>)> {
    let mut begin = Vec::new();
    (&mut input).take(BEGIN).read_to_end(&mut begin)?;
    let whole = Cursor::new(begin.clone()).chain(input);
    Ok((begin, Box::new(whole)))
}

/// Detects the byte order of UTF-16: by its mark, or by the zero beside its first letter.
fn encoding(begin: &[u8]) -> Option<&'static Encoding> {
    match begin {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => Some(UTF_16LE),
        [0, first, 0, second, ..] if *first != 0 && *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// Returns UTF-16 as UTF-8, and leaves the rest as it is.
pub(crate) fn decoded<'a>(input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let (begin, whole) = begin(input)?;
    Ok(match encoding(&begin) {
        Some(encoding) => Box::new(BufReader::new(Decoded {
            input: whole,
            decoder: encoding.new_decoder_with_bom_removal(),
            is_over: false,
        })),
        None => whole,
    })
}

/// Bytes in an encoding, as UTF-8. A unit that is none becomes U+FFFD.
struct Decoded<R> {
    input: R,
    decoder: Decoder,
    is_over: bool,
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The decoder needs room for a character.
        let mut small = [0; 16];
        let is_small = buffer.len() < small.len();
        let target = if is_small {
            &mut small[..]
        } else {
            &mut *buffer
        };
        let mut written = 0;
        while written == 0 && !self.is_over {
            let bytes = self.input.fill_buf()?;
            let is_last = bytes.is_empty();
            let (result, read, count, _) = self.decoder.decode_to_utf8(bytes, target, is_last);
            self.input.consume(read);
            self.is_over = is_last && result == CoderResult::InputEmpty;
            written = count;
        }
        if is_small {
            // `BufReader` asks for its whole buffer; nothing else reads this.
            let length = written.min(buffer.len());
            buffer[..length].copy_from_slice(&small[..length]);
            return Ok(length);
        }
        Ok(written)
    }
}
