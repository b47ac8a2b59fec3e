//! Files of each version, what is written and read back, broken rows.

use super::Writer;
use crate::test_support::{faults, lines_of};
use crate::{LogFormat, open};

const EXPECTED: &str = "\
(1.059900) can0 300#00000000040000 R
(1.298945) can0 400#0000 T
(1.349222) can0 20000080#0000000000000000
(1.352743) can0 18EFC034#0102 T
(1.360000) can0 100#R3 R
";

#[test]
fn each_version_reads_the_same_frames() {
    let known = [
        (
            ";$FILEVERSION=1.2\n;$STARTTIME=39878.6772258947\n",
            "1) 1059.900 1 Rx 0300 7 00 00 00 00 04 00 00 \n\
             2) 1298.945 1 Tx 0400 2 00 00\n\
             3) 1346.834 1 Warng FFFFFFFF 4 00 00 00 04 BUSLIGHT\n\
             4) 1349.222 1 Error 0008 4 00 19 08 08\n\
             5) 1352.743 1 Tx 18EFC034 2 01 02\n6) 1360 1 Rx 0100 3 RTR\n",
        ),
        (
            ";$FILEVERSION=1.3\n",
            "1) 1059.900 1 Rx 0300 - 7 00 00 00 00 04 00 00\n\
             2) 1298.945 1 Tx 0400 - 2 00 00\n\
             3) 1346.834 1 Warng FFFFFFFF - 4 00 00 00 04 BUSLIGHT\n\
             4) 1349.222 1 Error 0008 - 4 00 19 08 08\n\
             5) 1352.743 1 Tx 18EFC034 - 2 01 02\n6) 1360.0 1 Rx 0100 - 3 RTR\n",
        ),
        (
            ";$FILEVERSION=2.0 \n;$COLUMNS=N,O,T,I,d,l,D \n",
            "1 1059.900 DT 0300 Rx 7 00 00 00 00 04 00 00\n2 1298.945 DT 0400 Tx 2 00 00\n\
             3 1346.834 ST      Rx   00 00 00 08\n4 1349.222 ER      Rx   04 00 02 00 00\n\
             5 1352.743 DT 18EFC034 Tx 2 01 02\n6 1360.000 RR 0100 Rx 3\n",
        ),
        (
            ";$FILEVERSION=2.1\n;$COLUMNS=N,O,T,B,I,d,R,L,D\n",
            "1 1059.900 DT 1 0300 Rx - 7 00 00 00 00 04 00 00\n\
             2 1298.945 DT 1 0400 Tx - 2 00 00\n3 1346.834 EV -  User-defined event\n\
             4 1349.222 ER 1 - Rx - 5 04 00 02 00 00\n\
             5 1352.743 DT 1 18EFC034 Tx 12 2 01 02\n6 1360.000 RR 1 0100 Rx - 3\n",
        ),
    ];
    for (head, rows) in known {
        let log = format!("{head};---+-- comment\n\n{rows}");
        let (text, reader) = lines_of(log.as_bytes());
        assert_eq!(text, EXPECTED, "{head}");
        assert_eq!(
            (reader.format(), reader.skipped()),
            (LogFormat::Trc, 1),
            "{head}"
        );
    }
}

#[test]
fn old_versions_have_tenths_or_whole_milliseconds() {
    let old = ";####\n;    Start time: 11.09.2002 16:00:20.682\n;    PCAN-Net: PCI1\n\
               1) 1841 0001 8 00 00 00 00 00 00 00 00\n2) 1842 0008 4 ERROR 00 19 08 08\n\
               3) 1843 FFFFFFFF 4 00 00 00 04 -- -- -- -- BUSLIGHT\n4) 1844 0100 3 RTR\n";
    let (text, reader) = lines_of(old.as_bytes());
    let expected = "\
(1.841000) can0 001#0000000000000000
(1.842000) can0 20000080#0000000000000000
(1.844000) can0 100#R3
";
    assert_eq!(text, expected);
    assert_eq!(reader.start_ns(), Some(1_031_760_020_682_000_000));
    let one = ";$FILEVERSION=1.1\r\n;$STARTTIME=45731.4\r\n1) 2.6 Rx 0020 1 80\r\n\
               2) 3.2 Tx 00000021 1 81\r\n3) 4.7 Rx 0021 RTR\r\n";
    let (text, reader) = lines_of(one.as_bytes());
    assert_eq!(
        text,
        "(0.002600) can0 020#80 R\n(0.003200) can0 00000021#81 T\n(0.004700) can0 021#R R\n"
    );
    assert_eq!(reader.start_ns(), Some(1_742_031_360_000_000_000));
}

#[test]
fn can_fd_has_its_flags_and_codes_or_lengths() {
    let log = ";$FILEVERSION=2.1\n;$COLUMNS=N,O,T,B,I,d,R,L,D\n\
               1 0.001 FD 2 0500 Tx - 9 01 02 03 04 05 06 07 08 09 0A 0B 0C\n\
               2 0.002 FB 2 0500 Rx - 1 01\n3 0.003 FE 2 0500 Rx - 1 01\n\
               4 0.004 BI 2 0500 Rx - 0\n5 0.005 DT 2 0500 Rx - 12 01 02 03 04 05 06 07 08\n";
    let (text, _) = lines_of(log.as_bytes());
    let expected = "\
(0.000001) can1 500##00102030405060708090A0B0C T
(0.000002) can1 500##101 R
(0.000003) can1 500##201 R
(0.000004) can1 500##3 R
(0.000005) can1 500#0102030405060708_C R
";
    assert_eq!(text, expected);
    let log = ";$FILEVERSION=2.0\n;$COLUMNS=N,O,T,I,d,l,D\n\
               1 0 FD 0500 Tx 9 01 02 03 04 05 06 07 08 09\n";
    let (text, reader) = lines_of(log.as_bytes());
    assert_eq!(text, "(0.000000) can0 500##0010203040506070809000000 T\n");
    assert_eq!(reader.padded(), 1);
}

#[test]
fn what_is_written_is_read_back_with_names_and_date() {
    let log = "(1620692699.796900) body 123#1122 T\n(1620692699.796901) can0 00000123#R4 R\n\
               (1620692699.796901002) body 20000088#0000801900000102\n\
               (1620692700.000000) can3 123##3AABB R\n";
    let mut reader = open(log.as_bytes()).unwrap();
    let (mut exact, mut cut) = (
        Writer::new(Vec::new()),
        Writer::new(Vec::new()).in_microseconds(),
    );
    while let Some(record) = reader.next() {
        let record = record.unwrap();
        exact.write(&record, reader.channels()).unwrap();
        cut.write(&record, reader.channels()).unwrap();
    }
    assert_eq!(
        (exact.losses().error_details, exact.losses().time_digits),
        (1, 0)
    );
    assert_eq!(cut.losses().time_digits, 1);
    let written = exact.finish().unwrap();
    let (text, reader) = lines_of(&written);
    let expected = "\
(0.796900) body 123#1122 T
(0.796901) can0 00000123#R4 R
(0.796901002) body 20000080#0000000000000000
(1.000000) can3 123##3AABB R
";
    // Each name lies in the file's comments, beside a number that is not in the name.
    assert_eq!(text, expected);
    assert_eq!(reader.start_ns(), Some(1_620_692_699_000_000_000));
    assert!(
        lines_of(&cut.finish().unwrap())
            .0
            .contains("(0.796901) body")
    );
}

#[test]
fn broken_rows_name_their_place_and_remedy() {
    let log = ";$FILEVERSION=2.1\n1 0.1 DT 1 0300 Rx - 0\n;$COLUMNS=N,O,T\n;$STARTTIME=x\n\
               ;$COLUMNS=N,O,T,B,I,d,R,L,D\n1\n1 x\n1 0.1 DT 0 0300 Rx - 0\n1 0.1 DT 1 G Rx - 0\n\
               1 0.1 DT 1 0800 Rx - 0\n1 0.1 DT 1 0300 Up - 0\n1 0.1 DT 1 0300 Rx - 16\n\
               1 0.1 DT 1 0300 Rx - 2 11\n1 0.1 DT 1 0300 Rx - 1 11 22\n\
               1 0.1 FD 1 0300 Rx - 1 111\n1 0.1 DT 1\n;$FILEVERSION=3.0\n";
    let expected = [
        "line 2: the line of columns is missing; right would be ;$COLUMNS=",
        "line 3: columns \"N,O,T\"; right would be names of columns",
        "line 4: start \"x\"; right would be days since 1899-12-30",
        "line 6: the time is missing",
        "line 7: time \"x\"; right would be milliseconds",
        "line 8: channel \"0\"; right would be a number from 1 to 256",
        "line 9: identifier \"G\"; right would be 4 hexadecimal digits",
        "line 10: identifier 0x800",
        "line 11: direction \"Up\"",
        "line 12: length code \"16\"; right would be a number from 0 to 15",
        "line 13: 2 data bytes are announced and 1 stand there",
        "line 14: 1 data bytes are announced and 2 stand there",
        "line 15: data \"111\"",
        "line 16: the identifier is missing",
        "line 17: version \"3.0\"; right would be 1.0, 1.1",
    ];
    faults(log.as_bytes(), &expected);
}

#[test]
fn unknown_types_and_bytes_behind_the_length_are_faults() {
    let log = ";$FILEVERSION=2.1\n;$COLUMNS=N,O,T,B,I,d,R,L,D\n1 0.1 XX 1 0300 Rx - 0\n\
               2 0.1 RR 1 0300 Rx - 2 11\n3 0.1 DT 1 0300 Rx - 4 1 2 3 4 5 6\n\
               ;$FILEVERSION=1.1\n4) 2.6 Rz 0020 1 80\n5) 2.6 Warng 0020 1 80\n";
    let expected = [
        "line 3: type \"XX\"; right would be DT, FD",
        "line 4: 0 data bytes are announced and 1 stand there",
        "line 5: 4 data bytes are announced and 6 stand there",
        "line 7: type \"Rz\"; right would be Rx, Tx, Error or Warng",
    ];
    faults(log.as_bytes(), &expected);
}
