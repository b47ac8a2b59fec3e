//! Messages of several exchanges, frame by frame and interleaved: each frame has its place.

use waywarden_can::{Frame, Id};
use waywarden_group_keys::{
    Address, GroupHeader, GroupPlan, OddLevel, PlannedEcu, Scheme, Step, Transport,
};
use waywarden_lasan::{Credentials, LasanKind, LasanProfile, Lengths, SUITES};
use waywarden_testkit::{Random, first_seed};

use super::{Frames, GroupFrames, KeyFrameMatcher, NetworkFrames};
use waywarden_vehicle_file::{KeyFrames, KeyMessages};

const SEEDS: u64 = 200;

/// A message on its way: its frames, which of all wanted messages it is, and what was sent.
struct Message {
    frames: Vec<Frame>,
    number: Option<u64>,
    sent: usize,
}

/// Interleaves messages in a random order; `begin` makes the next one under a lane's identifiers,
/// and says whether the attacker aims at it. Returns how many frames were compared.
fn follow(
    random: &mut Random,
    matcher: &mut KeyFrameMatcher,
    occurrence: Option<u64>,
    mut begin: impl FnMut(&mut Random, u8) -> (Vec<Frame>, bool),
) -> usize {
    let mut lanes: Vec<Option<Message>> = (0..4).map(|_| None).collect();
    let (mut begun, mut compared) = (0, 0);
    for _ in 0..300 {
        let at = random.below(lanes.len() as u64) as u8;
        let lane = &mut lanes[usize::from(at)];
        let message = lane.get_or_insert_with(|| {
            let (frames, is_wanted) = begin(random, at);
            begun += u64::from(is_wanted);
            Message {
                frames,
                number: is_wanted.then_some(begun),
                sent: 0,
            }
        });
        let expected = message.number.filter(|number| {
            let wanted = occurrence.unwrap_or(*number);
            wanted == *number
        });
        let expected = expected.map(|_| 8 * message.sent);
        assert_eq!(matcher.next(&foreign(random)), None);
        assert_eq!(matcher.next(&message.frames[message.sent]), expected);
        compared += 1;
        message.sent += 1;
        if message.sent == message.frames.len() {
            *lane = None;
        }
    }
    compared
}

/// A group of six ECUs, with logical ones from 3 on.
fn group() -> GroupFrames {
    let ecus = [2, 100, 101, 102, 103].map(|address| PlannedEcu {
        address: Address(address),
        rank: 0,
    });
    let (scheme, odd) = (Scheme::TreeWithoutOrchestrator, OddLevel::Skipped);
    let plan = GroupPlan::new(scheme, odd, Address(1), &ecus).unwrap();
    GroupFrames::new(plan, Transport::Classic, waywarden_group_keys::IDENTIFIERS)
}

/// A security module and its ECUs.
fn network() -> NetworkFrames {
    let (ecus, identifiers) = ((10..14).map(Address), waywarden_lasan::IDENTIFIERS);
    NetworkFrames::new(Address(1), ecus, Transport::Classic, identifiers)
}

/// A frame of an application, under an identifier that no key frame of this page has.
fn foreign(random: &mut Random) -> Frame {
    loop {
        let raw = random.below(1 << 29) as u32;
        let id = Id::extended(raw).unwrap();
        if !group().covers(id) && !network().covers(id) {
            return Frame::classic(id, &[0; 8]).unwrap();
        }
    }
}

fn occurrence(random: &mut Random) -> Option<u64> {
    [None, Some(1 + random.below(6))][random.below(2) as usize]
}

#[test]
fn frames_of_a_group_have_their_place_in_their_messages() {
    for seed in first_seed(0)..first_seed(0) + SEEDS {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let wanted = Step::ALL[random.below(Step::ALL.len() as u64) as usize];
        let (participant, result) = (Address(1), Address(3));
        let occurrence = occurrence(&mut random);
        let aim = KeyFrames {
            messages: KeyMessages::Group {
                group: 0,
                steps: vec![wanted],
                result: Some(result),
            },
            participants: vec![participant],
            occurrence,
            bus: None,
        };
        let frames = Frames::Group(Some(Box::new(group())));
        let mut matcher = KeyFrameMatcher::new(&aim, Transport::Classic, frames);
        let compared = follow(&mut random, &mut matcher, occurrence, |random, lane| {
            let other = Step::ALL[random.below(Step::ALL.len() as u64) as usize];
            let step = if random.below(2) == 0 { wanted } else { other };
            // A lane has identifiers of its own.
            let header = GroupHeader {
                gives_way: false,
                first: Address(1 + (random.below(2) as u8)),
                second: Address(100 + lane),
                result: Address(3 + random.below(2) as u8),
            };
            let id = header.identifier(step);
            let count = step.frame_count(Transport::Classic);
            let frames = vec![Frame::classic(id, &[0; 8]).unwrap(); count];
            let fits = header.first == participant && header.result == result;
            (frames, step == wanted && fits)
        });
        assert_eq!(compared, 300);
    }
}

#[test]
fn frames_of_a_security_module_have_their_place_in_their_messages() {
    for seed in first_seed(0)..first_seed(0) + SEEDS {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let profile = [LasanProfile::AsPublished, LasanProfile::Hardened][random.below(2) as usize];
        let (_, _, sizes) = SUITES[random.below(SUITES.len() as u64) as usize];
        let lengths = Lengths::new(profile, Credentials::Certificates, sizes);
        let kinds = LasanKind::ALL
            .iter()
            .filter(|kind| lengths.of(**kind).is_some());
        let kinds: Vec<LasanKind> = kinds.copied().collect();
        let pick = |random: &mut Random| kinds[random.below(kinds.len() as u64) as usize];
        let wanted = pick(&mut random);
        let occurrence = occurrence(&mut random);
        let aim = KeyFrames {
            messages: KeyMessages::Lasan {
                network: 0,
                kinds: vec![wanted],
            },
            participants: Vec::new(),
            occurrence,
            bus: None,
        };
        let frames = Frames::Network(network(), Some(lengths));
        let mut matcher = KeyFrameMatcher::new(&aim, Transport::Classic, frames);
        let _ = follow(&mut random, &mut matcher, occurrence, |random, lane| {
            let kind = if random.below(2) == 0 {
                wanted
            } else {
                pick(random)
            };
            let header = waywarden_lasan::LasanHeader {
                gives_way: false,
                kind,
                source: Address(10 + lane),
                target: Address(1),
            };
            // The first part alone has the number 0.
            let part = |at: usize| match (profile, at) {
                (LasanProfile::AsPublished, _) | (_, 0) => 0,
                (_, at) => 1 + ((at - 1) % 15) as u8,
            };
            let count = lengths.of(kind).unwrap().div_ceil(8);
            let frame = |at| Frame::classic(header.identifier(part(at)), &[0; 8]).unwrap();
            ((0..count).map(frame).collect(), kind == wanted)
        });
    }
}
