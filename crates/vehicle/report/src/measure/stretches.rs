//! Computations of cores and security modules, and strikes of interferers.

use waywarden_can::node::Task;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::cpu::{ProcessingUnit, TimeSlice};
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_work::Duration;

use super::Measure;
use super::figures::add_stretch;

impl Measure {
    /// Takes a stretch of work without interruption.
    pub(super) fn worked(&mut self, ecu: EcuIndex, slice: &TimeSlice) {
        let task = match slice.task {
            Task::Receive => 0,
            Task::Send => 1,
            Task::Crypto => 2,
        };
        let busy = slice.to.since(slice.from).get();
        let on_module = matches!(slice.unit, ProcessingUnit::SecurityModule(_));
        let figures = &mut self.ecus[ecu.0];
        if on_module {
            figures.module.add(slice, busy);
        } else {
            figures.busy[task] += busy;
            add_stretch(&mut figures.windows, slice.from, slice.to);
        }
        self.keys.computes(ecu, slice);
        let operation = slice.operation;
        let work = (
            on_module,
            operation.kind,
            operation.algorithm,
            operation.bytes,
        );
        let (jobs, picos) = self.work[ecu.0].or_insert_with(work, || (0, 0));
        *jobs += u64::from(slice.finished);
        *picos += busy;
    }

    /// Takes a stretch of an image's computing that ends now. All of it counts as the task of
    /// cryptography, for an image has no others.
    pub(super) fn executed(
        &mut self,
        at: Time,
        ecu: EcuIndex,
        (instructions, time, waits): (u64, Duration, bool),
    ) {
        let figures = &mut self.ecus[ecu.0];
        figures.image.executed(instructions, time, waits);
        let busy = time.as_nanos().saturating_mul(1_000);
        figures.busy[2] += busy;
        let from = Time::from_picos(at.as_picos().saturating_sub(busy));
        add_stretch(&mut figures.windows, from, at);
    }

    /// Takes a strike of an interferer; of those that strike by frame, the first one in each frame.
    pub(super) fn interfered(&mut self, at: Time, bus: BusIndex, by: &str) {
        self.buses[bus.0].strikes += 1;
        if self.by_frame.contains(by) {
            let before = self.struck.insert(by.to_owned(), at);
            if before.is_some_and(|before| before >= self.began[bus.0]) {
                return;
            }
        }
        *self.strikes.entry(by.to_owned()).or_default() += 1;
    }
}
