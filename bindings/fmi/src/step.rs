//! Steps, and the end of a round of events.

use std::ffi::c_void;

use crate::instance::{Instance, Mode};
use crate::pointers::{call, write};
use crate::status::{Boolean, Status};

/// Runs the buses for `step` seconds, or up to the first time at which there are operations for a
/// node, if the importer allows an early return.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn fmi3DoStep(
    instance: *mut c_void,
    point: f64,
    step: f64,
    _no_set_state_prior: Boolean,
    event_handling_needed: *mut Boolean,
    terminate_simulation: *mut Boolean,
    early_return: *mut Boolean,
    last_successful_time: *mut f64,
) -> Status {
    let act = |instance: &mut Instance| {
        let stepped = instance.step(point, step)?;
        let needs_event = stepped.has_operations && instance.uses_events;
        // SAFETY: by the caller.
        unsafe {
            write(event_handling_needed, Boolean::from(needs_event))?;
            write(terminate_simulation, 0)?;
            write(early_return, Boolean::from(stepped.is_early))?;
            write(last_successful_time, stepped.time)?;
        }
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3DoStep", &[Mode::Step], act) }
}

/// Takes the operations of all nodes whose clock is active: their frames compete. Clocks become
/// inactive.
///
/// Returns a warning if an operation was refused; the node gets a Format Error.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3UpdateDiscreteStates(
    instance: *mut c_void,
    discrete_states_need_update: *mut Boolean,
    terminate_simulation: *mut Boolean,
    nominals_changed: *mut Boolean,
    values_changed: *mut Boolean,
    next_event_time_defined: *mut Boolean,
    next_event_time: *mut f64,
) -> Status {
    let act = |instance: &mut Instance| {
        let status = instance.update()?;
        // SAFETY: by the caller.
        unsafe {
            write(discrete_states_need_update, 0)?;
            write(terminate_simulation, 0)?;
            write(nominals_changed, 0)?;
            write(values_changed, 0)?;
            write(next_event_time_defined, 0)?;
            write(next_event_time, 0.0)?;
        }
        Ok(status)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3UpdateDiscreteStates", &[Mode::Event], act) }
}

/// Computes nothing: outputs are up to date.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EvaluateDiscreteStates(instance: *mut c_void) -> Status {
    let allowed = &[Mode::Initialization, Mode::Event];
    // SAFETY: by the caller.
    unsafe {
        call(instance, "fmi3EvaluateDiscreteStates", allowed, |_| {
            Ok(Status::Ok)
        })
    }
}
