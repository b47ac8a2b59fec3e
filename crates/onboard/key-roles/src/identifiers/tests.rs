//! Plans of both formats: fields that are read as they were made, and patterns that cover them.

use std::string::ToString;

use waywarden_can::Id;

use super::{Fields, FixedBits, IdentifierPlan, IdentifierPlanError};
use crate::Address;

type Three = Fields<4, 3>;

fn fields(gives_way: bool, code: u8, addresses: [u8; 3]) -> Three {
    Fields {
        gives_way,
        code,
        addresses: addresses.map(Address),
    }
}

#[test]
fn whole_identifier_has_a_byte_for_each_address() {
    let plan = IdentifierPlan::extended(FixedBits::NONE).unwrap();
    let id = plan.identifier(&fields(true, 3, [0x0B, 0x0C, 0xFD]));
    assert_eq!(id, Id::extended(0x130B_0CFD).ok());
    assert_eq!(plan.free_bits(), 29);
}

#[test]
fn fields_take_the_bits_that_the_mask_leaves() {
    // ISO 15765 frames on a J1939 bus: both page bits are ones.
    let plan = IdentifierPlan::extended(FixedBits {
        base: 0x0300_0000,
        mask: 0x0300_0000,
    })
    .unwrap();
    let low = plan.identifier(&fields(false, 0xF, [1, 2, 0x7F])).unwrap();
    // 27 bits: the priority, one that is left, four of the step, seven of each address.
    assert_eq!(low.raw(), 0x07E0_417F);
    assert_eq!(low.raw() & 0x0300_0000, 0x0300_0000);
    let high = plan.identifier(&fields(true, 0xF, [1, 2, 0x7F])).unwrap();
    assert_eq!(high.raw(), low.raw() | 0x1000_0000);
    assert_eq!(plan.identifier(&fields(false, 1, [1, 2, 0x80])), None);
}

#[test]
fn eleven_bits_are_enough_for_three_addresses() {
    let plan = IdentifierPlan::standard(FixedBits::NONE).unwrap();
    let id = plan.identifier(&fields(true, 0xF, [1, 2, 3]));
    assert_eq!(id, Id::standard(0b111_1101_1011).ok());
    assert_eq!(plan.identifier(&fields(false, 0xF, [1, 2, 4])), None);
    assert_eq!(IdentifierPlan::needed_bits::<4, 3>(Address(3)), 11);
    assert_eq!(IdentifierPlan::needed_bits::<4, 3>(Address(4)), 14);
    let narrow = IdentifierPlan::standard(FixedBits {
        base: 0x400,
        mask: 0x780,
    })
    .unwrap();
    assert_eq!(narrow.identifier(&fields(false, 1, [1, 1, 1])), None);
    assert_eq!(narrow.fields::<4, 3>(Id::standard(0x400).unwrap()), None);
}

#[test]
fn identifiers_read_as_they_were_made_under_every_plan() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as u32
    };
    let mut made = 0;
    for seed in 0..4_000 {
        let mask = next() & next() & next() & 0x1FFF_FFFF;
        let plan = IdentifierPlan::extended(FixedBits {
            base: next() & mask,
            mask,
        })
        .unwrap();
        let some = fields(
            next() & 1 == 1,
            (next() & 0xF) as u8,
            [0; 3].map(|_| next() as u8 & 7),
        );
        let Some(id) = plan.identifier(&some) else {
            continue;
        };
        made += 1;
        assert_eq!(plan.fields(id), Some(some), "seed {seed}: {plan:X?}");
        let exact = some.addresses.map(Some);
        let pattern = plan.pattern_of::<4, 3>(Some(some.code), exact).unwrap();
        assert!(
            pattern.covers(id) && plan.pattern().meets(&pattern),
            "seed {seed}"
        );
        let other = Id::extended(next() & 0x1FFF_FFFF).unwrap();
        let read = plan.fields::<4, 3>(other);
        let of_code = plan.pattern_of::<4, 3>(Some(some.code), [None; 3]).unwrap();
        assert_eq!(
            of_code.covers(other),
            read.is_some_and(|read| read.code == some.code),
            "seed {seed}: {plan:X?}, {other}"
        );
        if let Some(read) = read {
            assert_eq!(
                plan.identifier(&read),
                Some(other),
                "seed {seed}: {plan:X?}"
            );
        }
    }
    assert!(made > 1_000, "{made}");
}

#[test]
fn patterns_of_two_formats_never_meet() {
    let long = IdentifierPlan::extended(FixedBits::NONE).unwrap().pattern();
    let short = IdentifierPlan::standard(FixedBits::NONE).unwrap().pattern();
    assert!(!long.meets(&short) && long.meets(&long));
    let [one, two] = [0x0300_0000, 0x0B00_0000].map(|base| {
        let plan = IdentifierPlan::extended(FixedBits {
            base,
            mask: 0x0F00_0000,
        })
        .unwrap();
        plan.pattern()
    });
    assert!(!one.meets(&two) && long.meets(&two));
}

#[test]
fn base_outside_of_the_mask_is_refused() {
    assert_eq!(
        IdentifierPlan::extended(FixedBits {
            base: 0x11,
            mask: 0x10
        }),
        Err(IdentifierPlanError::Unmasked {
            base: 0x11,
            mask: 0x10
        })
    );
    assert_eq!(
        IdentifierPlan::standard(FixedBits {
            base: 0x800,
            mask: 0x7FF
        }),
        Err(IdentifierPlanError::TooWide(0x800))
    );
    let error = IdentifierPlan::extended(FixedBits {
        base: 0x2000_0000,
        mask: 0,
    })
    .unwrap_err();
    assert!(error.to_string().contains("0x20000000"), "{error}");
}
