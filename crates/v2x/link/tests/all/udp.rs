//! Stations over UDP multicast on the loopback interface.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::{Duration, Instant};

use waywarden_testkit::{Random, bytes_of};
use waywarden_v2x_link::{
    FRAME_BYTES_MAX, FRAMES_MAX, FrameLink, LinkFault, UdpLink, UdpSettings, tzsp,
};

use crate::frames::{BSM, CAM, frame};

/// A group of the test's own, so that other tests are not heard.
fn settings(test: u8) -> UdpSettings {
    let [high, low] = (std::process::id() as u16).to_be_bytes();
    UdpSettings {
        group: SocketAddrV4::new(Ipv4Addr::new(239, test, high, low), tzsp::PORT),
        ..UdpSettings::default()
    }
}

/// Receives until so many frames are there.
pub(crate) fn hear(link: &mut impl FrameLink, count: usize) -> Vec<Vec<u8>> {
    let begun = Instant::now();
    let mut heard = Vec::new();
    while heard.len() < count && begun.elapsed() < Duration::from_secs(5) {
        link.receive(Duration::from_millis(50), &mut |frame| {
            heard.push(frame.to_vec());
        })
        .unwrap();
    }
    heard
}

fn fault(error: &io::Error) -> &LinkFault {
    error.get_ref().unwrap().downcast_ref().unwrap()
}

#[test]
fn stations_of_a_machine_hear_each_other_and_themselves() {
    let settings = settings(1);
    let mut links = [(); 3].map(|()| UdpLink::open(settings).unwrap());
    links[0].send(&bytes_of(CAM)).unwrap();
    links[1].send(&bytes_of(BSM)).unwrap();
    for link in &mut links {
        assert_eq!(hear(link, 2), [bytes_of(CAM), bytes_of(BSM)]);
        assert_eq!(link.counts().received, 2);
        assert_eq!(link.counts().lost(), 0);
    }
    assert_eq!(links.map(|link| link.counts().sent), [1, 1, 0]);
}

#[test]
fn frames_of_every_length_arrive_as_they_are() {
    let mut link = UdpLink::open(settings(2)).unwrap();
    let mut random = Random::of_test("frames_of_every_length_arrive_as_they_are");
    for length in [0, 1, 1_400, FRAME_BYTES_MAX - 14] {
        let sent = frame(&mut random, length);
        link.send(&sent).unwrap();
        assert_eq!(hear(&mut link, 1), [sent]);
    }
    for length in [0, 13, FRAME_BYTES_MAX + 1] {
        let error = link.send(&vec![0; length]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
    }
}

#[test]
fn datagrams_without_a_frame_are_counted_and_skipped() {
    let settings = settings(3);
    let mut link = UdpLink::open(settings).unwrap();
    let other = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut random = Random::of_test("datagrams_without_a_frame_are_counted_and_skipped");
    let datagrams = [
        Vec::new(),
        random.bytes(7),
        random.bytes(3_000),
        // Longer than what is read at all, and a frame that is too long.
        [&[1, 0, 0, 1, 1][..], &[0; 20_000]].concat(),
        [&[1, 0, 0, 1, 1][..], &[0; FRAME_BYTES_MAX + 1]].concat(),
    ];
    for datagram in &datagrams {
        other.send_to(datagram, settings.group).unwrap();
    }
    link.send(&bytes_of(CAM)).unwrap();
    assert_eq!(hear(&mut link, 1), [bytes_of(CAM)]);
    assert_eq!(link.counts().malformed, datagrams.len() as u64);
}

#[test]
fn frames_that_the_system_drops_are_counted() {
    let settings = settings(4);
    let mut slow = UdpLink::open(settings).unwrap();
    let mut sender = UdpLink::open(settings).unwrap();
    let long = vec![0x17; FRAME_BYTES_MAX];
    let sent = 8_000;
    for _ in 0..sent {
        sender.send(&long).unwrap();
    }
    let mut taken = 0;
    loop {
        let more = slow.receive(Duration::ZERO, &mut |_| {}).unwrap();
        assert!(more <= FRAMES_MAX);
        taken += more as u64;
        if more == 0 {
            break;
        }
    }
    assert!(taken < sent, "the buffer holds all of them");
    // The next frame that is kept brings the number.
    sender.send(&long).unwrap();
    assert_eq!(hear(&mut slow, 1).len(), 1);
    assert_eq!(slow.counts().overflowed, sent - taken);
}

#[test]
fn one_call_waits_no_longer_than_its_limit() {
    let mut link = UdpLink::open(settings(5)).unwrap();
    let begun = Instant::now();
    let within = Duration::from_micros(30_500);
    assert_eq!(link.receive(within, &mut |_| {}).unwrap(), 0);
    let waited = begun.elapsed();
    assert!(waited >= within, "{waited:?}");
    assert!(waited < Duration::from_secs(2), "{waited:?}");
}

#[test]
fn port_changes_with_the_pseudonym() {
    let settings = settings(6);
    let (mut one, mut other) = (UdpLink::open(settings), UdpLink::open(settings));
    let (one, other) = (one.as_mut().unwrap(), other.as_mut().unwrap());
    let listener = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None).unwrap();
    listener.set_reuse_address(true).unwrap();
    listener.bind(&settings.group.into()).unwrap();
    let group = settings.group.ip();
    listener
        .join_multicast_v4(group, &Ipv4Addr::LOCALHOST)
        .unwrap();
    let listener = UdpSocket::from(listener);
    let source = || listener.recv_from(&mut [0; 4_096]).unwrap().1.port();
    let [first, second] = free_ports();
    one.set_port(first).unwrap();
    one.set_port(first).unwrap();
    one.send(&bytes_of(CAM)).unwrap();
    assert_eq!(source(), first);
    // A port that is taken: the link keeps its own.
    let taken = other.set_port(first).unwrap_err();
    assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
    one.set_port(second).unwrap();
    one.send(&bytes_of(CAM)).unwrap();
    assert_eq!(source(), second);
    other.set_port(first).unwrap();
    other.send(&bytes_of(CAM)).unwrap();
    assert_eq!(source(), first);
}

fn free_ports() -> [u16; 2] {
    let sockets = [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
    sockets.map(|socket| socket.local_addr().unwrap().port())
}

#[test]
fn wrong_settings_say_what_there_is() {
    let wrong = UdpSettings {
        interface: Ipv4Addr::new(192, 0, 2, 1),
        ..UdpSettings::default()
    };
    let error = UdpLink::open(wrong).err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::AddrNotAvailable);
    assert!(matches!(
        fault(&error),
        LinkFault::NoAddress { there, .. } if there.contains(&"127.0.0.1".to_owned())
    ));
    let wrong = UdpSettings {
        group: SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), tzsp::PORT),
        ..UdpSettings::default()
    };
    let error = UdpLink::open(wrong).err().unwrap();
    assert_eq!(
        error.to_string(),
        "10.0.0.1 is no multicast group: 224.0.0.0 to 239.255.255.255 are"
    );
    let alias = UdpSettings {
        interface: Ipv4Addr::new(127, 0, 0, 2),
        ..settings(7)
    };
    assert!(UdpLink::open(alias).is_ok());
}
