//! Room for as many sockets as the limits permit.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of descriptors reserved for keys, recordings, gpsd and HTTP.
const OTHERS: u64 = 256;

/// Raises the process's soft limit of open files, as far as its hard limit permits.
pub(super) fn reserve(connections: usize) {
    let needed = (connections as u64).saturating_add(OTHERS);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // `None` is no limit.
    let Some(soft) = current.filter(|soft| *soft < needed) else {
        return;
    };
    let raised = maximum.map_or(needed, |hard| hard.min(needed));
    let limit = Rlimit {
        current: Some(raised),
        maximum,
    };
    let is_raised = raised > soft && setrlimit(Resource::Nofile, limit).is_ok();
    if !is_raised || raised < needed {
        tracing::warn!(
            needed,
            "the limit of open files is too low for the connections that are configured; raise it \
             (LimitNOFILE in the systemd unit)"
        );
    }
}
