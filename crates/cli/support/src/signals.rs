//! SIGINT and SIGTERM: clean up, then end as the signal would have ended the process.

#[cfg(unix)]
use std::sync::{Mutex, Once, PoisonError};

#[cfg(unix)]
use signal_hook::consts::{SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::iterator::Signals;
#[cfg(unix)]
use signal_hook::low_level::emulate_default_handler;

/// What is cleaned up: a few functions of the program.
#[cfg(unix)]
static CLEANUPS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Calls a function before a signal ends the process. One thread calls all of them, so that none is
/// cut short by the end that another one brings. Call it once for each function.
#[cfg(unix)]
pub fn clean_up_with(cleanup: fn()) {
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
