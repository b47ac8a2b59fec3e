//! Hostile bytes: whatever comes, the readers do not panic and they end. Bounded and seeded.

use std::io::Write as _;

use crate::support::{Allow, random_records};
use waywarden_can_log::{
    Channels, LogFormat, LogReader, Record, asc, blf, candump, detect, open, open_as, pcapng,
    python_can_csv, trc,
};
use waywarden_testkit::{Random, first_seed, number};

const SEED: u64 = 0x5EED_0001;
/// Rounds of each test; `WAYWARDEN_CASES` asks for another number, with other seeds.
const ROUNDS: u64 = 3_000;

/// Rounds for each format's own file.
const ROUNDS_A_FORMAT: u64 = 500;

fn rounds_and_seed(usual: u64) -> (u64, u64) {
    let (rounds, seed) = match number("WAYWARDEN_CASES") {
        Some(rounds) => (rounds, first_seed(SEED ^ rounds)),
        None => (usual, first_seed(SEED)),
    };
    println!("{rounds} rounds, WAYWARDEN_SEED={seed} repeats them");
    (rounds, seed)
}

const FORMATS: [LogFormat; 9] = [
    LogFormat::Candump,
    LogFormat::Asc,
    LogFormat::Blf,
    LogFormat::Trc,
    LogFormat::Gvret,
    LogFormat::PythonCanCsv,
    LogFormat::Busmaster,
    LogFormat::Crtd,
    LogFormat::Capture,
];

/// Reads bytes as each format to the end, going on behind every fault.
fn read_in_every_way(bytes: &[u8]) -> usize {
    let mut seen = FORMATS.iter().map(|&format| read_as(bytes, format)).sum();
    if let Ok(reader) = open(bytes) {
        seen += written_and_read_again(reader);
    }
    seen
}

/// Reads bytes as one format to the end.
fn read_as(bytes: &[u8], format: LogFormat) -> usize {
    let Ok(reader) = open_as(bytes, format) else {
        return 0;
    };
    let mut seen = 0;
    // Each item takes at least one byte (unpacked: gzip and zlib pack at most 1032 to one).
    let bound = 1032 * 1032 * (bytes.len() + 1);
    for (n, result) in reader.enumerate() {
        assert!(n < bound, "the reader does not end");
        match result {
            Ok(_) => seen += 1,
            Err(error) => assert!(error.to_string().len() < 400, "an error is a line: {error}"),
        }
    }
    seen
}

/// Whatever could be read can be written in every format, and from candump is read as it was.
fn written_and_read_again(mut reader: LogReader<&[u8]>) -> usize {
    let mut log = candump::Writer::new(Vec::new());
    let mut text = asc::Writer::new(Vec::new());
    let mut capture = pcapng::Writer::new(Vec::new());
    let mut trace = trc::Writer::new(Vec::new());
    let mut binary = blf::Writer::new(Vec::new());
    let mut table = python_can_csv::Writer::new(Vec::new());
    let mut records = Vec::new();
    while let Some(result) = reader.next() {
        let Ok(record) = result else { continue };
        log.write(&record, reader.channels()).unwrap();
        capture.write(&record, reader.channels()).unwrap();
        table.write(&record, reader.channels()).unwrap();
        // These have no place for a record earlier than the first; nothing else may fail.
        for result in [
            text.write(&record, reader.channels()),
            trace.write(&record, reader.channels()),
            binary.write(&record, reader.channels()),
        ] {
            if let Err(error) = result {
                assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
            }
        }
        records.push((reader.channels().name(record.channel).to_owned(), record));
    }
    let log = log.finish().unwrap();
    let mut again = candump::Reader::new(log.as_slice());
    for (name, record) in &records {
        let read = again.next().unwrap().unwrap();
        assert_eq!(again.channels().name(read.channel), name);
        assert_eq!((read.at_ns, read.entry), (record.at_ns, record.entry));
    }
    assert!(again.next().is_none());
    for written in [
        text.finish().unwrap(),
        trace.finish().unwrap(),
        binary.finish().unwrap().output,
        table.finish().unwrap(),
        capture.finish().unwrap(),
    ] {
        assert!(open(written.as_slice()).unwrap().all(|read| read.is_ok()));
    }
    records.len()
}

/// One log of each format, small enough to be read thousands of times.
fn seeds_of_every_format() -> Vec<Vec<u8>> {
    let (records, channels) = random_records(SEED, 40, Allow::ALL);
    let mut log = candump::Writer::new(Vec::new());
    let mut text = asc::Writer::new(Vec::new());
    for record in &records {
        log.write(record, &channels).unwrap();
        text.write(record, &channels).unwrap();
    }
    let log = log.finish().unwrap();
    let screen = b"  can0  RX B -  123  [12]  11 22 33 44 55 66 77 88 99 AA BB CC\n \
        (1.5)  can1  12345678   [2]  11 22   '.\"'\n  can0  123   [4]  remote request\n \
        (2021-05-11 00:24:59.796900)  can0  20000080   [8]  00 00 00 00 00 00 00 00   ERRORFRAME\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&log).unwrap();
    let packed = packed_blf(&objects(&log));
    let plain = objects(b"");
    let plain = blf_with(0, plain.len() as u32, &plain);
    vec![
        log,
        text.finish().unwrap(),
        screen.to_vec(),
        gzip.finish().unwrap(),
        packed,
        plain,
        ROWS_OF_GVRET.to_vec(),
        ROWS_OF_BUSMASTER.to_vec(),
        ROWS_OF_CRTD.to_vec(),
        ROWS_OF_OLD_TRC.to_vec(),
        cooked_capture(),
    ]
    .into_iter()
    .chain(written_logs(&records, &channels))
    .collect()
}

const ROWS_OF_GVRET: &[u8] = b"Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\n\
    -1500000,0000013B,false,Rx,0,8,00,00,08,00,00,00,00,4C\n2009,18DAF101,true,Tx,3,2,7,a,\n\
    2147483647,1,false,Rx,0,11,1,2,3,4,5,6,7,8,9,A,B\n-2147483647,1,false,Rx,0,0\n";

const ROWS_OF_BUSMASTER: &[u8] = b"***BUSMASTER Ver 3.2.2***\n***PROTOCOL CAN***\n\
    ***START DATE AND TIME 8:8:2014 23:59:7:965***\n***HEX***\n***SYSTEM MODE***\n\
    23:59:12:9420 Rx 1 0x023 s 1 40\n00:00:01:5 Tx 2 0x18DAF101 x 2 03 E0\n\
    ***RELATIVE MODE***\n00:00:01:0000 Rx 1 0x7FF sr 4\n***PROTOCOL LIN***\nrow\n";

const ROWS_OF_CRTD: &[u8] = b"169.971289 CXX Info Type:crtd;\n1542473901.020305 1R11 213 00 c0 1\n\
    1542473901.021 2T11 318\n1542473901.021260 R29 18DAF101 92 0b\n1542473901.022 CEV event\n";

const ROWS_OF_OLD_TRC: &[u8] = b";$FILEVERSION=1.3\n;$STARTTIME=44548.6028595139\n\
    1) 1059.900 1 Rx 0300 - 7 00 00 00 00 04 00 00\n3) 1346 1 Warng FFFFFFFF - 4 0 BUSLIGHT\n\
    4) 1349.222 1 Error 0008 - 4 00 19 08 08\n;$FILEVERSION=1.0\n1) 1841 0001 1 00\n\
    2) 1842 0008 4 ERROR 00 19 08 08\n4) 1844 0100 3 RTR\n;$FILEVERSION=2.0\n\
    ;$COLUMNS=N,O,T,I,d,l,D\n1 0.001 FD 0500 Tx 9 01 02 03 04 05 06 07 08 09\n";

/// A pcap file of cooked packets, one of each protocol.
fn cooked_capture() -> Vec<u8> {
    let mut bytes = b"\xD4\xC3\xB2\xA1".to_vec();
    bytes.extend([0; 16]);
    bytes.extend(113_u32.to_le_bytes());
    for protocol in [0x0C_u16, 0x0D, 0x0E, 0x0800] {
        bytes.extend([1, 0, 0, 0, 2, 0, 0, 0, 88, 0, 0, 0, 88, 0, 0, 0]);
        bytes.extend([0; 14]);
        bytes.extend(protocol.to_be_bytes());
        bytes.extend([0x23, 1, 0, 0, 8, 0, 0, 0]);
        bytes.extend([7; 64]);
    }
    bytes
}

/// The same records as the formats write them that are not above.
fn written_logs(records: &[Record], channels: &Channels) -> Vec<Vec<u8>> {
    let mut trace = trc::Writer::new(Vec::new());
    let mut binary = blf::Writer::new(Vec::new());
    let mut table = python_can_csv::Writer::new(Vec::new());
    let mut capture = pcapng::Writer::new(Vec::new());
    for record in records {
        trace.write(record, channels).unwrap();
        binary.write(record, channels).unwrap();
        table.write(record, channels).unwrap();
        capture.write(record, channels).unwrap();
    }
    vec![
        trace.finish().unwrap(),
        binary.finish().unwrap().output,
        table.finish().unwrap(),
        capture.finish().unwrap(),
    ]
}

/// A BLF file of one zlib container.
fn packed_blf(content: &[u8]) -> Vec<u8> {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(content).unwrap();
    blf_with(2, content.len() as u32, &zlib.finish().unwrap())
}

/// A BLF file of one container with the given method, unpacked size and data.
fn blf_with(method: u16, stated: u32, packed: &[u8]) -> Vec<u8> {
    let mut bytes = b"LOGG\x90\0\0\0".to_vec();
    bytes.resize(144, 0);
    bytes.extend(b"LOBJ\x10\0\x01\0");
    bytes.extend((32 + packed.len() as u32).to_le_bytes());
    bytes.extend(10u32.to_le_bytes());
    bytes.extend(method.to_le_bytes());
    bytes.extend([0; 6]);
    bytes.extend(stated.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(packed);
    bytes
}

/// Objects of every type read and one that is skipped, their later fields taken from `salt`.
fn objects(salt: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    for (n, kind) in [1u32, 86, 100, 101, 73, 65, 1].into_iter().enumerate() {
        content.extend(b"LOBJ\x20\0\x01\0");
        content.extend((32 + 104u32).to_le_bytes());
        content.extend(kind.to_le_bytes());
        content.extend([2, 0, 0, 0, 0, 0, 0, 0, n as u8, 0, 0, 0, 0, 0, 0, 0]);
        content.extend([1, 0, 0, 8, 0x23, 1, 0, 0]);
        content.extend((0..96).map(|at| salt.get(n * 96 + at).copied().unwrap_or(0)));
    }
    content
}

/// Changes a few bytes: bits flipped, bytes replaced by telling ones, pieces cut, doubled, moved.
fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    const TELLING: &[u8] = b"\0\xFF\x7F\x80\n\t #()[]{}._RrTtxXdD09aFgG:'-LOBJ,;$*=se";
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len() as u64) as usize;
        let end = (at + 1 + random.below(24) as usize).min(bytes.len());
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 | 2 => bytes[at] = TELLING[random.below(TELLING.len() as u64) as usize],
            3 => bytes.truncate(at),
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() as u64) as usize;
                bytes.splice(to..to, piece);
            }
            _ => {
                bytes.drain(at..end);
            }
        }
    }
}

#[test]
fn mutated_logs_never_panic() {
    let seeds = seeds_of_every_format();
    for (n, seed) in seeds.iter().enumerate() {
        assert!(
            read_in_every_way(seed) > 0,
            "seed file {n} is read as it is"
        );
    }
    let (rounds, seed) = rounds_and_seed(ROUNDS);
    let mut random = Random::new(seed);
    for _ in 0..rounds {
        let mut bytes = seeds[random.below(seeds.len() as u64) as usize].clone();
        mutate(&mut random, &mut bytes);
        read_in_every_way(&bytes);
    }
}

/// Each format's own file, mutated: also past what detection by the first bytes lets through.
#[test]
fn mutated_logs_of_each_format_never_panic() {
    let (rounds, seed) = rounds_and_seed(ROUNDS_A_FORMAT);
    let before = peak_memory_kib();
    for (n, original) in seeds_of_every_format().iter().enumerate() {
        let mut random = Random::new(seed ^ (n as u64) << 32);
        let format = detect(original).unwrap_or(LogFormat::Candump);
        for _ in 0..rounds {
            let mut bytes = original.clone();
            mutate(&mut random, &mut bytes);
            read_as(&bytes, format);
        }
    }
    let grown = peak_memory_kib() - before;
    assert!(grown < 64 << 10, "{grown} KiB for small files");
}

#[test]
fn random_bytes_never_panic() {
    let (rounds, seed) = rounds_and_seed(ROUNDS);
    let mut random = Random::new(seed + 1);
    for round in 0..rounds {
        let mut bytes: Vec<u8> = (0..random.below(600)).map(|_| random.u64() as u8).collect();
        match round % 5 {
            0 => bytes.splice(..0, *b"LOGG\x90\0\0\0").for_each(drop),
            1 => bytes
                .splice(..0, *b"\x1F\x8B\x08\0\0\0\0\0\0\x03")
                .for_each(drop),
            2 => bytes
                .splice(..0, *b"\xD4\xC3\xB2\xA1\0\0\0\0")
                .for_each(drop),
            3 => bytes
                .iter_mut()
                .for_each(|byte| *byte = b" 0123\n#.R"[*byte as usize % 9]),
            _ => {}
        }
        read_in_every_way(&bytes);
    }
}

/// Returns the most memory this process has had so far, in KiB; 0 where the system does not tell.
fn peak_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

#[test]
fn sizes_that_lie_do_not_cost_memory() {
    let before = peak_memory_kib();
    // A container that states 8 MiB and brings 100 bytes.
    let mut lying = blf_with(0, 8 << 20, &[0; 100]);
    lying[152..156].copy_from_slice(&(8u32 << 20).to_le_bytes());
    let errors: Vec<_> = open(lying.as_slice())
        .unwrap()
        .map(Result::unwrap_err)
        .collect();
    assert_eq!(errors.len(), 1);

    // A container that unpacks to a gigabyte.
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..256 {
        zlib.write_all(&[0; 4 << 20]).unwrap();
    }
    let packed = zlib.finish().unwrap();
    for stated in [0, 100, 8 << 20, 64 << 20, u32::MAX] {
        let bomb = blf_with(2, stated, &packed);
        let errors: Vec<_> = open(bomb.as_slice())
            .unwrap()
            .map(Result::unwrap_err)
            .collect();
        assert_eq!(
            errors.len(),
            1,
            "a lying container is one fault, then the end"
        );
    }

    // One line of a gigabyte behind gzip: read through in the space of one line.
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"(1.0) can0 123#11\n").unwrap();
    for _ in 0..256 {
        gzip.write_all(&[b'x'; 4 << 20]).unwrap();
    }
    gzip.write_all(b"\n(2.0) can0 123#22\n").unwrap();
    let packed = gzip.finish().unwrap();
    let results: Vec<_> = open(packed.as_slice())
        .unwrap()
        .map(|r| r.is_ok())
        .collect();
    assert_eq!(results, [true, false, true]);

    let grown = peak_memory_kib() - before;
    println!("peak memory grew by {grown} KiB");
    assert!(grown < 64 << 10, "{grown} KiB for a few lies");
}
