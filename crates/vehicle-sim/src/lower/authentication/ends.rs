//! A role made of its ends.

use waywarden_can::node::{Boot, Slot};
use waywarden_can_auth::stream::{Check, Protect};
use waywarden_ecu::{Authenticator, End};

use super::configuration::AuthenticationConfiguration;
use super::keys::Keys;
use crate::nodes::MessageAuthenticator;

pub(super) type Ends<T> = Vec<End<T>>;

/// Makes a role of its ends and keys.
pub(super) fn made<S: Protect + 'static, R: Check + 'static>(
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
