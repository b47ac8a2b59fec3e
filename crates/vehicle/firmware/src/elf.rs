//! Images as files: ELF of 32 bits, as far as an emulator loads them, and the note.

mod note;

use std::ops::Range;

pub(crate) use self::note::note;
use crate::machine::{Loading, Machine};

/// Memory that an image takes, its stack aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of flash: code, constants, and the first content of RAM.
    pub flash: u32,
    /// Bytes of RAM: static values.
    pub ram: u32,
}

const HEADER: usize = 52;
const SEGMENT: usize = 32;
/// A segment that is loaded.
const LOAD: u32 = 1;
/// Bytes of the first two vectors of a Cortex-M: its stack and its start.
const VECTORS: u32 = 8;
/// A file that can be executed where it is linked.
const EXECUTABLE: u16 = 2;

/// Checks the header of an image for a machine.
///
/// # Errors
/// The reason, with its place in the file.
pub(crate) fn check_header(file: &[u8], machine: &Machine) -> Result<(), String> {
    let Some(identification) = file.first_chunk::<16>() else {
        return Err(format!("it has {} bytes and is no ELF file", file.len()));
    };
    if identification[..4] != *b"\x7FELF" {
        return Err("byte 0: no ELF file".to_owned());
    }
    if file.len() < HEADER {
        return Err(format!("it ends in its header, at byte {}", file.len()));
    }
    if identification[4..6] != [1, 1] {
        return Err("byte 4: not of 32 bits, little endian".to_owned());
    }
    let (kind, built_for) = (u16_at(file, 16)?, u16_at(file, 18)?);
    if built_for != machine.elf_machine {
        return Err(format!(
            "byte 18: it is for processors of kind {built_for}, and {} has a {}, kind {}",
            machine.name, machine.core, machine.elf_machine
        ));
    }
    if kind != EXECUTABLE {
        return Err(format!(
            "byte 16: of kind {kind}, not a program linked to its addresses (2)"
        ));
    }
    Ok(())
}

/// Checks the segments of an image for a machine, and returns the memory that they take.
///
/// # Errors
/// The reason, with its place in the file.
pub(crate) fn footprint(file: &[u8], machine: &Machine) -> Result<Footprint, String> {
    let (first, size, count) = (
        u32_at(file, 28)? as usize,
        usize::from(u16_at(file, 42)?),
        usize::from(u16_at(file, 44)?),
    );
    if size != SEGMENT || count == 0 {
        return Err("byte 42: it has no segments to load".to_owned());
    }
    let mut taken = Footprint { flash: 0, ram: 0 };
    let mut has_vectors = false;
    for at in 0..count {
        let segment = segment(file, first.saturating_add(at * SEGMENT), machine)?;
        // The sums are within the memories, whose segments do not overlap in a file of a linker.
        taken.flash = taken.flash.saturating_add(segment.in_file);
        taken.ram = taken.ram.saturating_add(segment.in_ram);
        has_vectors |= segment.load == machine.flash.start && segment.in_file >= VECTORS;
    }
    let (name, start) = (machine.name, machine.flash.start);
    match machine.loading {
        _ if taken.flash == 0 => Err(format!(
            "it has nothing in the flash of {name}, at {start:#x}"
        )),
        Loading::Kernel if !has_vectors => Err(format!(
            "it has nothing at {start:#x}, where the core of {name} reads its stack and its start"
        )),
        _ => Ok(taken),
    }
}

/// The memory of a segment.
#[derive(Default)]
struct Segment {
    /// Address at which it is loaded.
    load: u32,
    /// Bytes that are loaded.
    in_file: u32,
    /// Bytes of RAM.
    in_ram: u32,
}

/// Reads a segment; one that takes no memory has all zeros.
fn segment(file: &[u8], at: usize, machine: &Machine) -> Result<Segment, String> {
    let field = |field: usize| u32_at(file, at.saturating_add(4 * field));
    let [kind, offset, address, load] = [field(0)?, field(1)?, field(2)?, field(3)?];
    let [in_file, in_memory] = [field(4)?, field(5)?];
    if kind != LOAD || (in_memory == 0 && in_file == 0) {
        return Ok(Segment::default());
    }
    let end = u64::from(offset) + u64::from(in_file);
    if end > file.len() as u64 {
        return Err(format!(
            "byte {at}: a segment ends at byte {end}, the file at byte {}",
            file.len()
        ));
    }
    if in_file > in_memory {
        return Err(format!(
            "byte {at}: a segment has {in_file} bytes in the file, and {in_memory} in memory"
        ));
    }
    let is_loaded = in_file == 0 || has(&machine.flash, load, in_file);
    let (in_flash, in_ram) = (
        has(&machine.flash, address, in_memory),
        has(&machine.ram, address, in_memory),
    );
    if !is_loaded || !(in_flash || in_ram) {
        return Err(format!(
            "byte {at}: a segment of {in_memory} bytes at {address:#x} is not in the memory of {}",
            machine.name
        ));
    }
    Ok(Segment {
        load,
        in_file,
        in_ram: if in_ram { in_memory } else { 0 },
    })
}

/// Returns true if bytes from an address on are all in a memory.
fn has(memory: &Range<u32>, address: u32, length: u32) -> bool {
    let end = u64::from(address) + u64::from(length);
    memory.start <= address && end <= u64::from(memory.end)
}

fn u16_at(file: &[u8], at: usize) -> Result<u16, String> {
    bytes(file, at).map(u16::from_le_bytes)
}

fn u32_at(file: &[u8], at: usize) -> Result<u32, String> {
    bytes(file, at).map(u32::from_le_bytes)
}

fn bytes<const N: usize>(file: &[u8], at: usize) -> Result<[u8; N], String> {
    let found = file.get(at..).and_then(|rest| rest.first_chunk::<N>());
    found
        .copied()
        .ok_or_else(|| format!("byte {at}: it ends there, within its table of segments"))
}
