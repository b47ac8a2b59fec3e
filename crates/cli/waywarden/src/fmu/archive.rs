//! A zip file: entries one after the other, and their directory at the end. Times are all
//! the same, so that equal entries make equal files.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::OutputFile;

/// Version 2.0 of the format, which has folders and deflate.
const VERSION: u16 = 20;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
const DEFLATED: u16 = 8;
/// The first day that the format knows: 1980-01-01.
const DATE: u16 = 0x21;

pub(super) struct Archive {
    out: OutputFile,
    written: usize,
    directory: Vec<u8>,
    entries: u16,
}

impl Archive {
    pub(super) fn new(out: OutputFile) -> Self {
        Archive {
            out,
            written: 0,
            directory: Vec::new(),
            entries: 0,
        }
    }

    /// Adds a file.
    pub(super) fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes)?;
        let packed = encoder.finish()?;
        let mut sum = Crc::new();
        sum.update(bytes);
        let mut header = Vec::new();
        for half in [VERSION, FLAGS, DEFLATED, 0, DATE] {
            header.extend(half.to_le_bytes());
        }
        for word in [sum.sum(), size(packed.len())?, size(bytes.len())?] {
            header.extend(word.to_le_bytes());
        }
        // A name is one of ours or of a path, which has no 65,536 bytes; no extra field.
        header.extend((name.len() as u16).to_le_bytes());
        header.extend([0; 2]);

        self.directory.extend(b"PK\x01\x02");
        // Made by: the same version, on Unix, so that the library may be executable.
        self.directory.extend((3 << 8 | VERSION).to_le_bytes());
        self.directory.extend(&header);
        // No comment, first disk, no text file; a regular file that all may read.
        self.directory.extend([0; 6]);
        self.directory.extend((0o100_644_u32 << 16).to_le_bytes());
        self.directory.extend(size(self.written)?.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries += 1;

        for part in [&b"PK\x03\x04"[..], &header, name.as_bytes(), &packed] {
            self.out.write_all(part)?;
            self.written += part.len();
        }
        Ok(())
    }

    /// Writes the directory, and returns the file.
    pub(super) fn finish(mut self) -> Result<OutputFile, Failure> {
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend(self.entries.to_le_bytes());
        end.extend(self.entries.to_le_bytes());
        end.extend(size(self.directory.len())?.to_le_bytes());
        end.extend(size(self.written)?.to_le_bytes());
        end.extend([0; 2]);
        self.out.write_all(&self.directory)?;
        self.out.write_all(&end)?;
        Ok(self.out)
    }
}

fn size(bytes: usize) -> Result<u32, Failure> {
    let too_long = |_| Failure::new("a unit of more than 4 GiB; play back shorter logs");
    u32::try_from(bytes).map_err(too_long)
}
