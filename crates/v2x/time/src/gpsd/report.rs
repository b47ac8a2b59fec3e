//! A line of gpsd's JSON (`man gpsd_json`), version 3 of its protocol.

use std::borrow::Cow;

use serde::Deserialize;
use waywarden_v2x_security::time::CivilTime;

use crate::{FixErrors, FixMode, ReceiverFix};

/// Contents of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Report {
    /// A fix, or the report that there is none: class TPV.
    Fix(ReceiverFix),
    /// Any other object that gpsd sends.
    Other,
}

#[derive(Deserialize)]
struct Class<'a> {
    #[serde(borrow)]
    class: Cow<'a, str>,
    #[serde(borrow)]
    device: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Tpv<'a> {
    mode: Option<i64>,
    #[serde(borrow)]
    time: Option<Cow<'a, str>>,
    lat: Option<f64>,
    lon: Option<f64>,
    #[serde(rename = "altHAE")]
    alt_hae: Option<f64>,
    track: Option<f64>,
    speed: Option<f64>,
    eph: Option<f64>,
    sep: Option<f64>,
    epx: Option<f64>,
    epy: Option<f64>,
    epv: Option<f64>,
    eps: Option<f64>,
    epd: Option<f64>,
}

/// Reads a line; `None` for what gpsd does not send. Fixes of another device than `device` are
/// [`Report::Other`].
pub(super) fn parse(line: &[u8], device: Option<&str>) -> Option<Report> {
    let head: Class<'_> = serde_json::from_slice(line).ok()?;
    let is_ours = device.is_none() || device == head.device.as_deref();
    if head.class != "TPV" || !is_ours {
        return Some(Report::Other);
    }
    let tpv: Tpv<'_> = serde_json::from_slice(line).ok()?;
    // A time that is none is no time: the fix then counts as none, and becomes too old.
    let civil = tpv.time.as_deref().and_then(CivilTime::parse);
    // gpsd before 3.20 gives the errors of both axes only.
    let of_axes = tpv.epx.zip(tpv.epy).map(|(x, y)| libm::hypot(x, y));
    Some(Report::Fix(ReceiverFix {
        mode: match tpv.mode {
            Some(3) => FixMode::ThreeD,
            Some(2) => FixMode::TwoD,
            _ => FixMode::None,
        },
        unix: civil.and_then(|civil| civil.unix()),
        latitude: tpv.lat,
        longitude: tpv.lon,
        altitude: tpv.alt_hae,
        track: tpv.track,
        speed: tpv.speed,
        // An error in space is at least that over ground.
        accuracy: tpv.eph.or(of_axes).or(tpv.sep),
        errors: FixErrors {
            east: tpv.epx,
            north: tpv.epy,
            altitude: tpv.epv,
            speed: tpv.eps,
            track: tpv.epd,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From gpsd 3.22 with a receiver of NMEA.
    const TPV: &str = r#"{"class":"TPV","device":"tcp://127.0.0.1:29557","mode":3,
        "time":"2026-11-23T03:01:22.200Z","ept":0.005,"lat":48.117300000,"lon":11.516666667,
        "altHAE":592.3000,"altMSL":545.4000,"alt":545.4000,"epv":34.500,"track":84.4000,
        "magtrack":87.7264,"magvar":3.3,"speed":11.524,"climb":0.000,"eph":17.100,"sep":34.200}"#;

    #[test]
    fn a_tpv_of_gpsd_is_read() {
        let fix = ReceiverFix {
            mode: FixMode::ThreeD,
            unix: Some(1_795_402_882_200_000),
            latitude: Some(48.1173),
            longitude: Some(11.516666667),
            altitude: Some(592.3),
            track: Some(84.4),
            speed: Some(11.524),
            accuracy: Some(17.1),
            errors: FixErrors {
                altitude: Some(34.5),
                ..FixErrors::default()
            },
        };
        assert_eq!(parse(TPV.as_bytes(), None), Some(Report::Fix(fix)));
        let device = Some("tcp://127.0.0.1:29557");
        assert_eq!(parse(TPV.as_bytes(), device), Some(Report::Fix(fix)));
        assert_eq!(
            parse(TPV.as_bytes(), Some("/dev/ttyACM0")),
            Some(Report::Other)
        );
    }

    #[test]
    fn second_60_is_read_and_nonsense_is_no_time() {
        let unix = |time: &str| {
            let line = format!(r#"{{"class":"TPV","mode":2,"time":"{time}"}}"#);
            match parse(line.as_bytes(), None) {
                Some(Report::Fix(fix)) => fix.unix,
                _ => None,
            }
        };
        assert_eq!(
            unix("2016-12-31T23:59:60.250Z"),
            Some(1_483_228_800_250_000)
        );
        assert_eq!(unix("2016-12-31T23:59:61.250Z"), None);
        assert_eq!(unix("1999-12-31T23:59:59.000Z"), None);
        assert_eq!(unix("nan"), None);
    }

    #[test]
    fn other_classes_are_distinguished_from_garbage() {
        let parse = |line: &str| parse(line.as_bytes(), None);
        assert_eq!(
            parse(r#"{"class":"VERSION","release":"3.22"}"#),
            Some(Report::Other)
        );
        let none = ReceiverFix::default();
        assert_eq!(
            parse(r#"{"class":"TPV","mode":1}"#),
            Some(Report::Fix(none))
        );
        assert_eq!(
            parse(r#"{"class":"TPV","mode":-9}"#),
            Some(Report::Fix(none))
        );
        for line in [
            "",
            "$GPGGA,1",
            "{}",
            "[]",
            r#"{"class":3}"#,
            r#"{"class":"TPV","lat":"north"}"#,
            r#"{"class":"TPV","lat":1e999}"#,
            r#"{"class":"TPV","lat":nan}"#,
            r#"{"class":"TPV""#,
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
        assert_eq!(parse(&"[".repeat(60_000)), None);
    }
}
