//! Known files, negative times, counters that begin again, broken rows.

use crate::test_support::{faults, lines_of};

const HEADER: &str = "Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\n";

fn times(stamps: &[&str]) -> Vec<u64> {
    let rows: String = stamps
        .iter()
        .map(|stamp| format!("{stamp},00000001,false,Rx,0,0\n"))
        .collect();
    let log = format!("{HEADER}{rows}");
    let reader = crate::open(log.as_bytes()).unwrap();
    reader.map(|record| record.unwrap().at_ns).collect()
}

#[test]
fn rows_with_and_without_direction_are_read() {
    let log = format!(
        "{HEADER}973,0000013B,false,Rx,0,8,00,00,08,00,00,00,00,4C\n\
         2009,18DAF101,true,Tx,3,2,7,a,\n"
    );
    let (text, _) = lines_of(log.as_bytes());
    let expected = "(0.000973) can0 13B#000008000000004C R\n\
                    (0.002009) can3 18DAF101#070A T\n";
    assert_eq!(text, expected);
    let old = "Time Stamp,ID,Extended,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\r\n\
               166064000,0000021A,false,0,2,FE,36,00,00,00,00,00,00,\r\n";
    let (text, _) = lines_of(old.as_bytes());
    assert_eq!(text, "(166.064000) can0 21A#FE36\n");
}

#[test]
fn lengths_above_eight_are_can_fd_and_padded_if_need_be() {
    let log = format!("{HEADER}1,1,false,Rx,0,11,1,2,3,4,5,6,7,8,9,A,B\n");
    let (text, reader) = lines_of(log.as_bytes());
    assert_eq!(text, "(0.000001) can0 001##00102030405060708090A0B00 R\n");
    assert_eq!(reader.padded(), 1);
}

#[test]
fn negative_times_count_from_the_second_of_the_first() {
    assert_eq!(
        times(&["-1500000", "-1", "0", "2500000.5"]),
        [500_000_000, 1_999_999_000, 2_000_000_000, 4_500_000_500]
    );
    let late = format!("{HEADER}-5,1,false,Rx,0,0\n-2000000,1,false,Rx,0,0\n");
    faults(
        late.as_bytes(),
        &["line 3: the time \"-2000000\" lies before the second"],
    );
}

#[test]
fn counters_of_32_bits_go_on_behind_their_end() {
    let after = 2_147_483_647_000 + 6_000;
    assert_eq!(
        times(&["2147483647", "-2147483643", "-2147483642"]),
        [2_147_483_647_000, after, after + 1_000]
    );
    assert_eq!(
        times(&["4294967295", "4"]),
        [4_294_967_295_000, 4_294_967_300_000]
    );
    // A log that begins again somewhere else is another one, and its times stay.
    assert_eq!(times(&["3000000000", "4"]), [3_000_000_000_000, 4_000]);
}

#[test]
fn broken_rows_name_their_place_and_remedy() {
    let log = format!(
        "{HEADER}x,1,false,Rx,0,0\n1,G,false,Rx,0,0\n1,1,no idea,Rx,0,0\n1,1,,Rx,0,0\n\
         1,1,false,Up,0,0\n1,1,false,Rx,256,0\n1,1,false,Rx,0,65\n1,1,false,Rx,0,2,1\n\
         1,1,false,Rx,0,1,100\n1,800,false,Rx,0,0\nrubbish\n\
         Time Stamp,ID,Extended,Bus\n99999999999999999999,1,false,Rx,0,0\n"
    );
    let expected = [
        "line 2: time \"x\"; right would be microseconds",
        "line 3: ID \"G\"; right would be a hexadecimal number",
        "line 4: Extended \"no idea\"; right would be true or false",
        "line 5: Extended \"\"",
        "line 6: Dir \"Up\"; right would be Rx or Tx",
        "line 7: Bus \"256\"; right would be a number from 0 to 255",
        "line 8: LEN \"65\"; right would be",
        "line 9: 2 data bytes are announced and 1 stand there",
        "line 10: data \"100\"",
        "line 11: identifier 0x800",
        "line 12: Dir \"\"",
        "line 13: LEN is missing; right would be the header Time Stamp,ID",
        "line 14: time \"99999999999999999999\"; right would be less than",
    ];
    faults(log.as_bytes(), &expected);
}

/// Zeros up to the columns of the header are no data; anything else is.
#[test]
fn bytes_behind_the_length_are_a_fault() {
    let log = "Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\n\
               1,1,false,Rx,0,4,1,2,3,4,00,00,0,0,\n2,1,false,Rx,0,4,1,2,3,4,5,6,,,\n";
    faults(
        log.as_bytes(),
        &["line 3: 4 data bytes are announced and 6 stand there"],
    );
}
