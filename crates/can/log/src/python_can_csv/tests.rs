//! Known rows, what the format does not carry, broken rows.

use super::Writer;
use crate::test_support::{faults, lines_of};

const HEADER: &str = "timestamp,arbitration_id,extended,remote,error,dlc,data\n";

#[test]
fn rows_read_as_they_were_sent() {
    let log = format!(
        "{HEADER}1483389946.197,0xdadada,1,0,0,7,WzQyLCA5XQ==\n0.5,0x123,0,1,0,4,\n\
         1e-05,0x7ff,0,0,0,0,\n2.5e-07,0x1,0,0,0,12,AAECAwQFBgcICQoL\n\
         3.0,0x1,0,0,0,12,AAECAwQFBgc=\n3.0,0x1,0,0,0,9,AAECAwQFBgcI\n\
         4.0,0x0,1,0,1,0,\n5.0,0x88,1,0,1,8,AACAGQAAAQI=\n"
    );
    let (text, reader) = lines_of(log.as_bytes());
    let expected = "\
(1483389946.197000) can0 00DADADA#5B34322C20395D
(0.500000) can0 123#R4
(0.000010) can0 7FF#
(0.000000250) can0 001##0000102030405060708090A0B
(3.000000) can0 001#0001020304050607_C
(3.000000) can0 001##0000102030405060708000000
(4.000000) can0 20000080#0000000000000000
(5.000000) can0 20000088#0000801900000102
";
    assert_eq!(text, expected);
    assert_eq!(reader.padded(), 1);
}

#[test]
fn what_is_written_is_counted_where_it_is_lost() {
    let log = "(1.000001) can0 123#11 R\n(1.000001002) can1 123##31122 T\n\
               (2.0) can0 123##0112233445566778811223344\n(2.0) can0 20000088#0000801900000102\n";
    let mut reader = crate::open(log.as_bytes()).unwrap();
    let mut writer = Writer::new(Vec::new());
    while let Some(record) = reader.next() {
        writer.write(&record.unwrap(), reader.channels()).unwrap();
    }
    let losses = writer.losses();
    assert_eq!((losses.directions, losses.fd_flags), (2, 1));
    assert_eq!((losses.channels, losses.error_details), (1, 0));
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let expected = "1.000001,0x123,0,0,0,1,EQ==\n1.000001002,0x123,0,0,0,2,ESI=\n\
                    2.000000,0x123,0,0,0,12,ESIzRFVmd4gRIjNE\n\
                    2.000000,0x88,1,0,1,8,AACAGQAAAQI=\n";
    assert_eq!(text, format!("{HEADER}{expected}"));
}

#[test]
fn broken_rows_name_their_place_and_remedy() {
    let log = format!(
        "{HEADER}x,0x1,0,0,0,0,\n1e5,0x1,0,0,0,0,\n1,G,0,0,0,0,\n1,0x1,2,0,0,0,\n1,0x1,0,x,0,0,\n\
         1,0x1,0,0,,0,\n1,0x1,0,0,0,65,\n1,0x1,0,0,0,1,E\n1,0x1,0,0,0,2,EQ==\n1,0x800,0,0,0,0,\n\
         1,0x1,0,0,0,0\n1,0x1,0,0,0,0,,\n1,0x1,0,1,0,16,\n1e-99,0x1,0,0,0,0,\n"
    );
    let expected = [
        "line 2: time \"x\"; right would be seconds",
        "line 3: time \"1e5\"",
        "line 4: arbitration_id \"G\"; right would be hexadecimal",
        "line 5: extended \"2\"; right would be 0 or 1",
        "line 6: remote \"x\"",
        "line 7: error \"\"",
        "line 8: dlc \"65\"; right would be a number from 0 to 64",
        "line 9: data \"E\"; right would be base64",
        "line 10: 2 data bytes are announced and 1 stand there",
        "line 11: identifier 0x800",
        "line 12: \"1,0x1,0,0,0,0\"; right would be timestamp,",
        "line 13: \"1,0x1,0,0,0,0,,\"; right would be timestamp,",
        "line 14: ",
        "line 15: time \"1e-99\"",
    ];
    faults(log.as_bytes(), &expected);
}
