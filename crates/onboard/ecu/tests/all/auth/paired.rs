//! The hardened protocols between whole ECUs.

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::paired::WireForm;
use waywarden_can_sim::interferer::{BitErrors, Interferer};

use crate::auth::lab::{self, Act, Part, Ran, id, replays};
use crate::auth::published::{Protocol, part};

const STREAM: u16 = 0x280;
const PROTOCOL: Protocol = Protocol::Hardened(WireForm::Vatican);

/// The sender and the receiver.
fn pair() -> [Part; 2] {
    [part(PROTOCOL, STREAM, true), part(PROTOCOL, STREAM, false)]
}

fn refused(ran: &Ran) -> usize {
    ran.count("cluster", |event| {
        matches!(event, FrameOutcome::WrongTag(_) | FrameOutcome::Replay(_))
    })
}

#[test]
fn every_message_is_authentic_and_its_tag_comes_a_computation_later() {
    let ran = lab::run(pair().into(), None, 2_000, 1);
    assert!(ran.is_faithful("cluster", STREAM));
    ran.assert_all("cluster", STREAM, 0);
    let at = |raw: u16| -> Vec<u64> {
        let own = ran.frames.iter();
        let own = own.filter(|(_, _, frame)| frame.id() == id(raw).into());
        own.map(|(at, _, _)| *at).collect()
    };
    let (data, tags) = (at(STREAM), at(STREAM + 1));
    assert_eq!((data.len(), tags.len()), (200, 200));
    for (data, tag) in data.iter().zip(tags) {
        // The tag's frame takes some 250 us; the tag itself is computed while the data travel.
        let later = tag - data;
        assert!((200_000..600_000).contains(&later), "{later} ns");
    }
}

#[test]
fn bit_errors_cost_nothing_but_time() {
    let noise: Vec<Box<dyn Interferer>> = vec![Box::new(BitErrors::new(2e-4))];
    let ran = lab::run_with(noise, pair().into(), None, 2_000, 2);
    let taken = ran.taken("cluster", STREAM).len();
    assert!(taken >= 195, "{taken} of 200");
    assert!(ran.is_faithful("cluster", STREAM));
}

/// After a reset of either side the stream is authentic again within the bound that docs state,
/// even if an attacker meanwhile repeats what was said before.
#[test]
fn resets_of_either_side_are_overcome_and_let_nothing_in_again() {
    const CALM: u64 = 800;
    let cases = [
        [vec![(500, 600)], vec![]],
        [vec![], vec![(500, 600)]],
        [vec![(500, 600)], vec![(530, 700)]],
    ];
    for (case, resets) in cases.into_iter().enumerate() {
        let mut parts = pair();
        for (part, resets) in parts.iter_mut().zip(resets) {
            part.resets = resets;
        }
        let ran = lab::run(parts.into(), Some(replays(400, CALM)), 2_000, case as u64);
        assert!(ran.is_faithful("cluster", STREAM), "case {case}");
        ran.assert_all("cluster", STREAM, CALM + 400);
        assert!(refused(&ran) > 20, "case {case}: {}", refused(&ran));
    }
}

/// Says things of its own, and now and then something that it heard.
fn spoofs() -> Act {
    let (mut heard, mut count, mut next) = (Vec::<Frame>::new(), 0, 0);
    Box::new(move |now, frame| {
        if let Some(frame) = frame {
            heard.push(*frame);
            return None;
        }
        if now.as_nanos() < next {
            return None;
        }
        next = now.as_nanos() + 1_700_000;
        count += 1;
        let forged = |id: Id| Frame::classic(id, &[count as u8; 8]).unwrap();
        match count % 4 {
            0 => Some(forged(id(STREAM).into())),
            1 => Some(forged(id(STREAM + 1).into())),
            _ => heard.get(count / 4).copied(),
        }
    })
}

/// On the same bus an attacker forges and replays; the messages that are taken are the sender's,
/// each once.
#[test]
fn a_spoofing_and_replaying_attacker_gets_nothing_through() {
    let ran = lab::run(pair().into(), Some(spoofs()), 2_000, 4);
    assert!(ran.is_faithful("cluster", STREAM));
    let taken = ran.taken("cluster", STREAM).len();
    assert!(taken >= 190, "{taken} of 200");
    assert!(refused(&ran) > 100, "{} refused", refused(&ran));
}
