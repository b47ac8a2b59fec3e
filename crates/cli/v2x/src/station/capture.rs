//! Frames to a capture in pcapng \[PCAPNG\].

use std::path::Path;
use std::time::Duration;

use waywarden_v2x_link::capture::{CaptureRecorder, CapturedPacket, RecorderReport};
use waywarden_v2x_security::time::to_unix;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;

pub(super) use waywarden_v2x_link::capture::CaptureDirection;

/// For so long the end of the program waits for a disk that is full.
const PATIENCE: Duration = Duration::from_secs(2);
/// In virtual time frames come faster than a disk takes them: so often it is looked whether many
/// wait, and so many bytes are many.
const LOOK_EVERY: u64 = 256;
const MANY: usize = 4 << 20;

/// A capture that is written, by a thread of its own. A disk that is full costs frames, which are
/// counted, and no other fault: it goes on once there is room again.
pub(super) struct Capture {
    recorder: CaptureRecorder,
    taken: u64,
}

/// Frame counts of a finished capture.
pub(super) struct Recorded {
    pub(super) written: u64,
    pub(super) lost: u64,
}

impl Capture {
    /// Makes the file, which must not exist.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let place = path.display().to_string();
        let recorder =
            CaptureRecorder::create(path, "waywarden station", move |report| match report {
                RecorderReport::Failing { why } => {
                    messages::status(format_args!(
                        "{place}: {why}; frames wait until there is room"
                    ));
                }
                RecorderReport::Recovered { lost } => {
                    messages::status(format_args!(
                        "{place}: it can be written again; {lost} frames were lost"
                    ));
                }
            });
        let recorder = recorder.map_err(|error| Failure::file(path.display(), &error))?;
        Ok(Self { recorder, taken: 0 })
    }

    /// Takes a frame.
    pub(super) fn take(&mut self, frame: &[u8], time: Time64, direction: CaptureDirection) {
        let unix = to_unix(time).and_then(|unix| u64::try_from(unix).ok());
        self.recorder.record(&CapturedPacket {
            time: Duration::from_micros(unix.unwrap_or(0)),
            direction,
            frame,
            comment: "",
        });
        self.taken += 1;
        if self.taken.is_multiple_of(LOOK_EVERY) {
            self.wait();
        }
    }

    /// Waits for the disk, if it works.
    fn wait(&self) {
        loop {
            let counts = self.recorder.counts();
            if counts.waiting_bytes < MANY || counts.failing.is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Writes what waits.
    pub(super) fn finish(self) -> Recorded {
        match self.recorder.finish(PATIENCE) {
            Ok(counts) => Recorded {
                written: counts.written,
                lost: counts.lost,
            },
            // What the disk has of it is not known.
            Err(_) => Recorded {
                written: 0,
                lost: self.taken,
            },
        }
    }
}
