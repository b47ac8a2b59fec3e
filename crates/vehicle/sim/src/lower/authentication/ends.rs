//! A role made of its ends.

use waywarden_can::node::{Boot, Slot};
use waywarden_can_auth::stream::{Check, Protect};
use waywarden_ecu::{Authenticator, End};

use super::configuration::{AuthenticationConfiguration, Line};
use super::keys::Keys;
use crate::nodes::MessageAuthenticator;

pub(super) type Ends<T> = Vec<End<T>>;

/// Makes an end of each line, on the line's port; lines of which `make` makes none have none.
pub(super) fn ends<T>(lines: &[Line], mut make: impl FnMut(&Line) -> Option<T>) -> Ends<T> {
    let end = |line: &Line| {
        let (port, end) = (line.port, make(line)?);
        Some(End { port, end })
    };
    lines.iter().filter_map(end).collect()
}

/// Makes a role of its ends and keys.
pub(super) fn made<S: Protect + Send + 'static, R: Check + Send + 'static>(
    boot: &Boot<'_>,
    slot: Slot,
    configuration: &AuthenticationConfiguration,
    keys: Keys,
    (senders, receivers): (Ends<S>, Ends<R>),
) -> Box<dyn MessageAuthenticator> {
    let role = Authenticator::new(
        slot,
        boot,
        configuration.freshness,
        keys,
        senders,
        receivers,
    );
    // How many counters there are was looked at before the run.
    let role = role.unwrap_or_else(|error| unreachable!("{error}"));
    match configuration.shield {
        Some(shield) => Box::new(role.shielding(shield)),
        None => Box::new(role),
    }
}
