//! Notifications to systemd: the service is ready, reloads, ends, and works (`sd_notify(3)`).
//! Without systemd all of this does nothing.

use std::future::Future;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::timeout;

/// The longest status line, in characters.
const STATUS_MAX: usize = 256;

/// The service is ready for requests.
pub fn ready(status: &str) {
    send(&[NotifyState::Ready, NotifyState::Status(&line(status))]);
}

/// The service reloads; [`ready`] ends it.
pub fn reloading() {
    // systemd takes a reload for one only with the time at which it began.
    match NotifyState::monotonic_usec_now() {
        Ok(now) => send(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "systemd is not told of the reload"),
    }
}

/// The service ends.
pub fn stopping() {
    send(&[NotifyState::Stopping]);
}

/// Says in words what the service does.
pub fn status(status: &str) {
    send(&[NotifyState::Status(&line(status))]);
}

/// Pings systemd's watchdog as long as `probe` answers `true` in time: twice in each period of the
/// watchdog, as systemd asks for. `probe` is handed the time that it has, which is half a period.
/// Returns at once where there is no watchdog. A probe that fails or hangs lets the watchdog end
/// the service; `probe` logs why.
pub async fn watch<P: Future<Output = bool>>(probe: impl FnMut(Duration) -> P) {
    let Some(period) = sd_notify::watchdog_enabled() else {
        return;
    };
    watch_every(period / 2, probe, || send(&[NotifyState::Watchdog])).await;
}

/// Probes so often, for ever, and pings after each answer that came in time.
pub async fn watch_every<P: Future<Output = bool>>(
    every: Duration,
    mut probe: impl FnMut(Duration) -> P,
    mut ping: impl FnMut(),
) {
    let mut ticks = tokio::time::interval(every.max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if timeout(every, probe(every)).await == Ok(true) {
            ping();
        }
    }
}

fn send(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(%error, "systemd is not notified");
    }
}

/// A state ends with its line, so a status is one line.
fn line(text: &str) -> String {
    let letters = text.chars().take(STATUS_MAX);
    letters
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_status_is_one_line_of_bounded_length() {
        assert_eq!(line("a\nREADY=1"), "a READY=1");
        assert_eq!(line(&"x".repeat(1_000)).len(), STATUS_MAX);
    }

    #[test]
    fn the_watchdog_is_pinged_only_after_a_probe_that_answers() {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_time().build().unwrap();
        let (probes, pings) = (Cell::new(0), Cell::new(0));
        // The first probe works, the second fails, the third hangs.
        let probe = |_| {
            probes.set(probes.get() + 1);
            let number = probes.get();
            async move {
                if number >= 3 {
                    std::future::pending::<()>().await;
                }
                number == 1
            }
        };
        let ping = || pings.set(pings.get() + 1);
        let every = Duration::from_millis(5);
        let watching = async {
            let watch = watch_every(every, probe, ping);
            let enough = async {
                while probes.get() < 5 {
                    tokio::time::sleep(every).await;
                }
            };
            tokio::select! { () = watch => {}, () = enough => {} }
        };
        runtime.block_on(watching);
        assert_eq!(pings.get(), 1);
    }
}
