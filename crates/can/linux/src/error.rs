//! Errors, one enum for each operation. Each message names the interface or the file, and, if
//! possible, the command that mends it.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use waywarden_can::node::Port;

/// Reason that an interface cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The kernel has no CAN at all.
    #[error("{interface}: this kernel has no CAN sockets; try `modprobe can_raw`")]
    NoCan {
        /// The interface that was asked for.
        interface: String,
    },
    /// No interface has this name.
    #[error(
        "{interface}: no such interface; a virtual one is made by \
         `ip link add dev {interface} type vcan && ip link set {interface} up`"
    )]
    NoSuchInterface {
        /// The interface's name.
        interface: String,
    },
    /// The interface is not a CAN interface.
    #[error("{interface}: not a CAN interface; `ip -details link show type can` lists those")]
    NotCan {
        /// The interface's name.
        interface: String,
    },
    /// The interface is down.
    #[error(
        "{interface}: the interface is down; bring it up by `ip link set {interface} up` \
         (a controller needs its bit rate first: \
         `ip link set {interface} type can bitrate 500000 restart-ms 100`)"
    )]
    NotUp {
        /// The interface's name.
        interface: String,
    },
    /// FD frames are asked for on an interface that carries classic frames only.
    #[error(
        "{interface}: carries classic frames only, its MTU is {mtu} bytes where FD needs 72; \
         for a virtual interface `ip link set {interface} down && ip link set {interface} mtu 72 \
         && ip link set {interface} up`, for a controller \
         `ip link set {interface} type can bitrate 500000 dbitrate 2000000 fd on`"
    )]
    ClassicMtu {
        /// The interface's name.
        interface: String,
        /// The MTU as the kernel reports it, in bytes.
        mtu: u32,
    },
    /// The process may not open a CAN socket.
    #[error("{interface}: this process may not open CAN sockets (container or security policy)")]
    NotPermitted {
        /// The interface's name.
        interface: String,
    },
    /// Any other error of the kernel.
    #[error("{interface}: cannot {doing}")]
    Io {
        /// The interface's name.
        interface: String,
        /// The operation that was tried.
        doing: &'static str,
        /// The kernel's error.
        source: io::Error,
    },
}

/// Reason that a link can no longer be used.
#[derive(Debug, Error)]
pub enum CanLinkError {
    /// The interface was removed while it was in use.
    #[error("{interface}: the interface is gone (adapter unplugged, or `ip link del`)")]
    Gone {
        /// The interface's name.
        interface: String,
    },
    /// The node sends an FD frame on a port that was opened for classic frames.
    #[error(
        "{interface}: the node sends an FD frame, but the port is classic; open it with \
         `Interface::fd`, on an interface whose MTU is 72 (`ip link set {interface} mtu 72`)"
    )]
    FdOnClassic {
        /// The interface's name.
        interface: String,
    },
    /// Any other error of the kernel.
    #[error("{interface}: cannot {doing}")]
    Io {
        /// The interface's name.
        interface: String,
        /// The operation that was tried.
        doing: &'static str,
        /// The kernel's error.
        source: io::Error,
    },
}

/// Reason that memory cannot be kept over a reset, or read back.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process keeps its memory in this directory.
    #[error("{path}: in use by another process; each node needs a directory of its own")]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// The file of a slot does not have the 32 bytes that a slot holds.
    #[error(
        "{path}: {length} bytes where a slot holds 32; the file was not written by this store, or \
         its file system lost it. Removing it makes the node forget the slot"
    )]
    Damaged {
        /// The slot's file.
        path: PathBuf,
        /// Its length in bytes.
        length: u64,
    },
    /// An error of the file system.
    #[error("{path}: cannot {doing}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operation that was tried.
        doing: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

/// Reason that a driver stops. The node has then not come to rest: boot a new one.
#[derive(Debug, Error)]
pub enum DriverError {
    /// More interfaces than an ECU has ports.
    #[error("{0} interfaces, but an ECU has at most 32 ports")]
    TooManyPorts(usize),
    /// A link failed.
    #[error(transparent)]
    Link(#[from] CanLinkError),
    /// The store failed; the node got no `Retained` for its memory.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Waiting for the interfaces failed.
    #[error("cannot wait for the interfaces")]
    Wait(#[source] io::Error),
    /// The node sends on a port that was not in `room`.
    #[error("the node sends on port {}, which has no room", .0.0)]
    NoRoom(Port),
    /// The node answers without end.
    #[error("the node gave {0} answers to one event without coming to rest")]
    Runaway(u32),
    /// The node gives an answer that this driver does not know.
    #[error("the node gives an answer that this driver does not know")]
    UnknownOutput,
}
