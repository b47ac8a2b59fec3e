//! Logs as recorders in the field write them: symbolic names, flags words without the CAN FD bit,
//! lengths where length codes belong, statistics, transport protocols, trigger events.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_testkit::Random;

use super::*;

const HEADER: &str = "\
date Mit Okt 18 09:41:07.250 2023
base hex  timestamps absolute
internal events logged
// version 11.0.2
//0.000000 previous log file: garage_04.asc
";

/// The line in candump's form, or its fault.
fn read_line(line: &str) -> String {
    match read(&format!("{HEADER}{line}\n")).as_slice() {
        [] => "skipped".to_owned(),
        [Ok(_)] => lines(&format!("{HEADER}{line}\n")).trim_end().to_owned(),
        [Err(error)] => format!("{}", error.cause),
        more => panic!("{line}: {more:?}"),
    }
}

#[test]
fn log_with_every_kind_of_recorder_event_reads_without_fault() {
    let text = format!(
        "{HEADER}\
Begin Triggerblock Mit Okt 18 09:41:07.250 2023
   0.000000 Start of measurement
   0.020117 CAN 1 Status:chip status error passive - TxErr: 128 RxErr: 3
   0.020117 CAN 2 Status:chip status error active
   1.020117 1  Statistic: D 4 R 0 XD 1 XR 0 E 2 O 0 B 1.25%
   1.040000 1  1F2             Rx   d 8 01 02 03 04 05 06 07 08  Length = 240000 BitCount = 124 ID = 498
   1.041000 2  7A              Tx   r
   1.042000 2  7A              Tx   r   Length = 1704000 BitCount = 145 ID = 99999999x
   1.043000 4  7A              Tx   r 8   Length = 1704000 BitCount = 145 ID = 122
   1.050000 1  ErrorFrame
   1.050100 2  ErrorFrame\tFlags = 0xe CodeExt = 0x20a2 Code = 0x82 ID = 0 DLC = 0 Position = 5
   1.060000 J1939TP FEE4p 6 0 0 - Rx d 12 A0 0F A6 60 3B D1 40 1F DE 80 25 DF
   1.070000 SV: 2 0 1 ::Panel::Speed = 12
   1.080000 log trigger event
   1.081000 Log Direct Start (0ms)
   1.100000 CANFD   1 Rx        2F1  Front_Radar_2                    1 0 8  8 21 c3 53 0e 42 8a f8 a1   130000  130   203000 e0006659 46500250 4b140250 20011736 2001040d
   1.110000 CANFD   3 Tx     40007x                                   0 0 5  0   140000   73   200050 7a60 46500250 460a0250 20011736 20010205
   1.120000 CANFD   5 Tx ErrorFrame Not Acknowledge error, dominant error flag  fffe c7 31ca Arb. 556    44 0 0 f 64 00 01
   9.000000 1  Statistic: D 4 R 0 XD 1 XR 0 E 2 O 0 B 1.25%
End TriggerBlock
"
    );
    let expected = "\
(1.040000) can0 1F2#0102030405060708 R
(1.041000) can1 07A#R T
(1.042000) can1 07A#R T
(1.043000) can3 07A#R8 T
(1.050000) can0 20000080#0000000000000000
(1.050100) can1 20000080#0000000000000000
(1.100000) can0 2F1##121C3530E428AF8A1 R
(1.110000) can2 00040007#R5 T
(1.120000) can4 20000080#0000000000000000
";
    assert_eq!(lines(&text), expected);
    let mut reader = Reader::new(text.as_bytes());
    assert_eq!(reader.by_ref().filter(Result::is_err).count(), 0);
    assert_eq!(reader.skipped(), 9);
}

#[test]
fn flags_word_without_fd_bit_leaves_a_frame_fd_that_cannot_be_classic() {
    let bytes: String = (0..64).map(|byte| format!(" {byte:02X}")).collect();
    let data = bytes.replace(' ', "");
    for (columns, flags, expected) in [
        ("3C1 0 0 f 64", "0", format!("3C1##0{data} R")),
        ("3C1 0 1 f 64", "1040", format!("3C1##2{data} R")),
        (
            "1C4D80A8x Lamp_7 1 0 f 64",
            "1000000",
            format!("1C4D80A8##1{data} R"),
        ),
    ] {
        let line = format!("0.5 CANFD 4 Rx {columns}{bytes} 1331984 11 {flags} 46500250");
        assert_eq!(
            read_line(&line),
            format!("(0.500000) can3 {expected}"),
            "{line}"
        );
    }
    // Eight bytes or fewer are CAN FD where a column says so, else what the flags word says.
    for (columns, expected) in [
        ("2A 1 0 2 2 11 22", "02A##11122 R"),
        ("2A 0 1 2 2 11 22", "02A##21122 R"),
        ("2A 0 0 2 2 11 22", "02A#1122 R"),
    ] {
        let line = format!("0.5 CANFD 4 Rx {columns} 130000 130 0 0 0 0 0 0");
        assert_eq!(
            read_line(&line),
            format!("(0.500000) can3 {expected}"),
            "{line}"
        );
    }
}

#[test]
fn data_line_with_more_bytes_than_classic_can_carries_is_fd() {
    let bytes = |count: usize| -> String { (0..count).map(|n| format!(" {n:02X}")).collect() };
    for (length, count) in [("40", 64), ("c", 12), ("10", 16), ("14", 20), ("30", 48)] {
        let line = format!("0.5 1 123x Rx d {length}{}", bytes(count));
        let data = bytes(count).replace(' ', "");
        let expected = format!("(0.500000) can0 00000123##0{data} R");
        assert_eq!(read_line(&line), expected, "{line}");
        assert_eq!(
            read_line(&format!("{line}  Length = 1 BitCount = 2 ID = 291x")),
            expected
        );
    }
    // Eight bytes stand behind a length code of classic CAN, whether hexadecimal or decimal.
    for (length, code) in [("f", 'F'), ("c", 'C'), ("12", 'C'), ("10", 'A')] {
        let line = format!("0.5 1 123 Rx d {length}{}  Length = 1", bytes(8));
        assert_eq!(
            read_line(&line),
            format!("(0.500000) can0 123#0001020304050607_{code} R")
        );
    }
    // Neither: the count is wrong.
    assert_eq!(
        read_line(&format!("0.5 1 123 Rx d 40{}", bytes(63))),
        "64 data bytes are announced and 63 stand there; correct the length or the bytes"
    );
    assert_eq!(
        read_line(&format!("0.5 1 123 Rx d 9{}", bytes(9))),
        "8 data bytes are announced and 9 stand there; correct the length or the bytes"
    );
}

#[test]
fn log_without_trigger_block_begins_at_its_date() {
    let text = "\
date Tue May 27 04:09:35.000 pm 2014
base hex  timestamps absolute
internal events logged
// version 10.0.1
 0.019968 1  1B3             Rx   d 2 00 01
";
    assert_eq!(lines(text), "(0.019968) can0 1B3#0001 R\n");
    let mut reader = Reader::new(text.as_bytes());
    assert!(reader.by_ref().all(|result| result.is_ok()));
    assert_eq!(reader.start_ns(), Some(1_401_206_975_000_000_000));
}

/// Whatever columns, name and flags word stand around them, the data bytes of a line are its frame.
#[test]
fn data_of_any_line_is_the_data_of_its_frame() {
    let seed = 0xA5C_F1A6;
    println!("seed {seed:#x}");
    let mut random = Random::new(seed);
    for _ in 0..2_000 {
        let dlc = random.below(16) as usize;
        let is_fd_line = random.below(4) > 0;
        let length = usize::from(FD_LENGTHS[dlc]);
        let data = random.bytes(length);
        let bytes: String = data.iter().map(|byte| format!(" {byte:02X}")).collect();
        let line = if is_fd_line {
            let name = ["", "Lamp_7", "ABC"][random.below(3) as usize];
            let (brs, esi) = (random.below(2), random.below(2));
            // Bit 4 asks for a remote frame, which has no data.
            let flags = random.u64() as u32 & !(u32::from(length == 0) << 4);
            format!("CANFD 1 Rx 123 {name} {brs} {esi} {dlc:x} {length}{bytes} 130 11 {flags:x} 0")
        } else {
            format!("1 123 Rx d {length:x}{bytes}  Length = 1 BitCount = 2 ID = 291")
        };
        let results = read(&format!("{HEADER}0.5 {line}\n"));
        let [Ok(record)] = results.as_slice() else {
            panic!("seed {seed:#x}: {line}: {results:?}");
        };
        let frame = record.entry.frame().expect("a frame");
        assert_eq!(frame.data(), data, "seed {seed:#x}: {line}");
    }
}
