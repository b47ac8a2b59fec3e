//! Interfaces that go down, are removed and come back, in a network namespace of the test's own.
//! Two interfaces of kind veth are the ends of one cable.

use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use waywarden_testkit::bytes_of;
use waywarden_v2x_link::{
    EthernetLink, FRAME_BYTES_MAX, FrameLink, LinkFault, UdpLink, UdpSettings,
};

use crate::frames::{BSM, CAM};
use crate::isolated::{is_isolated, shell};
use crate::udp::hear;

const CABLE: &str = "ip link add left type veth peer name right; \
    ip link set left up; ip link set right up";
const SHORT: Duration = Duration::from_millis(20);

/// The fault of a call that fails.
fn fault<T>(result: std::io::Result<T>) -> LinkFault {
    let error = result.err().expect("an error");
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    inner.cloned().unwrap_or_else(|| panic!("{error}"))
}

/// Receives until there is an error.
fn fault_in_receiving(link: &mut impl FrameLink) -> LinkFault {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < Duration::from_secs(5), "no fault");
        let received = link.receive(SHORT, &mut |_| {});
        if received.is_err() {
            return fault(received);
        }
    }
}

/// Does what a station does about a fault: it tries again, until one link hears the other.
fn work_again(sender: &mut impl FrameLink, receiver: &mut impl FrameLink) {
    let begun = Instant::now();
    let mut heard = 0;
    while heard == 0 {
        assert!(begun.elapsed() < Duration::from_secs(10), "still silent");
        // Either may fail until both have seen that the interface is back.
        let _ = sender.send(&bytes_of(CAM));
        let _ = receiver.receive(SHORT, &mut |frame| {
            heard += usize::from(frame.starts_with(&bytes_of(CAM)));
        });
        std::thread::sleep(SHORT);
    }
}

fn down(name: &str) -> LinkFault {
    LinkFault::Down { name: name.into() }
}

#[test]
fn stations_on_a_cable_hear_each_other() {
    if !is_isolated("faults::stations_on_a_cable_hear_each_other") {
        return;
    }
    shell(CABLE);
    let mut left = EthernetLink::open("left").unwrap();
    let mut right = EthernetLink::open("right").unwrap();
    let mut neighbour = EthernetLink::open("left").unwrap();
    left.send(&bytes_of(CAM)).unwrap();
    left.send(&bytes_of(BSM)).unwrap();
    assert_eq!(hear(&mut right, 2), [bytes_of(CAM), bytes_of(BSM)]);
    // A second program on the same interface hears them, too; the sender does not.
    assert_eq!(hear(&mut neighbour, 2), [bytes_of(CAM), bytes_of(BSM)]);
    right.send(&bytes_of(CAM)).unwrap();
    assert_eq!(hear(&mut left, 1), [bytes_of(CAM)]);
    assert_eq!(left.counts().received, 1);
    // Another EtherType is not received.
    let mut other = bytes_of(CAM);
    other[12..14].copy_from_slice(&[0x08, 0x00]);
    right.send(&other).unwrap();
    right.send(&bytes_of(BSM)).unwrap();
    assert_eq!(hear(&mut left, 1), [bytes_of(BSM)]);
    // Longer than the interface takes: the frame is lost, and the link works.
    assert!(right.send(&[0; FRAME_BYTES_MAX]).is_err());
    right.send(&bytes_of(BSM)).unwrap();
    assert_eq!(hear(&mut left, 1), [bytes_of(BSM)]);
    assert_eq!(right.counts().reopened, 0);
    assert_eq!(left.counts().malformed, 0);
}

#[test]
fn raw_frames_on_the_loopback_interface_come_once() {
    if !is_isolated("faults::raw_frames_on_the_loopback_interface_come_once") {
        return;
    }
    shell("ip link set lo up");
    let mut one = EthernetLink::open("lo").unwrap();
    let mut other = EthernetLink::open("lo").unwrap();
    one.send(&bytes_of(CAM)).unwrap();
    other.send(&bytes_of(BSM)).unwrap();
    for link in [&mut one, &mut other] {
        assert_eq!(hear(link, 2), [bytes_of(CAM), bytes_of(BSM)]);
        assert_eq!(link.receive(SHORT, &mut |_| {}).unwrap(), 0);
    }
}

#[test]
fn ethernet_interface_that_goes_down_is_named_and_used_again() {
    if !is_isolated("faults::ethernet_interface_that_goes_down_is_named_and_used_again") {
        return;
    }
    shell(CABLE);
    let mut left = EthernetLink::open("left").unwrap();
    let mut right = EthernetLink::open("right").unwrap();
    work_again(&mut left, &mut right);
    shell("ip link set left down");
    assert_eq!(fault_in_receiving(&mut left), down("left"));
    // It stays so, for both directions.
    assert_eq!(fault(left.receive(SHORT, &mut |_| {})), down("left"));
    assert_eq!(fault(left.send(&bytes_of(CAM))), down("left"));
    shell("ip link set left up");
    work_again(&mut left, &mut right);
    work_again(&mut right, &mut left);
    assert!(left.counts().reopened > 0);
}

#[test]
fn ethernet_interface_may_be_down_at_the_start() {
    if !is_isolated("faults::ethernet_interface_may_be_down_at_the_start") {
        return;
    }
    shell(CABLE);
    shell("ip link set left down");
    let mut left = EthernetLink::open("left").unwrap();
    let mut right = EthernetLink::open("right").unwrap();
    assert_eq!(fault(left.receive(SHORT, &mut |_| {})), down("left"));
    shell("ip link set left up");
    work_again(&mut right, &mut left);
}

#[test]
fn ethernet_interface_that_is_removed_is_used_once_it_is_made_again() {
    let name = "faults::ethernet_interface_that_is_removed_is_used_once_it_is_made_again";
    if !is_isolated(name) {
        return;
    }
    shell(CABLE);
    let mut left = EthernetLink::open("left").unwrap();
    let mut right = EthernetLink::open("right").unwrap();
    work_again(&mut left, &mut right);
    shell("ip link del left");
    let missing = LinkFault::NoInterface {
        name: "left".into(),
        there: vec!["lo".into()],
    };
    assert_eq!(fault_in_receiving(&mut left), missing);
    assert_eq!(fault(left.send(&bytes_of(CAM))), missing);
    assert_eq!(fault(EthernetLink::open("left")), missing);
    shell(CABLE);
    work_again(&mut left, &mut right);
    work_again(&mut right, &mut left);
}

#[test]
fn raw_ethernet_without_the_right_says_what_is_needed() {
    if !is_isolated("faults::raw_ethernet_without_the_right_says_what_is_needed") {
        return;
    }
    shell("ip link set lo up");
    let child = Command::new("setpriv")
        .args(["--bounding-set", "-net_raw", "--inh-caps", "-net_raw"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "faults::child_without_rights", "--nocapture"])
        .env("WAYWARDEN_WITHOUT_RIGHTS", "1")
        .stderr(Stdio::inherit())
        .output();
    let Ok(output) = child else {
        println!("skipped: setpriv not found");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("needs CAP_NET_RAW"), "{text}");
}

/// Not a test by itself: it runs without the right to raw sockets.
#[test]
fn child_without_rights() {
    if std::env::var_os("WAYWARDEN_WITHOUT_RIGHTS").is_some() {
        let error = EthernetLink::open("lo").err().unwrap();
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
        println!("{error}");
    }
}

#[test]
fn interface_without_ethernet_is_refused() {
    if !is_isolated("faults::interface_without_ethernet_is_refused") {
        return;
    }
    let made = Command::new("sh")
        .args(["-c", "ip tuntap add dev point mode tun"])
        .output();
    if !made.unwrap().status.success() {
        println!("skipped: no interface of kind tun");
        return;
    }
    let name = "point".to_owned();
    let refused = fault(EthernetLink::open("point"));
    assert_eq!(refused, LinkFault::NoEthernet { name });
    // UDP needs no Ethernet.
    shell("ip addr add 10.9.0.1/24 dev point; ip link set point up");
    assert!(UdpLink::open(udp()).is_ok());
}

/// A link over UDP on an interface with the address 10.9.0.1.
fn udp() -> UdpSettings {
    UdpSettings {
        interface: Ipv4Addr::new(10, 9, 0, 1),
        ..UdpSettings::default()
    }
}

const ADDRESS: &str = "ip addr add 10.9.0.1/24 dev left; ip route add 239.0.0.0/8 dev left";

#[test]
fn udp_on_the_loopback_interface_works_again_after_it_was_down() {
    if !is_isolated("faults::udp_on_the_loopback_interface_works_again_after_it_was_down") {
        return;
    }
    let settings = UdpSettings::default();
    let [no, down] = [UdpLink::open(settings), {
        shell("ip addr add 127.0.0.1/8 dev lo");
        UdpLink::open(settings)
    }];
    assert!(matches!(fault(no), LinkFault::NoAddress { .. }));
    assert_eq!(fault(down), LinkFault::Down { name: "lo".into() });
    shell("ip link set lo up");
    let mut one = UdpLink::open(settings).unwrap();
    let mut other = UdpLink::open(settings).unwrap();
    one.set_port(50_000).unwrap();
    work_again(&mut one, &mut other);
    shell("ip link set lo down");
    let lo = LinkFault::Down { name: "lo".into() };
    assert_eq!(fault(one.send(&bytes_of(CAM))), lo);
    // A station that only listens finds out by itself.
    assert_eq!(fault_in_receiving(&mut other), lo);
    shell("ip link set lo up");
    work_again(&mut one, &mut other);
    work_again(&mut other, &mut one);
    // Linux keeps the membership.
    assert_eq!(other.counts().reopened, 0);
}

#[test]
fn udp_joins_again_where_the_interface_was_made_again() {
    if !is_isolated("faults::udp_joins_again_where_the_interface_was_made_again") {
        return;
    }
    shell(CABLE);
    shell(ADDRESS);
    let mut one = UdpLink::open(udp()).unwrap();
    let mut other = UdpLink::open(udp()).unwrap();
    one.set_port(50_000).unwrap();
    work_again(&mut one, &mut other);
    shell("ip link del left");
    let missing = LinkFault::NoAddress {
        address: Ipv4Addr::new(10, 9, 0, 1),
        there: Vec::new(),
    };
    assert_eq!(fault(one.send(&bytes_of(CAM))), missing);
    assert_eq!(fault_in_receiving(&mut other), missing);
    shell(CABLE);
    shell(ADDRESS);
    work_again(&mut one, &mut other);
    work_again(&mut other, &mut one);
    assert_eq!(other.counts().reopened, 1);
}

#[test]
fn udp_joins_again_after_a_loss_that_it_did_not_see() {
    if !is_isolated("faults::udp_joins_again_after_a_loss_that_it_did_not_see") {
        return;
    }
    shell("ip link set lo up");
    let mut one = UdpLink::open(UdpSettings::default()).unwrap();
    let mut other = UdpLink::open(UdpSettings::default()).unwrap();
    work_again(&mut one, &mut other);
    // Below 68 bytes Linux takes IPv4 off the interface, with all memberships; the interface
    // keeps its number.
    shell("ip link set lo mtu 60; ip link set lo mtu 65536; ip addr add 127.0.0.1/8 dev lo");
    work_again(&mut one, &mut other);
    work_again(&mut other, &mut one);
    // One socket that joins is enough for the interface.
    assert!(one.counts().reopened + other.counts().reopened > 0);
}

#[test]
fn udp_of_two_interfaces_stays_apart() {
    if !is_isolated("faults::udp_of_two_interfaces_stays_apart") {
        return;
    }
    shell(CABLE);
    shell(ADDRESS);
    shell("ip link set lo up");
    let mut cable = UdpLink::open(udp()).unwrap();
    let mut lo = UdpLink::open(UdpSettings::default()).unwrap();
    cable.send(&bytes_of(CAM)).unwrap();
    lo.send(&bytes_of(BSM)).unwrap();
    assert_eq!(hear(&mut cable, 1), [bytes_of(CAM)]);
    assert_eq!(hear(&mut lo, 1), [bytes_of(BSM)]);
    for link in [&mut cable, &mut lo] {
        assert_eq!(link.receive(SHORT, &mut |_| {}).unwrap(), 0);
    }
}
