//! Replay cache, of bounded size. Under a flood it drops the oldest messages of the largest stream.
//! Later messages of that stream which are as old are refused: floods cannot enable replays, and
//! suppress only their own stream.

use alloc::collections::{BTreeMap, BTreeSet};
use core::cmp::Reverse;

use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, Time64};

use crate::canonical::NonceParity;
use crate::hash::Digest;

/// Number of bytes of a digest that tell messages apart.
const KEY_BYTES: usize = 16;

/// The messages of one signer in one application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignerStream {
    /// The signer, by its certificate.
    pub signer: HashedId8,
    /// Application of the messages.
    pub psid: Psid,
}

/// A signature, by which one that was verified is known again in another form: `(R, s)` and
/// `(-R, n - s)` are one, as are the encodings of one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SignatureKey {
    /// The last bytes of the hash of the x-coordinate of `R` and the smaller of `s` and `n - s`:
    /// enough to tell those on one message apart.
    pub(crate) hash: [u8; 8],
    /// Parity of `R`, of the form with the smaller `s`.
    pub(crate) parity: NonceParity,
}

impl SignatureKey {
    /// Returns true if this signature is valid because `verified` is.
    pub(crate) fn follows_from(self, verified: Self) -> bool {
        self.hash == verified.hash && self.parity.follows_from(verified.parity)
    }
}

/// A message by its stream, when it was made, and its digest: so those of a stream stand together,
/// the oldest first.
type Entry = (SignerStream, u64, [u8; KEY_BYTES]);

/// A stream by how many messages of it are remembered, and when the latest of them was made: the
/// one that gives up a message stands last.
type Rank = (usize, Reverse<u64>, SignerStream);

/// State of one stream with remembered messages.
#[derive(Clone, Copy, Debug)]
struct Tally {
    /// Generation time up to which messages are forgotten, so that any of them may be a replay.
    floor: Option<u64>,
    count: usize,
    latest: u64,
}

impl Tally {
    fn rank(&self, stream: SignerStream) -> Rank {
        (self.count, Reverse(self.latest), stream)
    }
}

/// Messages that were accepted, by stream.
///
/// When there is no room the largest stream gives up its oldest message, among equals the one that
/// was silent for longest; a stream that gives up its last one is a stranger again. Strangers have
/// a floor in common. So long as there are no more streams than room, who floods loses only what
/// it filled itself.
#[derive(Clone, Debug)]
pub struct ReplayCache {
    seen: BTreeMap<Entry, SignatureKey>,
    streams: BTreeMap<SignerStream, Tally>,
    ranks: BTreeSet<Rank>,
    capacity: usize,
    /// The floor of streams of which nothing is remembered.
    strangers: Option<u64>,
}

impl ReplayCache {
    /// Creates a cache for at most `capacity` messages.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            seen: BTreeMap::new(),
            streams: BTreeMap::new(),
            ranks: BTreeSet::new(),
            capacity: capacity.max(1),
            strangers: None,
        }
    }

    /// Returns the number of remembered messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Returns true if no message is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Returns the most memory it can use, in bytes, with every message of a stream of its own: a
    /// tree has nodes of eleven entries of which half may be empty.
    #[must_use]
    pub fn memory_max(&self) -> usize {
        let entry = size_of::<(Entry, SignatureKey)>();
        let each = entry + size_of::<(SignerStream, Tally)>() + size_of::<Rank>();
        self.capacity * each * 2
    }

    /// Returns true if a message is a replay, or may be one.
    #[must_use]
    pub fn has(&self, stream: SignerStream, made: Time64, digest: &Digest) -> bool {
        self.floor(stream).is_some_and(|floor| made.0 <= floor)
            || self.seen.contains_key(&entry(stream, made, digest))
    }

    /// Returns the signature of a remembered message.
    pub(crate) fn signature(
        &self,
        stream: SignerStream,
        made: Time64,
        digest: &Digest,
    ) -> Option<SignatureKey> {
        self.seen.get(&entry(stream, made, digest)).copied()
    }

    /// Remembers a message; `false` if it came before, or may have.
    pub(crate) fn insert(
        &mut self,
        stream: SignerStream,
        made: Time64,
        digest: &Digest,
        signature: SignatureKey,
    ) -> bool {
        if self.has(stream, made, digest) {
            return false;
        }
        self.seen.insert(entry(stream, made, digest), signature);
        // A stream that was known once and forgotten has what strangers have.
        let strange = Tally {
            floor: self.strangers,
            count: 0,
            latest: made.0,
        };
        let tally = self.tally(stream).unwrap_or(strange);
        self.rank(
            stream,
            Tally {
                count: tally.count + 1,
                latest: tally.latest.max(made.0),
                ..tally
            },
        );
        if self.seen.len() > self.capacity {
            self.give_up();
        }
        true
    }

    /// Forgets messages that were made before this time, and refuses what is as old: what was made
    /// before is not known any more.
    pub(crate) fn forget_before(&mut self, time: Time64) {
        let Some(before) = time.0.checked_sub(1) else {
            return;
        };
        self.seen.retain(|(_, made, _), _| *made > before);
        self.strangers = self.strangers.max(Some(before));
        let streams = core::mem::take(&mut self.streams);
        self.ranks.clear();
        for (stream, tally) in streams {
            let count = self.of(stream).count();
            let floor = tally.floor.max(Some(before));
            match count {
                // Its floor may be higher than that of strangers, whom it joins.
                0 => self.strangers = self.strangers.max(floor),
                _ => self.rank(
                    stream,
                    Tally {
                        floor,
                        count,
                        ..tally
                    },
                ),
            }
        }
    }

    fn floor(&self, stream: SignerStream) -> Option<u64> {
        self.tally(stream)
            .map_or(self.strangers, |tally| tally.floor)
    }

    fn tally(&self, stream: SignerStream) -> Option<Tally> {
        self.streams.get(&stream).copied()
    }

    fn of(&self, stream: SignerStream) -> impl Iterator<Item = &Entry> {
        let all = (stream, 0, [0; KEY_BYTES])..=(stream, u64::MAX, [u8::MAX; KEY_BYTES]);
        self.seen.range(all).map(|(entry, _)| entry)
    }

    /// Sets what is known of a stream.
    fn rank(&mut self, stream: SignerStream, tally: Tally) {
        if let Some(before) = self.streams.insert(stream, tally) {
            self.ranks.remove(&before.rank(stream));
        }
        self.ranks.insert(tally.rank(stream));
    }

    /// Lets the largest stream give up its oldest message.
    fn give_up(&mut self) {
        let Some((_, _, stream)) = self.ranks.last().copied() else {
            return;
        };
        let oldest = self.of(stream).next().copied();
        let (Some(oldest), Some(tally)) = (oldest, self.tally(stream)) else {
            return;
        };
        self.seen.remove(&oldest);
        let floor = tally.floor.max(Some(oldest.1));
        if tally.count > 1 {
            let count = tally.count - 1;
            self.rank(
                stream,
                Tally {
                    floor,
                    count,
                    ..tally
                },
            );
        } else {
            self.ranks.remove(&tally.rank(stream));
            self.streams.remove(&stream);
            self.strangers = self.strangers.max(floor);
        }
    }
}

fn entry(stream: SignerStream, made: Time64, digest: &Digest) -> Entry {
    let mut key = [0; KEY_BYTES];
    key.copy_from_slice(&digest.as_bytes()[..KEY_BYTES]);
    (stream, made.0, key)
}
