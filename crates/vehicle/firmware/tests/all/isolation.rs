//! The two halves of a Cortex-M33: what code of the normal half gets from the secure one, and what
//! it does not get.
//!
//! The attacker's image does what a test says, with all rights of the normal half. Tags are
//! compared with those of `waywarden-can-auth` on this machine.

mod board;

use std::io::{Read, Write};

use waywarden_can_auth::mac::{AesCmac, Mac, MacKey};
use waywarden_testkit::{Random, hex_of};
use waywarden_vehicle_firmware::QemuImage;

use self::board::{Answer, Board, folder};
use crate::budgets::hold;

/// Keys of the streams, as `firmware/secure` has them.
const OWN_KEY: [u8; 16] = *b"key of stream 1.";
const OTHER_KEY: [u8; 16] = *b"key of stream 2.";

/// Stream of the caller, and the one that it may check.
const OWN: u32 = 1;
const OTHER: u32 = 2;

/// Words of a status, as `firmware/gateway` has them.
const DONE: u32 = 0;
const STREAM: u32 = 1;
const LENGTH: u32 = 2;
const MEMORY: u32 = 3;
const TAG: u32 = 4;
const REPLAY: u32 = 5;

/// Memory of the normal half: the bounds of its flash and of its RAM.
const FLASH: u32 = 0x0020_0000;
const FLASH_END: u32 = 0x0024_0000;
const RAM: u32 = 0x2820_0000;
const RAM_END: u32 = 0x2822_0000;

/// Memory of the secure half, by each of its two addresses, and registers of its filters.
const SECURE_RAM: u32 = 0x3800_2000;
const SECURE_RAM_ALIAS: u32 = 0x2800_2000;
const SECURE_FLASH: u32 = 0x1000_0000;
const SECURE_FLASH_ALIAS: u32 = 0x0000_0000;
const GATEWAY: u32 = 0x1000_F000;
const FILTER: u32 = 0x5800_7000;

/// Bytes of a seal: the counter and the tag.
const SEAL: usize = 24;

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

/// The tag of a message.
fn tag(key: [u8; 16], stream: u32, counter: u64, payload: &[u8]) -> [u8; 16] {
    let stream = u16::try_from(stream).expect("a number of 16 bits");
    let code = AesCmac::new(&MacKey::from_bytes(key));
    let parts = [&stream.to_be_bytes()[..], &counter.to_be_bytes(), payload];
    code.compute(&parts).leading()
}

/// A message of the other stream, as its ECU seals it.
fn sealed(counter: u64, payload: &[u8]) -> Vec<u8> {
    let tag = tag(OTHER_KEY, OTHER, counter, payload);
    [&counter.to_le_bytes()[..], &tag].concat()
}

/// Returns the counter of a seal of the own stream.
///
/// # Panics
/// If the tag is not that of the message, or is that of another stream.
fn counter(seal: &[u8], payload: &[u8]) -> u64 {
    let counter = u64::from_le_bytes(seal[..8].try_into().expect("eight bytes"));
    assert_eq!(seal[8..], tag(OWN_KEY, OWN, counter, payload));
    assert_ne!(seal[8..], tag(OTHER_KEY, OTHER, counter, payload));
    counter
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn an_honest_image_has_its_messages_protected_and_checked() {
    let Some(mut board) = Board::start("member") else {
        return;
    };
    let wrong = [&sealed(4, &[4; 8])[..23], &[0]].concat();
    let messages = [
        ([1; 8], sealed(1, &[1; 8])),
        ([1; 8], sealed(1, &[1; 8])),
        ([3; 8], sealed(3, &[3; 8])),
        ([2; 8], sealed(2, &[2; 8])),
        ([4; 8], wrong),
        ([4; 8], sealed(4, &[4; 8])),
    ];
    let mut input = vec![messages.len() as u8];
    for (payload, seal) in &messages {
        input.extend(payload);
        input.extend(seal);
    }
    board.input.write_all(&input).expect("the board reads");
    let mut output = String::new();
    board.output.read_to_string(&mut output).expect("text");
    let mut expected: Vec<String> = (1..=5)
        .map(|counter: u64| {
            let payload = [counter as u8 - 1; 8];
            let (payload, tag) = (
                hex_of(&payload),
                hex_of(&tag(OWN_KEY, OWN, counter, &payload)),
            );
            format!("protected {payload} {counter} {tag}")
        })
        .collect();
    let verdicts = [DONE, REPLAY, DONE, REPLAY, TAG, DONE];
    expected.extend(verdicts.map(|verdict| format!("checked {verdict}")));
    assert_eq!(output.lines().collect::<Vec<_>>(), expected);
    assert!(board.child.wait().expect("an end").success());
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_secure_half_keeps_its_budget() {
    let Some(folder) = folder() else { return };
    let image = QemuImage::new(folder.join("secure.elf"), "mps2-an505").expect("our own image");
    let memory = image.footprint();
    let (flash, ram) = (memory.flash.into(), memory.ram.into());
    hold(
        "secure",
        &[("flash_bytes", flash), ("ram_bytes", ram)],
        &image,
    );
}

/// Asserts that an attack ends the board with a fault that is caught in the secure half.
fn is_fault(answer: &Answer, reason: &str, what: &str) {
    let expected = format!("SecureFault 7 in the normal half, SFSR={reason}, exit status: 3");
    assert_eq!(*answer, Err(expected), "{what}");
}

/// Reasons of a secure fault: an access that is not allowed, and a jump to no gate.
const ACCESS: &str = "0x08";
const NO_GATE: &str = "0x01";

#[test]
#[ignore = "some minutes: make soak has it"]
fn the_secure_half_can_be_neither_read_nor_written_nor_entered() {
    if Board::start("attacker").is_none() {
        return;
    }
    let start = || Board::start("attacker").expect("it started before");
    let secure = [
        SECURE_RAM,
        SECURE_RAM_ALIAS,
        SECURE_FLASH,
        SECURE_FLASH_ALIAS,
        GATEWAY,
        FILTER,
        RAM_END,
        FLASH_END,
    ];
    for address in secure {
        let what = format!("{address:#010x}");
        is_fault(&start().read(address, 1), ACCESS, &what);
        is_fault(&start().write(address, &[0]), ACCESS, &what);
    }
    // Into code, into data, and past the first instruction of each gate, which is the only way in.
    let inside = [SECURE_FLASH + 0x100, SECURE_RAM, GATEWAY + 4, GATEWAY + 12];
    for address in inside {
        let jump = start().ask(b'j', [address | 1, 0, 0, 0], &[], 0);
        is_fault(&jump, NO_GATE, &format!("{address:#010x}"));
    }
    // The registers that divide the memory take nothing from this half.
    let mut board = start();
    for register in [0xE000_EDD0, 0xE000_EDD8, 0xE000_EDDC, 0xE000_EDE0] {
        assert_eq!(board.write(register, &[0; 4]), Ok(Vec::new()));
    }
    is_fault(&board.read(SECURE_RAM, 1), ACCESS, "after a change of SAU");
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn calls_of_an_attacker_are_refused_with_a_reason() {
    let Some(mut board) = Board::start("attacker") else {
        return;
    };
    let place = board.place();
    let (payload, seal) = (place, place + 0x100);
    board.write(payload, &[7; 64]).expect("its own memory");
    // Tags of streams that are others', or none.
    for stream in [OTHER, 0, 3, 0x1_0001, 0x8000_0001, u32::MAX] {
        assert_eq!(board.protect(stream, payload, 8, seal), STREAM, "{stream}");
    }
    for stream in [OWN, 0, 3, 0x1_0002, u32::MAX] {
        assert_eq!(board.check(stream, payload, 8, seal), STREAM, "{stream}");
    }
    for length in [0, 65, 0x100, 0x8000_0000, u32::MAX] {
        let refused = board.protect(OWN, payload, length, seal);
        assert_eq!(refused, LENGTH, "{length}");
        assert_eq!(board.check(OTHER, payload, length, seal), LENGTH);
    }
    // Payloads and seals that are not its memory, or end elsewhere, or wrap.
    let secure = [SECURE_RAM, SECURE_RAM_ALIAS, SECURE_FLASH, GATEWAY, FILTER];
    let edges = [
        RAM - 4,
        RAM_END - 7,
        FLASH_END - 7,
        u32::MAX - 3,
        0,
        u32::MAX,
    ];
    for address in secure.into_iter().chain(edges) {
        let what = format!("{address:#010x}");
        assert_eq!(board.protect(OWN, address, 8, seal), MEMORY, "{what}");
        assert_eq!(board.protect(OWN, payload, 8, address), MEMORY, "{what}");
        assert_eq!(board.check(OTHER, address, 8, seal), MEMORY, "{what}");
        assert_eq!(board.check(OTHER, payload, 8, address), MEMORY, "{what}");
    }
    // Its flash is to be read alone, and the last byte of its RAM is the last of a seal.
    assert_eq!(board.protect(OWN, payload, 8, FLASH), MEMORY);
    assert_eq!(board.protect(OWN, payload, 8, RAM_END - 23), MEMORY);
    let untouched = board.read(seal, SEAL).expect("its own memory");
    assert_eq!(untouched, [0; SEAL], "a refused call has written");
    // Refused calls used up no counter.
    let last = RAM_END - SEAL as u32;
    assert_eq!(board.protect(OWN, payload, 8, last), DONE);
    let first = board.read(last, SEAL).expect("its own memory");
    assert_eq!(counter(&first, &[7; 8]), 1);
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn recorded_and_forged_messages_are_refused() {
    let Some(mut board) = Board::start("attacker") else {
        return;
    };
    let place = board.place();
    let (payload, seal) = (place, place + 0x100);
    board.write(payload, &[7; 8]).expect("its own memory");
    let mut check = |given: &[u8]| {
        board.write(seal, given).expect("its own memory");
        board.check(OTHER, payload, 8, seal)
    };
    assert_eq!(check(&sealed(9, &[7; 8])), DONE);
    assert_eq!(check(&sealed(9, &[7; 8])), REPLAY);
    assert_eq!(check(&sealed(8, &[7; 8])), REPLAY);
    assert_eq!(check(&sealed(10, &[8; 8])), TAG, "another payload");
    // A tag of the own stream, which the attacker can have, is none of the other.
    let own = [&10u64.to_le_bytes()[..], &tag(OWN_KEY, OWN, 10, &[7; 8])].concat();
    assert_eq!(check(&own), TAG);
    // Each bit of a tag matters, and a forged counter above all others blocks nothing.
    for bit in 0..8 * SEAL {
        let mut forged = sealed(10, &[7; 8]);
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(check(&forged), TAG, "bit {bit}");
    }
    assert_eq!(check(&[0xFF; SEAL]), TAG);
    assert_eq!(check(&sealed(10, &[7; 8])), DONE);
}

/// Calls of the random test.
const CALLS: u32 = 100_000;

/// A number below a bound.
fn below(random: &mut Random, bound: u32) -> u32 {
    random.below(bound.into()) as u32
}

/// A pointer: most are near what matters.
fn pointer(random: &mut Random, place: u32) -> u32 {
    let near = |random: &mut Random, to: u32| to.wrapping_add(below(random, 96)).wrapping_sub(48);
    match random.below(12) {
        0 => near(random, RAM),
        1 => near(random, RAM_END),
        2 => near(random, FLASH_END),
        3 => near(random, SECURE_RAM),
        4 => near(random, SECURE_FLASH),
        5 => near(random, GATEWAY),
        6 => near(random, 0),
        7 => match random.u64() as u32 {
            // Its code, values and stack would be overwritten: those are its to lose.
            any if (FLASH..RAM_END).contains(&any) => place,
            any => any,
        },
        _ => place + 256 * below(random, 3) + below(random, 8),
    }
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn random_calls_neither_fault_nor_get_a_tag_of_another_stream() {
    let Some(mut board) = Board::start("attacker") else {
        return;
    };
    let mut random = Random::new(59);
    let place = board.place();
    let memory = random.bytes(1024);
    for (at, part) in memory.chunks(256).enumerate() {
        let to = place + 256 * at as u32;
        board.write(to, part).expect("its own memory");
    }
    let mut counts = [0; 8];
    let mut last = 0;
    for _ in 0..CALLS {
        let stream = [OWN, OWN, OWN, OTHER, random.u64() as u32][random.index(5)];
        let length = match random.below(4) {
            0 => random.u64() as u32,
            _ => below(&mut random, 70),
        };
        let payload = pointer(&mut random, place);
        let seal = pointer(&mut random, place);
        let letter = if random.below(8) == 0 { b'c' } else { b'p' };
        // The payload may lie where the seal is written.
        let before =
            match letter == b'p' && stream == OWN && length <= 64 && is_read(payload, length) {
                true => board.read(payload, length as usize).expect("its memory"),
                false => Vec::new(),
            };
        let status = board.call(letter, [stream, payload, length, seal]);
        counts[status as usize] += 1;
        if status != DONE {
            continue;
        }
        assert_eq!((letter, stream), (b'p', OWN), "a forgery is taken");
        let sealed = board.read(seal, SEAL).expect("its own memory");
        let counter = counter(&sealed, &before);
        assert_eq!(counter, last + 1, "a counter");
        last = counter;
    }
    println!("{CALLS} calls, by status: {counts:?}");
    assert!(last > u64::from(CALLS) / 50, "{counts:?}");
    // Done, stream, length, memory: each has been met; of tags those of checks.
    assert!(counts[..5].iter().all(|count| *count > 0), "{counts:?}");
}

/// Returns true if the normal half may read a range.
fn is_read(address: u32, length: u32) -> bool {
    let is_in = |first: u32, end: u32| address >= first && address.saturating_add(length) <= end;
    length > 0 && (is_in(RAM, RAM_END) || is_in(FLASH, FLASH_END))
}

#[test]
#[ignore = "some minutes: make soak has it"]
fn calls_within_a_call_are_refused_and_use_no_counter_twice() {
    let Some(mut board) = Board::start("attacker") else {
        return;
    };
    // An interrupt after each 20,000 ticks of 50 ns: 15,625 instructions.
    let answer = board.ask(b'i', [1_000, 20_000, 0, 0], &[], 12);
    let answer = answer.expect("no fault");
    let words: Vec<u32> = answer.chunks(4).map(word).collect();
    let [calls, refused, place] = words[..] else {
        panic!("{words:?}");
    };
    assert!(
        calls > 1_100 && calls <= 2_048 && refused > 100,
        "{words:?}"
    );
    let mut counters = Vec::new();
    for number in 0..calls {
        let seal = board.read(place + 24 * number, SEAL).expect("its memory");
        if seal != [0; SEAL] {
            counters.push(counter(&seal, &[0x5A; 8]));
        }
    }
    counters.sort_unstable();
    let expected: Vec<u64> = (1..=u64::from(calls - refused)).collect();
    assert_eq!(counters, expected);
}
