//! Logs of both layouts, with faults, against what was written.

use std::io::Cursor;

use waywarden_testkit::{Random, each_random_bytes, each_seed};

use super::*;
use crate::unread::StopReason;

/// Time of all records: 2018-12-05T13:58:17.701Z.
const SECONDS: u32 = 1_544_018_297;

fn record(has_source: bool, message: &[u8]) -> Vec<u8> {
    let mut bytes = vec![2; usize::from(has_source)];
    bytes.extend(405_659_938_i32.to_le_bytes());
    bytes.extend((-1_050_317_498_i32).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(SECONDS.to_le_bytes());
    bytes.extend(701_u16.to_le_bytes());
    bytes.push(0);
    bytes.extend((message.len() as u16).to_le_bytes());
    bytes.extend(message);
    bytes
}

/// Returns messages, `None` for a broken record, and the error at the end.
fn read(bytes: &[u8]) -> (Vec<Option<Vec<u8>>>, Option<String>) {
    let layout = Layout::of(&bytes[..bytes.len().min(512)]).unwrap();
    let mut found = Vec::new();
    let input = Box::new(Cursor::new(bytes.to_vec()));
    let read = records("log", input, layout, &mut |record: InputRecord| {
        found.push(record.broken.is_none().then_some(record.bytes));
        Ok::<(), StopReason>(())
    });
    let error = read.err().map(|stopped| match stopped {
        StopReason::Unread(unread) => unread.to_string(),
        StopReason::Failed(failure) => panic!("{failure:?}"),
    });
    (found, error)
}

#[test]
fn records_are_read_with_and_without_a_source_and_a_line_feed() {
    for has_source in [true, false] {
        for between in [&b""[..], b"\n"] {
            let messages = [&[3, 0x81, 0, 7][..], &[3, 0x80, 1], &[3, 0, 0x20], &[9]];
            let log = messages.map(|message| [&record(has_source, message), between].concat());
            let (found, error) = read(&log.concat());
            assert_eq!(error, None);
            assert_eq!(found, messages.map(|message| Some(message.to_vec())));
        }
    }
}

#[test]
fn time_of_a_record_is_that_of_its_header() {
    let bytes = record(true, &[3, 0x81]);
    let (length, time) = Layout::of(&bytes).unwrap().read(&bytes).unwrap();
    assert_eq!(length, 2);
    let expected = from_unix(i64::from(SECONDS) * 1_000_000 + 701_000);
    assert_eq!(Some(time), expected);
}

#[test]
fn damaged_record_costs_itself_and_a_cut_file_its_end() {
    let (first, last) = (record(true, &[3, 0x81, 1]), record(true, &[3, 0x81, 2]));
    let mut damaged = record(true, &[3, 0x81, 9]);
    damaged[0] = 77;
    let log = [&first[..], &damaged, &last].concat();
    let expected = [Some(vec![3, 0x81, 1]), None, Some(vec![3, 0x81, 2])];
    assert_eq!(read(&log), (expected.to_vec(), None));
    let (found, error) = read(&log[..log.len() - 1]);
    assert_eq!(found, expected[..2]);
    let error = error.unwrap();
    assert!(
        error.starts_with("log, record 3: the file ends in a message of 3 bytes"),
        "{error}"
    );
}

#[test]
fn cut_message_within_a_message_is_named_as_cut() {
    // The inner SPDU four octets on would give the header another place.
    let mut last = record(true, &[3, 0x81, 0, 0x40, 3, 0x80, 1, 2]);
    last[1..17].fill(0);
    let log = [record(true, &[3, 0x81, 1]), last].concat();
    for cut in 1..8 {
        let (found, error) = read(&log[..log.len() - cut]);
        assert_eq!(found.len(), 1, "{cut}");
        assert!(error.unwrap().contains("record 2: the file ends"), "{cut}");
    }
}

#[test]
fn other_files_are_no_logs() {
    assert_eq!(Layout::of(&record(true, b"text")), None);
    assert_eq!(Layout::of(&record(true, &[3, 0x81])[1..25]), None);
    each_random_bytes(200, Layout::of, |layout| assert_eq!(layout, None));
}

#[test]
fn random_damage_never_costs_all_records_behind_it() {
    each_seed(200, |seed| {
        let mut random = Random::new(seed);
        let count = 3 + random.below(20) as usize;
        let whole = record(true, &[3, 0x81, 0, 0, 0, 0]);
        let mut log = whole.repeat(count);
        let at = whole.len() + random.below((log.len() - 2 * whole.len()) as u64) as usize;
        log[at] ^= 1 + random.below(255) as u8;
        let (found, _) = read(&log);
        let intact = found.iter().flatten().filter(|one| one.len() == 6).count();
        assert!(intact + 2 >= count, "{intact} of {count}, at {at}");
    });
}
