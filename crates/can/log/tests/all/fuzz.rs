//! Hostile bytes: whatever comes, the readers do not panic and they end. Bounded and seeded.

use std::io::Write as _;

use crate::support::{Allow, random_records};
use waywarden_can_log::{LogFormat, LogReader, asc, candump, open, open_as, pcapng};
use waywarden_testkit::Random;

const SEED: u64 = 0x5EED_0001;
/// Rounds of each test; `WAYWARDEN_FUZZ_ROUNDS` asks for another number, with other seeds.
const ROUNDS: u64 = 3_000;

fn rounds_and_seed() -> (u64, u64) {
    let asked = std::env::var("WAYWARDEN_FUZZ_ROUNDS").ok();
    let (rounds, seed) = match asked.and_then(|number| number.parse().ok()) {
        Some(rounds) => (rounds, SEED ^ rounds),
        None => (ROUNDS, SEED),
    };
    println!("{rounds} rounds, seed {seed:#x}");
    (rounds, seed)
}

/// Reads bytes as each format to the end, going on behind every fault.
fn read_in_every_way(bytes: &[u8]) -> usize {
    let mut seen = 0;
    for format in [LogFormat::Candump, LogFormat::Asc, LogFormat::Blf] {
        let Ok(reader) = open_as(bytes, format) else {
            continue;
        };
        // Each item takes at least one byte (unpacked: gzip and zlib pack at most 1032 to one).
        let bound = 1032 * 1032 * (bytes.len() + 1);
        for (n, result) in reader.enumerate() {
            assert!(n < bound, "the reader does not end");
            match result {
                Ok(_) => seen += 1,
                Err(error) => assert!(error.to_string().len() < 400, "an error is a line: {error}"),
            }
        }
    }
    if let Ok(reader) = open(bytes) {
        seen += written_and_read_again(reader);
    }
    seen
}

/// Whatever could be read can be written in every format, and from candump is read as it was.
fn written_and_read_again(mut reader: LogReader<&[u8]>) -> usize {
    let mut log = candump::Writer::new(Vec::new());
    let mut text = asc::Writer::new(Vec::new());
    let mut capture = pcapng::Writer::new(Vec::new());
    let mut records = Vec::new();
    while let Some(result) = reader.next() {
        let Ok(record) = result else { continue };
        log.write(&record, reader.channels()).unwrap();
        capture.write(&record, reader.channels()).unwrap();
        // ASC has no place for a record earlier than the first; nothing else may fail.
        if let Err(error) = text.write(&record, reader.channels()) {
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
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
    records.len()
}

/// One log of each format, small enough to be read thousands of times.
fn seeds_of_every_format() -> Vec<Vec<u8>> {
    let allow = Allow {
        raw_length_codes: true,
        empty_fd: true,
        remote_lengths: true,
        error_details: true,
    };
    let (records, channels) = random_records(SEED, 40, allow);
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
    let packed = blf(&objects(&log));
    let plain = objects(b"");
    let plain = blf_with(0, plain.len() as u32, &plain);
    vec![
        log,
        text.finish().unwrap(),
        screen.to_vec(),
        gzip.finish().unwrap(),
        packed,
        plain,
    ]
}

/// A BLF file of one zlib container.
fn blf(content: &[u8]) -> Vec<u8> {
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
    const TELLING: &[u8] = b"\0\xFF\x7F\x80\n\t #()[]{}._RrTtxXdD09aFgG:'-LOBJ";
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
    let (rounds, seed) = rounds_and_seed();
    let mut random = Random::new(seed);
    for _ in 0..rounds {
        let mut bytes = seeds[random.below(seeds.len() as u64) as usize].clone();
        mutate(&mut random, &mut bytes);
        read_in_every_way(&bytes);
    }
}

#[test]
fn random_bytes_never_panic() {
    let (rounds, seed) = rounds_and_seed();
    let mut random = Random::new(seed + 1);
    for round in 0..rounds {
        let mut bytes: Vec<u8> = (0..random.below(600)).map(|_| random.u64() as u8).collect();
        match round % 4 {
            0 => bytes.splice(..0, *b"LOGG\x90\0\0\0").for_each(drop),
            1 => bytes
                .splice(..0, *b"\x1F\x8B\x08\0\0\0\0\0\0\x03")
                .for_each(drop),
            2 => bytes
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
