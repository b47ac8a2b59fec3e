//! Common Data Representation of the Object Management Group, as ROS 2 uses it for messages:
//! little-endian, each number at a multiple of its size, counted from behind the header.

/// The header that says: plain CDR, little-endian, no options.
const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];

/// A message that is being written.
#[derive(Debug, Default)]
pub(super) struct Cdr {
    bytes: Vec<u8>,
}

impl Cdr {
    /// Begins a message in place of the one before.
    pub(super) fn begin(&mut self) -> &mut Self {
        self.bytes.clear();
        self.bytes.extend_from_slice(&ENCAPSULATION);
        self
    }

    /// Returns the message so far.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn number<const SIZE: usize>(&mut self, bytes: [u8; SIZE]) -> &mut Self {
        let at = self.bytes.len() - ENCAPSULATION.len();
        let aligned = ENCAPSULATION.len() + at.next_multiple_of(SIZE);
        self.bytes.resize(aligned, 0);
        self.bytes.extend_from_slice(&bytes);
        self
    }

    pub(super) fn bool(&mut self, value: bool) -> &mut Self {
        self.u8(u8::from(value))
    }

    pub(super) fn u8(&mut self, value: u8) -> &mut Self {
        self.number([value])
    }

    pub(super) fn u16(&mut self, value: u16) -> &mut Self {
        self.number(value.to_le_bytes())
    }

    pub(super) fn u32(&mut self, value: u32) -> &mut Self {
        self.number(value.to_le_bytes())
    }

    pub(super) fn i32(&mut self, value: i32) -> &mut Self {
        self.number(value.to_le_bytes())
    }

    pub(super) fn u64(&mut self, value: u64) -> &mut Self {
        self.number(value.to_le_bytes())
    }

    /// Writes a sequence of bytes; what is beyond 2^32 - 2 of them is cut off.
    pub(super) fn sequence(&mut self, bytes: &[u8]) -> &mut Self {
        let bytes = cut(bytes);
        self.u32(bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Writes a string, whose length counts the zero behind it.
    pub(super) fn string(&mut self, text: &str) -> &mut Self {
        let bytes = cut(text.as_bytes());
        self.u32(bytes.len() as u32 + 1);
        self.bytes.extend_from_slice(bytes);
        self.bytes.push(0);
        self
    }
}

/// Messages and reasons are shorter by far: this keeps lengths true and nothing else.
fn cut(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(u32::MAX as usize - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_from_behind_the_header() {
        let mut cdr = Cdr::default();
        cdr.begin().u8(7).u64(1).bool(true).u16(2).u32(3).i32(-1);
        let expected = [
            &[0, 1, 0, 0][..],
            &[7, 0, 0, 0, 0, 0, 0, 0],
            &[1, 0, 0, 0, 0, 0, 0, 0],
            &[1, 0, 2, 0],
            &[3, 0, 0, 0],
            &[255; 4],
        ];
        assert_eq!(cdr.bytes(), expected.concat());
    }

    #[test]
    fn strings_count_their_zero_and_sequences_do_not() {
        let mut cdr = Cdr::default();
        cdr.begin().string("ab").sequence(&[9]).string("");
        let expected = [
            &[0, 1, 0, 0][..],
            &[3, 0, 0, 0, b'a', b'b', 0, 0],
            &[1, 0, 0, 0, 9, 0, 0, 0],
            &[1, 0, 0, 0, 0],
        ];
        assert_eq!(cdr.bytes(), expected.concat());
        cdr.begin().u8(1);
        assert_eq!(cdr.bytes(), [0, 1, 0, 0, 1]);
    }
}
