//! The image of a V2X receiver: its verdicts are those of the receiver on this machine, word for
//! word, and no bytes do it harm.
//!
//! Building the image takes half a minute of processor time, so `make soak` runs these.

use waywarden_firmware_link::{SignedItem, SignedKind};
use waywarden_firmware_receiver::{CAPACITY, take, text};
use waywarden_testkit::{Random, cases, first_seed};
use waywarden_testkit_v2x::world::{Holder, MessageContents, NOW, Named, Spec, now};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_vehicle_firmware::{BoardReceiver, BoardVerdict, QemuImage};

use crate::budgets::{hold_all, off};
use crate::image::{Core, M4F, OTHERS};

/// An item, as the host has it.
#[derive(Clone)]
struct Item {
    kind: SignedKind,
    bytes: Vec<u8>,
}

/// A receiver on this machine, of the capacity of the image.
struct Native(Verifier);

impl Native {
    fn judge(&mut self, item: &Item) -> Option<String> {
        let signed = SignedItem {
            kind: item.kind,
            bytes: &item.bytes,
        };
        let taken = take(&mut self.0, &signed);
        taken
            .err()
            .map(|refusal| text(&refusal).as_str().to_owned())
    }
}

fn judge(board: &mut BoardReceiver, item: &Item) -> BoardVerdict {
    board.judge(item.kind, &item.bytes).expect("a verdict")
}

fn image_for(core: &Core) -> Option<QemuImage> {
    core.of_set("receiver", "receiver")
}

fn image() -> Option<QemuImage> {
    image_for(&M4F)
}

fn anchor(holder: &Holder) -> Item {
    Item {
        kind: SignedKind::TrustAnchor,
        bytes: holder.certificate.clone(),
    }
}

fn certificate(holder: &Holder) -> Item {
    Item {
        kind: SignedKind::Certificate,
        bytes: holder.certificate.clone(),
    }
}

/// A message that comes a part of a second after the time of the test world.
fn message(bytes: Vec<u8>, after_us: u64) -> Item {
    let Time64(now) = now();
    Item {
        kind: SignedKind::Message {
            now: now + after_us,
        },
        bytes,
    }
}

/// The certificates of a small world: a root, an authority, stations with an explicit and with an
/// implicit certificate, and one whose certificate is over.
struct World {
    root: Holder,
    authority: Holder,
    explicit: Holder,
    implicit: Holder,
    expired: Holder,
    stranger: Holder,
}

impl World {
    fn new() -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authority = Holder::issue(&Spec::authority(2), Some(&root));
        let station = |spec: Spec| Holder::issue(&spec, Some(&authority));
        let implicit = Spec {
            implicit: true,
            ..Spec::station(4)
        };
        let expired = Spec {
            start: NOW - 360_000,
            hours: 1,
            ..Spec::station(5)
        };
        let elsewhere = Holder::issue(&Spec::authority(6), None);
        World {
            explicit: station(Spec::station(3)),
            implicit: station(implicit),
            expired: station(expired),
            stranger: Holder::issue(&Spec::station(7), Some(&elsewhere)),
            root,
            authority,
        }
    }

    fn introductions(&self) -> Vec<Item> {
        vec![anchor(&self.root), certificate(&self.authority)]
    }
}

/// A message whose content is distinguished by a number.
fn signed(by: &Holder, number: u64, named: Named<'_>) -> Vec<u8> {
    let Time64(now) = now();
    let contents = MessageContents {
        made: Some(Time64(now + number)),
        payload: &number.to_be_bytes(),
        named,
        ..MessageContents::new()
    };
    contents.sign(by)
}

/// Items of all outcomes that a receiver without lists has.
fn items(world: &World) -> Vec<Item> {
    let mut items = world.introductions();
    // A certificate that issued itself is no authority's, and one of an unknown issuer is refused.
    items.extend([certificate(&world.stranger), anchor(&world.authority)]);
    let with_certificate = Named::Certificates(&[]);
    for (number, holder) in [&world.explicit, &world.implicit].into_iter().enumerate() {
        let number = 10 * number as u64;
        let first = signed(holder, number, with_certificate);
        items.push(message(signed(holder, number + 1, Named::Digest), 50_000));
        items.push(message(first.clone(), 51_000));
        items.push(message(signed(holder, number + 2, Named::Digest), 52_000));
        // The first one comes again, and one that was changed.
        items.push(message(first, 53_000));
        let mut changed = signed(holder, number + 3, Named::Digest);
        let last = changed.len() - 1;
        changed[last] ^= 1;
        items.push(message(changed, 54_000));
    }
    for holder in [&world.expired, &world.stranger] {
        items.push(message(signed(holder, 30, with_certificate), 60_000));
    }
    let late = signed(&world.explicit, 40, Named::Digest);
    items.push(message(late, 3_600_000_000));
    items
}

#[test]
#[ignore = "half a minute: make soak"]
fn a_receiver_on_the_board_gives_the_verdicts_of_this_machine() {
    for core in [M4F].into_iter().chain(OTHERS) {
        gives_the_verdicts_of_this_machine(&core);
    }
}

fn gives_the_verdicts_of_this_machine(core: &Core) {
    let Some(image) = image_for(core) else { return };
    let mut native = Native(Verifier::new(CAPACITY));
    let mut board = BoardReceiver::start(&image).expect("a receiver");
    let mut outcomes = [0; 2];
    for (at, item) in items(&World::new()).iter().enumerate() {
        let judged = judge(&mut board, item);
        println!("{at}: {judged:?}");
        assert_eq!(judged.refused, native.judge(item), "item {at}");
        outcomes[usize::from(judged.refused.is_some())] += 1;
    }
    // Of the introductions two are good, and of the messages of each station two.
    assert_eq!(outcomes, [6, 11]);
    println!("stack {} bytes", board.end().expect("its stack"));
}

#[test]
#[ignore = "half a minute: make soak"]
fn hostile_messages_do_a_receiver_no_harm() {
    let Some(image) = image() else { return };
    let seed = first_seed(1);
    let mut random = Random::new(seed);
    let world = World::new();
    let genuine: Vec<Vec<u8>> = [&world.explicit, &world.implicit]
        .into_iter()
        .map(|holder| signed(holder, 7, Named::Certificates(&[])))
        .collect();
    let mut native = Native(Verifier::new(CAPACITY));
    let mut board = BoardReceiver::start(&image).expect("a receiver");
    for item in world.introductions() {
        assert_eq!(judge(&mut board, &item).refused, native.judge(&item));
    }
    for case in 0..cases(20_000) {
        let mut bytes = genuine[case % genuine.len()].clone();
        match random.below(4) {
            0 => {
                bytes = (0..random.below(2_400))
                    .map(|_| random.u64() as u8)
                    .collect();
            }
            1 => bytes.truncate(random.index(bytes.len())),
            _ => {
                for _ in 0..=random.below(3) {
                    let at = random.index(bytes.len());
                    bytes[at] = random.u64() as u8;
                }
            }
        }
        let item = message(bytes, 50_000 + case as u64);
        let judged = judge(&mut board, &item);
        let refused = [judged.refused.clone(), native.judge(&item)];
        // The place of the fault in a length depends on the width of a pointer; the check does not.
        let [board, native] = refused.map(|one| one.map(|text| check(&text).to_owned()));
        assert_eq!(board, native, "seed {seed}, {case}");
        assert!(judged.instructions < 16_000_000, "seed {seed}: {judged:?}");
    }
    let stack = board.end().expect("its stack");
    println!("stack {stack} bytes after hostile messages");
    // Of the 48 KB that the image is linked with.
    assert!(stack < 40_000, "{stack}");
}

/// Returns the name of the check that failed.
fn check(reason: &str) -> &str {
    reason.split(':').next().unwrap_or(reason)
}

/// Measures the image: names and values, in the order of the table.
fn measure(image: &QemuImage) -> Vec<(&'static str, u64)> {
    let world = World::new();
    let mut board = BoardReceiver::start(image).expect("a receiver");
    let mut accept = |item: Item| {
        let judged = judge(&mut board, &item);
        assert_eq!(judged.refused, None);
        judged.instructions
    };
    let [root, authority] = [anchor(&world.root), certificate(&world.authority)].map(&mut accept);
    let mut station = |holder: &Holder, number: u64| {
        let named = [Named::Certificates(&[]), Named::Digest, Named::Digest];
        let at = [0, 1, 2].map(|more| number + more);
        let pair = named.into_iter().zip(at);
        let pair = pair.map(|(named, at)| message(signed(holder, at, named), 50_000));
        pair.map(&mut accept).collect::<Vec<_>>()
    };
    let explicit = station(&world.explicit, 1);
    let implicit = station(&world.implicit, 11);
    let footprint = image.footprint();
    let stack = board.end().expect("its stack");
    vec![
        ("flash_bytes", footprint.flash.into()),
        ("ram_bytes", footprint.ram.into()),
        ("stack_bytes", stack.into()),
        ("root", root),
        ("authority", authority),
        ("explicit_first", explicit[0]),
        ("explicit", explicit[2]),
        ("implicit_first", implicit[0]),
        ("implicit_second", implicit[1]),
        ("implicit", implicit[2]),
    ]
}

#[test]
#[ignore = "half a minute: make soak"]
fn a_receiver_keeps_its_budget() {
    let cores = [M4F].into_iter().chain(OTHERS);
    let rows = cores.filter_map(|core| {
        let image = image_for(&core)?;
        off(&core.row("receiver"), &measure(&image), &image)
    });
    hold_all(&rows.collect::<Vec<_>>());
}
