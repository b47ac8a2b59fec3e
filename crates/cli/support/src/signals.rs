//! SIGINT and SIGTERM: clean up, then end as the signal would have ended the process.

use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::sync::{Mutex, Once, PoisonError};

#[cfg(unix)]
use signal_hook::consts::{SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;
#[cfg(unix)]
use signal_hook::low_level::emulate_default_handler;

/// Functions of the program that clean up.
#[cfg(unix)]
static CLEANUPS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// True if signals are for the command to act on, and not for a program that it is a part of.
static OWNS_PROCESS: AtomicBool = AtomicBool::new(false);

/// True if the first signal ends the input and not the process.
static ENDS_INPUT: AtomicBool = AtomicBool::new(false);

/// True once a signal ended the input.
static INPUT_ENDED: AtomicBool = AtomicBool::new(false);

/// Has signals end the process, from now on: it is the command's own. In the process of another
/// program, such as an interpreter, they stay with that program.
pub fn own_process() {
    OWNS_PROCESS.store(true, Ordering::Relaxed);
}

/// Has the first signal end the input instead of the process, so that a command that follows a bus
/// prints its summary; the second one ends the process. Returns the flag that the reader watches.
pub fn end_input_first() -> &'static AtomicBool {
    ENDS_INPUT.store(true, Ordering::Relaxed);
    clean_up_with(|| {});
    &INPUT_ENDED
}

/// Calls a function before a signal ends the process. One thread calls all of them, so that none is
/// cut short by the end that another one brings. Call it once for each function. Does nothing in a
/// process that is not the command's own: [`own_process`].
#[cfg(unix)]
pub fn clean_up_with(cleanup: fn()) {
    if !OWNS_PROCESS.load(Ordering::Relaxed) {
        return;
    }
    static WATCH: Once = Once::new();
    let cleanups = || CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
    cleanups().push(cleanup);
    WATCH.call_once(|| {
        // Where signals cannot be watched they end the process as ever.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else {
            return;
        };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                let ends_input = ENDS_INPUT.load(Ordering::Relaxed);
                if ends_input && !INPUT_ENDED.swap(true, Ordering::Relaxed) {
                    continue;
                }
                for cleanup in cleanups().iter() {
                    cleanup();
                }
                let _ = emulate_default_handler(signal);
            }
        });
    });
}

#[cfg(not(unix))]
pub fn clean_up_with(_: fn()) {}
