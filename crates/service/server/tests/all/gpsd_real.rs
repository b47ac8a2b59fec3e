//! The client against the real gpsd, which a receiver of NMEA 0183 at 10 Hz feeds over TCP.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use waywarden_testkit::{Random, gpsd};
use waywarden_testkit_v2x::gpsd_client::{client, system_unix, wait_for};
use waywarden_v2x_security::time::{CivilTime, from_unix};
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver};
use waywarden_v2x_service_protocol::{SignRequest, Status};
use waywarden_v2x_time::gpsd::Gpsd;
use waywarden_v2x_time::{TimeSource, UntrustedTime};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration as Validity, Ieee1609Dot2Content, Ieee1609Dot2Data,
};

use crate::support::{DENM, World, cam, signed};

/// States of the receiver: its reports.
const HONEST: u8 = 0;
const NO_FIX: u8 = 1;
const SPOOFED: u8 = 2;
const OFF: u8 = 3;

/// A receiver, and its place on the network.
struct Receiver {
    address: String,
    state: Arc<AtomicU8>,
    feeder: JoinHandle<()>,
}

impl Receiver {
    fn start() -> Self {
        // gpsd gives up at once if its receiver does not answer.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("tcp://{}", listener.local_addr().unwrap());
        let state = Arc::new(AtomicU8::new(HONEST));
        let of_thread = Arc::clone(&state);
        let feeder = thread::spawn(move || feed(&listener, &of_thread));
        Self {
            address,
            state,
            feeder,
        }
    }

    fn report(&self, state: u8) {
        self.state.store(state, Ordering::Relaxed);
    }
}

/// A gpsd that ends with its test.
struct Daemon(Child);

impl Daemon {
    /// Starts it with a receiver; returns the port at which it serves too.
    fn start(program: PathBuf, receiver: &str) -> (Self, u16) {
        // gpsd cannot choose a free port itself.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut command = Command::new(program);
        command.args(["-N", "-n", "-S", &port.to_string(), receiver]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        (Self(command.spawn().unwrap()), port)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn sentence(text: &str) -> String {
    let sum = text.bytes().fold(0, |sum, byte| sum ^ byte);
    format!("${text}*{sum:02X}\r\n")
}

/// The sentences of one moment: 48 degrees and so many ten-thousandths of minutes north.
fn sentences(unix: i64, state: u8, minutes: u64) -> String {
    let at = CivilTime::of(from_unix(unix).unwrap()).unwrap();
    let hundredths = at.microsecond / 10_000;
    let time = format!(
        "{:02}{:02}{:02}.{hundredths:02}",
        at.hour, at.minute, at.second
    );
    let date = format!("{:02}{:02}{:02}", at.day, at.month, at.year % 100);
    if state == NO_FIX {
        return [
            sentence(&format!("GPGGA,{time},,,,,0,00,99.9,,M,,M,,")),
            sentence("GPGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9"),
            sentence(&format!("GPRMC,{time},V,,,,,,,{date},,,N")),
        ]
        .concat();
    }
    let degrees = if state == SPOOFED { 49 } else { 48 };
    let (whole, part) = (minutes / 10_000, minutes % 10_000);
    let place = format!("{degrees}{whole:02}.{part:04},N,01131.0000,E");
    [
        sentence(&format!("GPGGA,{time},{place},1,08,0.9,545.4,M,46.9,M,,")),
        sentence("GPGSA,A,3,04,05,06,09,12,15,18,21,,,,,1.8,0.9,1.5"),
        sentence(&format!("GPRMC,{time},A,{place},036.0,000.5,{date},,,A")),
    ]
    .concat()
}

/// Feeds the program that connects until it leaves or the receiver is off.
fn feed(listener: &TcpListener, state: &AtomicU8) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut unix = 0;
    // 18.5 m/s: 1.85 m, a thousandth of a minute of latitude, in 100 ms.
    for minutes in (70_000..).step_by(10) {
        let state = state.load(Ordering::Relaxed);
        // Each moment once, and no moment long after it.
        unix = (unix + 100_000).max(system_unix() / 100_000 * 100_000);
        let text = sentences(unix, state, minutes);
        if state == OFF || stream.write_all(text.as_bytes()).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Has a warning signed.
fn denm(engine: &Engine) -> Result<Vec<u8>, Status> {
    let warning = SignRequest {
        psid: DENM,
        ..cam(b"warning")
    };
    signed(engine, warning).map_err(|refused| refused.status)
}

/// The latitude and generation time of a signed warning.
fn header(engine: &Engine) -> Option<(i32, u64)> {
    let message = denm(engine).ok()?;
    let data: Ieee1609Dot2Data<'_> = parse(&message).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        panic!("not signed");
    };
    let header = signed.tbs_data.header_info;
    let place = header.generation_location.unwrap();
    Some((place.latitude.0, header.generation_time.unwrap().0))
}

/// Honest fixes, as they are read and in signed headers.
fn assert_fixes_are_trusted_and_signed(source: &Gpsd, engine: &Engine) {
    let mut places = BTreeSet::new();
    wait_for("ten fixes", || {
        let reading = source.read();
        places.extend(
            reading
                .position
                .map(|position| position.location.latitude.0),
        );
        places.len() >= 10
    });
    let mut headers = BTreeMap::new();
    wait_for("ten fixes in signed headers", || {
        headers.extend(header(engine));
        headers.len() >= 10
    });
    for (latitude, made) in headers {
        let system = from_unix(system_unix()).unwrap();
        assert!(made.abs_diff(system.0) < 60_000_000, "{made}");
        assert!((481_000_000..482_000_000).contains(&latitude), "{latitude}");
    }
    let reading = source.read();
    assert_eq!(reading.distrust, None);
    let position = reading.position.unwrap();
    // Half a metre: the place is that of the reading, ahead of the last fix.
    let longitude = position.location.longitude.0;
    assert!(longitude.abs_diff(115_166_667) < 67, "{longitude}");
    // Above the ellipsoid: 545.4 m and 46.9 m.
    assert_eq!(position.location.elevation.decimetres(), 5_923);
    let system = from_unix(system_unix()).unwrap();
    assert!(
        reading.time.0.abs_diff(system.0) < 60_000_000,
        "{reading:?}"
    );
}

#[test]
fn fixes_of_gpsd_are_signed_lost_and_regained_and_a_jump_is_reported() {
    let Some(program) = gpsd() else {
        return;
    };
    let receiver = Receiver::start();
    let (daemon, port) = Daemon::start(program, &receiver.address);

    // After the jump nothing is trusted any more, however slow this test is.
    let (source, names) = client(port, Duration::from_secs(60), 10_000);
    let source = Arc::new(source);
    let mut world = World::of_today(&mut Random::new(2_947));
    let engine = Engine::start(
        world.materials(Validity::Years(1)),
        EngineSettings::default(),
        Arc::<Gpsd>::clone(&source) as _,
        Arc::new(NoObserver),
    )
    .unwrap();
    let has = |name: &str| names.lock().unwrap().contains(&name);
    assert_fixes_are_trusted_and_signed(&source, &engine);

    receiver.report(NO_FIX);
    wait_for("the loss", || {
        source.read().distrust == Some(UntrustedTime::NoFix)
    });
    assert!(source.read().position.is_none());
    assert_eq!(denm(&engine), Err(Status::TimeNotTrusted));
    receiver.report(HONEST);
    wait_for("the fix", || source.read().distrust.is_none());
    assert!(!has("positionJump") && !has("timeJump"));

    // A degree to the north.
    receiver.report(SPOOFED);
    wait_for("the jump", || has("positionJump"));
    assert_eq!(source.read().distrust, Some(UntrustedTime::Jump));
    assert_eq!(denm(&engine), Err(Status::TimeNotTrusted));
    receiver.report(OFF);
    drop(daemon);
    receiver.feeder.join().unwrap();
    let names = names.lock().unwrap();
    let kept = [
        "connected",
        "fixGained",
        "fixLost",
        "fixGained",
        "positionJump",
    ];
    assert_eq!(names[..5], kept, "{names:?}");
}
