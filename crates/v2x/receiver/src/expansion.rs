//! Revocation lists by linkage values, expanded on all cores for the periods that certificates ask
//! for.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use waywarden_v2x_input::records;
use waywarden_v2x_security::ExpansionRefusal;
use waywarden_v2x_security::revocation::{
    ExpandedPart, ExpansionPart, RevocationExpansion, SeriesName,
};
use waywarden_v2x_wire::ieee1609dot2::IValue;

use crate::known::Knowledge;

/// Watches expansions, to show their progress.
pub trait ExpansionObserver: Send + Sync {
    /// Runs `work` once, which calls its argument after each of `parts` parts, from any thread.
    fn expand(&self, parts: usize, work: &mut dyn FnMut(&(dyn Fn() + Sync)));
}

/// Shows nothing.
pub(crate) struct NoObserver;

impl ExpansionObserver for NoObserver {
    fn expand(&self, _: usize, work: &mut dyn FnMut(&(dyn Fn() + Sync))) {
        work(&|| ());
    }
}

/// Expands lists, and counts what it did. One thread expands at a time, and holds the lock on what
/// is known only to take the lists and to put the result in.
pub(crate) struct Expander {
    /// Number of threads that expand.
    threads: usize,
    observer: Box<dyn ExpansionObserver>,
    done: Mutex<Done>,
}

/// Counts and times of the expansions.
#[derive(Clone, Debug, Default)]
struct Done {
    /// The first period.
    first: Option<IValue>,
    times: usize,
    values: usize,
    took: Duration,
    /// The most that tables and seeds took, in bytes.
    memory: usize,
    /// The first series that was not expanded, and why.
    refused: Option<(SeriesName, ExpansionRefusal)>,
}

impl Expander {
    pub(crate) fn new(threads: usize, observer: Box<dyn ExpansionObserver>) -> Self {
        Self {
            threads,
            observer,
            done: Mutex::default(),
        }
    }

    /// Expands all lists for a period, but for those that are too much work. Returns whether there
    /// are tables now that were not there before this thread asked.
    pub(crate) fn expand(&self, known: &Knowledge, period: IValue) -> bool {
        let start = Instant::now();
        let mut all = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let series: Vec<_> =
            known.read(|verifier| verifier.revocations().unexpanded(period).collect());
        if series.is_empty() {
            // Another thread has expanded them meanwhile.
            return true;
        }
        let mut is_new = false;
        for name in series {
            let planned = known.read(|verifier| verifier.revocations().expansion(name, period));
            let done = planned.and_then(|expansion| {
                let parts = self.run(&expansion);
                known.write(|verifier| verifier.revocations_mut().install(&expansion, parts))?;
                Ok(expansion.values())
            });
            match done {
                Ok(count) => {
                    all.values += count;
                    is_new = true;
                }
                Err(refusal) => {
                    all.refused.get_or_insert((name, refusal));
                }
            }
        }
        if is_new {
            all.first.get_or_insert(period);
            all.times += 1;
            all.took += start.elapsed();
            let memory = known.read(|verifier| verifier.revocations().linkage_memory());
            all.memory = all.memory.max(memory);
        }
        is_new
    }

    /// Says what was expanded, how long that took, and what was too much work.
    pub(crate) fn notes(&self) -> Vec<String> {
        let all = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let expanded = all.first.map(|first| {
            let more = match all.times {
                1 => String::new(),
                times => format!(" and {} more", times - 1),
            };
            format!(
                "--crl: {} linkage values expanded for period {}{more} in {:.2} s; {:.1} MB",
                all.values,
                first.0,
                all.took.as_secs_f64(),
                all.memory as f64 / 1e6,
            )
        });
        let refused = all.refused.map(|(name, refusal)| {
            let craca = records::show(&name.authority().0);
            let series = name.series().0;
            format!("--crl: lists of CRACA {craca}, series {series} are not expanded: {refusal}")
        });
        expanded.into_iter().chain(refused).collect()
    }

    fn run(&self, expansion: &RevocationExpansion) -> Vec<ExpandedPart> {
        let parts = expansion.parts();
        let mut expanded = Vec::new();
        self.observer.expand(parts.len(), &mut |step| {
            expanded = run(&parts, self.threads, step);
        });
        expanded
    }
}

/// Runs the parts on so many threads. The order of what comes back is of no matter.
fn run(parts: &[ExpansionPart], threads: usize, step: &(dyn Fn() + Sync)) -> Vec<ExpandedPart> {
    let threads = threads.min(parts.len());
    let left: Mutex<VecDeque<&ExpansionPart>> = Mutex::new(parts.iter().collect());
    let next = || {
        left.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    };
    let work = || -> Vec<ExpandedPart> {
        let parts = std::iter::from_fn(next);
        parts
            .map(|part| {
                let expanded = part.run();
                step();
                expanded
            })
            .collect()
    };
    thread::scope(|scope| {
        let spawn = || thread::Builder::new().spawn_scoped(scope, work);
        // A system without room for another thread does with those that there are.
        let threads: Vec<_> = (1..threads).map_while(|_| spawn().ok()).collect();
        let mut expanded = work();
        // A part that is missing is found when the parts are installed.
        expanded.extend(
            threads
                .into_iter()
                .flat_map(|one| one.join().unwrap_or_default()),
        );
        expanded
    })
}
