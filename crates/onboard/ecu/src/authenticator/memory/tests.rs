//! Records of the memory: only written values are read back.

extern crate std;

use std::vec::Vec;

use waywarden_work::Instant;

use super::*;

const SLOT: Slot = Slot(7);

type Slots = Vec<(Slot, Retained)>;

fn names(count: u16) -> impl Iterator<Item = StandardId> {
    (0..count).map(|index| StandardId::new(0x100 + index).unwrap())
}

fn read(retained: &[(Slot, Retained)], counters: u16) -> Result<Memory, AuthenticatorFault> {
    let boot = Boot {
        now: Instant::ZERO,
        seed: [0; 32],
        retained,
    };
    Memory::read(SLOT, &boot, names(counters))
}

/// Writes all that is wanted.
fn settle(memory: &mut Memory, wanted: Kept, slots: &mut Slots) {
    while let Some((slot, record)) = memory.write(wanted) {
        assert!(memory.write(wanted).is_none(), "one at a time");
        assert!(!memory.written(Slot(slot.0 + 100)), "somebody else's");
        slots.retain(|(at, _)| *at != slot);
        slots.push((slot, record));
        assert!(memory.written(slot));
    }
}

/// An ECU that wrote its first boot, and what it retained.
fn first(counters: u16) -> (Kept, Slots) {
    let mut memory = read(&[], counters).unwrap();
    assert!(!memory.has_begun());
    let mut wanted = *memory.kept();
    wanted.boot = memory.boot();
    wanted.epoch = Some(Epoch { trip: 3, reset: 9 });
    for (value, counter) in wanted.counters.iter_mut().enumerate().take(counters.into()) {
        *counter = 1_000_000_000_000 + value as u64;
    }
    let mut slots = Slots::new();
    settle(&mut memory, wanted, &mut slots);
    assert!(memory.has_begun());
    (wanted, slots)
}

#[test]
fn what_was_retained_is_there_at_the_next_boot() {
    for counters in [0, 1, 4, 5, 16] {
        let (wanted, slots) = first(counters);
        assert_eq!(slots.len(), 1 + usize::from(counters).div_ceil(4));
        let memory = read(&slots, counters).unwrap();
        assert_eq!((memory.kept(), memory.boot()), (&wanted, 2));
    }
    assert_eq!(usize::from(SLOTS), 1 + COUNTERS / 4);
}

#[test]
fn whatever_is_damaged_or_lost_is_noticed() {
    let (_, slots) = first(6);
    for place in 0..slots.len() {
        for bit in 0..256 {
            let mut damaged = slots.clone();
            damaged[place].1[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                read(&damaged, 6).err(),
                Some(AuthenticatorFault::Damaged),
                "{place} {bit}"
            );
        }
        let mut lost = slots.clone();
        lost.remove(place);
        assert_eq!(
            read(&lost, 6).err(),
            Some(AuthenticatorFault::Damaged),
            "{place} lost"
        );
    }
    let mut swapped = slots.clone();
    (swapped[0].1, swapped[1].1) = (slots[1].1, slots[0].1);
    assert_eq!(read(&swapped, 6).err(), Some(AuthenticatorFault::Damaged));
    let empty: Slots = slots.iter().map(|(slot, _)| (*slot, [0; 32])).collect();
    assert_eq!(read(&empty, 6).err(), Some(AuthenticatorFault::Damaged));
    for others in [0, 5, 7] {
        let other = read(&slots, others).err();
        assert_eq!(
            other,
            Some(AuthenticatorFault::Damaged),
            "of {others} other streams"
        );
    }
}

/// A reset in the middle of the first boot's writing is no damage: nothing was sent yet.
#[test]
fn a_first_boot_may_be_cut_short_anywhere() {
    let mut memory = read(&[], 16).unwrap();
    let mut wanted = *memory.kept();
    (wanted.boot, wanted.counters) = (1, [32; COUNTERS]);
    let mut slots = Slots::new();
    while !memory.has_begun() {
        assert_eq!(read(&slots, 16).map(|memory| memory.boot()), Ok(1));
        let (slot, record) = memory.write(wanted).unwrap();
        slots.push((slot, record));
        memory.written(slot);
    }
    assert_eq!(slots.len(), usize::from(SLOTS));
    assert_eq!(read(&slots, 16).map(|memory| memory.boot()), Ok(2));
}

#[test]
fn boots_come_to_an_end_and_so_do_counters() {
    let (mut wanted, mut slots) = first(1);
    let mut memory = read(&slots, 1).unwrap();
    (wanted.boot, wanted.counters[0]) = (u32::MAX, u64::MAX);
    settle(&mut memory, wanted, &mut slots);
    assert_eq!(memory.kept().counters[0], COUNTER_MAX);
    assert_eq!(
        read(&slots, 1).err(),
        Some(AuthenticatorFault::BootsExhausted)
    );
}

#[test]
fn the_checksum_is_that_of_ethernet() {
    assert_eq!(checksum(0, b"123456789"), 0xCBF4_3926);
    assert_eq!(checksum(checksum(0, b"12345"), b"6789"), 0xCBF4_3926);
}
