//! Judges the frames of a SecOC stream as those of a recording: no reserve, no retained memory, and
//! a counter that is learnt from the frames.
//!
//! A value within a receiver's window is taken at once, after at most as many attempts as a
//! receiver has. A value further ahead counts only with a second frame of the same epoch whose
//! value is within the window above it. So one forged frame is never taken more easily than by a
//! receiver, although [`SEARCH_MAX`] values are searched.

use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::secoc::{FreshnessValue, SecocStream, Trailer};

use super::allowance::{SEARCH_MAX, SearchAllowance};
use super::epochs::KnownEpochs;
use crate::stream_keys::StreamKeys;
use crate::verdict::FrameVerdict;

/// Number of values far ahead that wait for a second frame.
const POSSIBLE_MAX: usize = 8;
/// Number of frames of its stream that such a value waits for.
const POSSIBLE_FRAMES: u64 = 64;

/// A payload that the received code may belong to.
pub(super) struct Claim<'a> {
    pub(super) stream: SecocStream,
    pub(super) payload: &'a [u8],
    pub(super) received: Trailer,
}

/// The state of a stream.
pub(super) struct StreamJudge {
    last: Option<FreshnessValue>,
    first: Option<FreshnessValue>,
    possible: Vec<PossibleValue>,
    /// The values that may be searched, over all epochs and layouts.
    allowance: SearchAllowance,
    frames: u64,
}

/// A value far ahead under which a frame's code is right.
struct PossibleValue {
    stream: SecocStream,
    at: FreshnessValue,
    /// The records that wait for it.
    records: Vec<u64>,
    frame: u64,
}

/// Judgement of a frame.
pub(super) enum Judgement {
    /// The claim that is right, and its value.
    Authentic {
        claim: usize,
        at: FreshnessValue,
    },
    /// A claim that is right under a value far ahead: [`StreamJudge::wait`] returns the records
    /// that wait.
    Possible {
        claim: usize,
    },
    Refused(FrameVerdict),
}

/// A record that waited, with its verdict and the value that it was verified with.
pub(super) type Settled = (u64, FrameVerdict, Option<FreshnessValue>);

impl StreamJudge {
    /// Begins a stream behind `last`.
    pub(super) const fn new(last: Option<FreshnessValue>) -> Self {
        StreamJudge {
            last,
            first: None,
            possible: Vec::new(),
            allowance: SearchAllowance::new(SEARCH_MAX),
            frames: 0,
        }
    }

    pub(super) const fn last(&self) -> Option<FreshnessValue> {
        self.last
    }

    /// Returns the value of the first frame that was authentic.
    pub(super) const fn first(&self) -> Option<FreshnessValue> {
        self.first
    }

    /// Judges a frame that makes these claims, of which the likeliest is the first. What waited
    /// and is known by now is added to `settled`.
    pub(super) fn judge(
        &mut self,
        claims: &[Claim<'_>],
        epochs: &KnownEpochs,
        keys: &mut StreamKeys,
        settled: &mut Vec<Settled>,
    ) -> Result<Judgement, KeyStoreError> {
        self.frames += 1;
        self.allowance.refill();
        self.expire(settled);
        let Some(first) = claims.first() else {
            return Ok(Judgement::Refused(FrameVerdict::WrongTag));
        };
        let freshness = first.stream.profile().freshness();
        if freshness.is_synchronised() && !epochs.is_any_known() {
            return Ok(Judgement::Refused(FrameVerdict::OutOfStep));
        }
        let freshness_state = epochs.freshness_state();
        let mut verdict = FrameVerdict::Replay;
        for (place, claim) in claims.iter().enumerate() {
            let profile = claim.stream.profile();
            let values = profile.values_tried(self.last, &freshness_state, &claim.received);
            let values: Vec<_> = values.collect();
            if !values.is_empty() {
                verdict = FrameVerdict::WrongTag;
            }
            if let Some(at) = first_right(claim, &values, keys)? {
                self.take(at, &[], settled);
                return Ok(Judgement::Authentic { claim: place, at });
            }
        }
        if let Some((claim, at)) = self.second(claims, keys, settled)? {
            return Ok(Judgement::Authentic { claim, at });
        }
        match self.search(claims, epochs, keys)? {
            Some(claim) => Ok(Judgement::Possible { claim }),
            None => Ok(Judgement::Refused(verdict)),
        }
    }

    /// Has records wait for a second frame that shows that the last one judged is possible.
    pub(super) fn wait(&mut self, records: &[u64]) {
        let now = self.frames;
        for possible in self.possible.iter_mut().filter(|own| own.frame == now) {
            possible.records = records.to_vec();
        }
    }

    /// Finds a value far ahead that this frame follows.
    fn second(
        &mut self,
        claims: &[Claim<'_>],
        keys: &mut StreamKeys,
        settled: &mut Vec<Settled>,
    ) -> Result<Option<(usize, FreshnessValue)>, KeyStoreError> {
        for index in 0..self.possible.len() {
            let PossibleValue { stream, at, .. } = self.possible[index];
            for (place, claim) in claims.iter().enumerate() {
                if claim.stream != stream {
                    continue;
                }
                let freshness_state = KnownEpochs::only(at.epoch).freshness_state();
                let values =
                    stream
                        .profile()
                        .values_tried(Some(at), &freshness_state, &claim.received);
                // In a later epoch a frame would be right whatever the first one was.
                let values: Vec<_> = values.filter(|value| value.epoch == at.epoch).collect();
                if let Some(second) = first_right(claim, &values, keys)? {
                    let records = self.possible[index].records.clone();
                    let verdict = FrameVerdict::Authentic;
                    settled.extend(records.iter().map(|&record| (record, verdict, Some(at))));
                    self.first.get_or_insert(at);
                    self.take(second, &records, settled);
                    return Ok(Some((place, second)));
                }
            }
        }
        Ok(None)
    }

    /// Goes on behind a value; values that waited are contradicted, except those of `settled`.
    fn take(&mut self, at: FreshnessValue, confirmed: &[u64], settled: &mut Vec<Settled>) {
        for possible in self.possible.drain(..) {
            let others = possible.records.iter();
            let others = others.filter(|record| !confirmed.contains(record));
            settled.extend(others.map(|&record| (record, FrameVerdict::WrongTag, None)));
        }
        self.first.get_or_insert(at);
        if at.message.is_some() {
            self.last = Some(at);
        }
    }

    /// Gives up values that no second frame followed.
    fn expire(&mut self, settled: &mut Vec<Settled>) {
        let frames = self.frames;
        self.possible.retain(|own| {
            let waits = frames - own.frame <= POSSIBLE_FRAMES;
            if !waits {
                let records = own.records.iter();
                settled.extend(records.map(|&record| (record, FrameVerdict::OutOfStep, None)));
            }
            waits
        });
    }

    /// Searches values far ahead; returns the claim that is right under one.
    fn search(
        &mut self,
        claims: &[Claim<'_>],
        epochs: &KnownEpochs,
        keys: &mut StreamKeys,
    ) -> Result<Option<usize>, KeyStoreError> {
        let is_counted = claims.first().is_some_and(|claim| {
            let freshness = claim.stream.profile().freshness();
            freshness.is_counter() || freshness.is_synchronised()
        });
        if !is_counted || self.possible.len() >= POSSIBLE_MAX || !self.allowance.take_whole() {
            return Ok(None);
        }
        for (place, claim) in claims.iter().enumerate() {
            let profile = claim.stream.profile();
            let possible = epochs.possible(profile.freshness().is_synchronised());
            let values = |epoch| profile.values_in(epoch, self.last, &claim.received);
            let possible = possible.into_iter();
            let possible: Vec<_> = possible
                .filter(|&epoch| values(epoch).next().is_some())
                .collect();
            let each = SEARCH_MAX / (claims.len() * possible.len().max(1)) as u64;
            let mut found = Vec::new();
            let all = possible
                .iter()
                .flat_map(|&epoch| values(epoch).take(each as usize));
            let stream = claim.stream;
            stream.find(claim.payload, &claim.received, all, keys, |at| {
                found.push(at);
            })?;
            if found.is_empty() {
                continue;
            }
            let room = POSSIBLE_MAX - self.possible.len();
            let frame = self.frames;
            self.possible
                .extend(found.into_iter().take(room).map(|at| PossibleValue {
                    stream,
                    at,
                    records: Vec::new(),
                    frame,
                }));
            return Ok(Some(place));
        }
        Ok(None)
    }
}

/// Returns the first of these values under which a claim is right.
fn first_right(
    claim: &Claim<'_>,
    values: &[FreshnessValue],
    keys: &mut StreamKeys,
) -> Result<Option<FreshnessValue>, KeyStoreError> {
    let mut found = Vec::new();
    let Claim {
        stream,
        payload,
        received,
    } = claim;
    stream.find(payload, received, values.iter().copied(), keys, |at| {
        found.push(at);
    })?;
    Ok(values.iter().find(|value| found.contains(value)).copied())
}
