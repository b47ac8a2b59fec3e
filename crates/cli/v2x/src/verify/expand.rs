//! Revocation lists by linkage values, expanded on all cores for the periods that certificates ask
//! for.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use waywarden_v2x_security::revocation::{
    ExpandedPart, ExpansionPart, RevocationExpansion, SeriesName,
};
use waywarden_v2x_security::{ExpansionRefusal, Verifier};
use waywarden_v2x_wire::ieee1609dot2::IValue;

use super::progress;
use waywarden_v2x_input::records;

/// Expands lists, and counts what it did.
#[derive(Debug)]
pub(crate) struct Expander {
    /// Number of threads that expand.
    jobs: usize,
    /// The bar that shows the progress of reading.
    bar: ProgressBar,
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
    pub(super) fn new(jobs: usize, bar: &ProgressBar) -> Self {
        Self {
            jobs,
            bar: bar.clone(),
            done: Mutex::default(),
        }
    }

    /// Expands all lists for a period, but for those that are too much work. Returns whether there
    /// are tables now that were not there before.
    pub(super) fn expand(&self, verifier: &mut Verifier, period: IValue) -> bool {
        let start = Instant::now();
        let mut all = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let revocations = verifier.revocations_mut();
        let series: Vec<_> = revocations.unexpanded(period).collect();
        let mut is_new = false;
        for name in series {
            let done = revocations.expansion(name, period).and_then(|expansion| {
                let parts = self.bar.suspend(|| run(&expansion, self.jobs));
                revocations.install(&expansion, parts)?;
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
            all.memory = all.memory.max(revocations.linkage_memory());
        }
        is_new
    }

    /// Says what was expanded, how long that took, and what was too much work.
    pub(super) fn notes(&self) -> Vec<String> {
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
}

/// Runs the parts on so many threads. The order of what comes back is of no matter.
fn run(expansion: &RevocationExpansion, jobs: usize) -> Vec<ExpandedPart> {
    let parts = expansion.parts();
    let bar = progress::expansion(parts.len());
    let threads = jobs.min(parts.len());
    let parts = Mutex::new(VecDeque::from(parts));
    let next = || {
        parts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    };
    let work = || -> Vec<ExpandedPart> {
        let parts = std::iter::from_fn(next);
        parts
            .map(|part: ExpansionPart| {
                let expanded = part.run();
                bar.inc(1);
                expanded
            })
            .collect()
    };
    let expanded = thread::scope(|scope| {
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
    });
    bar.finish_and_clear();
    expanded
}
