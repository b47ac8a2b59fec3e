//! Known files, modes of time, sessions, broken rows.

use crate::test_support::{faults, lines_of};

fn head(mode: &str) -> String {
    format!(
        "***BUSMASTER Ver 3.2.2***\n***PROTOCOL CAN***\n***[START LOGGING SESSION]***\n\
         ***START DATE AND TIME 8:8:2014 23:59:7:965***\n***HEX***\n***{mode} MODE***\n\
         ***CHANNEL 1 - Kvaser - Leaf #0 (Channel 0), Firmware- 0x37 - 500000 bps***\n\
         ***<Time><Tx/Rx><Channel><CAN ID><Type><DLC><DataBytes>***\n"
    )
}

#[test]
fn times_of_day_count_from_midnight_of_the_start_and_go_on_behind_the_next() {
    let log = head("SYSTEM")
        + "23:59:12:9420 Rx 1 0x023 s 1 40\n23:59:12:9440 Tx 2 0x18DAF101 x 2 03 E0 \n\
           00:00:01:0000 Rx 1 0x7FF sr 4\n00:00:01:0001 Rx 1 0x1 xr 0\n\
           ***END DATE AND TIME 9:8:2014 0:1:0:0***\n***[STOP LOGGING SESSION]***\n";
    let (text, reader) = lines_of(log.as_bytes());
    let expected = "\
(86352.942000) can0 023#40 R
(86352.944000) can1 18DAF101#03E0 T
(86401.000000) can0 7FF#R4 R
(86401.000100) can0 00000001#R R
";
    assert_eq!(text, expected);
    // 2014-08-08 00:00 UTC, as `date -u -d 2014-08-08 +%s` tells.
    assert_eq!(reader.start_ns(), Some(1_407_456_000_000_000_000));
    assert_eq!(reader.skipped(), 0);
}

#[test]
fn other_modes_count_from_the_start_or_the_row_before() {
    let rows = "0:0:1:5 Rx 0 00000023 s 0\n0:0:2:15 Rx 1 00000023 s 0\n";
    let log = head("ABSOLUTE") + rows;
    let (text, reader) = lines_of(log.as_bytes());
    assert_eq!(text, "(1.005000) can0 023# R\n(2.015000) can1 023# R\n");
    assert_eq!(reader.start_ns(), Some(1_407_542_347_965_000_000));
    let (text, _) = lines_of((head("RELATIVE") + rows).as_bytes());
    assert_eq!(text, "(1.005000) can0 023# R\n(3.020000) can1 023# R\n");
}

#[test]
fn decimal_numbers_and_later_sessions_are_read() {
    let second = head("SYSTEM")
        .replace("8:8:2014", "10:8:2014")
        .replace("HEX", "DEC");
    let row = "01:00:00:0000 Rx 1 291 s 2 255 16\n";
    let (text, _) = lines_of(format!("{second}{row}").as_bytes());
    assert_eq!(text, "(3600.000000) can0 123#FF10 R\n");
    let first = head("SYSTEM") + "01:00:00:0000 Rx 1 1 s 0\n";
    let (text, _) = lines_of(format!("{first}{second}{row}").as_bytes());
    assert_eq!(
        text,
        "(3600.000000) can0 001# R\n(176400.000000) can0 123#FF10 R\n"
    );
}

#[test]
fn broken_rows_name_their_place_and_remedy() {
    let log = head("SYSTEM")
        + "1:2:3 Rx 1 1 s 0\n1:2:3:4 Up 1 1 s 0\n1:2:3:4 Rx\n1:2:3:4 Rx 0 1 s 0\n\
           1:2:3:4 Rx 257 1 s 0\n1:2:3:4 Rx 1\n1:2:3:4 Rx 1 G s 0\n1:2:3:4 Rx 1 1 q 0\n\
           1:2:3:4 Rx 1 1 s\n1:2:3:4 Rx 1 1 s 9\n1:2:3:4 Rx 1 1 s 2 1\n1:2:3:4 Rx 1 800 s 0\n\
           ***START DATE AND TIME 40:1:2014 1:1:1:1***\n***PROTOCOL LIN***\nrow of LIN\n";
    let log = log.replacen("1:2:3:4 Rx 0", "1:2:3:4 Rx 1 1 s 0\n1:2:3:4 Rx 0", 1);
    let expected = [
        "line 9: \"1:2:3 Rx 1 1 s 0\"; right would be TIME Rx|Tx",
        "line 10: \"1:2:3:4 Up 1 1 s 0\"; right would be TIME",
        "line 11: \"1:2:3:4 Rx\"; right would be TIME",
        "line 13: channel \"0\"; right would be a number from 1 to 256",
        "line 14: channel \"257\"",
        "line 15: the identifier is missing; right would be TIME",
        "line 16: identifier \"G\"; right would be a number in the file's base",
        "line 17: type \"q\"; right would be s, x, sr or xr",
        "line 18: the length is missing",
        "line 19: length \"9\"; right would be a number from 0 to 8",
        "line 20: 2 data bytes are announced and 1 stand there",
        "line 21: identifier 0x800",
        "line 22: start \"40:1:2014 1:1:1:1\"; right would be day:month:year",
        "line 23: protocol \"LIN\"; right would be CAN",
    ];
    faults(log.as_bytes(), &expected);
}

/// The rows below count from a broken one, whose time is sound.
#[test]
fn broken_row_keeps_its_time_in_relative_mode() {
    let log = head("RELATIVE")
        + "0:0:1:0000 Rx 1 1 s 0\n0:0:1:0000 Rx 1 1 q 0\n0:0:1:0000 Up 1 1 s 0\n\
           0:0:1:0000 Rx 1 1 s 1 1 2\n0:0:1:0000 Rx 1 1 s 0\n0:0:x Rx 1 1 s 0\n";
    let times: Vec<u64> = crate::open(log.as_bytes())
        .unwrap()
        .filter_map(|item| Some(item.ok()?.at_ns / 1_000_000_000))
        .collect();
    assert_eq!(times, [1, 5]);
    let expected = [
        "line 10: type \"q\"",
        "line 11: \"0:0:1:0000 Up 1 1 s 0\"",
        "line 12: 1 data bytes are announced and 2 stand there",
        "line 14: \"0:0:x Rx 1 1 s 0\"; right would be TIME Rx|Tx CHANNEL ID TYPE LENGTH BYTES; \
         times are relative",
    ];
    faults(log.as_bytes(), &expected);
}

/// A time that is too large is a fault of its row alone, in each mode.
#[test]
fn huge_times_are_faults_of_their_rows() {
    for mode in ["SYSTEM", "ABSOLUTE", "RELATIVE"] {
        let rows = "4294967295:59:59:9999 Rx 1 1 s 0\n5124095:34:33:7095 Rx 1 1 s 0\n\
                    5124094:59:59:9999 Rx 1 1 s 0\n5124095:34:33:7096 Rx 1 1 s 0\n\
                    00:00:01:0000 Rx 1 1 s 0\n";
        let log = head(mode) + rows;
        let (times, faults) = outcome(&log);
        assert!(faults > 0, "{mode}");
        assert_eq!(times.len() + faults, 5, "{mode}");
    }
    let log = head("SYSTEM") + "24:00:00:0000 Rx 1 1 s 0\n23:59:59:9999 Rx 1 1 s 0\n";
    faults(
        log.as_bytes(),
        &["line 9: time \"24:00:00:0000\"; right would be a time of day, below 24 hours"],
    );
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..2_000 {
        let mut log = String::new();
        for mode in ["SYSTEM", "ABSOLUTE", "RELATIVE"] {
            log += &head(mode);
            for _ in 0..4 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let hours = (seed >> 32) as u32 >> (seed % 32);
                log += &format!("{hours}:59:{}:{} Rx 1 1 s 0\n", seed % 60, seed >> 51);
            }
        }
        let (times, faults) = outcome(&log);
        assert_eq!(times.len() + faults, 12, "{log}");
    }
}

#[test]
fn earlier_session_is_a_fault_and_its_rows_count_from_the_first_one() {
    let second = head("ABSOLUTE").replace("8:8:2014", "7:8:2014");
    let row = "0:0:2:0000 Rx 1 1 s 0\n";
    let log = format!("{}{row}{second}{row}", head("ABSOLUTE"));
    assert_eq!(outcome(&log), (vec![2_000, 2_000], 1));
    let expected = "line 13: start \"7:8:2014 23:59:7:965\"; right would be a date after the start";
    faults(log.as_bytes(), &[expected]);
    // A session that tells the time of day counts from midnight, before the log's zero.
    let log = format!("{}{row}{}", head("ABSOLUTE"), head("SYSTEM"))
        + "23:59:08:0000 Rx 1 1 s 0\n23:59:07:0000 Rx 1 1 s 0\n";
    assert_eq!(outcome(&log), (vec![2_000, 35], 1));
}

/// Returns the times of the rows in ms, and the number of faults.
fn outcome(log: &str) -> (Vec<u64>, usize) {
    let (mut times, mut faults) = (Vec::new(), 0);
    for item in crate::open(log.as_bytes()).unwrap() {
        match item {
            Ok(record) => times.push(record.at_ns / 1_000_000),
            Err(_) => faults += 1,
        }
    }
    (times, faults)
}
