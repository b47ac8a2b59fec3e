//! A station whose position comes from gpsd, in real time: between fixes its CAMs go on, and each
//! says where the vehicle is at the time of the message.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use waywarden_testkit::bytes_of;
use waywarden_v2x_security::region::{ahead, distance};
use waywarden_v2x_security::time::{CivilTime, from_unix};
use waywarden_v2x_station::content::MessageContent;
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::ieee1609dot2::{
    Ieee1609Dot2Content, Latitude, Longitude, Time64, TwoDLocation,
};

use super::station;

const BEGIN: TwoDLocation = TwoDLocation {
    latitude: Latitude(481_000_000),
    longitude: Longitude(115_000_000),
};
const BEARING: f64 = 70.0;
/// In m/s.
const SPEED: f64 = 20.0;

/// The place of the vehicle at a time.
fn truth(at: Time64, begun: Time64) -> TwoDLocation {
    let seconds = (at.0 as f64 - begun.0 as f64) / 1e6;
    ahead(&BEGIN, BEARING, SPEED * seconds).0
}

fn now() -> Time64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    from_unix(since.as_micros() as i64 / 1_000 * 1_000).unwrap()
}

/// A gpsd whose receiver has a fix a second, of a vehicle that drives since `begun`.
fn receiver(begun: Time64) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 64]);
        loop {
            let time = now();
            let place = truth(time, begun);
            let degrees = |tenths: i32| f64::from(tenths) / 1e7;
            let report = format!(
                "{{\"class\":\"TPV\",\"device\":\"/dev/x\",\"mode\":3,\"time\":\"{}\",\"lat\":{},\
                 \"lon\":{},\"altHAE\":592.3,\"track\":{BEARING},\"speed\":{SPEED},\"epx\":1.5,\
                 \"epy\":2.5,\"eps\":0.2,\"epd\":1.0}}\r\n",
                CivilTime::of(time).unwrap(),
                degrees(place.latitude.0),
                degrees(place.longitude.0)
            );
            if stream.write_all(report.as_bytes()).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    port
}

/// Generation time of a CAM, and the place in it.
fn cam(event: &Value) -> (Time64, TwoDLocation) {
    let bytes = bytes_of(event["frame"].as_str().unwrap());
    let found = detect(&bytes).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = &found.data.content else {
        panic!("not signed");
    };
    let header = &signed.tbs_data.header_info;
    let payload = signed.tbs_data.payload.data.as_ref().unwrap();
    let Ieee1609Dot2Content::Unsecured(payload) = payload.view().unwrap().content else {
        panic!("no payload");
    };
    let content = MessageContent::of(header.psid, payload);
    (header.generation_time.unwrap(), content.place.unwrap())
}

#[test]
fn cams_between_fixes_of_gpsd_say_the_place_of_their_time() {
    let begun = now();
    let position = format!("gpsd:127.0.0.1:{}", receiver(begun));
    let group = format!("239.118.50.96:{}", 20_000 + std::process::id() % 20_000);
    let options = ["--position", &position, "--group", &group];
    let more = ["--duration", "4s", "--format", "json"];
    let (code, out, errors) = station(&[options, more].concat());
    assert_eq!(code, 0, "{errors}");
    let events = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let sent = events.filter(|event: &Value| event["event"] == "sent");
    let cams: Vec<_> = sent.map(|event| cam(&event)).collect();
    // Without extrapolation there would be one for each of four fixes.
    assert!(cams.len() > 8, "{} CAMs", cams.len());
    for (made, place) in cams {
        let off = distance(&place, &truth(made, begun));
        assert!(off < 0.5, "{off} m at {made:?}");
    }
}
