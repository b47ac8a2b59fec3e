//! Errors of making a plan of ECUs.

use core::fmt;

use waywarden_key_roles::Address;

/// An error of making a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// A group needs an ECU besides the orchestrator, and each network one.
    Empty,
    /// Address 0 stands for no ECU.
    NoAddress,
    /// Two ECUs have this address.
    Twice(Address),
    /// Physical and logical ECUs together need more than 255 addresses.
    OutOfAddresses,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Empty => f.write_str("a group needs an ECU besides the orchestrator"),
            PlanError::NoAddress => f.write_str("address 0 stands for no ECU: use 1 to 255"),
            PlanError::Twice(Address(at)) => write!(f, "two ECUs have the address {at}"),
            PlanError::OutOfAddresses => f.write_str(
                "physical and logical ECUs need more than 255 addresses: 85 ECUs fit a tree with \
                 the orchestrator, 127 the other schemes",
            ),
        }
    }
}

impl core::error::Error for PlanError {}
