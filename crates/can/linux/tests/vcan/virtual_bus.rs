//! Tests that need one virtual interface.

use socketcan::{CanAnyFrame, CanFdSocket, EmbeddedFrame, Socket};
use waywarden_can::Format;

use super::*;

#[test]
fn frames_of_every_format_pass_between_two_nodes_unchanged() {
    let _alone = alone();
    let (Some(mut sender), Some(mut receiver)) =
        (driver(&virtual_interface()), driver(&virtual_interface()))
    else {
        return;
    };
    let frames = every_format();
    for (count, frame) in frames.iter().enumerate() {
        let token = sender.node_mut().send(*frame);
        until(&mut sender, "an echo", |node| node.sent.len() > count);
        assert_eq!(sender.node().sent[count], token);
        until(&mut receiver, "a frame", |node| node.received.len() > count);
        assert_eq!(receiver.node().received[count], *frame, "frame {count}");
    }
    // One answer each, and nothing of its own.
    sender.step(Some(Duration::from_millis(20))).unwrap();
    assert_eq!(sender.node().sent.len(), frames.len());
    assert!(sender.node().received.is_empty());
    assert_eq!(sender.statistics().stray_echoes, 0);
    println!("{} frames of every format, unchanged", frames.len());
}

/// The `socketcan` crate as a second opinion, in both directions.
#[test]
fn another_implementation_sees_the_same_frames() {
    let _alone = alone();
    let Some(mut node) = driver(&virtual_interface()) else {
        return;
    };
    let other = CanFdSocket::open(virtual_interface().name()).unwrap();
    let frames = every_format();
    for frame in &frames {
        let sent = node.node().sent.len();
        node.node_mut().send(*frame);
        until(&mut node, "an echo", |node| node.sent.len() > sent);
        let theirs = other
            .read_frame_timeout(std::time::Duration::from_secs(5))
            .unwrap();
        same(&theirs, frame);
        let received = node.node().received.len();
        other.write_frame(&theirs).unwrap();
        until(&mut node, "a frame", |node| node.received.len() > received);
        let back = node.node().received[received];
        assert_eq!(back, *frame);
    }
}

fn same(theirs: &CanAnyFrame, ours: &Frame) {
    let id = match theirs.id() {
        socketcan::Id::Standard(id) => Id::standard(id.as_raw()).unwrap(),
        socketcan::Id::Extended(id) => Id::extended(id.as_raw()).unwrap(),
    };
    assert_eq!(id, ours.id());
    match (theirs, ours.format()) {
        (CanAnyFrame::Normal(frame), Format::Classic) => assert_eq!(frame.data(), ours.data()),
        (CanAnyFrame::Remote(frame), Format::Remote) => {
            assert_eq!(frame.dlc(), usize::from(ours.dlc().min(8)));
        }
        (
            CanAnyFrame::Fd(frame),
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            },
        ) => {
            assert_eq!(frame.data(), ours.data());
            assert_eq!(frame.is_brs(), bit_rate_switch);
            assert_eq!(frame.is_esi(), error_state_indicator);
        }
        other => panic!("{other:?}"),
    }
}

/// On a virtual interface any process can play a controller: error frames are looped back.
#[test]
fn error_frames_become_bus_states() {
    let _alone = alone();
    let Some(mut node) = driver(&virtual_interface()) else {
        return;
    };
    let controller = CanFdSocket::open(virtual_interface().name()).unwrap();
    let tell = |class: u32, kind: u8| {
        let data = [0, kind, 0, 0, 0, 0, 0, 0];
        let frame = socketcan::CanErrorFrame::new_error(class, &data).unwrap();
        controller.write_frame(&frame).unwrap();
    };
    tell(0x004, 0x08);
    tell(0x004, 0x20);
    tell(0x040, 0);
    until(&mut node, "bus-off", |node| node.states.len() == 2);
    let kept = node.node_mut().send(classic(0x55, 5));
    node.step(Some(Duration::from_millis(20))).unwrap();
    assert!(node.node().sent.is_empty());
    tell(0x100, 0);
    until(&mut node, "the restart", |node| !node.sent.is_empty());
    assert_eq!(node.node().sent, [kept]);
    assert_eq!(
        node.node().states,
        [BusState::Passive, BusState::Off, BusState::Active]
    );
}

#[test]
fn timeouts_on_the_real_clock_are_never_early() {
    let _alone = alone();
    let Some(mut node) = driver(&virtual_interface()) else {
        return;
    };
    let mut late_ns = Vec::new();
    for round in 0..200_u64 {
        let from = node_clock(&mut node);
        let next_deadline = from + Duration::from_micros(1 + round * 13);
        node.node_mut().next_deadline = Some(next_deadline);
        until(&mut node, "a timeout", |node| {
            node.timeouts.len() > round as usize
        });
        let at = node.node().timeouts[round as usize];
        assert!(at >= next_deadline, "round {round}");
        late_ns.push(at.since(next_deadline).as_nanos());
    }
    late_ns.sort_unstable();
    let (median, most) = (
        Duration::from_nanos(late_ns[100]),
        Duration::from_nanos(late_ns[199]),
    );
    println!("200 timeouts: never early, late by {median} (median), {most} (most)");
}

/// The driver's clock, by way of a timeout that is due at once.
fn node_clock(driver: &mut Real) -> Instant {
    driver.node_mut().next_deadline = Some(Instant::ZERO);
    let before = driver.node().timeouts.len();
    until(driver, "a timeout", |node| node.timeouts.len() > before);
    driver.node_mut().timeouts.pop().unwrap()
}

#[test]
fn a_flooded_receive_queue_costs_frames_but_no_answer() {
    let _alone = alone();
    let Some(mut node) = driver(&virtual_interface()) else {
        return;
    };
    let other = CanFdSocket::open(virtual_interface().name()).unwrap();
    let flood =
        socketcan::CanDataFrame::new(socketcan::StandardId::new(0x7FF).unwrap(), &[0]).unwrap();
    // More than the receive queue holds, so that the echoes of what the node sends now are lost.
    for _ in 0..20_000 {
        other.write_frame(&flood).unwrap();
    }
    for byte in 0..8 {
        node.node_mut().send(classic(0x100, byte));
    }
    until(&mut node, "eight answers", |node| node.answered() == 8);
    let statistics = node.statistics();
    println!("flooded: {statistics:?}");
    assert!(statistics.lost > 0 && statistics.presumed_sent > 0);
    assert_eq!(node.node().sent, (0..8).map(Token).collect::<Vec<_>>());
    // And it goes on as usual.
    let token = node.node_mut().send(classic(0x100, 99));
    until(&mut node, "one more", |node| node.answered() == 9);
    assert_eq!(node.node().sent.last(), Some(&token));
    assert_eq!(node.statistics().presumed_sent, statistics.presumed_sent);
}

#[test]
fn ten_thousand_fd_frames() {
    let _alone = alone();
    const COUNT: u32 = 10_000;
    let Some(mut node) = driver(&virtual_interface()) else {
        return;
    };
    for count in 0..COUNT {
        let mut data = [0; 64];
        data[..4].copy_from_slice(&count.to_be_bytes());
        node.node_mut().send(Frame::fd(id(0x200), &data).unwrap());
    }
    let from = std::time::Instant::now();
    until(&mut node, "ten thousand echoes", |node| {
        node.sent.len() == COUNT as usize
    });
    let each = from.elapsed() / COUNT;
    assert!(node.node().sent.iter().copied().eq((0..COUNT).map(Token)));
    println!("{COUNT} FD frames of 64 bytes through the kernel and back: {each:?} each");
}
