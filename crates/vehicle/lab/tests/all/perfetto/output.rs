//! The text that is written, also when the trace breaks off or the disk is full.

use std::io::{self, Write};

use waywarden_can_sim::clock::Time;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};

use super::{items, of_phase, trace};
use crate::under_fire::{CAR, lowered, outcome, parse};

#[test]
fn the_same_run_gives_the_same_text() {
    assert!(trace() == trace());
}

/// Keeps what is written where it survives the sink.
#[derive(Clone, Default)]
struct Shared(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_trace_that_breaks_off_is_whole_json() {
    let out = Shared::default();
    let lowered = lowered(&parse(CAR));
    let mut sink = lowered.perfetto(out.clone(), None);
    let mut left = 5_000_u32;
    let mut some = |at: Time, event: &VehicleEvent<'_>| {
        if left > 0 {
            left -= 1;
            sink.record(at, event);
        }
    };
    outcome(lowered, &mut some);
    drop(sink);
    assert!(items(&out.0.borrow()).len() > 1_000);
    let lowered = crate::under_fire::lowered(&parse(CAR));
    assert_eq!(
        of_phase(
            &items(&lowered.perfetto(Vec::new(), None).finish().unwrap()),
            "X"
        )
        .count(),
        0
    );
}

/// Refuses everything after some bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_at_the_end() {
    let lowered = lowered(&parse(CAR));
    let mut sink = lowered.perfetto(Full(10_000), None);
    outcome(lowered, &mut sink);
    assert_eq!(
        sink.finish().err().unwrap().kind(),
        io::ErrorKind::StorageFull
    );
}
