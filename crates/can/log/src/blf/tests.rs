//! Files built byte by byte: each object read, containers of each kind, each kind of damage.

mod gaps;

use std::io::Write as _;

use super::*;
use crate::candump;
use crate::error::InputCause;

const NANOS: u32 = 2;
const TEN_MICROS: u32 = 1;

fn object(kind: u32, flags: u32, stamp: u64, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"LOBJ".to_vec();
    bytes.extend(32u16.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend((32 + body.len() as u32).to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(stamp.to_le_bytes());
    bytes.extend(body);
    bytes.extend(vec![0; body.len() % 4]);
    bytes
}

fn message(channel: u16, flags: u8, dlc: u8, id: u32, data: [u8; 8]) -> Vec<u8> {
    let mut body = channel.to_le_bytes().to_vec();
    body.extend([flags, dlc]);
    body.extend(id.to_le_bytes());
    body.extend(data);
    body
}

fn fd_message(flags: u8, dlc: u8, id: u32, fd_flags: u8, data: &[u8]) -> Vec<u8> {
    let mut body = 1u16.to_le_bytes().to_vec();
    body.extend([flags, dlc]);
    body.extend(id.to_le_bytes());
    body.extend([0, 0, 0, 0, 0, fd_flags, data.len() as u8, 0, 0, 0, 0, 0]);
    body.extend(data);
    body.resize(84, 0xEE);
    body
}

fn fd_message_64(dlc: u8, valid: u8, id: u32, flags: u32, direction: u8, data: &[u8]) -> Vec<u8> {
    let mut body = vec![3, dlc, valid, 0];
    body.extend(id.to_le_bytes());
    body.extend([0; 4]);
    body.extend(flags.to_le_bytes());
    body.extend([0; 18]);
    body.extend([direction, 0]);
    body.extend([0; 4]);
    body.extend(data);
    body
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn container_with(method: u16, stated: u32, packed: &[u8]) -> Vec<u8> {
    let mut bytes = b"LOBJ".to_vec();
    bytes.extend(16u16.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend((32 + packed.len() as u32).to_le_bytes());
    bytes.extend(10u32.to_le_bytes());
    bytes.extend(method.to_le_bytes());
    bytes.extend([0; 6]);
    bytes.extend(stated.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(packed);
    bytes.extend(vec![0; packed.len() % 4]);
    bytes
}

fn container(content: &[u8]) -> Vec<u8> {
    container_with(2, content.len() as u32, &zlib(content))
}

fn file(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"LOGG".to_vec();
    bytes.extend(144u32.to_le_bytes());
    bytes.resize(40, 0);
    // 2021-05-11, a Tuesday, 00:24:59.796
    for part in [2021u16, 5, 2, 11, 0, 24, 59, 796] {
        bytes.extend(part.to_le_bytes());
    }
    bytes.resize(144, 0);
    parts.iter().for_each(|part| bytes.extend(part));
    bytes
}

fn lines(bytes: &[u8]) -> String {
    let mut reader = Reader::new(bytes);
    let mut writer = candump::Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

fn messages() -> Vec<Vec<u8>> {
    let bytes = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88];
    let many: Vec<u8> = (0..64).collect();
    let extended = 1 << 31;
    vec![
        object(1, NANOS, 1_000, &message(1, 0, 2, 0x123, bytes)),
        object(
            86,
            TEN_MICROS,
            7,
            &[message(2, 1, 8, 0x123 | extended, bytes), vec![0; 8]].concat(),
        ),
        object(1, NANOS, 2_000_000, &message(2, 0x80, 4, 0x7FF, [0; 8])),
        object(1, NANOS, 3_000_000, &message(2, 0, 12, 0x7FF, bytes)),
        object(1, NANOS, 3_500_000, &message(2, 2, 8, 0x7FF, bytes)), // a request to send
        object(65, NANOS, 4_000_000, b"text that is no frame"),
        object(
            100,
            NANOS,
            5_000_000,
            &fd_message(1, 9, 0x123, 0b011, &many[..12]),
        ),
        object(
            100,
            NANOS,
            6_000_000,
            &fd_message(0, 3, 0x123, 0b101, &many[..2]),
        ),
        object(
            100,
            NANOS,
            7_000_000,
            &fd_message(0, 2, 0x123, 0, &many[..2]),
        ),
        object(
            101,
            NANOS,
            8_000_000,
            &fd_message_64(15, 64, 5 | extended, 0x7000, 1, &many),
        ),
        object(
            101,
            NANOS,
            9_000_000,
            &fd_message_64(10, 16, 5, 0x1000, 0, &many[..9]),
        ),
        object(101, NANOS, 9_000_000, &fd_message_64(8, 0, 5, 0x10, 0, &[])),
        object(
            73,
            NANOS,
            9_500_000,
            &[2u16.to_le_bytes().to_vec(), vec![0; 30]].concat(),
        ),
        object(2, NANOS, 9_600_000, &[1, 0, 0, 0]),
        object(2, NANOS, 9_700_000, &[2, 0, 0, 0, 0, 0, 0, 0]),
        object(104, NANOS, 9_800_000, &[&[3, 8][..], &[9; 42]].concat()),
        object(104, NANOS, 9_900_000, &[&[3, 8][..], &[9; 114]].concat()),
    ]
}

const EXPECTED: &str = "\
(0.000001) can0 123#1122 R
(0.000070) can1 00000123#1122334455667788 T
(0.002000) can1 7FF#R4 R
(0.003000) can1 7FF#1122334455667788_C R
(0.005000) can0 123##1000102030405060708090A0B T
(0.006000) can0 123##2000100 R
(0.007000) can0 123#0001 R
(0.008000) can2 00000005##3000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F\
202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F T
(0.009000) can2 005##000010203040506070800000000000000 R
(0.009000) can2 005#R8 R
(0.009500) can1 20000080#0000000000000000
(0.009600) can0 20000080#0000000000000000
(0.009700) can1 20000080#0000000000000000
(0.009800) can2 20000080#0000000000000000
(0.009900) can2 20000080#0000000000000000
";

#[test]
fn each_object_reads_as_it_was_sent() {
    let bytes = file(&[container(&messages().concat())]);
    assert_eq!(lines(&bytes), EXPECTED);
    let mut reader = Reader::new(bytes.as_slice());
    assert!(reader.by_ref().all(|result| result.is_ok()));
    assert_eq!(reader.skipped(), 2);
    assert_eq!(reader.start_ns(), Some(1_620_692_699_796_000_000));
}

#[test]
fn objects_may_lie_across_containers_and_containers_may_be_plain() {
    let content = messages().concat();
    for size in [1, 7, 100, 333] {
        let parts: Vec<_> = content
            .chunks(size)
            .enumerate()
            .map(|(n, chunk)| match n % 2 {
                0 => container(chunk),
                _ => container_with(0, chunk.len() as u32, chunk),
            })
            .collect();
        assert_eq!(lines(&file(&parts)), EXPECTED, "containers of {size}");
    }
}

#[test]
fn version_two_headers_are_read() {
    let mut bytes = object(
        1,
        NANOS,
        1_000,
        &[&[0; 8][..], &message(1, 0, 1, 5, [9; 8])].concat(),
    );
    bytes[6] = 2;
    assert_eq!(
        lines(&file(&[container(&bytes)])),
        "(0.000001) can0 005#09 R\n"
    );
}

fn first_error(bytes: &[u8]) -> LogError {
    Reader::new(bytes).find_map(Result::err).expect("an error")
}

fn cause(bytes: &[u8]) -> BlfCause {
    match first_error(bytes).cause {
        LogCause::Blf(cause) => cause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_kind_of_damage_has_its_cause_and_place() {
    let content = messages().concat();
    let whole = file(&[container(&content)]);
    assert_eq!(cause(b"LOGX0000"), BlfCause::FileMark);
    let short = |found, needed| BlfCause::HeaderTruncated { found, needed };
    assert_eq!(cause(&whole[..71]), short(71, 72));
    assert_eq!(cause(&whole[..143]), short(143, 144));
    let mut bytes = whole.clone();
    bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(cause(&bytes), BlfCause::HeaderSize(u32::MAX));

    let mut bytes = whole.clone();
    bytes[144] = b'X';
    let error = first_error(&bytes);
    assert_eq!(error.place, LogLocation::Offset(144));
    assert!(matches!(
        error.cause,
        LogCause::Blf(BlfCause::ObjectMark(_))
    ));

    let end = 144 + u32_at(&whole, 152) as usize;
    let cut = &whole[..end - 10];
    assert_eq!(cause(cut), BlfCause::Truncated { missing: 10 });
    assert_eq!(
        first_error(cut).place,
        LogLocation::Offset(cut.len() as u64)
    );
    assert_eq!(cause(&whole[..150]), BlfCause::Truncated { missing: 10 });

    let mut bytes = whole.clone();
    bytes[end - 10] ^= 0x55;
    assert!(matches!(
        cause(&bytes),
        BlfCause::ContainerData | BlfCause::ContainerLength { .. }
    ));

    let sized = |stated| cause(&file(&[container_with(2, stated, &zlib(&content))]));
    let length = content.len() as u32;
    let mismatch = |stated, found| BlfCause::ContainerLength { stated, found };
    assert_eq!(sized(length - 1), mismatch(length - 1, length));
    assert_eq!(sized(length + 1), mismatch(length + 1, length));
    let max = CONTAINER_MAX;
    assert_eq!(
        sized(u32::MAX),
        BlfCause::ContainerSize {
            stated: u32::MAX,
            max
        }
    );
    let packed = file(&[container_with(3, 0, &[])]);
    assert_eq!(cause(&packed), BlfCause::Compression(3));

    let mut bytes = whole.clone();
    bytes[152..156].copy_from_slice(&31u32.to_le_bytes());
    let size = |kind, size, min, max| BlfCause::ObjectSize {
        kind,
        size,
        min,
        max,
    };
    assert_eq!(cause(&bytes), size(10, 31, 32, CONTAINER_MAX));
    bytes[152..156].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(cause(&bytes), size(10, u32::MAX, 32, CONTAINER_MAX));
}

#[test]
fn each_kind_of_damaged_object_has_its_cause_and_place() {
    let good = object(1, NANOS, 1_000, &message(1, 0, 2, 0x123, [0; 8]));
    let damaged = |object: &[u8]| {
        let error = first_error(&file(&[container(&[&good, object, &good].concat())]));
        assert_eq!(
            error.place,
            LogLocation::Unpacked {
                container: 144,
                offset: good.len() as u64
            }
        );
        match error.cause {
            LogCause::Blf(cause) => cause,
            other => panic!("{other:?}"),
        }
    };
    let with = |channel, dlc, id| object(1, NANOS, 0, &message(channel, 0, dlc, id, [0; 8]));
    assert_eq!(damaged(&with(0, 1, 1)), BlfCause::Channel(0));
    assert_eq!(damaged(&with(257, 1, 1)), BlfCause::Channel(257));
    let id_error = waywarden_can::IdError::AboveStandard(0x800);
    assert_eq!(damaged(&with(1, 1, 0x800)), BlfCause::IdRange(id_error));
    let code_error = waywarden_can::FrameError::LengthCode(16);
    assert_eq!(damaged(&with(1, 16, 1)), BlfCause::Frame(code_error));
    let body = fd_message(0, 16, 1, 1, &[]);
    assert_eq!(
        damaged(&object(100, NANOS, 0, &body)),
        BlfCause::Frame(code_error)
    );
    let odd = object(1, NANOS, 0, &message(1, 3, 1, 1, [0; 8]));
    assert_eq!(damaged(&odd), BlfCause::Direction(3));
    let far = object(1, TEN_MICROS, u64::MAX, &message(1, 0, 0, 1, [0; 8]));
    assert_eq!(damaged(&far), BlfCause::TimeStampRange(u64::MAX));
    let mut version = good.clone();
    version[6] = 3;
    assert_eq!(damaged(&version), BlfCause::HeaderVersion(3));
    let size = |kind, size, min| BlfCause::ObjectSize {
        kind,
        size,
        min,
        max: OBJECT_MAX,
    };
    assert_eq!(damaged(&object(1, NANOS, 0, &[0; 12])), size(1, 44, 48));
    let mut tiny = good.clone();
    tiny[8] = 15;
    assert_eq!(damaged(&tiny), size(1, 15, 16));
    assert!(matches!(damaged(b"no object"), BlfCause::ObjectMark(_)));
}

#[test]
fn damage_costs_only_what_it_hits() {
    let good = object(1, NANOS, 1_000, &message(1, 0, 2, 0x123, [0; 8]));
    let bad = object(1, NANOS, 1_000, &message(0, 0, 2, 0x123, [0; 8]));
    let results = |objects: &[u8]| {
        let bytes = file(&[container(objects)]);
        Reader::new(bytes.as_slice())
            .map(|result| result.is_ok())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        results(&[&good[..], &bad, &good].concat()),
        [true, false, true]
    );
    assert_eq!(
        results(&[&good[..], b"no object", &good].concat()),
        [true, false, true]
    );
    let mut huge = good.clone();
    huge[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        results(&[&good[..], &huge, &good].concat()),
        [true, false, true]
    );
    assert_eq!(results(&good[..40]), [false]);
    let error = first_error(&file(&[container(&good[..40])]));
    assert_eq!(
        error.cause,
        LogCause::Blf(BlfCause::Truncated { missing: 8 })
    );
}

#[test]
fn blf_within_gzip_cut_short_tells_the_byte() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder
        .write_all(&file(&[container(&messages().concat())]))
        .unwrap();
    let packed = encoder.finish().unwrap();
    let all = crate::open(packed.as_slice()).unwrap();
    assert_eq!(all.format(), crate::LogFormat::Blf);
    assert_eq!(all.filter(Result::is_ok).count(), EXPECTED.lines().count());
    let cut = &packed[..packed.len() - 20];
    let error = crate::open(cut).unwrap().find_map(Result::err).unwrap();
    assert_eq!(error.place, LogLocation::Offset(cut.len() as u64));
    assert_eq!(error.cause, LogCause::Input(InputCause::GzipTruncated));
}
