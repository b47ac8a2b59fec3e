//! Memory of the normal half: checked against the core's own attribution of addresses, and copied.
//!
//! The normal half goes on only after the call, save for its interrupts: so each byte is read once,
//! and nothing is looked at twice.

use core::arch::asm;

use waywarden_firmware_gateway::Status;

use crate::partition;

/// The answer of the instruction `TTA`, about one address as the normal half may use it.
#[derive(Clone, Copy, PartialEq)]
struct Attribution(u32);

impl Attribution {
    fn of(address: u32) -> Self {
        let answer;
        // SAFETY: it asks the core about an address, and accesses no memory.
        unsafe {
            asm!("tta {0}, {1}", out(reg) answer, in(reg) address,
                options(nomem, nostack, preserves_flags));
        }
        Attribution(answer)
    }

    /// The region of the attribution unit; none if none has the address.
    const fn region(self) -> Option<u32> {
        match self.0 >> 17 & 1 {
            1 => Some(self.0 >> 8 & 0xFF),
            _ => None,
        }
    }

    const fn is_readable(self) -> bool {
        self.0 >> 20 & 1 == 1
    }

    const fn is_writable(self) -> bool {
        self.0 >> 21 & 1 == 1
    }
}

/// Returns the attribution of all of a range; none if the range is of two regions, or none.
fn whole(address: u32, length: usize) -> Option<Attribution> {
    let last = u32::try_from(length).ok()?.checked_sub(1)?;
    let last = Attribution::of(address.checked_add(last)?);
    let first = Attribution::of(address);
    // One region has no gap, so that its first and its last byte speak for those between.
    (first == last && first.region().is_some()).then_some(first)
}

/// Copies bytes out of memory of the normal half.
pub(crate) fn read(from: *const u8, into: &mut [u8]) -> Result<(), Status> {
    let attribution = whole(from as u32, into.len()).ok_or(Status::Memory)?;
    if !attribution.is_readable() {
        return Err(Status::Memory);
    }
    for (at, byte) in into.iter_mut().enumerate() {
        // SAFETY: the address is in memory of the normal half, all of which the board has. Its
        // content is any: it may change, and as volatile nothing is taken for granted.
        *byte = unsafe { from.wrapping_add(at).read_volatile() };
    }
    Ok(())
}

/// Returns an error unless bytes may be written: to RAM of the normal half alone, as a write to
/// flash would fault here.
pub(crate) fn writable(to: *mut u8, length: usize) -> Result<(), Status> {
    let attribution = whole(to as u32, length).ok_or(Status::Memory)?;
    let is_ram = attribution.region() == Some(partition::NORMAL_RAM);
    match is_ram && attribution.is_writable() {
        true => Ok(()),
        false => Err(Status::Memory),
    }
}

/// Copies bytes into memory of the normal half.
pub(crate) fn write(to: *mut u8, bytes: &[u8]) -> Result<(), Status> {
    writable(to, bytes.len())?;
    for (at, byte) in bytes.iter().enumerate() {
        // SAFETY: the address is in RAM of the normal half, where nothing of this half lies.
        unsafe { to.wrapping_add(at).write_volatile(*byte) };
    }
    Ok(())
}
