//! Two cars on a straight road: from the wheel of the one to the brake of the other.

mod support;
mod wheel_to_brake;
