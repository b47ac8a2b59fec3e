//! Recordings of NMEA 0183 without RMC: positions of GGA and GLL, dated by ZDA.

use waywarden_vehicle_tracks::{TrackFaultKind, TrackSettings, read};

use crate::faults::{drive, kinds, of, sentence, times};
use crate::formats::strict;

/// Seconds after 8 o'clock of the first of June 2026, 10 m/s to the east, without RMC.
fn place(second: u32) -> String {
    format!(
        "4806.0000,N,011{:07.4},E",
        30.0 + 0.0078 * f64::from(second)
    )
}

fn gga(talker: &str, second: u32) -> String {
    let place = place(second);
    sentence(&format!(
        "{talker}GGA,0800{second:02}.00,{place},1,08,0.9,520.0,M,45.0,M,,"
    ))
}

fn gll(second: u32) -> String {
    sentence(&format!("GNGLL,{},0800{second:02}.00,A,A", place(second)))
}

fn zda(second: u32) -> String {
    sentence(&format!("GPZDA,0800{second:02}.00,01,06,2026,00,00"))
}

#[test]
fn recording_without_rmc_is_read_by_its_dated_positions() {
    let with_rmc = of(drive().concat().as_bytes());
    let expected: Vec<(f64, f64)> = with_rmc.tracks[0]
        .track
        .samples()
        .map(|one| (one.time_s, one.longitude))
        .collect();
    let both: String = (0..8)
        .map(|second| zda(second) + &gga("GP", second))
        .collect();
    let gll_only: String = (0..8).map(|second| zda(second) + &gll(second)).collect();
    let dated_once = zda(0) + &(0..8).map(|second| gga("GP", second)).collect::<String>();
    // GGA is rarer: it does not cost the GLL.
    let mixed: String = (0..8)
        .map(|second| {
            let more = (second == 3).then(|| gga("GP", 3));
            zda(second) + &gll(second) + &more.unwrap_or_default()
        })
        .collect::<String>();
    for text in [&both, &gll_only, &dated_once, &mixed] {
        let recording = read(text.as_bytes(), &strict()).unwrap();
        let samples = recording.tracks[0].track.samples();
        let samples: Vec<(f64, f64)> = samples.map(|one| (one.time_s, one.longitude)).collect();
        assert_eq!(samples, expected, "{text}");
        let others = kinds(&recording);
        assert!(
            others
                .iter()
                .all(|(kind, _)| *kind == TrackFaultKind::OtherSentence),
            "{others:?}"
        );
    }
    let heights = of(both.as_bytes());
    let mut heights = heights.tracks[0].track.samples();
    assert!(heights.all(|one| one.altitude_m == Some(520.0)));
}

#[test]
fn position_without_rmc_needs_a_fix_and_a_date() {
    let undated = gga("GP", 0) + &gga("GP", 1);
    let void = sentence("GPGGA,080001.00,,,,,0,00,,,M,,M,,");
    for text in [&undated, &(undated.clone() + &void), &(gll(0) + &void)] {
        let error = read(text.as_bytes(), &TrackSettings::default()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("line 1: NMEA sentence: a fix without a date"),
            "{error}"
        );
    }
    // The first date is that of the positions before it, too.
    let late = undated.clone() + &zda(2) + &gga("GP", 3) + &gga("GN", 3) + &gga("GP", 4);
    let recording = of(late.as_bytes());
    assert_eq!(times(&recording), [0.0, 1.0, 3.0, 4.0]);
    let expected = [
        (TrackFaultKind::OtherSentence, 1),
        (TrackFaultKind::OtherTalker, 1),
    ];
    assert_eq!(kinds(&recording), expected);
    let error = read((zda(0) + &void).as_bytes(), &TrackSettings::default()).unwrap_err();
    assert!(
        error.to_string().contains("1 say that there is no fix"),
        "{error}"
    );
    // With one RMC, the positions of the others are its own once more.
    let all = undated + &gll(2) + &drive().concat();
    let recording = read(all.as_bytes(), &strict()).unwrap();
    assert_eq!(times(&recording).len(), 8);
    assert_eq!(kinds(&recording), [(TrackFaultKind::OtherSentence, 1)]);
}
