//! Functions of FMI that the unit's description says it does not have. An importer may look for
//! them when it loads the library; each answers with an error that names it.

use std::ffi::{c_char, c_void};
use std::ptr;

use crate::instance::{Instance, Mode};
use crate::log::{Log, LogMessage};
use crate::pointers::call;
use crate::status::{Boolean, Status};

/// Writes functions that refuse.
macro_rules! refused {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        /// Refuses: the unit does not have this capability.
        ///
        /// # Safety
        /// See [the rules on pointers](crate#pointers).
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(instance: *mut c_void $(, $argument: $type)*) -> Status {
            let act = |_: &mut Instance| Err("the unit does not have this capability".to_owned());
            // SAFETY: by the caller.
            unsafe { call(instance, stringify!($name), Mode::ANY, act) }
        }
    )*};
}

refused! {
    fmi3GetNumberOfVariableDependencies(_reference: u32, _count: *mut usize);
    fmi3GetVariableDependencies(
        _dependent: u32, _elements: *mut usize, _independents: *mut u32,
        _independent_elements: *mut usize, _kinds: *mut i32, _count: usize
    );
    fmi3GetFMUState(_state: *mut *mut c_void);
    fmi3SetFMUState(_state: *mut c_void);
    fmi3FreeFMUState(_state: *mut *mut c_void);
    fmi3SerializedFMUStateSize(_state: *mut c_void, _size: *mut usize);
    fmi3SerializeFMUState(_state: *mut c_void, _bytes: *mut u8, _size: usize);
    fmi3DeserializeFMUState(_bytes: *const u8, _size: usize, _state: *mut *mut c_void);
    fmi3GetDirectionalDerivative(
        _unknowns: *const u32, _unknown_count: usize, _knowns: *const u32, _known_count: usize,
        _seed: *const f64, _seed_count: usize, _sensitivity: *mut f64, _sensitivity_count: usize
    );
    fmi3GetAdjointDerivative(
        _unknowns: *const u32, _unknown_count: usize, _knowns: *const u32, _known_count: usize,
        _seed: *const f64, _seed_count: usize, _sensitivity: *mut f64, _sensitivity_count: usize
    );
    fmi3EnterConfigurationMode();
    fmi3ExitConfigurationMode();
    fmi3GetShiftDecimal(_references: *const u32, _count: usize, _shifts: *mut f64);
    fmi3GetShiftFraction(
        _references: *const u32, _count: usize, _counters: *mut u64, _resolutions: *mut u64
    );
    fmi3SetIntervalDecimal(_references: *const u32, _count: usize, _intervals: *const f64);
    fmi3SetIntervalFraction(
        _references: *const u32, _count: usize, _counters: *const u64, _resolutions: *const u64
    );
    fmi3SetShiftDecimal(_references: *const u32, _count: usize, _shifts: *const f64);
    fmi3SetShiftFraction(
        _references: *const u32, _count: usize, _counters: *const u64, _resolutions: *const u64
    );
    fmi3GetOutputDerivatives(
        _references: *const u32, _count: usize, _orders: *const i32, _values: *mut f64,
        _value_count: usize
    );
    fmi3EnterContinuousTimeMode();
    fmi3CompletedIntegratorStep(
        _no_set_state_prior: Boolean, _enter_event_mode: *mut Boolean, _terminate: *mut Boolean
    );
    fmi3SetTime(_time: f64);
    fmi3SetContinuousStates(_states: *const f64, _count: usize);
    fmi3GetContinuousStateDerivatives(_derivatives: *mut f64, _count: usize);
    fmi3GetEventIndicators(_indicators: *mut f64, _count: usize);
    fmi3GetContinuousStates(_states: *mut f64, _count: usize);
    fmi3GetNominalsOfContinuousStates(_nominals: *mut f64, _count: usize);
    fmi3GetNumberOfEventIndicators(_count: *mut usize);
    fmi3GetNumberOfContinuousStates(_count: *mut usize);
    fmi3ActivateModelPartition(_clock: u32, _time: f64);
}

/// Refuses: the unit is for co-simulation.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    _name: *const c_char,
    _token: *const c_char,
    _resource_path: *const c_char,
    _visible: Boolean,
    _logging_on: Boolean,
    environment: *mut c_void,
    log_message: Option<LogMessage>,
) -> *mut c_void {
    no_such_kind(environment, log_message)
}

/// Refuses: the unit is for co-simulation.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    _name: *const c_char,
    _token: *const c_char,
    _resource_path: *const c_char,
    _visible: Boolean,
    _logging_on: Boolean,
    environment: *mut c_void,
    log_message: Option<LogMessage>,
    _clock_update: *const c_void,
    _lock_preemption: *const c_void,
    _unlock_preemption: *const c_void,
) -> *mut c_void {
    no_such_kind(environment, log_message)
}

fn no_such_kind(environment: *mut c_void, callback: Option<LogMessage>) -> *mut c_void {
    let log = Log {
        environment,
        callback,
        is_on: true,
    };
    log.error("the unit is for co-simulation: use fmi3InstantiateCoSimulation");
    ptr::null_mut()
}
