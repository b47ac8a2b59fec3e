//! The values that an image starts with.

use waywarden_can::node::Boot;
use waywarden_firmware_link::{Answer, RetainedSlots, Status};
use waywarden_vehicle_resources::ImageFault;
use waywarden_work::{Duration, Instant};

/// The values that an image starts with, and the properties of its microcontroller.
#[derive(Clone, Debug)]
pub struct ImageBoot {
    /// The ECU's clock at the start.
    pub(super) now: Instant,
    seed: [u8; 32],
    /// The retained slots as they go over the pipe.
    retained: Vec<u8>,
    /// The bytes of its record.
    record: Vec<u8>,
    /// Picoseconds that an instruction takes.
    pub(super) picoseconds: u32,
    /// Number of frames that its receive mailbox holds.
    pub(super) mailbox: usize,
}

impl ImageBoot {
    /// Makes the values of a boot; `picoseconds` is the time that an instruction takes, `mailbox`
    /// the number of received frames that wait for the image.
    #[must_use]
    pub fn new(boot: &Boot<'_>, record: &[u8], picoseconds: u32, mailbox: usize) -> Self {
        let slots = boot.retained.iter();
        let entry = |(slot, value): &(_, [u8; 32])| {
            let waywarden_can::node::Slot(slot) = slot;
            [&[*slot], &value[..]].concat()
        };
        ImageBoot {
            now: boot.now,
            seed: boot.seed,
            retained: slots.flat_map(entry).collect(),
            record: record.to_vec(),
            picoseconds,
            mailbox,
        }
    }

    /// Returns the answer to the first request.
    ///
    /// # Errors
    /// [`ImageFault::Malformed`] if the image has stored more slots than it can be given back.
    pub(super) fn answer(&self, status: Status) -> Result<Answer<'_>, ImageFault> {
        let retained = RetainedSlots::new(&self.retained);
        let retained = retained.map_err(|error| ImageFault::Malformed(error.to_string()))?;
        Ok(Answer::Boot {
            status,
            picoseconds: self.picoseconds,
            seed: self.seed,
            retained,
            record: &self.record,
        })
    }

    /// Returns the time that so many instructions take.
    pub(super) fn duration(&self, instructions: u64) -> Duration {
        let picoseconds = u128::from(instructions) * u128::from(self.picoseconds);
        Duration::from_nanos(u64::try_from(picoseconds / 1_000).unwrap_or(u64::MAX))
    }
}
