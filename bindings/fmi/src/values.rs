//! Variables: numbers, and the bytes of operations.

use std::ffi::{c_char, c_void};

use waywarden_vehicle_fmu::variables::TerminalVariable;

use crate::instance::{Instance, Mode, Value};
use crate::pointers::{call, list, places};
use crate::status::{Boolean, Status};

const DATA: [TerminalVariable; 2] = [TerminalVariable::TxData, TerminalVariable::RxData];

/// Writes the functions that get and set variables of one type: as `$type` with the arm of `Value`.
macro_rules! numbers {
    ($($get:ident $set:ident $type:ty: $arm:ident $from:expr, $into:expr;)*) => {$(
        /// Returns values of variables.
        ///
        /// # Safety
        /// See [the rules on pointers](crate#pointers).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            instance: *mut c_void,
            references: *const u32,
            count: usize,
            values: *mut $type,
            value_count: usize,
        ) -> Status {
            let act = |instance: &mut Instance| {
                same(count, value_count)?;
                // SAFETY: by the caller.
                let references = unsafe { list(references, count)? };
                // SAFETY: by the caller.
                let values = unsafe { places(values, count)? };
                for (reference, place) in references.iter().zip(values) {
                    let Value::$arm(value) = instance.value(*reference)? else {
                        return Err(instance.wrong(instance.variable(*reference)?));
                    };
                    *place = $into(value);
                }
                Ok(Status::Ok)
            };
            // SAFETY: by the caller.
            unsafe { call(instance, stringify!($get), Mode::ANY, act) }
        }

        /// Sets parameters, before the simulation begins.
        ///
        /// # Safety
        /// See [the rules on pointers](crate#pointers).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(
            instance: *mut c_void,
            references: *const u32,
            count: usize,
            values: *const $type,
            value_count: usize,
        ) -> Status {
            let act = |instance: &mut Instance| {
                same(count, value_count)?;
                // SAFETY: by the caller.
                let references = unsafe { list(references, count)? };
                // SAFETY: by the caller.
                let values = unsafe { list(values, count)? };
                for (reference, value) in references.iter().zip(values) {
                    instance.set(*reference, Value::$arm($from(*value)))?;
                }
                Ok(Status::Ok)
            };
            // SAFETY: by the caller.
            unsafe { call(instance, stringify!($set), Mode::SETTING, act) }
        }
    )*};
}

/// Writes the functions of types that no variable has: they take no variables only.
macro_rules! absent {
    ($($get:ident $set:ident $type:ty;)*) => {$(
        /// Returns values of variables of a type that no variable has.
        ///
        /// # Safety
        /// See [the rules on pointers](crate#pointers).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            instance: *mut c_void,
            _references: *const u32,
            count: usize,
            _values: *mut $type,
            _value_count: usize,
        ) -> Status {
            // SAFETY: by the caller.
            unsafe { call(instance, stringify!($get), Mode::ANY, |_| none(count)) }
        }

        /// Sets variables of a type that no variable has.
        ///
        /// # Safety
        /// See [the rules on pointers](crate#pointers).
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(
            instance: *mut c_void,
            _references: *const u32,
            count: usize,
            _values: *const $type,
            _value_count: usize,
        ) -> Status {
            // SAFETY: by the caller.
            unsafe { call(instance, stringify!($set), Mode::ANY, |_| none(count)) }
        }
    )*};
}

numbers! {
    fmi3GetFloat64 fmi3SetFloat64 f64: Float64 f64::from, f64::from;
    fmi3GetUInt8 fmi3SetUInt8 u8: UInt8 u8::from, u8::from;
    fmi3GetUInt16 fmi3SetUInt16 u16: UInt16 u16::from, u16::from;
    fmi3GetUInt32 fmi3SetUInt32 u32: UInt32 u32::from, u32::from;
    fmi3GetUInt64 fmi3SetUInt64 u64: UInt64 u64::from, u64::from;
    fmi3GetBoolean fmi3SetBoolean Boolean: Boolean is_true, Boolean::from;
}

absent! {
    fmi3GetFloat32 fmi3SetFloat32 f32;
    fmi3GetInt8 fmi3SetInt8 i8;
    fmi3GetInt16 fmi3SetInt16 i16;
    fmi3GetInt32 fmi3SetInt32 i32;
    fmi3GetInt64 fmi3SetInt64 i64;
    fmi3GetString fmi3SetString *const c_char;
}

/// Returns the bytes of `Tx_Data`, none unless its clock is active, or those of `Rx_Data` that were
/// set last.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetBinary(
    instance: *mut c_void,
    references: *const u32,
    count: usize,
    sizes: *mut usize,
    values: *mut *const u8,
    value_count: usize,
) -> Status {
    let act = |instance: &mut Instance| {
        same(count, value_count)?;
        // SAFETY: by the caller.
        let references = unsafe { list(references, count)? };
        // SAFETY: by the caller.
        let (sizes, values) = unsafe { (places(sizes, count)?, places(values, count)?) };
        for (at, reference) in references.iter().enumerate() {
            let (terminal, is_tx) = instance.member(*reference, DATA)?;
            // Before the simulation begins there are no operations.
            let bytes: &[u8] = match instance.unit() {
                Ok(unit) if is_tx => unit.data(terminal),
                Ok(unit) => unit.operations(terminal),
                Err(_) => &[],
            };
            (sizes[at], values[at]) = (bytes.len(), bytes.as_ptr());
        }
        Ok(Status::Ok)
    };
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3GetBinary", Mode::ANY, act) }
}

/// Sets the bytes of `Rx_Data`; they are copied.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetBinary(
    instance: *mut c_void,
    references: *const u32,
    count: usize,
    sizes: *const usize,
    values: *const *const u8,
    value_count: usize,
) -> Status {
    let act = |instance: &mut Instance| {
        same(count, value_count)?;
        // SAFETY: by the caller.
        let references = unsafe { list(references, count)? };
        // SAFETY: by the caller.
        let (sizes, values) = unsafe { (list(sizes, count)?, list(values, count)?) };
        for (at, reference) in references.iter().enumerate() {
            let (terminal, is_tx) = instance.member(*reference, DATA)?;
            if is_tx {
                return Err("Tx_Data is an output".to_owned());
            }
            // SAFETY: by the caller.
            let bytes = unsafe { list(values[at], sizes[at])? };
            match instance.unit() {
                Ok(unit) => unit.set_operations(terminal, bytes),
                // Importers set start values, which are empty.
                Err(_) if bytes.is_empty() => {}
                Err(why) => return Err(why),
            }
        }
        Ok(Status::Ok)
    };
    let allowed = &[Mode::Instantiated, Mode::Initialization, Mode::Event];
    // SAFETY: by the caller.
    unsafe { call(instance, "fmi3SetBinary", allowed, act) }
}

fn same(count: usize, value_count: usize) -> Result<(), String> {
    match count == value_count {
        true => Ok(()),
        false => Err(format!(
            "{count} variables and {value_count} values; none is an array"
        )),
    }
}

fn none(count: usize) -> Result<Status, String> {
    match count {
        0 => Ok(Status::Ok),
        _ => Err("no variable has this type".to_owned()),
    }
}

fn is_true(value: Boolean) -> bool {
    value != 0
}
