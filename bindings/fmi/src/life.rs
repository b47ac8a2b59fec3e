//! Instances and their modes.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr;

use crate::instance::{Instance, Mode};
use crate::log::Log;
pub use crate::log::LogMessage;
use crate::pointers::{call, text};
use crate::resources::Vehicle;
use crate::status::{Boolean, Status};

/// Returns the version of FMI.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

/// Makes an instance; null if the unit's files cannot be read, which the log says.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    instance_name: *const c_char,
    instantiation_token: *const c_char,
    resource_path: *const c_char,
    _visible: Boolean,
    logging_on: Boolean,
    event_mode_used: Boolean,
    early_return_allowed: Boolean,
    _required_intermediate_variables: *const u32,
    _count: usize,
    environment: *mut c_void,
    log_message: Option<LogMessage>,
    _intermediate_update: *const c_void,
) -> *mut c_void {
    let log = Log {
        environment,
        callback: log_message,
        is_on: logging_on != 0,
    };
    // SAFETY: by the caller.
    let [name, token, folder] =
        [instance_name, instantiation_token, resource_path].map(|from| unsafe { text(from) });
    let (Some(_), Some(token), Some(folder)) = (name, token, folder) else {
        log.error("fmi3InstantiateCoSimulation: a name, the token or the path is no UTF-8 text");
        return ptr::null_mut();
    };
    // FMI 3.0 has a path; some importers hand a URI over, as FMI 2.0 had it.
    let folder = folder.strip_prefix("file://").unwrap_or(folder);
    let loaded = catch_unwind(AssertUnwindSafe(|| Vehicle::load(Path::new(folder), token)));
    let why = match loaded {
        Ok(Ok(vehicle)) => {
            let instance = Instance::new(
                vehicle,
                log,
                event_mode_used != 0,
                early_return_allowed != 0,
            );
            return Box::into_raw(Box::new(instance)).cast();
        }
        Ok(Err(why)) => why,
        Err(_) => "a fault of the library".to_owned(),
    };
    log.error(&format!("fmi3InstantiateCoSimulation: {why}"));
    ptr::null_mut()
}

/// Frees an instance; nothing for null.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(instance: *mut c_void) {
    let instance = instance.cast::<Instance>();
    if instance.is_null() || !instance.is_aligned() {
        return;
    }
    // SAFETY: made by the library and not freed, by the caller; one with the mark is a box.
    unsafe {
        if (*instance).is_marked() {
            (*instance).unmark();
            drop(Box::from_raw(instance));
        }
    }
}

/// Switches warnings in the log on or off; errors are always told.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    instance: *mut c_void,
    logging_on: Boolean,
    _count: usize,
    _categories: *const *const c_char,
) -> Status {
    let act = |instance: &mut Instance| {
        instance.log.is_on = logging_on != 0;
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3SetDebugLogging", Mode::ANY, act) }
}

/// Begins the initialisation; the unit's time zero is `start_time`, in seconds.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterInitializationMode(
    instance: *mut c_void,
    _tolerance_defined: Boolean,
    _tolerance: f64,
    start_time: f64,
    _stop_time_defined: Boolean,
    _stop_time: f64,
) -> Status {
    let act = |instance: &mut Instance| instance.begin(start_time).map(|()| Status::Ok);
    let allowed = &[Mode::Instantiated];
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3EnterInitializationMode", allowed, act) }
}

/// Begins the simulation with the parameters that were set.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitInitializationMode(instance: *mut c_void) -> Status {
    let act = |instance: &mut Instance| instance.begun().map(|()| Status::Ok);
    let allowed = &[Mode::Initialization];
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3ExitInitializationMode", allowed, act) }
}

/// Begins an event, in which clocks tick.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterEventMode(instance: *mut c_void) -> Status {
    let act = |instance: &mut Instance| {
        if !instance.uses_events {
            return Err("the instance was made with eventModeUsed = false".to_owned());
        }
        instance.mode = Mode::Event;
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3EnterEventMode", &[Mode::Step], act) }
}

/// Ends an event.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterStepMode(instance: *mut c_void) -> Status {
    let act = |instance: &mut Instance| {
        instance.mode = Mode::Step;
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3EnterStepMode", &[Mode::Event], act) }
}

/// Ends the simulation; variables can still be read.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Terminate(instance: *mut c_void) -> Status {
    let act = |instance: &mut Instance| {
        instance.mode = Mode::Terminated;
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3Terminate", Mode::RUNNING, act) }
}

/// Puts an instance back to what it was when it was made.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Reset(instance: *mut c_void) -> Status {
    let act = |instance: &mut Instance| {
        instance.reset();
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3Reset", Mode::ANY, act) }
}
