//! Revocation lists by linkage values, expanded for the periods that certificates ask for.

use std::io;
use std::sync::Arc;

use waywarden_v2x_security::Verifier;
use waywarden_v2x_security::revocation::{
    ExpandedPart, ExpansionPart, RevocationExpansion, SeriesName,
};
use waywarden_v2x_wire::ieee1609dot2::IValue;

use super::known::Known;
use super::progress::{Progress, Threads};
use super::worker::Worker;
use crate::service::ClientId;

/// Most periods that wait for their expansion: the present one and its neighbours.
const PERIODS: usize = 4;

/// The thread that expands lists, at low priority. A period is asked for by a message with a valid
/// signature that is refused because its lists are not expanded; messages of that period are
/// accepted again from when they are.
pub(super) struct Expansions {
    worker: Worker<IValue>,
}

impl Expansions {
    /// Starts the thread.
    pub(super) fn start(threads: &Threads, known: &Arc<Known>, nice: u8) -> io::Result<Self> {
        let known = Arc::clone(known);
        let progress = threads.add("expand");
        let own = Arc::clone(&progress);
        let mut is_new = true;
        let worker = Worker::start(progress, PERIODS, move |period| {
            if std::mem::take(&mut is_new) {
                let _ = rustix::process::nice(i32::from(nice));
            }
            expand(&known, period, &own);
        })?;
        Ok(Self { worker })
    }

    /// Asks for a period. One that finds no room is asked for again by the next message.
    pub(super) fn ask(&self, period: IValue) {
        let _ = self.worker.offer(ClientId::UNKNOWN, period);
    }
}

/// Expands all lists for a period that are not expanded yet.
fn expand(known: &Known, period: IValue, progress: &Progress) {
    let (series, generation): (Vec<SeriesName>, u64) = known.read(|verifier, generation| {
        let series = verifier.revocations().unexpanded(period).collect();
        (series, generation)
    });
    for name in series {
        let planned = known.read(|verifier, _| verifier.revocations().expansion(name, period));
        let done = planned.and_then(|expansion| {
            let parts = run(&expansion, progress);
            known.write(|verifier: &mut Verifier, now| match now == generation {
                true => verifier.revocations_mut().install(&expansion, parts),
                // The lists were replaced meanwhile: the next message asks for the new ones.
                false => Ok(()),
            })
        });
        if let Err(refusal) = done {
            let authority = super::Hex(name.authority()).to_string();
            let series = name.series().0;
            tracing::warn!(authority, series, %refusal, "revocation list not expanded");
        }
    }
}

fn run(expansion: &RevocationExpansion, progress: &Progress) -> Vec<ExpandedPart> {
    let run = |part: &ExpansionPart| {
        // Long lists take long: each part is work of its own.
        progress.advance();
        part.run()
    };
    expansion.parts().iter().map(run).collect()
}
