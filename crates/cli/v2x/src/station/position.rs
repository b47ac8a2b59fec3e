//! Sources of a station's position, as named by an option.

use std::path::PathBuf;

use waywarden_v2x_wire::ieee1609dot2::ThreeDLocation;
use waywarden_vehicle_tracks::PlaneOrigin;

use waywarden_pki_folder::region;

/// The host and port of gpsd, if the option does not say.
const GPSD: (&str, u16) = ("127.0.0.1", 2_947);

/// Source of a station's position.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PositionSource {
    /// The ring road.
    Ring,
    /// gpsd, at this host and port.
    Gpsd(String, u16),
    /// A place: the station is a roadside unit.
    Fixed(ThreeDLocation),
    /// A file of tracks.
    Tracks(PathBuf),
}

/// Reads `--origin`.
pub(super) fn origin(text: &str) -> Result<PlaneOrigin, String> {
    let expected = || format!("{text:?}: LATITUDE,LONGITUDE is expected, in degrees");
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let both = text.split_once(',');
    let both = both.and_then(|(one, other)| number(one).zip(number(other)));
    let (latitude, longitude) = both.ok_or_else(expected)?;
    match latitude.abs() <= 80.0 && longitude.abs() <= 180.0 {
        true => Ok(PlaneOrigin {
            latitude,
            longitude,
        }),
        false => Err(format!(
            "{text:?}: a latitude of -80 to 80 and a longitude of -180 to 180 degrees is expected"
        )),
    }
}

/// Reads `--position`.
pub(super) fn parse(text: &str) -> Result<PositionSource, String> {
    let (host, port) = GPSD;
    match text.strip_prefix("track:") {
        Some("") => return Err("after track:, a file is expected".to_owned()),
        Some(file) => return Ok(PositionSource::Tracks(file.into())),
        None => {}
    }
    match text.strip_prefix("gpsd") {
        Some("") => return Ok(PositionSource::Gpsd(host.to_owned(), port)),
        Some(rest) => {
            let address = rest.strip_prefix(':').and_then(|one| one.rsplit_once(':'));
            let address = address.filter(|(host, _)| !host.is_empty());
            let address = address.and_then(|(host, port)| Some((host, port.parse().ok()?)));
            let (host, port) = address.ok_or("after gpsd, :HOST:PORT is expected")?;
            let host = host.trim_matches(['[', ']']).to_owned();
            return Ok(PositionSource::Gpsd(host, port));
        }
        None if text == "ring" => return Ok(PositionSource::Ring),
        None => {}
    }
    let location = region::location(text);
    location.map(PositionSource::Fixed).map_err(|_| {
        format!(
            "{text:?}: ring, gpsd, gpsd:HOST:PORT, track:FILE or LATITUDE,LONGITUDE[,METRES] is \
             expected"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read() {
        let gpsd = |host: &str, port| Ok(PositionSource::Gpsd(host.to_owned(), port));
        assert_eq!(parse("ring"), Ok(PositionSource::Ring));
        assert_eq!(parse("gpsd"), gpsd("127.0.0.1", 2_947));
        assert_eq!(parse("gpsd:car:29471"), gpsd("car", 29_471));
        assert_eq!(parse("gpsd:[::1]:2947"), gpsd("::1", 2_947));
        assert!(matches!(parse("48.1,11.5"), Ok(PositionSource::Fixed(_))));
        assert_eq!(
            parse("track:a.gpx"),
            Ok(PositionSource::Tracks("a.gpx".into()))
        );
        assert!(origin("48.1,-11.5").is_ok());
        for wrong in ["48.1", "81,0", "0,181", "NaN,0", "x,y"] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
        for wrong in [
            "track:",
            "gpsd:",
            "gpsd:car",
            "gpsd::5",
            "gpsd:car:x",
            "91,0",
            "",
            "rings",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
