//! Session keys in the hands of message authentication, and the roles that agree on them, as a
//! simulated ECU and an ECU image have them alike.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod following;
mod group;
mod renewable;
mod shares;
mod timetable;

pub use self::following::{ChangeOver, Followed, FollowingKey, FollowingKeys, SessionKeys};
pub use self::group::{GroupObserver, GroupParty, GroupRole, TimedGroupRole, beginning};
pub use self::renewable::RenewableKeys;
pub use self::shares::RoleShares;
pub use self::timetable::Timetable;
