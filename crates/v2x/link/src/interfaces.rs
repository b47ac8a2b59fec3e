//! The network interfaces of the machine.

use std::collections::BTreeSet;
use std::io;
use std::net::Ipv4Addr;

use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::net::if_::{InterfaceFlags, if_nametoindex};
use nix::sys::socket::LinkAddr;

use crate::fault::LinkFault;

/// The hardware type of Ethernet, and that of the loopback interface, which carries it, too
/// (`ARPHRD_ETHER` and `ARPHRD_LOOPBACK` of Linux).
const CARRY_ETHERNET: [u16; 2] = [1, 772];

/// An interface.
pub(crate) struct Interface {
    pub(crate) name: String,
    /// Its number, which an interface that is made again does not keep.
    pub(crate) index: u32,
    /// `None`: it has no hardware address, as a tunnel.
    pub(crate) link: Option<LinkAddr>,
    pub(crate) is_up: bool,
    pub(crate) is_loopback: bool,
}

impl Interface {
    /// Returns the address to bind a raw socket to; `None`: the interface carries no Ethernet.
    pub(crate) fn ethernet(&self) -> Option<LinkAddr> {
        self.link.filter(|it| CARRY_ETHERNET.contains(&it.hatype()))
    }

    pub(crate) fn down(self) -> io::Error {
        LinkFault::Down { name: self.name }.into()
    }
}

/// Finds an interface by its name.
pub(crate) fn named(name: &str) -> io::Result<Interface> {
    let all: Vec<InterfaceAddress> = getifaddrs()?.collect();
    find(&all, name).ok_or_else(|| {
        let names: BTreeSet<_> = all.iter().map(|it| it.interface_name.clone()).collect();
        let there = names.into_iter().collect();
        let name = name.to_owned();
        LinkFault::NoInterface { name, there }.into()
    })
}

/// Finds the interface that has an address. All of 127.0.0.0/8 are those of the loopback
/// interface.
pub(crate) fn with_address(address: Ipv4Addr) -> io::Result<Interface> {
    let all: Vec<InterfaceAddress> = getifaddrs()?.collect();
    let has_it = |it: &&InterfaceAddress| {
        let is_loopback = it.flags.contains(InterfaceFlags::IFF_LOOPBACK);
        let own = ipv4_of(it);
        own == Some(address) || (own.is_some() && is_loopback && address.is_loopback())
    };
    let found = all.iter().find(has_it);
    // An alias has a name of its own, behind a colon.
    let name = found.and_then(|it| it.interface_name.split(':').next());
    name.and_then(|name| find(&all, name)).ok_or_else(|| {
        let there = all.iter().filter_map(ipv4_of);
        let there = there.map(|own| own.to_string()).collect();
        LinkFault::NoAddress { address, there }.into()
    })
}

fn find(all: &[InterfaceAddress], name: &str) -> Option<Interface> {
    let of_name = |it: &&InterfaceAddress| it.interface_name == name;
    let one = all.iter().find(of_name)?;
    Some(Interface {
        name: name.to_owned(),
        // It may be removed meanwhile.
        index: if_nametoindex(name).ok()?,
        link: all.iter().filter(of_name).find_map(link_of),
        is_up: one.flags.contains(InterfaceFlags::IFF_UP),
        is_loopback: one.flags.contains(InterfaceFlags::IFF_LOOPBACK),
    })
}

fn link_of(one: &InterfaceAddress) -> Option<LinkAddr> {
    one.address.as_ref()?.as_link_addr().copied()
}

fn ipv4_of(one: &InterfaceAddress) -> Option<Ipv4Addr> {
    Some(one.address.as_ref()?.as_sockaddr_in()?.ip())
}
