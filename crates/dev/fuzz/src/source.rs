//! The bytes of a run, and the choices made by them.

use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::{Frame, FrameError, Id};

/// The bytes, one after the other, and zeros after the last.
pub(crate) struct Source<'a>(pub(crate) &'a [u8]);

impl Source<'_> {
    /// Takes the next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// Fills a place with the next bytes.
    pub(crate) fn fill(&mut self, place: &mut [u8]) {
        place.fill_with(|| self.byte());
    }

    /// Returns one of these, each as likely.
    ///
    /// # Panics
    /// If there are none.
    pub(crate) fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }
}

/// Returns the frame with something else in it; the same if there is no such frame.
pub(crate) fn changed(frame: &Frame, source: &mut Source<'_>) -> Frame {
    let mut data = [0; DATA_MAX];
    let mut length = frame.data_len();
    data[..length].copy_from_slice(frame.data());
    let (mut id, mut fd) = (frame.id(), frame.is_fd());
    match source.byte() % 8 {
        0..=3 => {
            let bit = 1 << (source.byte() % 8);
            data[usize::from(source.byte()) % length.max(1)] ^= bit;
        }
        4 => id = Id::extended(id.raw() ^ 1 << (source.byte() % 29)).unwrap_or(id),
        5 => length = usize::from(source.choose(&FD_LENGTHS)),
        6 => source.fill(&mut data[..length]),
        _ => fd = !fd,
    }
    frame_of(id, &data[..length], fd).unwrap_or(*frame)
}

/// Makes a frame of classic CAN or CAN FD; classic frames hold the first 8 bytes.
///
/// # Errors
/// [`FrameError`] for a length that no frame has.
pub(crate) fn frame_of(id: Id, data: &[u8], fd: bool) -> Result<Frame, FrameError> {
    match fd {
        true => Frame::fd(id, data),
        false => Frame::classic(id, &data[..data.len().min(8)]),
    }
}

/// Returns a payload that looks like something: a soon or a far number first, the data of the last
/// frame, or anything.
pub(crate) fn payload(length: usize, last: Option<&Frame>, source: &mut Source<'_>) -> Vec<u8> {
    let mut payload = vec![0; length.max(DATA_MAX)];
    match source.byte() % 4 {
        // A number of freshness or of an epoch that is soon due, or one far off.
        0 => payload[7] = source.byte(),
        1 => payload[..8].fill(source.byte()),
        // The last one that was on the bus.
        2 => {
            let last = last.map_or(&[][..], Frame::data);
            payload[..last.len()].copy_from_slice(last);
        }
        _ => source.fill(&mut payload[..16]),
    }
    payload.truncate(length);
    payload
}
