//! Clocks: `Rx_Clock` ticks when a node hands operations in, `Tx_Clock` when there may be some for
//! it, at a time that the unit announces.

use std::ffi::c_void;

use waywarden_vehicle_fmu::Interval;
use waywarden_vehicle_fmu::variables::TerminalVariable;

use crate::instance::{Instance, Mode};
use crate::pointers::{call, list, places};
use crate::status::{Boolean, IntervalQualifier, Status};

const CLOCKS: [TerminalVariable; 2] = [TerminalVariable::TxClock, TerminalVariable::RxClock];

/// Returns which clocks are active.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetClock(
    instance: *mut c_void,
    references: *const u32,
    count: usize,
    values: *mut Boolean,
) -> Status {
    let act = |instance: &mut Instance| {
        // SAFETY: by the caller.
        let (references, values) = unsafe { (list(references, count)?, places(values, count)?) };
        for (reference, value) in references.iter().zip(values) {
            let (terminal, is_tx) = instance.member(*reference, CLOCKS)?;
            *value = Boolean::from(instance.unit()?.clock(terminal, is_tx));
        }
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3GetClock", Mode::RUNNING, act) }
}

/// Has clocks tick.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetClock(
    instance: *mut c_void,
    references: *const u32,
    count: usize,
    values: *const Boolean,
) -> Status {
    let act = |instance: &mut Instance| {
        // SAFETY: by the caller.
        let (references, values) = unsafe { (list(references, count)?, list(values, count)?) };
        for (reference, value) in references.iter().zip(values) {
            let (terminal, is_tx) = instance.member(*reference, CLOCKS)?;
            let unit = instance.unit()?;
            match is_tx {
                true => unit.set_tx_clock(terminal, *value != 0),
                false => unit.set_rx_clock(terminal, *value != 0),
            }
        }
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3SetClock", &[Mode::Event], act) }
}

/// Returns the time to the next tick of each `Tx_Clock`, in seconds.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetIntervalDecimal(
    instance: *mut c_void,
    references: *const u32,
    count: usize,
    intervals: *mut f64,
    qualifiers: *mut IntervalQualifier,
) -> Status {
    let act = |instance: &mut Instance| {
        // SAFETY: by the caller.
        let intervals = unsafe { places(intervals, count)? };
        // SAFETY: by the caller.
        unsafe {
            each_interval(instance, references, qualifiers, count, |at, picos| {
                intervals[at] = picos as f64 / 1e12;
            })
        }
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3GetIntervalDecimal", &[Mode::Event], act) }
}

/// Returns the time to the next tick of each `Tx_Clock`, in picoseconds.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetIntervalFraction(
    instance: *mut c_void,
    references: *const u32,
    count: usize,
    counters: *mut u64,
    resolutions: *mut u64,
    qualifiers: *mut IntervalQualifier,
) -> Status {
    let act = |instance: &mut Instance| {
        // SAFETY: by the caller.
        let (counters, resolutions) =
            unsafe { (places(counters, count)?, places(resolutions, count)?) };
        // SAFETY: by the caller.
        unsafe {
            each_interval(instance, references, qualifiers, count, |at, picos| {
                (counters[at], resolutions[at]) = (picos, 1_000_000_000_000);
            })
        }
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3GetIntervalFraction", &[Mode::Event], act) }
}

/// Hands each changed interval to `put`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn each_interval(
    instance: &mut Instance,
    references: *const u32,
    qualifiers: *mut IntervalQualifier,
    count: usize,
    mut put: impl FnMut(usize, u64),
) -> Result<Status, String> {
    // SAFETY: by the caller. The importer need not have written qualifiers, which are numbers.
    let (references, qualifiers) = unsafe {
        (
            list(references, count)?,
            places(qualifiers.cast::<i32>(), count)?,
        )
    };
    for (at, reference) in references.iter().enumerate() {
        let (terminal, is_tx) = instance.member(*reference, CLOCKS)?;
        if !is_tx {
            return Err("an Rx_Clock is triggered, and has no interval".to_owned());
        }
        let qualifier = match instance.unit()?.interval(terminal) {
            Interval::Unknown => IntervalQualifier::NotYetKnown,
            Interval::Unchanged => IntervalQualifier::Unchanged,
            Interval::Changed(picos) => {
                put(at, picos);
                IntervalQualifier::Changed
            }
        };
        qualifiers[at] = qualifier as i32;
    }
    Ok(Status::Ok)
}
