//! An authenticator driven by hand.

extern crate std;

mod secoc;

use std::vec::Vec;

use waywarden_can::driver::poll_until_idle;
use waywarden_can::node::{Input, Node as _, Output, Retained, Ticket};
use waywarden_can::{Id, StandardId};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::paired::{
    CANDIDATES, PairedConnection, PairedReceiver, PairedSender, WireForm,
};
use waywarden_work::{Algorithm, Duration, Operation, OperationKind, RecordedOperations};

use super::*;
use crate::guard::{Guard as _, Withheld};

type Tested = Authenticator<
    Keyring<AesCmac, 1>,
    Vec<End<PairedSender>>,
    Vec<End<PairedReceiver>>,
    PairedSender,
    PairedReceiver,
>;

const KEY: KeyId = KeyId(1);
const STREAM: u16 = 0x280;

fn id(raw: u16) -> StandardId {
    StandardId::new(raw).unwrap()
}

fn keys() -> Keyring<AesCmac, 1> {
    let mut keys = Keyring::new();
    keys.insert(KEY, Usage::Both, &MacKey::from_bytes([3; 16]))
        .unwrap();
    keys
}

fn connection(stream: u16) -> PairedConnection {
    PairedConnection::new(WireForm::Vatican, id(stream), KEY).unwrap()
}

fn end<T>(end: T) -> End<T> {
    End { port: Port(0), end }
}

fn sender(streams: &[u16]) -> Tested {
    let ends = streams
        .iter()
        .map(|&stream| end(PairedSender::in_epoch(connection(stream), 1)));
    begun(ends.collect(), Vec::new())
}

fn boot(retained: &[(Slot, Retained)]) -> Boot<'_> {
    Boot {
        now: Instant::ZERO,
        seed: [1; 32],
        retained,
    }
}

/// An authenticator in its first boot, which is retained.
fn begun(senders: Vec<End<PairedSender>>, receivers: Vec<End<PairedReceiver>>) -> Tested {
    let part = FreshnessRole::Unsynchronised;
    let node = Authenticator::new(Slot(3), &boot(&[]), part, keys(), senders, receivers);
    let mut node = node.unwrap();
    loop {
        match node.poll(Instant::ZERO, Ports::NONE) {
            Output::Retain { slot, .. } => node.handle(Instant::ZERO, Input::Retained(slot)),
            _ => return node,
        }
    }
}

fn receiver() -> Tested {
    let receiver = PairedReceiver::new(connection(STREAM), id(0x0AA), &[1; 16]);
    begun(Vec::new(), std::vec![end(receiver)])
}

fn data(stream: u16) -> Frame {
    Frame::classic(id(stream), &[1, 2, 3]).unwrap()
}

/// Polls to rest; frames that left, and the work under way.
fn rest(node: &mut Tested, room: Ports) -> (Vec<Frame>, Vec<(Ticket, Operation)>) {
    let (mut frames, mut work) = (Vec::new(), Vec::new());
    let polled = poll_until_idle(node, Instant::ZERO, room, |output| match output {
        Output::Transmit { frame, .. } => frames.push(frame),
        Output::Work {
            ticket, operation, ..
        } => work.push((ticket, operation)),
        other => panic!("{other:?}"),
    });
    polled.unwrap();
    (frames, work)
}

/// Lets everything be computed and leave.
fn settle(node: &mut Tested) -> Vec<Frame> {
    let mut all = Vec::new();
    loop {
        let (frames, work) = rest(node, Ports::ALL);
        all.extend(frames);
        if work.is_empty() {
            return all;
        }
        for (ticket, _) in work {
            node.handle(Instant::ZERO, Input::Done(ticket));
        }
    }
}

fn hand(node: &mut Tested, frame: &Frame) {
    let port = Port(0);
    node.handle(Instant::ZERO, Input::Frame { port, frame });
}

/// A sender and a receiver that has its answer.
fn pair() -> (Tested, Tested) {
    let (mut sender, mut receiver) = (sender(&[STREAM]), receiver());
    for question in settle(&mut receiver) {
        hand(&mut sender, &question);
    }
    for answer in settle(&mut sender) {
        hand(&mut receiver, &answer);
    }
    assert!(settle(&mut receiver).is_empty());
    assert!(matches!(
        receiver.event(),
        Some((_, FrameOutcome::Resynced(_)))
    ));
    (sender, receiver)
}

#[test]
fn data_leave_at_once_and_the_tag_when_it_is_computed() {
    let mut node = sender(&[STREAM]);
    assert!(node.guards(id(STREAM).into()) && !node.guards(id(STREAM + 1).into()));
    node.send(Port(0), &data(STREAM)).unwrap();
    let (frames, work) = rest(&mut node, Ports::ALL);
    assert_eq!(frames, [data(STREAM)]);
    let tag = Operation::new(OperationKind::Tag, Algorithm::Aes128Cmac, 20);
    assert_eq!(work, [(Ticket(1), tag)]);
    assert!(
        rest(&mut node, Ports::ALL).0.is_empty(),
        "not before it is done"
    );
    node.handle(Instant::ZERO, Input::Done(Ticket(7)));
    assert!(
        rest(&mut node, Ports::ALL).0.is_empty(),
        "somebody else's work"
    );
    node.handle(Instant::ZERO, Input::Done(Ticket(1)));
    let (frames, _) = rest(&mut node, Ports::ALL);
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].id(), id(STREAM + 1).into());
}

#[test]
fn what_was_found_is_said_when_it_is_computed() {
    let (mut sender, mut receiver) = pair();
    sender.send(Port(0), &data(STREAM)).unwrap();
    for frame in settle(&mut sender) {
        hand(&mut receiver, &frame);
    }
    let (_, work) = rest(&mut receiver, Ports::ALL);
    assert_eq!(receiver.event(), None);
    receiver.handle(Instant::ZERO, Input::Done(work[0].0));
    rest(&mut receiver, Ports::ALL);
    let Some((Port(0), FrameOutcome::Authentic { payload, .. })) = receiver.event() else {
        panic!("not authentic");
    };
    assert_eq!(payload.as_bytes(), [1, 2, 3]);
}

#[test]
fn streams_are_served_in_the_order_in_which_they_came() {
    let mut node = sender(&[0x300, 0x100, 0x200]);
    for stream in [0x200, 0x300, 0x100] {
        node.send(Port(0), &data(stream)).unwrap();
    }
    let left: Vec<Id> = settle(&mut node).iter().map(Frame::id).collect();
    let expected = [0x200, 0x300, 0x100, 0x201, 0x301, 0x101];
    assert_eq!(left, expected.map(|raw| Id::from(id(raw))));
}

/// Each frame that is not the sender's costs a bounded amount, and none is queued without end.
#[test]
fn a_flood_costs_no_more_than_there_is_room_for() {
    let (_, mut receiver) = pair();
    let forged = Frame::classic(id(STREAM + 1), &[1; 8]).unwrap();
    for _ in 0..1_000 {
        hand(&mut receiver, &data(STREAM));
        hand(&mut receiver, &forged);
    }
    let mut operations = 0;
    loop {
        let (_, work) = rest(&mut receiver, Ports::ALL);
        let Some((ticket, _)) = work.first() else {
            break;
        };
        operations += 1;
        receiver.handle(Instant::ZERO, Input::Done(*ticket));
    }
    assert!(
        (1..=WAITING * CANDIDATES).contains(&operations),
        "{operations}"
    );
    assert!(
        receiver.dropped() >= 1_900,
        "{} dropped",
        receiver.dropped()
    );
}

#[test]
fn a_full_port_blocks_neither_the_work_nor_another_port() {
    let mut node = sender(&[STREAM]);
    node.senders.push(End {
        port: Port(1),
        end: PairedSender::in_epoch(connection(0x100), 1),
    });
    node.send(Port(0), &data(STREAM)).unwrap();
    node.send(Port(1), &data(0x100)).unwrap();
    let (frames, work) = rest(&mut node, Ports::NONE.with(Port(1)));
    assert_eq!(frames, [data(0x100)]);
    assert_eq!(work.len(), 1);
    let refused = node.send(Port(1), &data(STREAM));
    assert_eq!(
        refused,
        Err(Withheld::Unauthorized),
        "the stream is on another port"
    );
    for _ in 0..WAITING {
        let _ = node.send(Port(0), &data(STREAM));
    }
    assert_eq!(node.send(Port(0), &data(STREAM)), Err(Withheld::Busy));
}

#[test]
fn it_wishes_to_be_called_when_data_wait_for_their_tag() {
    let (mut sender, mut receiver) = pair();
    sender.send(Port(0), &data(STREAM)).unwrap();
    hand(&mut receiver, &settle(&mut sender)[0]);
    let until = Instant::ZERO + waywarden_can_auth::paired::TAG_WITHIN;
    assert_eq!(
        receiver.poll(Instant::ZERO, Ports::ALL),
        Output::Idle(Some(until))
    );
    receiver.handle(until, Input::Timeout);
    let late = until + Duration::from_millis(1);
    assert_eq!(receiver.poll(late, Ports::ALL), Output::Idle(None));
    assert_eq!(
        receiver.event(),
        Some((Port(0), FrameOutcome::Missing(id(STREAM))))
    );
}

/// Returns the frames that a gateway sends by port 1 until it has nothing to do.
fn passed(node: &mut Tested) -> Vec<Frame> {
    let now = Instant::ZERO + Duration::from_millis(100);
    let mut frames = Vec::new();
    loop {
        match node.poll(now, Ports::ALL) {
            Output::Transmit {
                port: Port(1),
                frame,
                ..
            } => frames.push(frame),
            Output::Work { ticket, .. } => node.handle(now, Input::Done(ticket)),
            Output::Idle(_) => return frames,
            _ => {}
        }
    }
}

/// Nodes behind a gateway receive authentic messages, a warning now and then, and nothing else.
#[test]
fn a_shield_passes_authentic_messages_and_warns_of_others() {
    let (mut sender, mut gateway) = pair();
    let warning = Frame::classic(id(0x470), &[0, 1]).unwrap();
    let pace = Duration::from_millis(100);
    gateway = gateway.shielding(Shield::new(Ports::NONE.with(Port(1)), Some(warning), pace));
    sender.send(Port(0), &data(STREAM)).unwrap();
    for frame in settle(&mut sender) {
        hand(&mut gateway, &frame);
        hand(
            &mut gateway,
            &Frame::classic(id(STREAM + 1), &[9; 8]).unwrap(),
        );
        hand(&mut gateway, &Frame::classic(id(0x123), &[9; 8]).unwrap());
    }
    assert_eq!(passed(&mut gateway), [warning, data(STREAM)]);
    // Another forgery within the pace: no other warning, and the data do not pass.
    hand(&mut gateway, &Frame::classic(id(STREAM), &[9; 8]).unwrap());
    hand(
        &mut gateway,
        &Frame::classic(id(STREAM + 1), &[9; 8]).unwrap(),
    );
    assert_eq!(passed(&mut gateway), []);
}

/// A sender that finds this in its slots.
fn sender_after(retained: &[(Slot, Retained)]) -> Tested {
    let senders = std::vec![end(PairedSender::in_epoch(connection(STREAM), 0))];
    let part = FreshnessRole::Unsynchronised;
    let slot = Slot(3);
    Authenticator::new(slot, &boot(retained), part, keys(), senders, Vec::new()).unwrap()
}

/// The number of a boot is written before anything leaves, and makes its tags others than those of
/// the boots before.
#[test]
fn nothing_leaves_before_the_boot_is_retained() {
    let mut retained = Vec::new();
    let mut tags = Vec::new();
    for _ in 0..3 {
        let mut node = sender_after(&retained);
        let Output::Retain { slot, value } = node.poll(Instant::ZERO, Ports::ALL) else {
            panic!("nothing retained");
        };
        assert_eq!(node.send(Port(0), &data(STREAM)), Err(Withheld::Unretained));
        assert_eq!(rest(&mut node, Ports::ALL), (Vec::new(), Vec::new()));
        node.handle(Instant::ZERO, Input::Retained(Slot(slot.0 + 1)));
        assert!(!node.has_begun(), "another slot was written");
        node.handle(Instant::ZERO, Input::Retained(slot));
        node.send(Port(0), &data(STREAM)).unwrap();
        let [_, tag] = settle(&mut node)[..] else {
            panic!("not a message and its tag");
        };
        assert!(!tags.contains(&tag));
        tags.push(tag);
        retained = std::vec![(slot, value)];
    }
}

#[test]
fn damaged_memory_takes_it_out_of_service() {
    let retained = [(Slot(3), [7; 32])];
    let mut node = sender_after(&retained);
    assert_eq!(node.fault(), Some(AuthenticatorFault::Damaged));
    assert_eq!(node.send(Port(0), &data(STREAM)), Err(Withheld::Faulty));
    for question in settle(&mut receiver()) {
        hand(&mut node, &question);
    }
    assert_eq!(rest(&mut node, Ports::ALL), (Vec::new(), Vec::new()));
}

/// With work under way and no room for more it asks for no time-out that has been: a driver that
/// serves it would come back at once, for ever.
#[test]
fn a_full_queue_has_no_deadline_that_is_past() {
    let mut node = sender(&[STREAM]);
    for question in settle(&mut receiver()) {
        hand(&mut node, &question);
    }
    while node
        .jobs
        .push(Job::new(
            &mut RecordedOperations::new(),
            Completion::Nothing,
        ))
        .is_ok()
    {}
    node.computing = Some(Ticket(0));
    assert_eq!(node.poll(Instant::ZERO, Ports::ALL), Output::Idle(None));
    node.handle(Instant::ZERO, Input::Done(Ticket(0)));
    assert_eq!(settle(&mut node).len(), 2, "the answer");
}

/// As published a gateway passes on what it takes for nothing: a tag without data, other
/// identifiers. What it refused it does not.
#[test]
fn an_open_shield_leaks_what_no_one_knows() {
    let unknown = Frame::classic(id(0x123), &[9; 8]).unwrap();
    let forged = Frame::classic(id(STREAM), &[9; 8]).unwrap();
    for (is_open, leaked) in [(false, std::vec![]), (true, std::vec![unknown])] {
        let (_, mut gateway) = pair();
        let shield = Shield::new(Ports::NONE.with(Port(1)), None, Duration::ZERO);
        gateway = gateway.shielding(if is_open { shield.open() } else { shield });
        hand(&mut gateway, &unknown);
        hand(&mut gateway, &forged);
        assert_eq!(passed(&mut gateway), leaked);
    }
}
