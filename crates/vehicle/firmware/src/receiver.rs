//! The image of a V2X receiver, driven by the host: items go in, verdicts come out.

use waywarden_can::node::BusState;
use waywarden_firmware_link::{
    Answer, MESSAGE_MAX, Request, RetainedSlots, SignedItem, SignedKind, Status, TimedRequest,
    VERSION,
};
use waywarden_work::Instant;

use crate::qemu::QemuImage;
use crate::seam::{FirmwareImage, ImageFault, RunningImage};

/// A running receiver.
pub struct BoardReceiver {
    running: Box<dyn RunningImage>,
    /// The instructions until its last request.
    instructions: u64,
    buffer: Vec<u8>,
}

/// The verdict of the image on an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardVerdict {
    /// The reason of a refusal; none if the item was taken.
    pub refused: Option<String>,
    /// Instructions that the image executed for it.
    pub instructions: u64,
}

impl BoardReceiver {
    /// Starts the image `receiver.elf`.
    ///
    /// # Errors
    /// [`ImageFault`], also of an image that is no receiver.
    pub fn start(image: &QemuImage) -> Result<Self, ImageFault> {
        let mut receiver = BoardReceiver {
            running: image.start()?,
            instructions: 0,
            buffer: vec![0; MESSAGE_MAX],
        };
        let version = receiver.request(None, |request| match request {
            Request::Boot { version } => Some(*version),
            _ => None,
        })?;
        if version != VERSION {
            let why = format!("it speaks version {version} of the messages, and not {VERSION}");
            return Err(ImageFault::Malformed(why));
        }
        let status = Status {
            now: Instant::ZERO,
            is_sent: true,
            state: BusState::Active,
            has_frame: false,
        };
        let malformed =
            |error: waywarden_firmware_link::MessageError| ImageFault::Malformed(error.to_string());
        let boot = Answer::Boot {
            status,
            picoseconds: 1,
            seed: [0; 32],
            retained: RetainedSlots::new(&[]).map_err(malformed)?,
            record: &[],
        };
        receiver.request(Some(&boot), |request| {
            matches!(request, Request::TakeSigned(None)).then_some(())
        })?;
        Ok(receiver)
    }

    /// Hands an item to the image, and waits for its verdict.
    ///
    /// # Errors
    /// [`ImageFault`], also for an item of more than some 4,000 bytes, as a message of the link has
    /// 4,096.
    pub fn judge(&mut self, kind: SignedKind, bytes: &[u8]) -> Result<BoardVerdict, ImageFault> {
        let before = self.instructions;
        let answer = Answer::Signed(SignedItem { kind, bytes });
        let refused = self.request(Some(&answer), |request| match request {
            Request::TakeSigned(Some(verdict)) => {
                Some((!verdict.is_accepted).then(|| verdict.reason.to_owned()))
            }
            _ => None,
        })?;
        Ok(BoardVerdict {
            refused,
            instructions: self.instructions - before,
        })
    }

    /// Ends the image; returns the bytes of stack that it used.
    ///
    /// # Errors
    /// [`ImageFault`].
    pub fn end(mut self) -> Result<u32, ImageFault> {
        self.request(Some(&Answer::Finish), |request| match request {
            Request::Stack(bytes) => Some(*bytes),
            _ => None,
        })
    }

    /// Sends an answer, and takes what is wanted of the next request.
    fn request<T>(
        &mut self,
        answer: Option<&Answer<'_>>,
        wanted: impl FnOnce(&Request<'_>) -> Option<T>,
    ) -> Result<T, ImageFault> {
        let length = answer
            .map(|answer| answer.encode(&mut self.buffer))
            .transpose();
        let length = length.map_err(|error| ImageFault::Malformed(error.to_string()))?;
        let answer = length.map(|length| &self.buffer[..length]);
        let message = self.running.exchange(answer)?;
        let timed = TimedRequest::decode(message);
        let timed = timed.map_err(|error| ImageFault::Malformed(error.to_string()))?;
        self.instructions = timed.instructions;
        match timed.request {
            Request::Failed(why) => Err(ImageFault::Panicked(why.to_owned())),
            request => wanted(&request).ok_or_else(|| {
                let why = "it is no V2X receiver: name receiver.elf, which `xtask/firmware \
                           receiver` builds";
                ImageFault::Malformed(why.to_owned())
            }),
        }
    }
}
