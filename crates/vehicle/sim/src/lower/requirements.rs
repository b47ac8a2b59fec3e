//! Check for requirements that no run can test because the vehicle lacks their subject.

use super::LowerError;
use waywarden_vehicle_file::{Located, VehicleFile};
use waywarden_work::Duration;

/// Refuses a requirement whose subject the vehicle lacks: every run would meet it.
///
/// # Errors
/// [`LowerError::Requirement`] for the first such requirement.
pub(super) fn check(file: &VehicleFile) -> Result<(), LowerError> {
    let require = &file.require;
    let has_receivers = file.streams.iter().any(|one| !one.receivers.is_empty());
    let checks = [
        (
            "startup",
            &require.startup,
            has_receivers,
            "no stream has receivers; give a stream `receivers`, or remove this requirement",
        ),
        (
            "group_key_within",
            &require.group_key_within,
            !file.groups.is_empty(),
            "no group agrees on a key; add [[keys]] with a group scheme, or remove this \
             requirement",
        ),
        (
            "authorized_within",
            &require.authorized_within,
            !file.lasan.is_empty(),
            "there is no security module; add [[keys]] with scheme = \"lasan\", or remove this \
             requirement",
        ),
    ];
    let refused = |required: &Located<Duration>, requirement, why| LowerError::Requirement {
        place: file.source.place(&required.span),
        requirement,
        why,
    };
    for (requirement, required, is_about_something, why) in checks {
        if let (Some(required), false) = (required, is_about_something) {
            return Err(refused(required, requirement, why));
        }
    }
    Ok(())
}
