//! Recordings with faults: what is damaged costs itself only, and is counted.

use std::fmt::Write as _;
use std::io::Write as _;

use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_tracks::{TrackFault, TrackFaultKind, TrackRecording, TrackSettings, read};

use crate::formats::strict;

fn settings(columns: &str) -> TrackSettings {
    TrackSettings {
        columns: columns.parse().unwrap_or_default(),
        ..TrackSettings::default()
    }
}

pub(crate) fn of(bytes: &[u8]) -> TrackRecording {
    read(bytes, &TrackSettings::default()).unwrap()
}

/// The times of the first track, in seconds after the first one.
pub(crate) fn times(recording: &TrackRecording) -> Vec<f64> {
    let track = &recording.tracks[0].track;
    let times = track.samples().map(|one| one.time_s - track.begin_s());
    times.collect()
}

pub(crate) fn kinds(recording: &TrackRecording) -> Vec<(TrackFaultKind, u64)> {
    let kinds = recording.faults.iter().map(|one| (one.kind, one.count));
    kinds.collect()
}

/// A sentence with its checksum.
pub(crate) fn sentence(content: &str) -> String {
    let sum = content.bytes().fold(0, |sum, byte| sum ^ byte);
    format!("${content}*{sum:02X}\r\n")
}

/// 10 m/s to the east.
fn rmc(talker: &str, second: u32) -> String {
    let minutes = 30.0 + 0.0078 * f64::from(second);
    sentence(&format!(
        "{talker}RMC,0800{second:02}.00,A,4806.0000,N,011{minutes:07.4},E,19.4,90.0,010626,,,A"
    ))
}

pub(crate) fn drive() -> Vec<String> {
    (0..8).map(|second| rmc("GP", second)).collect()
}

fn gpx(second: u32) -> String {
    let east = 11.5 + 1.3e-4 * f64::from(second);
    format!(
        "<trkpt lat=\"48.1\" lon=\"{east:.6}\"><time>2026-06-01T08:00:{second:02}Z</time></trkpt>\n"
    )
}

const GPX_BEGIN: &str = "<?xml version=\"1.0\"?>\n<gpx><trk><trkseg>\n";
const GPX_END: &str = "</trkseg></trk>\n</gpx>\n";

fn gpx_file(points: &[String]) -> String {
    format!("{GPX_BEGIN}{}{GPX_END}", points.concat())
}

#[test]
fn faults_of_a_receiver_are_skipped_and_counted() {
    let good = drive();
    let whole = |at: usize, piece: &str| {
        let mut all = good.clone();
        all.insert(at, piece.to_owned());
        all.concat().into_bytes()
    };
    let wrong_sum = good[3].replace(",E,", ",W,");
    let filler = sentence("GPRMC,080059.984,V,36000.0000,N,72000.0000,E,0.000000,,010626,,");
    for (piece, kind) in [
        (wrong_sum.as_str(), TrackFaultKind::Damaged),
        (&good[2][..30], TrackFaultKind::Damaged),
        ("some words of a logger\n", TrackFaultKind::Foreign),
        (&good[2], TrackFaultKind::SameTime),
        (&rmc("GA", 2), TrackFaultKind::OtherTalker),
        (&rmc("GP", 0), TrackFaultKind::OutOfOrder),
        (&filler, TrackFaultKind::NoFix),
        (&sentence("PUBX,00"), TrackFaultKind::OtherSentence),
        (
            &sentence("GPRMC,,A,4806.0,N,01130.0,E,1.0,,010626,,"),
            TrackFaultKind::NoTime,
        ),
    ] {
        let bytes = whole(3, piece);
        let recording = of(&bytes);
        assert_eq!(times(&recording).len(), 8, "{piece}");
        assert_eq!(kinds(&recording), [(kind, 1)], "{piece}");
        let is_refused = read(&bytes[..], &strict()).is_err();
        assert_eq!(is_refused, kind.is_fault(), "{piece}");
    }
}

#[test]
fn binary_protocols_stand_between_sentences() {
    let mut bytes = Vec::new();
    for sentence in drive() {
        bytes.extend(b"\xb5b\x01\x07\x04\0\x01\x02$\x04\x16\x9a");
        bytes.extend(sentence.as_bytes());
    }
    let recording = of(&bytes);
    assert_eq!(times(&recording).len(), 8);
    assert_eq!(
        kinds(&recording),
        [(TrackFaultKind::Begin, 1), (TrackFaultKind::Foreign, 7)]
    );
}

#[test]
fn midnight_and_the_second_60_are_times() {
    let at = |time: &str, date: &str| {
        sentence(&format!(
            "GPRMC,{time},A,4806.0,N,01130.0,E,0.0,,{date},,,A"
        ))
    };
    let night = [
        at("235958", "311216"),
        at("235959", "311216"),
        at("235960.5", "311216"),
        at("000001", "010117"),
    ];
    let recording = of(night.concat().as_bytes());
    assert_eq!(times(&recording), [0.0, 1.0, 2.5, 3.0]);
    assert_eq!(kinds(&recording), []);
}

#[test]
fn faults_of_gpx_are_skipped_taken_and_counted() {
    let good: Vec<String> = (0..8).map(gpx).collect();
    let changed = |from: &str, to: &str| {
        let mut all = good.clone();
        assert!(all[3].contains(from), "{from}");
        all[3] = all[3].replace(from, to);
        gpx_file(&all)
    };
    for (text, kind, count) in [
        (changed("08:00:03", "08:00:02"), TrackFaultKind::SameTime, 7),
        (changed("Z<", "<"), TrackFaultKind::NoZone, 8),
        (changed("time>", "date>"), TrackFaultKind::NoTime, 7),
        (changed("48.1", "98.1"), TrackFaultKind::Damaged, 7),
        (changed("48.1", "49.1"), TrackFaultKind::Jump, 7),
        (changed("2026", "2036"), TrackFaultKind::OutOfOrder, 7),
        (
            changed("lat=\"48.1\"", "lat=\"48.1"),
            TrackFaultKind::Damaged,
            7,
        ),
        (
            changed("<time>", "<speed>-1</speed><time>"),
            TrackFaultKind::LeftOut,
            8,
        ),
        (changed("</trkpt>", ""), TrackFaultKind::Damaged, 8),
        (
            gpx_file(&good).replace("</gpx>", ""),
            TrackFaultKind::CutOff,
            8,
        ),
    ] {
        let recording = of(text.as_bytes());
        assert_eq!(times(&recording).len(), count, "{kind:?}");
        assert_eq!(kinds(&recording), [(kind, 1)], "{kind:?}");
        assert!(read(text.as_bytes(), &strict()).is_err(), "{kind:?}");
    }
}

#[test]
fn prefixes_and_utf_16_are_read() {
    let whole = gpx_file(&(0..8).map(gpx).collect::<Vec<_>>());
    let prefixed = whole
        .replace("</", "</g:")
        .replace("<gpx", "<g:gpx")
        .replace("<t", "<g:t");
    let expected = of(whole.as_bytes());
    assert_eq!(of(prefixed.as_bytes()), expected);
    for is_big in [false, true] {
        for mark in ["\u{feff}", ""] {
            let text = format!("{mark}{whole}");
            let units = text.encode_utf16();
            let bytes: Vec<u8> = match is_big {
                true => units.flat_map(u16::to_be_bytes).collect(),
                false => units.flat_map(u16::to_le_bytes).collect(),
            };
            assert_eq!(of(&bytes), expected);
        }
    }
}

#[test]
fn columns_are_those_of_field_logs_or_of_the_caller() {
    let van3t = "agent_id,agent_type,timeStamp_posix,latitude_deg,longitude_deg,speed_ms,\
                 heading_deg,accel_ms2\n1,car,6552.75,45.0645212,7.6627489,0.24,291.3,0.0\n";
    let recording = of(van3t.as_bytes());
    let sample = *recording.tracks[0].track.samples().next().unwrap();
    assert_eq!(recording.tracks[0].name, "1");
    assert_eq!((sample.time_s, sample.latitude), (6_552.75, 45.0645212));
    assert_eq!(
        (sample.speed_m_s, sample.heading_degrees),
        (Some(0.24), Some(291.3))
    );
    let own = "t;y;x\n1;48.1;11.5\n2;48.1;11.5\n";
    let columns = settings("time=t,latitude=y,longitude=x");
    assert_eq!(times(&read(own.as_bytes(), &columns).unwrap()), [0.0, 1.0]);
    let error = read(own.as_bytes(), &settings("time=s"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("no time \"s\"; it has t, y, x"), "{error}");
    for wrong in ["", "time", "time=", "colour=x", "time=a,time=b"] {
        assert!(
            wrong
                .parse::<waywarden_vehicle_tracks::ColumnNames>()
                .is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn errors_have_no_inner_form_of_a_parser() {
    for text in [
        "$GPRMC,1,A*00\n",
        "$GPRMC,é\n$GPGGA,x*zz\n",
        "time,lat,lon\nx,y,z\n",
    ] {
        let error = read(text.as_bytes(), &TrackSettings::default())
            .unwrap_err()
            .to_string();
        let is_inner = ["Error", "Kind", "code:", "{", "Some("].map(|one| error.contains(one));
        assert_eq!(is_inner, [false; 5], "{error}");
    }
}

/// The three formats of eight positions, a line each, and how many lines are before and behind.
fn recordings() -> [(Vec<String>, usize, usize); 3] {
    let csv = (0..8).map(|second| {
        let east = 11.5 + 1.3e-4 * f64::from(second);
        format!("{second},48.1,{east:.6}\n")
    });
    let gpx_lines = [
        vec![GPX_BEGIN.to_owned()],
        (0..8).map(gpx).collect(),
        vec![GPX_END.to_owned()],
    ];
    [
        (drive(), 0, 0),
        (gpx_lines.concat(), 1, 1),
        (
            [vec!["time,lat,lon\n".to_owned()], csv.collect()].concat(),
            1,
            0,
        ),
    ]
}

#[test]
fn a_damaged_line_loses_only_what_it_held() {
    let whole = recordings().map(|(lines, before, behind)| {
        let expected = of(lines.concat().as_bytes());
        let samples: Vec<_> = expected.tracks[0].track.samples().copied().collect();
        assert_eq!(samples.len(), 8);
        (lines, before, behind, samples)
    });
    each_seed(2_000, |seed| {
        let mut random = Random::new(seed);
        let (lines, before, behind, samples) = &whole[random.index(3)];
        let at = random.index(lines.len() - before - behind);
        let mut bytes = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            let mut line = line.clone().into_bytes();
            if number == at + before {
                // The end of the line stays: without it, two lines are one.
                for _ in 0..=random.below(4) {
                    let place = random.index(line.len() - 2);
                    line[place] = match random.bytes(1)[0] {
                        b'\n' => b'?',
                        byte => byte,
                    };
                }
            }
            bytes.extend(line);
        }
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let recording = read(&bytes[..], &TrackSettings::default());
        let recording = recording.unwrap_or_else(|error| panic!("{error}\n{shown}"));
        let kept: Vec<_> = recording
            .tracks
            .iter()
            .flat_map(|one| one.track.samples())
            .collect();
        for (number, sample) in samples
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != at)
        {
            let is_there = kept.iter().any(|one| {
                // Headings and speeds of neighbours are the file's own.
                (one.time_s, one.longitude) == (sample.time_s, sample.longitude)
            });
            let mut faults = String::new();
            for fault in &recording.faults {
                writeln!(faults, "{fault}").unwrap();
            }
            assert!(is_there, "sample {number} is lost:\n{faults}{shown}");
        }
    });
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

/// A logger that loses its power leaves compressed data without an end.
#[test]
fn compressed_recording_is_taken_up_to_where_it_is_damaged() {
    for (lines, ..) in recordings() {
        let whole = packed(&lines.concat());
        let cut = of(&whole[..whole.len() - 12]);
        assert!(times(&cut).len() >= 6);
        let has_end = |fault: &TrackFault| fault.kind != TrackFaultKind::CutOff;
        assert!(!cut.faults.iter().all(has_end));
        // No place is a part of one.
        let samples = |one: &TrackRecording| {
            let samples = one.tracks[0].track.samples();
            samples.map(|one| one.longitude).collect::<Vec<_>>()
        };
        assert!(samples(&of(&whole)).starts_with(&samples(&cut)));
        let behind = [&whole[..], b"behind"].concat();
        assert_eq!(kinds(&of(&behind)), [(TrackFaultKind::CutOff, 1)]);
        assert_eq!(times(&of(&behind)).len(), 8);
        for bytes in [&whole[..whole.len() - 12], &behind] {
            assert!(read(bytes, &strict()).is_err());
        }
        let none = read(&whole[..12], &TrackSettings::default()).unwrap_err();
        assert!(
            none.to_string().contains("compressed data end early"),
            "{none}"
        );
    }
    // A program wrote floating car data: they are whole or wrong.
    let rows: String = (0..9).map(|at| format!("{at};car;11.5;48.1\n")).collect();
    let text = format!("timestep_time;vehicle_id;vehicle_x;vehicle_y\n{rows}");
    let whole = packed(&text);
    assert_eq!(times(&of(&whole)).len(), 9);
    assert!(read(&whole[..whole.len() - 4], &TrackSettings::default()).is_err());
}

#[test]
fn file_without_a_position_says_what_one_needs() {
    for (text, expected) in [
        ("", "the file is empty"),
        (
            "<gpx><rte><rtept lat=\"1\" lon=\"1\"/></rte></gpx>",
            "a <trkpt> with a <time>",
        ),
        (
            &sentence("GPGSV,1,1,00"),
            "a GGA or GLL with a fix beside a ZDA",
        ),
        ("time,lat,lon\r1,48,11\r", "save it with line feeds"),
        ("time,lat,lon\n", "a line with time, latitude and longitude"),
        (
            "time,lat,lon\n1780300800000,48,11\n",
            "seconds, of a date since 1970",
        ),
    ] {
        let error = read(text.as_bytes(), &TrackSettings::default()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn text_of_an_element_goes_on_behind_comments_and_marked_text() {
    let whole = gpx_file(&(0..8).map(gpx).collect::<Vec<_>>());
    let split = whole.replace("T08:", "T<!-- a -->08<![CDATA[:]]>");
    assert_eq!(of(split.as_bytes()), of(whole.as_bytes()));
}
