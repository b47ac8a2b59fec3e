//! Frames that an attacker forges.

use waywarden_can::{FdFlags, Frame, FrameError, Id};
use waywarden_can_sim::random::Random;

use waywarden_vehicle_file::{Data, FrameFormat};

/// A generator of forged frames; their data are fixed or change with each frame.
#[derive(Clone, Debug)]
pub struct Forged {
    id: Id,
    format: FrameFormat,
    length: usize,
    data: Data,
    random: Random,
    made: u64,
}

impl Forged {
    /// Creates a generator of frames with this identifier, format and length.
    ///
    /// # Errors
    /// [`FrameError`] if the format does not allow the length.
    pub fn new(id: Id, format: FrameFormat, length: u8, data: Data) -> Result<Self, FrameError> {
        let length = usize::from(length);
        frame(id, format, vec![0; length].as_slice())?;
        Ok(Forged {
            id,
            format,
            length,
            data,
            random: Random::new(0),
            made: 0,
        })
    }

    /// Returns a generator of the same frames with random payloads drawn from this seed.
    #[must_use]
    pub fn seeded(&self, seed: u64) -> Self {
        Forged {
            random: Random::new(seed),
            ..self.clone()
        }
    }

    /// Returns the next frame; never `None` after a successful [`Forged::new`].
    pub fn make(&mut self) -> Option<Frame> {
        let mut bytes = vec![0; self.length];
        match &self.data {
            Data::Counter => fill(&mut bytes, &self.made.to_le_bytes()),
            Data::Random => {
                for chunk in bytes.chunks_mut(8) {
                    fill(chunk, &self.random.next_u64().to_le_bytes());
                }
            }
            Data::Zero => {}
            Data::Fixed(fixed) => fill(&mut bytes, fixed),
        }
        self.made += 1;
        frame(self.id, self.format, &bytes).ok()
    }
}

fn fill(into: &mut [u8], from: &[u8]) {
    for (to, byte) in into.iter_mut().zip(from) {
        *to = *byte;
    }
}

/// Creates a frame of the given format.
pub(super) fn frame(id: Id, format: FrameFormat, data: &[u8]) -> Result<Frame, FrameError> {
    match format {
        FrameFormat::Classic => Frame::classic(id, data),
        FrameFormat::Fd { bit_rate_switch } => Frame::fd_with(
            id,
            data,
            FdFlags {
                bit_rate_switch,
                error_state_indicator: false,
            },
        ),
    }
}
