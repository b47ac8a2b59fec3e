//! Frames to a capture in pcapng \[PCAPNG\].

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use waywarden_v2x_security::time::to_unix;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::exit::Failure;

/// How many bytes are gathered before they are written.
const GATHERED: usize = 1 << 16;
/// How often they are written at least.
const EVERY: Duration = Duration::from_secs(1);
/// How many bytes wait at most while the file cannot be written; what comes then is lost.
const WAITING_MAX: usize = 16 << 20;

/// Which way a frame went, as seen from the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Inbound = 1,
    Outbound = 2,
}

/// A capture that is written. A disk that is full costs frames, which are counted, and no other
/// fault: it goes on once there is room again. The file always ends with a whole block, but for
/// the moment of a write.
pub(super) struct Capture {
    path: PathBuf,
    file: File,
    /// So many bytes of the file are good.
    length: u64,
    gathered: Vec<u8>,
    /// How many frames are gathered.
    frames: u64,
    last: Instant,
    pub(super) written: u64,
    pub(super) lost: u64,
    fault: Option<String>,
}

impl Capture {
    /// Makes the file, which must not exist.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.map_err(|error| Failure::file(path.display(), &error))?;
        let mut capture = Self {
            path: path.to_owned(),
            file,
            length: 0,
            gathered: Vec::new(),
            frames: 0,
            last: Instant::now(),
            written: 0,
            lost: 0,
            fault: None,
        };
        capture.gathered.extend(section());
        capture.gathered.extend(interface());
        capture
            .write()
            .map_err(|error| Failure::file(path.display(), &error))?;
        Ok(capture)
    }

    /// Takes a frame.
    pub(super) fn take(&mut self, frame: &[u8], time: Time64, direction: Direction) {
        let block = packet(frame, time, direction);
        if self.gathered.len() + block.len() > WAITING_MAX {
            self.lost += 1;
            return self.tick();
        }
        self.gathered.extend(block);
        self.frames += 1;
        if self.gathered.len() >= GATHERED && self.fault.is_none() {
            self.flush();
        }
    }

    /// Writes what is gathered, if it is time to.
    pub(super) fn tick(&mut self) {
        if self.last.elapsed() >= EVERY {
            self.flush();
        }
    }

    /// Writes what is gathered. A fault is reported once, and when it is over.
    pub(super) fn flush(&mut self) {
        self.last = Instant::now();
        let written = self.write();
        let path = self.path.display();
        match written {
            Ok(()) => {
                if self.fault.take().is_some() {
                    eprintln!(
                        "{path}: it can be written again; {} frames were lost",
                        self.lost
                    );
                }
            }
            Err(error) => {
                let why = error.to_string();
                if self.fault.as_ref() != Some(&why) {
                    eprintln!("{path}: {why}; frames wait until there is room");
                    self.fault = Some(why);
                }
            }
        }
    }

    /// Returns how many frames still wait, and could not be written.
    pub(super) fn waiting(&self) -> u64 {
        self.frames
    }

    fn write(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.gathered);
        if let Err(error) = written {
            // The file ends with a whole block again; what is gathered is written later.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(error);
        }
        self.length += self.gathered.len() as u64;
        self.written += std::mem::take(&mut self.frames);
        self.gathered.clear();
        Ok(())
    }
}

/// A block, with its length before and behind.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let padded = body.len().next_multiple_of(4);
    let length = u32::try_from(padded + 12).unwrap_or(u32::MAX).to_le_bytes();
    let mut block = Vec::with_capacity(padded + 12);
    block.extend(kind.to_le_bytes());
    block.extend(length);
    block.extend(body);
    block.resize(8 + padded, 0);
    block.extend(length);
    block
}

fn section() -> Vec<u8> {
    let mut body = 0x1A2B_3C4D_u32.to_le_bytes().to_vec();
    // Version 1.0, of unknown length.
    body.extend([1, 0, 0, 0]);
    body.extend([0xFF; 8]);
    block(0x0A0D_0D0A, &body)
}

/// Ethernet, whole frames, times in microseconds.
fn interface() -> Vec<u8> {
    const ETHERNET: u16 = 1;
    let mut body = ETHERNET.to_le_bytes().to_vec();
    body.extend([0; 2]);
    body.extend(0_u32.to_le_bytes());
    block(1, &body)
}

fn packet(frame: &[u8], time: Time64, direction: Direction) -> Vec<u8> {
    const FLAGS: u16 = 2;
    let unix = to_unix(time).and_then(|unix| u64::try_from(unix).ok());
    let unix = unix.unwrap_or(0);
    let length = u32::try_from(frame.len()).unwrap_or(u32::MAX).to_le_bytes();
    let mut body = 0_u32.to_le_bytes().to_vec();
    body.extend(((unix >> 32) as u32).to_le_bytes());
    body.extend((unix as u32).to_le_bytes());
    body.extend(length);
    body.extend(length);
    body.extend(frame);
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(FLAGS.to_le_bytes());
    body.extend(4_u16.to_le_bytes());
    body.extend((direction as u32).to_le_bytes());
    body.extend([0; 4]);
    block(6, &body)
}
