//! Tests that need interfaces made for them, or a pair of controllers.

use std::process::Command;

use super::*;

/// Runs `ip` or `tc`.
fn run(command: &str) {
    let mut words = command.split(' ');
    let status = Command::new(words.next().unwrap()).args(words).status();
    assert!(
        status.as_ref().is_ok_and(std::process::ExitStatus::success),
        "{command}: {status:?}"
    );
}

/// A virtual interface that goes when the test ends.
struct Made(&'static str);

impl Made {
    /// None, with a message, where the tests may not make interfaces.
    fn new(name: &'static str) -> Option<Self> {
        if !asked_for("WAYWARDEN_CAN_ADMIN") {
            println!("skipped: WAYWARDEN_CAN_ADMIN is not 1");
            return None;
        }
        run(&format!("ip link add dev {name} type vcan"));
        Some(Made(name))
    }

    fn up(self) -> Self {
        run(&format!("ip link set {} up", self.0));
        self
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["link", "del", self.0]).status();
    }
}

#[test]
fn each_way_an_interface_can_be_wrong_has_its_error() {
    let _alone = alone();
    let Some(made) = Made::new("wwerr0") else {
        return;
    };
    let open = |interface: Interface| socket::open(&[interface]);
    let error = open(Interface::classic("lo")).unwrap_err();
    assert!(matches!(error, OpenError::NotCan { .. }), "{error}");
    println!("{error}");
    let error = open(Interface::classic(made.0)).unwrap_err();
    assert!(matches!(error, OpenError::NotUp { .. }), "{error}");
    println!("{error}");
    run("ip link set wwerr0 mtu 16");
    let made = made.up();
    let error = open(Interface::fd(made.0)).unwrap_err();
    assert!(
        matches!(error, OpenError::ClassicMtu { mtu: 16, .. }),
        "{error}"
    );
    println!("{error}");
    let mut node = driver(&Interface::classic(made.0)).unwrap();
    node.node_mut().send(Frame::fd(id(1), &[0; 12]).unwrap());
    let error = node.step(Some(Duration::ZERO)).unwrap_err();
    assert!(
        matches!(error, DriverError::Link(CanLinkError::FdOnClassic { .. })),
        "{error}"
    );
    println!("{error}");
}

#[test]
fn an_interface_that_goes_down_and_up_is_followed() {
    let _alone = alone();
    let Some(made) = Made::new("wwdown0") else {
        return;
    };
    let made = made.up();
    let mut node = driver(&Interface::fd(made.0)).unwrap();
    run("ip link set wwdown0 down");
    until(&mut node, "down", |node| node.states == [BusState::Off]);
    let kept = node.node_mut().send(classic(1, 1));
    node.step(Some(Duration::from_millis(50))).unwrap();
    assert_eq!(node.node().answered(), 0);
    run("ip link set wwdown0 up");
    until(&mut node, "up", |node| !node.sent.is_empty());
    assert_eq!(node.node().sent, [kept]);
    assert_eq!(node.node().states, [BusState::Off, BusState::Active]);
    drop(made);
    let gone = loop {
        if let Err(error) = node.step(Some(Duration::from_millis(50))) {
            break error;
        }
    };
    assert!(
        matches!(gone, DriverError::Link(CanLinkError::Gone { .. })),
        "{gone}"
    );
    println!("{gone}");
}

/// A queue of two frames that keeps each for 3 ms, as a slow bus would.
#[test]
fn a_full_kernel_queue_delays_and_loses_nothing() {
    let _alone = alone();
    const COUNT: u32 = 40;
    let Some(made) = Made::new("wwslow0") else {
        return;
    };
    run("tc qdisc add dev wwslow0 root netem delay 3ms limit 2");
    let made = made.up();
    let depth = Depth {
        frames: 32,
        in_flight: 8,
    };
    let mut node = driver(&Interface::fd(made.0)).unwrap().with_depth(depth);
    let mut other = driver(&Interface::fd(made.0)).unwrap();
    for byte in 0..COUNT {
        node.node_mut().send(classic(0x10, byte as u8));
    }
    let from = std::time::Instant::now();
    until(&mut node, "every frame", |node| {
        node.answered() == COUNT as usize
    });
    let took = from.elapsed();
    assert_eq!(node.node().sent, (0..COUNT).map(Token).collect::<Vec<_>>());
    until(&mut other, "every frame", |node| {
        node.received.len() == COUNT as usize
    });
    let expected: Vec<Frame> = (0..COUNT).map(|byte| classic(0x10, byte as u8)).collect();
    assert_eq!(other.node().received, expected);
    let full = node.statistics().full;
    assert!(full > 0);
    // Two at a time, 3 ms each: `Sent` does not come before the frame was sent.
    assert!(took.as_millis() >= u128::from(COUNT) / 2 * 3, "{took:?}");
    println!("{COUNT} frames through a queue of two in {took:?}; it was full {full} times");
}

#[test]
fn two_controllers_on_one_bus() {
    let _alone = alone();
    const COUNT: usize = 1_000;
    let Ok(pair) = env::var("WAYWARDEN_CAN_PAIR") else {
        println!("skipped: WAYWARDEN_CAN_PAIR is not set");
        return;
    };
    let (one, two) = pair.split_once(',').unwrap();
    let mut client = driver(&Interface::classic(one)).unwrap();
    let mut server = driver(&Interface::classic(two)).unwrap();
    server.node_mut().answering = true;
    let from = std::time::Instant::now();
    for count in 0..COUNT {
        client.node_mut().send(classic(0x100, count as u8));
        while client.node().received.len() <= count {
            assert!(from.elapsed().as_secs() < 60, "{count}");
            client.step(Some(Duration::from_micros(200))).unwrap();
            server.step(Some(Duration::from_micros(200))).unwrap();
        }
        assert_eq!(client.node().received[count], classic(0x101, count as u8));
    }
    let each = from.elapsed() / COUNT as u32;
    until(&mut server, "the last echo", |node| {
        node.sent.len() == COUNT
    });
    until(&mut client, "the last echo", |node| {
        node.sent.len() == COUNT
    });
    let (client, server) = (client.statistics(), server.statistics());
    assert_eq!((client.lost, client.stray_echoes), (0, 0));
    assert_eq!((server.lost, server.stray_echoes), (0, 0));
    println!("{COUNT} requests answered between {one} and {two}: {each:?} each");
}
