//! Starts children from one thread that lasts as long as this program.
//!
//! The kernel kills a child that asked for it when the thread that started it ends, and a
//! simulation may be made in one thread and run in another.

use std::io;
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

type Started = io::Result<Child>;
type Order = (Command, Sender<Started>);

/// Starts a child.
///
/// # Errors
/// Those of starting it.
pub(crate) fn spawn(command: Command) -> Started {
    static ORDERS: OnceLock<Mutex<Sender<Order>>> = OnceLock::new();
    let orders = ORDERS.get_or_init(|| Mutex::new(starter()));
    let (answer, started) = channel();
    let ended = || io::Error::other("the thread that starts emulators has ended");
    // A sender is whole whatever panicked elsewhere.
    let orders = orders
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    orders.send((command, answer)).map_err(|_| ended())?;
    started.recv().map_err(|_| ended())?
}

fn starter() -> Sender<Order> {
    let (orders, received) = channel::<Order>();
    thread::spawn(move || {
        for (mut command, answer) in received {
            // The caller may be gone.
            let _ = answer.send(command.spawn());
        }
    });
    orders
}
