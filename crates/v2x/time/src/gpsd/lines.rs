//! Bytes become lines of a bounded length.

/// The longest line that is read, in bytes. gpsd's own are of at most 10 KiB.
pub(super) const LINE_BYTES_MAX: usize = 64 * 1024;

/// A line was longer than [`LINE_BYTES_MAX`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineTooLong;

/// The beginning of a line whose end has not come.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<u8>);

impl Lines {
    /// Takes bytes and hands over each line that they end, without its end.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        mut line: impl FnMut(&[u8]),
    ) -> Result<(), LineTooLong> {
        let mut parts = bytes.split(|byte| *byte == b'\n');
        let rest = parts.next_back().unwrap_or_default();
        for part in parts {
            self.append(part)?;
            line(&self.0);
            self.0.clear();
        }
        self.append(rest)
    }

    fn append(&mut self, part: &[u8]) -> Result<(), LineTooLong> {
        if self.0.len() + part.len() > LINE_BYTES_MAX {
            return Err(LineTooLong);
        }
        self.0.extend_from_slice(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let bytes = b"one\r\n\ntwo\nthr";
        for cut in 0..bytes.len() {
            let (mut lines, mut all) = (Lines::default(), Vec::new());
            for part in [&bytes[..cut], &bytes[cut..]] {
                lines.push(part, |line| all.push(line.to_vec())).unwrap();
            }
            assert_eq!(all, [&b"one\r"[..], b"", b"two"]);
        }
    }

    #[test]
    fn a_line_without_end_is_refused_at_the_bound() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(&[b'x'; LINE_BYTES_MAX], |_| ()), Ok(()));
        assert_eq!(lines.push(b"x", |_| ()), Err(LineTooLong));
    }
}
