//! A message that comes in frames, up to a length that its kind says.

use super::identifier::LasanKind;
use waywarden_key_roles::Transport;

/// One message under way or complete. In `hardened` the parts are numbered: the first has 0, the
/// others 1 to 15 again and again, so that a frame that was lost or came twice is noticed. As
/// published they are not.
pub(super) struct Assembly<B> {
    buffer: B,
    kind: Option<LasanKind>,
    /// Of the whole message, and of what has come. No message has 64 KiB.
    length: u16,
    received: u16,
    last_part: u8,
}

/// A frame's data and what its identifier says of them.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) kind: LasanKind,
    pub(super) part: u8,
    pub(super) data: &'a [u8],
    /// The length of the whole message.
    pub(super) length: usize,
}

impl<B> Assembly<B> {
    /// Nothing has come yet; `buffer` has room for the longest message.
    pub(super) const fn new(buffer: B) -> Self {
        Assembly {
            buffer,
            kind: None,
            length: 0,
            received: 0,
            last_part: 0,
        }
    }

    /// Makes room for the next message.
    pub(super) const fn clear(&mut self) {
        self.kind = None;
        (self.length, self.received) = (0, 0);
    }
}

impl<B: AsRef<[u8]> + AsMut<[u8]>> Assembly<B> {
    /// Takes a piece. A complete message is not overwritten before it is taken out; one that is
    /// under way is, by the first part of another.
    pub(super) fn take(&mut self, transport: Transport, numbered: bool, piece: &Piece<'_>) {
        if self.is_complete() {
            return;
        }
        let Ok(length) = u16::try_from(piece.length) else {
            return;
        };
        let begins = match numbered {
            true => piece.part == 0,
            false => self.kind != Some(piece.kind),
        };
        if begins {
            (self.kind, self.length, self.received) = (Some(piece.kind), length, 0);
        } else if self.kind != Some(piece.kind) || self.length != length {
            return;
        } else if numbered && piece.part == self.last_part {
            // Received twice.
            return;
        } else if numbered && piece.part != next_part(self.last_part) {
            return self.clear();
        }
        self.last_part = piece.part;
        let capacity = capacity(transport);
        let received = usize::from(self.received);
        let wanted = (piece.length - received).min(capacity);
        let place = self.buffer.as_mut().get_mut(received..received + wanted);
        match (place, piece.data.get(..wanted)) {
            (Some(place), Some(data)) if piece.data.len() <= capacity => {
                place.copy_from_slice(data);
                // At most `capacity`, which is 64.
                self.received += wanted as u16;
            }
            _ => self.clear(),
        }
    }

    fn is_complete(&self) -> bool {
        self.kind.is_some() && self.received == self.length
    }

    /// Returns what is complete.
    pub(super) fn complete(&self) -> Option<LasanKind> {
        self.kind.filter(|_| self.is_complete())
    }

    /// Returns the bytes of a complete message.
    pub(super) fn bytes(&self) -> &[u8] {
        let received = usize::from(self.received);
        self.buffer.as_ref().get(..received).unwrap_or(&[])
    }

    /// Returns them to be opened in place.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        let received = usize::from(self.received);
        self.buffer.as_mut().get_mut(..received).unwrap_or(&mut [])
    }
}

/// The part after a part.
pub(super) const fn next_part(part: u8) -> u8 {
    match part {
        15 => 1,
        other => other + 1,
    }
}

/// The number of a frame of a message, counted from 0.
pub(super) const fn part(frame: usize) -> u8 {
    match frame {
        0 => 0,
        _ => ((frame - 1) % 15) as u8 + 1,
    }
}

/// The data bytes of a full frame.
pub(super) const fn capacity(transport: Transport) -> usize {
    match transport {
        Transport::Classic => 8,
        Transport::Fd => 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(assembly: &mut Assembly<[u8; 300]>, part: u8, from: usize) {
        let message: [u8; 300] = core::array::from_fn(|at| at as u8);
        let piece = Piece {
            kind: LasanKind::Register,
            part,
            data: &message[from..(from + 8).min(300)],
            length: 300,
        };
        assembly.take(Transport::Classic, true, &piece);
    }

    fn whole(assembly: &mut Assembly<[u8; 300]>) {
        for frame in 0..38 {
            push(assembly, part(frame), frame * 8);
        }
    }

    #[test]
    fn a_long_message_comes_together() {
        let mut assembly = Assembly::new([0; 300]);
        whole(&mut assembly);
        assert_eq!(assembly.complete(), Some(LasanKind::Register));
        assert!(
            assembly
                .bytes()
                .iter()
                .enumerate()
                .all(|(at, &byte)| byte == at as u8)
        );
        // And stays until it is taken.
        push(&mut assembly, 0, 8);
        assert_eq!(assembly.bytes()[0], 0);
    }

    #[test]
    fn a_frame_that_is_lost_ends_it_and_one_that_comes_twice_does_not() {
        for lost in 1..38 {
            let mut assembly = Assembly::new([0; 300]);
            for frame in (0..38).filter(|&frame| frame != lost) {
                push(&mut assembly, part(frame), frame * 8);
            }
            assert_eq!(assembly.complete(), None, "{lost}");
            whole(&mut assembly);
            assert_eq!(assembly.complete(), Some(LasanKind::Register));
        }
        let mut assembly = Assembly::new([0; 300]);
        for frame in 0..38 {
            push(&mut assembly, part(frame), frame * 8);
            if frame > 0 {
                push(&mut assembly, part(frame), frame * 8);
            }
        }
        assert_eq!(assembly.complete(), Some(LasanKind::Register));
    }

    #[test]
    fn short_and_long_frames_end_it() {
        for length in [0, 7, 9, 64] {
            let mut assembly = Assembly::new([0; 300]);
            let piece = Piece {
                kind: LasanKind::Register,
                part: 0,
                data: &[1; 64][..length],
                length: 300,
            };
            assembly.take(Transport::Classic, true, &piece);
            push(&mut assembly, 1, 8);
            assert!(assembly.bytes().is_empty(), "{length}");
        }
    }
}
