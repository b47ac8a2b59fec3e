//! Floating car data as Parquet, as SUMO and pandas write it.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_tracks::fcd::TimeSteps;

/// A row: time, name, x, y, angle; `None`: null.
type Row = (f64, Option<&'static str>, Option<f64>, f64, f32);

const SUMO: &str = "message schema { optional double timestep_time; \
    optional binary vehicle_id (UTF8); \
    optional double vehicle_x; optional double vehicle_y; optional float vehicle_angle; }";

const ROWS: [Row; 5] = [
    (0.0, None, None, 0.0, 0.0),
    (0.1, Some("a"), Some(1.5), 2.0, -90.0),
    (0.2, Some("b"), Some(3.0), 4.0, 10.0),
    (0.2, Some("a"), Some(5.0), 6.0, 720.0),
    (0.3, Some("c"), Some(7.0), 8.0, 0.0),
];

/// Writes rows in groups of two.
fn written(schema: &str, compression: Compression, rows: &[Row]) -> Bytes {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for rows in rows.chunks(2) {
        let there: Vec<&Row> = rows.iter().filter(|row| row.1.is_some()).collect();
        let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.1.is_some())).collect();
        let all = vec![1; rows.len()];
        let mut group = file.next_row_group().unwrap();
        let mut at = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            let doubles =
                |value: fn(&Row) -> f64| there.iter().map(|row| value(row)).collect::<Vec<_>>();
            match at {
                0 => {
                    let times: Vec<f64> = rows.iter().map(|row| row.0).collect();
                    column
                        .typed::<DoubleType>()
                        .write_batch(&times, Some(&all), None)
                }
                1 => {
                    let names: Vec<ByteArray> = there
                        .iter()
                        .map(|row| row.1.unwrap_or_default().into())
                        .collect();
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(&names, Some(&levels), None)
                }
                2 => {
                    let levels: Vec<i16> =
                        rows.iter().map(|row| i16::from(row.2.is_some())).collect();
                    let values: Vec<f64> = rows.iter().filter_map(|row| row.2).collect();
                    column
                        .typed::<DoubleType>()
                        .write_batch(&values, Some(&levels), None)
                }
                3 => column.typed::<DoubleType>().write_batch(
                    &doubles(|row| row.3),
                    Some(&levels),
                    None,
                ),
                _ => {
                    let angles: Vec<f32> = there.iter().map(|row| row.4).collect();
                    column
                        .typed::<FloatType>()
                        .write_batch(&angles, Some(&levels), None)
                }
            }
            .unwrap();
            column.close().unwrap();
            at += 1;
        }
        group.close().unwrap();
    }
    file.close().unwrap();
    Bytes::from(bytes)
}

#[test]
fn time_steps_go_over_row_groups() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(Default::default()),
    ] {
        let mut steps = TimeSteps::parquet(written(SUMO, compression, &ROWS)).unwrap();
        let found: Vec<_> = steps.by_ref().map(Result::unwrap).collect();
        let sizes: Vec<_> = found
            .iter()
            .map(|step| (step.time_s, step.vehicles.len()))
            .collect();
        assert_eq!(sizes, [(0.0, 0), (0.1, 1), (0.2, 2), (0.3, 1)]);
        let second = found[2].vehicles[1];
        assert_eq!((second.number, second.x, second.y), (0, 5.0, 6.0));
        assert_eq!(second.heading_degrees, Some(0.0));
        assert_eq!(found[1].vehicles[0].heading_degrees, Some(270.0));
        assert_eq!((second.speed_m_s, second.z), (None, None));
        assert_eq!(steps.name(2), Some("c"));
    }
}

#[test]
fn what_is_wrong_is_named_with_its_row() {
    let error = |schema: &str, rows: &[Row]| {
        let steps = TimeSteps::parquet(written(schema, Compression::UNCOMPRESSED, rows));
        let steps = match steps {
            Ok(steps) => steps,
            Err(error) => return error.to_string(),
        };
        let last = steps.last().unwrap();
        last.map_or_else(|error| error.to_string(), |_| String::new())
    };
    let mut rows = ROWS;
    rows[4].2 = None;
    assert_eq!(error(SUMO, &rows), "row 5: the row has no vehicle_x");
    rows = ROWS;
    rows[3].4 = 721.0;
    assert!(error(SUMO, &rows).starts_with("row 4: vehicle_angle=\"721\": degrees"));
    rows = ROWS;
    rows[1].3 = f64::NAN;
    assert!(error(SUMO, &rows).starts_with("row 2: vehicle_y=\"NaN\""));
    rows = ROWS;
    rows[4].0 = 0.1;
    assert!(error(SUMO, &rows).starts_with("row 5: the time 0.1 s follows on 0.2 s"));
    let text = "a".repeat(5_000);
    rows = ROWS;
    rows[4].1 = Some(Box::leak(text.into_boxed_str()));
    assert!(error(SUMO, &rows).contains("a name of at most 4,096 bytes"));
    rows = ROWS;
    rows[3].1 = Some("b");
    assert_eq!(
        error(SUMO, &rows),
        "row 4: vehicle \"b\" stands twice in a time step"
    );
    let decimal = SUMO.replace("double vehicle_x", "int64 vehicle_x (DECIMAL(9, 1))");
    let schema = Arc::new(parse_message_type(&decimal).unwrap());
    let mut bytes = Vec::new();
    let file = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    file.close().unwrap();
    let found = TimeSteps::parquet(Bytes::from(bytes))
        .err()
        .unwrap()
        .to_string();
    assert_eq!(
        found,
        "row 0: vehicle_x=\"DECIMAL as INT64\": a plain number is expected"
    );
    let other = SUMO.replace("vehicle_y", "why");
    assert_eq!(error(&other, &ROWS), "row 0: the file has no vehicle_y");
    let text = TimeSteps::parquet(Bytes::from_static(b"PAR1 and no more"))
        .err()
        .unwrap();
    assert!(
        text.to_string().starts_with("row 0: not Parquet:"),
        "{text}"
    );
}

#[test]
fn damaged_files_are_refused_or_read_without_a_panic() {
    let whole = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(Default::default()),
    ]
    .map(|compression| written(SUMO, compression, &ROWS));
    each_seed(2_000, |seed| {
        let mut random = Random::new(seed);
        let mut bytes = whole[random.index(3)].to_vec();
        for _ in 0..=random.below(4) {
            let at = random.index(bytes.len());
            match random.below(3) {
                0 => bytes.truncate(at + 1),
                1 => bytes[at] = random.bytes(1)[0],
                _ => bytes[at] ^= 1 << random.below(8),
            }
        }
        if let Ok(steps) = TimeSteps::parquet(Bytes::from(bytes)) {
            for step in steps.flatten() {
                assert!(step.time_s.is_finite());
                assert!(step.vehicles.iter().all(|one| one.x.is_finite()));
            }
        }
    });
}
