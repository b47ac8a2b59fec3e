//! Reasons why a link does not work, where the operating system's words do not say enough.

use std::io;
use std::net::Ipv4Addr;

/// Reason why a link does not work. It comes inside of an [`io::Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkFault {
    /// No interface has this name. The link tries again.
    #[error("no interface {name:?}; there are: {}", there.join(", "))]
    NoInterface {
        /// The name that was asked for.
        name: String,
        /// The names of the interfaces that there are.
        there: Vec<String>,
    },
    /// No interface has this address. The link tries again.
    #[error("no interface has the address {address}; there are: {}", there.join(", "))]
    NoAddress {
        /// The address that was asked for.
        address: Ipv4Addr,
        /// The IPv4 addresses that there are.
        there: Vec<String>,
    },
    /// The interface is down. The link tries again.
    #[error("the interface {name} is down")]
    Down {
        /// Name of the interface.
        name: String,
    },
    /// The process may not open raw sockets.
    #[error(
        "raw Ethernet needs CAP_NET_RAW: run as root, or \
         `setcap cap_net_raw+ep $(which waywarden)`"
    )]
    NoRight,
    /// The interface carries no Ethernet.
    #[error("the interface {name} carries no Ethernet")]
    NoEthernet {
        /// Name of the interface.
        name: String,
    },
    /// The address is none of a multicast group.
    #[error("{group} is no multicast group: 224.0.0.0 to 239.255.255.255 are")]
    NoGroup {
        /// Address of the group.
        group: Ipv4Addr,
    },
}

impl From<LinkFault> for io::Error {
    fn from(fault: LinkFault) -> Self {
        let kind = match fault {
            LinkFault::NoInterface { .. } => io::ErrorKind::NotFound,
            LinkFault::NoAddress { .. } => io::ErrorKind::AddrNotAvailable,
            LinkFault::Down { .. } => io::ErrorKind::NetworkDown,
            LinkFault::NoRight => io::ErrorKind::PermissionDenied,
            LinkFault::NoEthernet { .. } => io::ErrorKind::Unsupported,
            LinkFault::NoGroup { .. } => io::ErrorKind::InvalidInput,
        };
        Self::new(kind, fault)
    }
}
