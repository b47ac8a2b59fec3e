//! The client of gpsd against servers that behave, and against those that do not.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use waywarden_testkit_v2x::gpsd_client::{client, system_unix, wait_for};
use waywarden_v2x_security::time::{CivilTime, from_unix};
use waywarden_v2x_time::TimeSource;

fn tpv() -> String {
    let time = CivilTime::of(from_unix(system_unix() / 1_000 * 1_000).unwrap()).unwrap();
    format!(
        "{{\"class\":\"TPV\",\"device\":\"/dev/x\",\"mode\":3,\"time\":\"{time}\",\"lat\":48.1,\
         \"lon\":11.5,\"altHAE\":592.3,\"track\":84.4,\"speed\":11.5,\"eph\":5.0}}\r\n"
    )
}

fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// Reads the client's request.
fn read_watch(stream: &mut TcpStream) {
    let mut request = [0; 36];
    stream.read_exact(&mut request).unwrap();
    assert_eq!(&request, b"?WATCH={\"enable\":true,\"json\":true};\n");
}

#[test]
fn a_client_connects_again_after_gpsd_restarts() {
    let (listener, port) = listener();
    let (gpsd, names) = client(port, Duration::from_secs(30), 10);
    assert!(gpsd.read().distrust.is_some());
    for _ in 0..2 {
        let (mut stream, _) = listener.accept().unwrap();
        read_watch(&mut stream);
        stream
            .write_all(b"{\"class\":\"VERSION\",\"release\":\"3.22\"}\r\n")
            .unwrap();
        wait_for("a fix", || {
            stream.write_all(tpv().as_bytes()).unwrap();
            gpsd.read().distrust.is_none()
        });
        let reading = gpsd.read();
        // At 11.5 m/s to the east.
        let north = reading.position.unwrap().location.latitude.0 - 481_000_000;
        assert!((0..100).contains(&north), "{north}");
        assert_eq!(reading.position.unwrap().heading, Some(8_440));
    }
    wait_for("the second connection's end", || {
        names.lock().unwrap().len() >= 5
    });
    let expected = [
        "connected",
        "fixGained",
        "disconnected",
        "connected",
        "disconnected",
    ];
    assert_eq!(names.lock().unwrap()[..5], expected);
}

#[test]
fn a_dropped_client_closes_its_connection() {
    let (listener, port) = listener();
    let (gpsd, _) = client(port, Duration::from_secs(30), 10);
    let (mut stream, _) = listener.accept().unwrap();
    read_watch(&mut stream);
    drop(gpsd);
    assert_eq!(stream.read(&mut [0; 64]).unwrap_or(0), 0);
}

/// Sends until the client has had enough.
fn send(stream: &mut TcpStream, bytes: &[u8], pause: Duration) {
    stream
        .set_write_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    while stream.write_all(bytes).is_ok() {
        thread::sleep(pause);
    }
}

#[test]
fn hostile_servers_are_left_and_never_trusted() {
    let flood = "{\"class\":\"SKY\"}\n".repeat(4_096).into_bytes();
    let endless = vec![b' '; 128 * 1_024];
    let slow = Duration::from_millis(50);
    let cases: [(&str, Vec<u8>, Duration); 6] = [
        ("an endless line", endless, Duration::ZERO),
        (
            "garbage",
            b"$GPGGA,,,,\r\n\xFF\xFE\n{\"class\":7}\n".to_vec(),
            slow,
        ),
        (
            "a deep nesting",
            [vec![b'['; 60_000], b"\n".to_vec()].concat(),
            Duration::ZERO,
        ),
        ("a drip", b"{".to_vec(), slow),
        ("a flood", flood, Duration::ZERO),
        ("an empty line", b"\n".to_vec(), slow),
    ];
    thread::scope(|scope| {
        for (what, bytes, pause) in &cases {
            scope.spawn(move || {
                let (listener, port) = listener();
                let (gpsd, names) = client(port, Duration::from_secs(1), 10);
                let (mut stream, _) = listener.accept().unwrap();
                read_watch(&mut stream);
                send(&mut stream, bytes, *pause);
                drop(stream);
                let (mut again, _) = listener.accept().unwrap();
                read_watch(&mut again);
                let changes = || {
                    let names = names.lock().unwrap().clone().into_iter();
                    let changes = names.filter(|name| *name != "linesSkipped");
                    changes.collect::<Vec<_>>()
                };
                wait_for(what, || changes().len() >= 3);
                let expected = ["connected", "disconnected", "connected"];
                assert_eq!(changes()[..3], expected, "{what}");
                assert!(gpsd.read().distrust.is_some(), "{what}");
            });
        }
    });
}

#[test]
fn a_silent_server_is_asked_and_then_left() {
    let (listener, port) = listener();
    let (_gpsd, _) = client(port, Duration::from_secs(1), 10);
    let (mut stream, _) = listener.accept().unwrap();
    read_watch(&mut stream);
    let mut request = [0; 10];
    stream.read_exact(&mut request).unwrap();
    assert_eq!(&request, b"?VERSION;\n");
    let end = stream.read(&mut request).map_err(|error| error.kind());
    assert!(
        matches!(end, Ok(0) | Err(ErrorKind::ConnectionReset)),
        "{end:?}"
    );
}

#[test]
fn nonsense_of_gpsd_does_no_harm() {
    let (listener, port) = listener();
    let (gpsd, _) = client(port, Duration::from_secs(30), 10);
    let (mut stream, _) = listener.accept().unwrap();
    read_watch(&mut stream);
    let fields = "\"lat\":1e308,\"lon\":-1e308,\"track\":-1e300,\"speed\":1e300,\"eph\":-1";
    for time in ["9999-12-31T23:59:60.999Z", "2004-01-01T00:00:00Z", "x", ""] {
        let line = format!("{{\"class\":\"TPV\",\"mode\":3,\"time\":\"{time}\",{fields}}}\n");
        stream.write_all(line.as_bytes()).unwrap();
    }
    stream
        .write_all(b"{\"class\":\"TPV\",\"mode\":1}\n")
        .unwrap();
    assert!(gpsd.read().distrust.is_some());
    wait_for("a fix", || {
        stream.write_all(tpv().as_bytes()).unwrap();
        gpsd.read().distrust.is_none()
    });
}

#[test]
fn faulty_lines_between_cost_neither_the_fix_nor_the_connection() {
    let (listener, port) = listener();
    let (gpsd, names) = client(port, Duration::from_secs(30), 10);
    let (mut stream, _) = listener.accept().unwrap();
    read_watch(&mut stream);
    let whole = tpv();
    let half = &whole[..whole.len() / 2];
    let faulty: [&[u8]; 6] = [
        b"$GPRMC,120000.00,A,4808.0,N,01134.0,E,1.0,90.0,010126,,,A*00\r\n",
        b"\xb5\x62\x01\x07\x5c\x00\n",
        b"{\"class\":\"TPV\",\"mode\":3,\"lat\":\"north\"}\r\n",
        b"\r\n",
        b"null\n",
        half.as_bytes(),
    ];
    let mut sent = 0;
    wait_for("a fix and ten skipped lines", || {
        for line in faulty {
            stream.write_all(line).unwrap();
        }
        // The half of a line takes the next one with it.
        stream.write_all(whole.as_bytes()).unwrap();
        stream.write_all(tpv().as_bytes()).unwrap();
        sent += 6;
        gpsd.read().distrust.is_none() && sent >= 12
    });
    wait_for("a report of ten", || {
        let names = names.lock().unwrap();
        names.iter().filter(|name| **name == "linesSkipped").count() >= 2
    });
    let names = names.lock().unwrap();
    assert!(!names.contains(&"disconnected"), "{names:?}");
}
