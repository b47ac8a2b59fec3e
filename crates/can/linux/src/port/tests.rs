//! Echo matching, order, withdrawal, doubt: the rules of one port, without a driver.

use super::*;
use waywarden_can::{FdFlags, Id};

fn frame(id: u16, byte: u8) -> Frame {
    Frame::classic(Id::standard(id).unwrap(), &[byte]).unwrap()
}

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// A port whose link has these frames, under tokens 0, 1, ...
fn with_in_flight(frames: &[Frame]) -> Outgoing {
    let mut port = Outgoing::new(Depth {
        frames: 32,
        in_flight: 32,
    });
    for (token, frame) in frames.iter().enumerate() {
        port.push(Token(token as u32), *frame);
        port.taken(Token(token as u32));
    }
    port
}

fn echo(port: &mut Outgoing, frame: &Frame) -> Option<Vec<u32>> {
    let mut sent = Vec::new();
    port.echo(frame, |token, _| sent.push(token.0))
        .then_some(sent)
}

#[test]
fn an_echo_answers_the_oldest_frame_that_looks_the_same() {
    let (a, b) = (frame(1, 0xA), frame(1, 0xB));
    let mut port = with_in_flight(&[a, b, a]);
    assert_eq!(echo(&mut port, &a), Some(vec![0]));
    assert_eq!(echo(&mut port, &a), Some(vec![2]));
    assert_eq!(echo(&mut port, &a), None);
    assert_eq!(echo(&mut port, &b), Some(vec![1]));
    assert_eq!(echo(&mut port, &b), None);
}

#[test]
fn controllers_with_several_mailboxes_may_send_out_of_order() {
    let frames: Vec<Frame> = (0..4).map(|byte| frame(7, byte)).collect();
    let mut port = with_in_flight(&frames);
    for token in [2, 0, 3, 1] {
        assert_eq!(echo(&mut port, &frames[token as usize]), Some(vec![token]));
    }
}

#[test]
fn a_frame_that_differs_in_any_bit_is_another_frame() {
    let id = Id::standard(0x10).unwrap();
    let frames = [
        Frame::classic(id, &[1]).unwrap(),
        Frame::classic(Id::extended(0x10).unwrap(), &[1]).unwrap(),
        Frame::fd_with(
            id,
            &[1],
            FdFlags {
                bit_rate_switch: false,
                error_state_indicator: false,
            },
        )
        .unwrap(),
        Frame::fd_with(
            id,
            &[1],
            FdFlags {
                bit_rate_switch: true,
                error_state_indicator: false,
            },
        )
        .unwrap(),
        Frame::remote(id, 1).unwrap(),
    ];
    let mut port = with_in_flight(&frames);
    for token in (0..5).rev() {
        assert_eq!(echo(&mut port, &frames[token as usize]), Some(vec![token]));
    }
}

#[test]
fn the_most_urgent_frame_goes_first_and_equals_keep_their_order() {
    let mut port = Outgoing::new(Depth {
        frames: 8,
        in_flight: 8,
    });
    for (token, id) in [(0, 0x300), (1, 0x100), (2, 0x300), (3, 0x100), (4, 0x200)] {
        port.push(Token(token), frame(id, token as u8));
    }
    let mut order = Vec::new();
    while let Some((token, _)) = port.next() {
        order.push(token.0);
        port.taken(token);
    }
    assert_eq!(order, [1, 3, 4, 0, 2]);
}

#[test]
fn the_link_has_no_more_than_its_share() {
    let mut port = Outgoing::new(Depth {
        frames: 4,
        in_flight: 2,
    });
    for token in 0..4 {
        assert!(port.has_room());
        port.push(Token(token), frame(1, token as u8));
    }
    assert!(!port.has_room());
    for token in 0..2 {
        assert_eq!(port.next().unwrap().0, Token(token));
        port.taken(Token(token));
    }
    assert!(port.next().is_none());
    assert!(!port.has_room());
    assert_eq!(echo(&mut port, &frame(1, 0)), Some(vec![0]));
    assert!(port.has_room());
    assert_eq!(port.next().unwrap().0, Token(2));
}

#[test]
fn depths_of_zero_mean_one() {
    let mut port = Outgoing::new(Depth {
        frames: 0,
        in_flight: 0,
    });
    assert!(port.has_room());
    port.push(Token(0), frame(1, 0));
    assert!(!port.has_room());
    assert!(port.next().is_some());
}

#[test]
fn a_full_link_is_asked_again_after_a_while_or_after_an_echo() {
    let mut port = with_in_flight(&[frame(1, 0)]);
    port.push(Token(9), frame(2, 9));
    port.full(at(5));
    assert_eq!(port.due(), Some(at(6)));
    assert!(port.next().is_none());
    port.retry(Instant::from_nanos(at(6).as_nanos() - 1));
    assert!(port.next().is_none());
    port.retry(at(6));
    assert_eq!(port.next().unwrap().0, Token(9));
    port.full(at(6));
    assert!(port.next().is_none());
    assert!(echo(&mut port, &frame(1, 0)).is_some());
    assert_eq!(port.next().unwrap().0, Token(9));
}

#[test]
fn only_a_frame_that_waits_can_be_withdrawn() {
    let mut port = with_in_flight(&[frame(1, 0)]);
    port.push(Token(1), frame(1, 1));
    assert!(!port.withdraw(Token(0)));
    assert!(port.withdraw(Token(1)));
    assert!(!port.withdraw(Token(1)));
    assert!(!port.withdraw(Token(77)));
    assert_eq!(echo(&mut port, &frame(1, 0)), Some(vec![0]));
}

#[test]
fn doubted_frames_are_sent_with_the_next_echo_and_others_stay() {
    let frames: Vec<Frame> = (0..5).map(|byte| frame(7, byte)).collect();
    let mut port = with_in_flight(&frames[..3]);
    port.doubt(at(0));
    for token in 3..5 {
        port.push(Token(token), frames[token as usize]);
        port.taken(Token(token));
    }
    let mut sent = Vec::new();
    assert!(port.echo(&frames[1], |token, seen| sent.push((token.0, seen))));
    assert_eq!(sent, [(0, false), (1, true)]);
    // 4 says nothing of 3, whose echo is not in doubt, but it does of 2.
    assert_eq!(echo(&mut port, &frames[4]), Some(vec![2, 4]));
    assert_eq!(echo(&mut port, &frames[3]), Some(vec![3]));
}

#[test]
fn doubt_ends_and_does_not_begin_again_with_each_loss() {
    let mut port = with_in_flight(&[frame(1, 0), frame(1, 1)]);
    port.doubt(at(0));
    port.doubt(at(100));
    assert_eq!(port.due(), Some(at(0) + DOUBT));
    let mut sent = Vec::new();
    port.give_up_doubted(at(199), |token| sent.push(token.0));
    assert_eq!(sent, []);
    port.give_up_doubted(at(200), |token| sent.push(token.0));
    assert_eq!(sent, [0, 1]);
    assert_eq!(port.due(), None);
}

#[test]
fn everything_comes_back_once_when_the_port_stops() {
    let mut port = with_in_flight(&[frame(1, 0), frame(1, 1)]);
    port.push(Token(2), frame(1, 2));
    port.full(at(0));
    let mut back = Vec::new();
    port.give_back(|token| back.push(token.0));
    assert_eq!(back, [0, 1, 2]);
    port.give_back(|token| panic!("{token:?} again"));
    assert_eq!(port.due(), None);
    assert_eq!(echo(&mut port, &frame(1, 0)), None);
}

#[test]
fn nothing_is_sent_in_bus_off_or_when_down() {
    let mut port = Outgoing::new(Depth::default());
    assert!(port.enter(BusState::Off));
    assert!(!port.enter(BusState::Off));
    assert!(!port.has_room());
    assert!(port.enter(BusState::Passive));
    assert!(port.has_room());
    port.set_up(false);
    assert!(!port.has_room());
}

#[test]
fn echoes_of_a_node_that_was_reset_answer_no_one() {
    let same = frame(1, 0);
    let mut port = with_in_flight(&[same]);
    port.push(Token(1), frame(2, 0));
    port.orphan();
    // The new node uses the same token and sends the same frame.
    port.push(Token(0), same);
    port.taken(Token(0));
    assert!(port.next().is_none());
    assert_eq!(echo(&mut port, &same), Some(vec![]));
    assert_eq!(echo(&mut port, &same), Some(vec![0]));
}
