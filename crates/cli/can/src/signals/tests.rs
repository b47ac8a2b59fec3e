//! Tables of signals, as files.

use waywarden_can::Frame;
use waywarden_can_log::{LogEntry, Record};

use super::*;

const MATRIX: &str = "VERSION \"\"\n\nNS_ :\n\nBS_:\n\nBU_: A\n\n\
BO_ 291 Motor: 2 A\n \
 SG_ Speed : 0|8@1+ (0.5,0) [0|0] \"km/h\" A\n \
 SG_ Gear : 8|8@1- (1,0) [0|0] \"\" A\n\n\
BO_ 292 Door: 1 A\n \
 SG_ Open : 0|1@1+ (1,0) [0|0] \"\" A\n\n\
VAL_ 291 Gear -1 \"reverse\" ;\n";

/// Writes three frames, one of them of no message and one that is too short.
fn table(name: &str, layout: SignalLayout) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let matrix = SignalMatrix::read(MATRIX, ReadOptions::default()).unwrap();
    let mut table = SignalTable::create(&path, Rc::new(matrix), layout).unwrap();
    let mut channels = Channels::default();
    let channel = channels.intern(b"can0").unwrap();
    let frames: [(u16, &[u8]); 4] = [(291, &[3, 0xFF]), (7, &[1]), (291, &[4]), (292, &[1])];
    for (at, (id, data)) in frames.into_iter().enumerate() {
        let frame = Frame::classic(Id::standard(id).unwrap(), data).unwrap();
        let record = Record {
            at_ns: 1_000_000_001 + at as u64,
            channel,
            entry: LogEntry::Frame {
                frame,
                direction: None,
            },
        };
        table.write(&record, &channels).unwrap();
    }
    assert_eq!(table.finish().unwrap(), 3);
    std::fs::read(path).unwrap()
}

#[test]
fn csv_has_a_row_for_each_signal_or_each_frame() {
    assert_eq!(
        String::from_utf8(table("out.csv", SignalLayout::Rows)).unwrap(),
        "time_s,channel,id_hex,extended,message,signal,value,unit,label\n\
         1.000000001,can0,0x123,false,Motor,Speed,1.5,km/h,\n\
         1.000000001,can0,0x123,false,Motor,Gear,-1,,reverse\n\
         1.000000003,can0,0x123,false,Motor,Speed,2,km/h,\n\
         1.000000004,can0,0x124,false,Door,Open,1,,\n"
    );
    assert_eq!(
        String::from_utf8(table("out.csv", SignalLayout::Columns)).unwrap(),
        "time_s,channel,id_hex,extended,message,Motor.Speed,Motor.Gear,Door.Open\n\
         1.000000001,can0,0x123,false,Motor,1.5,-1,\n\
         1.000000003,can0,0x123,false,Motor,2,,\n\
         1.000000004,can0,0x124,false,Door,,,1\n"
    );
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_same_rows() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};

    for (layout, rows, columns) in [(SignalLayout::Rows, 4, 9), (SignalLayout::Columns, 3, 8)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.parquet");
        std::fs::write(&path, table("out.parquet", layout)).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        let metadata = reader.metadata().file_metadata();
        assert_eq!(metadata.num_rows(), rows);
        assert_eq!(metadata.schema_descr().num_columns(), columns);
        let shown: Vec<String> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().to_string())
            .collect();
        match layout {
            SignalLayout::Rows => assert!(shown[1].contains("label: \"reverse\""), "{shown:?}"),
            SignalLayout::Columns => assert!(shown[1].contains("null"), "{shown:?}"),
        }
    }
}

/// A file describes each column of each row group, so that a wide table has few groups: memory does
/// not grow with the log.
#[cfg(feature = "parquet")]
#[test]
fn wide_tables_have_few_row_groups() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    let mut text = "VERSION \"\"\n\nBU_: A\n\n".to_owned();
    for id in 0..100 {
        let _ = writeln!(text, "BO_ {id} M{id}: 8 A");
        for at in 0..8 {
            let _ = writeln!(text, " SG_ S{at} : {}|8@1+ (1,0) [0|0] \"\" A", 8 * at);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.parquet");
    let matrix = SignalMatrix::read(&text, ReadOptions::default()).unwrap();
    let mut table = SignalTable::create(&path, Rc::new(matrix), SignalLayout::Columns).unwrap();
    let mut channels = Channels::default();
    let channel = channels.intern(b"can0").unwrap();
    for at in 0..4_000_u64 {
        let id = Id::standard((at % 100) as u16).unwrap();
        let frame = Frame::classic(id, &[at as u8; 8]).unwrap();
        let direction = None;
        let record = Record {
            at_ns: at,
            channel,
            entry: LogEntry::Frame { frame, direction },
        };
        table.write(&record, &channels).unwrap();
    }
    assert_eq!(table.finish().unwrap(), 4_000);
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    assert_eq!(reader.metadata().num_row_groups(), 1);
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    for (at, row) in rows.enumerate().take(150).step_by(29) {
        let has_value = |(_, field): &(&String, &Field)| matches!(field, Field::Double(_));
        let values: Vec<_> = row.get_column_iter().filter(has_value).collect();
        let name = format!("M{}.S0", at % 100);
        assert_eq!(values.len(), 8);
        assert_eq!(
            (values[0].0, values[0].1),
            (&name, &Field::Double(f64::from(at as u8)))
        );
    }
}

#[test]
fn first_signals_are_shown_with_units_and_names() {
    let matrix = SignalMatrix::read(MATRIX, ReadOptions::default()).unwrap();
    let id = Id::standard(291).unwrap();
    assert_eq!(
        shown(&matrix, id, &[3, 0xFF], 4),
        "Speed=1.5km/h Gear=reverse"
    );
    assert_eq!(shown(&matrix, id, &[3, 0xFF], 1), "Speed=1.5km/h ...");
}
