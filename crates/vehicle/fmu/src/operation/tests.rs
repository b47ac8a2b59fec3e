//! Known bytes, and bytes of an enemy.

use waywarden_testkit::Random;
use waywarden_testkit::{bytes_of, hex_of};

use super::*;

fn standard(raw: u16) -> Id {
    Id::standard(raw).unwrap()
}

/// Operations and their bytes after the tables of [FMI-LS-BUS §4.2 and §4.4.1].
fn known() -> Vec<(&'static str, Operation)> {
    let fd = FdFlags {
        bit_rate_switch: true,
        error_state_indicator: false,
    };
    let frame = |frame: Result<Frame, _>| Operation::Transmit(frame.unwrap());
    vec![
        (
            "10000000 14000000 23010000 00 00 0400 01020304",
            frame(Frame::classic(standard(0x123), &[1, 2, 3, 4])),
        ),
        (
            "10000000 10000000 ffffff1f 01 00 0000",
            frame(Frame::classic(Id::extended(0x1FFF_FFFF).unwrap(), &[])),
        ),
        (
            "10000000 12000000 01000000 00 01 0200 0000",
            frame(Frame::remote(standard(1), 2)),
        ),
        (
            "11000000 1d000000 ff070000 00 01 00 0c00 000102030405060708090a0b",
            frame(Frame::fd_with(
                standard(0x7FF),
                &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
                fd,
            )),
        ),
        ("20000000 0c000000 23010000", Operation::Confirm(0x123)),
        (
            "30000000 0c000000 23010000",
            Operation::ArbitrationLost(0x123),
        ),
        (
            "31000000 0f000000 23010000 02 01 00",
            Operation::BusError {
                id: 0x123,
                error: BusErrorCode::Stuff,
                primary: true,
                is_sender: false,
            },
        ),
        (
            "40000000 0d000000 01 20a10700",
            Operation::Configuration(Configuration::BitRate(500_000)),
        ),
        (
            "40000000 0d000000 02 80841e00",
            Operation::Configuration(Configuration::FdBitRate(2_000_000)),
        ),
        (
            "40000000 0a000000 04 02",
            Operation::Configuration(Configuration::DiscardsLosers(true)),
        ),
        ("41000000 09000000 03", Operation::Status(BusState::Off)),
        ("42000000 08000000", Operation::WakeUp),
        (
            "01000000 0d000000 0300 aabbcc",
            Operation::FormatError(vec![0xAA, 0xBB, 0xCC]),
        ),
    ]
}

fn bytes(text: &str) -> Vec<u8> {
    bytes_of(&text.replace(' ', ""))
}

#[test]
fn operations_have_the_bytes_of_the_standard() {
    let (mut all, mut together) = (Vec::new(), Vec::new());
    for (text, operation) in known() {
        assert_eq!(hex_of(&operation.to_bytes()), text.replace(' ', ""));
        assert_eq!(Operation::parse(&bytes(text)), Some(operation.clone()));
        operation.write(&mut together);
        all.push(Ok(operation));
    }
    assert_eq!(Operations::new(&together).collect::<Vec<_>>(), all);
}

#[test]
fn a_malformed_operation_is_returned_and_the_next_one_read() {
    for wrong in [
        "99000000 08000000",                                           // no such code
        "10000000 10000000 00080000 00 00 0000",                       // 12 bits
        "10000000 10000000 00000020 01 00 0000",                       // 30 bits
        "10000000 10000000 01000000 02 00 0000",                       // no truth value
        "10000000 11000000 01000000 00 00 0000 00",                    // longer than its data
        "10000000 10000000 01000000 00 00 0100",                       // shorter than its data
        "10000000 19000000 01000000 00 00 0900 000000000000000000",    // 9 bytes
        "11000000 1a000000 01000000 00 00 00 0900 000000000000000000", // 9 bytes
        "12000000 16000000 01000000 00 00 00 00 00000000 0000",        // CAN XL
        "20000000 0d000000 23010000 00",
        "31000000 0f000000 23010000 07 01 00",
        "31000000 0f000000 23010000 01 03 00",
        "40000000 09000000 01",
        "40000000 0a000000 04 03",
        "40000000 0a000000 05 01",
        "41000000 09000000 00",
        "42000000 09000000 00",
        "01000000 0d000000 0400 aabbcc",
    ] {
        let wrong = bytes(wrong);
        let mut buffer = wrong.clone();
        Operation::WakeUp.write(&mut buffer);
        let read: Vec<_> = Operations::new(&buffer).collect();
        assert_eq!(read, [Err(&wrong[..]), Ok(Operation::WakeUp)]);
    }
}

#[test]
fn an_impossible_length_ends_the_buffer() {
    for wrong in [
        "42",
        "42000000",
        "42000000 07000000 00",
        "42000000 ffffffff 00",
    ] {
        let wrong = bytes(wrong);
        assert_eq!(
            Operations::new(&wrong).collect::<Vec<_>>(),
            [Err(&wrong[..])]
        );
    }
}

/// The answer to a long operation has what its length of 16 bits allows.
#[test]
fn an_answer_is_no_longer_than_its_length_says() {
    let bytes = Operation::FormatError(vec![7; 100_000]).to_bytes();
    assert_eq!(bytes.len(), 10 + 65_535);
    let Some(Operation::FormatError(data)) = Operation::parse(&bytes) else {
        panic!("no Format Error");
    };
    assert_eq!(data.len(), 65_535);
}

#[test]
fn hostile_buffers_are_read_to_their_end() {
    let mut random = Random::of_test("operations");
    let known = known();
    for _ in 0..20_000 {
        let mut buffer = Vec::new();
        for _ in 0..random.below(4) {
            known[random.index(known.len())].1.write(&mut buffer);
        }
        let length = random.index(9);
        buffer.extend(random.bytes(length));
        for _ in 0..random.below(4) {
            if !buffer.is_empty() {
                let at = random.index(buffer.len());
                buffer[at] = random.u64() as u8;
            }
        }
        let mut length = 0;
        for operation in Operations::new(&buffer) {
            length += match operation {
                Ok(operation) => {
                    let again = operation.to_bytes();
                    assert_eq!(Operation::parse(&again), Some(operation));
                    again.len()
                }
                Err(bytes) => bytes.len(),
            };
        }
        assert_eq!(length, buffer.len());
    }
}
