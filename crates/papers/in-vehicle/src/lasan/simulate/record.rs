//! The part of a run's trace that counts sent messages and tells each node's state over time.

use std::collections::BTreeMap;

use waywarden_can::node::Task;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{EventSink, TraceEvent};
use waywarden_lasan::{LasanHeader, LasanKind};
use waywarden_work::Operation;

use super::super::quantity::{Part, State};

/// Counts of one kind of sent message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) frames: u64,
    /// Data bytes, with what fills the last frame up.
    pub(super) bytes: u64,
    /// Picoseconds on the bus, without intermissions.
    pub(super) time: u64,
}

/// A stretch of cryptography on an ECU. Picoseconds since the start of the run, as all times here.
#[derive(Clone, Copy, Debug)]
struct Work {
    operation: Operation,
    from: u64,
    to: u64,
    finished: bool,
}

/// A frame on its way: from the role's request to send it to its last bit.
#[derive(Clone, Copy, Debug)]
struct Way {
    ecu: usize,
    kind: LasanKind,
    from: u64,
    to: u64,
}

/// The trace of one run. The security module is the last ECU.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) sent: BTreeMap<LasanKind, Sent>,
    work: Vec<Vec<Work>>,
    ways: Vec<Way>,
    /// Times at which an ECU requested frames that it has not sent yet, oldest first, by ECU.
    requests: Vec<Vec<u64>>,
}

impl Record {
    pub(super) fn new(ecus: usize) -> Self {
        Record {
            sent: BTreeMap::new(),
            work: vec![Vec::new(); ecus],
            ways: Vec::new(),
            requests: vec![Vec::new(); ecus],
        }
    }

    /// Returns the security module, the last ECU.
    pub(super) const fn module(&self) -> usize {
        self.work.len().saturating_sub(1)
    }

    /// Returns when the security module first asked to send something.
    fn spoke(&self) -> u64 {
        let own = self.ways.iter().filter(|way| way.ecu == self.module());
        own.map(|way| way.from).min().unwrap_or(0)
    }

    /// Returns the operations of an ECU, with whether each was done once for all, which is so for
    /// what the security module did before it spoke.
    pub(super) fn operations(&self, ecu: usize) -> impl Iterator<Item = (bool, Operation)> + '_ {
        let (is_module, spoke) = (ecu == self.module(), self.spoke());
        let work = self.work.get(ecu).map_or(&[][..], Vec::as_slice);
        let done = work.iter().filter(|work| work.finished);
        done.map(move |work| (is_module && work.to <= spoke, work.operation))
    }

    /// Returns the picoseconds that all together spent in a state, in one part. A node that
    /// computes counts as computing, also while a message is under way. A node that does not
    /// compute and hears or sends a message communicates, which counts once. Everything else up to
    /// the end is rest.
    pub(super) fn state(&self, state: State, part: Part) -> u64 {
        match part {
            Part::Once => self.state_once(state),
            Part::Each => self.state_all(state) - self.state_once(state),
            Part::All => self.state_all(state),
        }
    }

    fn state_once(&self, state: State) -> u64 {
        let spoke = self.spoke();
        match state {
            State::Communication => union(self.broadcasts().map(|way| (way.from, way.to))),
            State::Computation => {
                let own = self.work.get(self.module()).into_iter().flatten();
                own.filter(|work| work.to <= spoke)
                    .map(|work| work.to - work.from)
                    .sum()
            }
            State::Rest => {
                let busy = |work: &Vec<Work>| {
                    let before = work.iter().filter(|work| work.to <= spoke);
                    before.map(|work| work.to - work.from).sum::<u64>()
                };
                self.work.iter().map(|work| spoke - busy(work)).sum()
            }
        }
    }

    fn state_all(&self, state: State) -> u64 {
        let messages = || self.ways.iter().map(|way| (way.from, way.to));
        match state {
            State::Communication => union(messages()),
            State::Computation => {
                let all = self.work.iter().flatten();
                all.map(|work| work.to - work.from).sum()
            }
            State::Rest => {
                let end = self.end();
                let busy = |work: &Vec<Work>| {
                    union(
                        work.iter()
                            .map(|work| (work.from, work.to))
                            .chain(messages()),
                    )
                };
                self.work.iter().map(|work| end - busy(work)).sum()
            }
        }
    }

    fn broadcasts(&self) -> impl Iterator<Item = &Way> {
        self.ways.iter().filter(|way| way.kind.is_broadcast())
    }

    /// Returns when everything was over.
    fn end(&self) -> u64 {
        let worked = self.work.iter().flatten().map(|work| work.to);
        worked
            .chain(self.ways.iter().map(|way| way.to))
            .max()
            .unwrap_or(0)
    }
}

/// Returns the length of what stretches cover together.
fn union(stretches: impl Iterator<Item = (u64, u64)>) -> u64 {
    let mut stretches: Vec<(u64, u64)> = stretches.collect();
    stretches.sort_unstable();
    let mut covered = 0;
    let mut reached = 0;
    for (from, to) in stretches {
        let from = from.max(reached);
        covered += to.saturating_sub(from);
        reached = reached.max(to);
    }
    covered
}

impl EventSink for Record {
    fn record(&mut self, at: Time, event: &TraceEvent<'_>) {
        let at = at.as_picos();
        match *event {
            TraceEvent::Requested { ecu, .. } => self.requests[ecu.0].push(at),
            TraceEvent::Sent {
                ecu,
                started,
                frame,
                ..
            } => {
                let started = started.as_picos();
                let asked = match self.requests[ecu.0].is_empty() {
                    true => started,
                    false => self.requests[ecu.0].remove(0),
                };
                let Some((header, _)) = LasanHeader::of(frame) else {
                    return;
                };
                let sent = self.sent.entry(header.kind).or_default();
                sent.frames += 1;
                sent.bytes += frame.data().len() as u64;
                sent.time += at - started;
                // The pause between two frames of a message belongs to sending it.
                let last = self.ways.last_mut();
                match last.filter(|last| (last.ecu, last.kind) == (ecu.0, header.kind)) {
                    Some(last) => last.to = at,
                    None => self.ways.push(Way {
                        ecu: ecu.0,
                        kind: header.kind,
                        from: asked,
                        to: at,
                    }),
                }
            }
            TraceEvent::Worked { ecu, slice } if slice.task == Task::Crypto => {
                self.work[ecu.0].push(Work {
                    operation: slice.operation,
                    from: slice.from.as_picos(),
                    to: slice.to.as_picos(),
                    finished: slice.finished,
                });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::union;

    #[test]
    fn what_overlaps_counts_once() {
        let stretches = [(5, 9), (0, 3), (2, 4), (6, 7), (9, 10)];
        assert_eq!(union(stretches.into_iter()), 9);
        assert_eq!(union([].into_iter()), 0);
    }
}
