//! `[sockets]` and `[http]`: sockets for clients, and limits on connections.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::quantity::{
    named_psids, number_between, psids, size_between, some_psid, some_time_between, time_between,
};

/// The sockets of the service's own protocol.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SocketsSection {
    /// The path of a Unix-domain stream socket.
    pub stream: Option<PathBuf>,
    /// The path of a Unix-domain datagram socket.
    pub datagram: Option<PathBuf>,
    /// The permissions of both, in octal digits: by default `0660`.
    pub mode: SocketMode,
    /// The group that owns both: a name of /etc/group, or a number. By default that of the process.
    pub group: Option<String>,
    /// An address and port for TCP.
    pub tcp: Option<SocketAddr>,
    /// True if `tcp` may be an address beyond this computer: by default false.
    pub tcp_remote: bool,
    /// True if systemd opens these sockets and that of HTTP, and passes them: by default false.
    /// Paths, permissions and groups are then those of its units.
    pub systemd: bool,
    /// Most connections: 1 to 65,536, by default 1,024.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub connections: usize,
    /// Most of these of one user, and over TCP: 1 to 65,536, by default 512.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub connections_per_user: usize,
    /// Most of these of clients without a grant: 1 to 65,536, by default 896.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub connections_without_grant: usize,
    /// Most requests of one connection under way: 1 to 65,536, by default 256.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub requests: usize,
    /// Most bytes of the requests under way of all connections together, with their answers: 16 MiB
    /// to 4 GiB, by default 64 MiB.
    #[serde(deserialize_with = "size_between::<16_777_216, 4_294_967_296, _>")]
    pub request_memory: u64,
    /// Most requests by datagram under way: 1 to 65,536, by default 256.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub datagram_requests: usize,
    /// Most of these of one user: 1 to 65,536, by default 128.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub datagram_requests_per_user: usize,
    /// Longest time for a client to read: 10 ms to 1 h, by default 10 s.
    #[serde(deserialize_with = "time_between::<10_000, 3_600_000_000, _>")]
    pub write_timeout: Duration,
    /// Longest time for a frame to arrive: 10 ms to 1 h, by default 10 s.
    #[serde(deserialize_with = "time_between::<10_000, 3_600_000_000, _>")]
    pub frame_timeout: Duration,
    /// Time after which a connection without a request is closed: 10 ms to 7 d, by default never.
    #[serde(deserialize_with = "some_time_between::<10_000, 604_800_000_000, _>")]
    pub idle_timeout: Option<Duration>,
}

impl Default for SocketsSection {
    fn default() -> Self {
        Self {
            stream: None,
            datagram: None,
            mode: SocketMode::default(),
            group: None,
            tcp: None,
            tcp_remote: false,
            systemd: false,
            connections: 1_024,
            connections_per_user: 512,
            connections_without_grant: 896,
            requests: 256,
            request_memory: 64 << 20,
            datagram_requests: 256,
            datagram_requests_per_user: 128,
            write_timeout: Duration::from_secs(10),
            frame_timeout: Duration::from_secs(10),
            idle_timeout: None,
        }
    }
}

/// The permissions of a socket's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketMode(pub u32);

impl Default for SocketMode {
    fn default() -> Self {
        Self(0o660)
    }
}

impl<'de> Deserialize<'de> for SocketMode {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        // Of a number Rust takes a sign as well.
        let are_digits = text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        let mode = u32::from_str_radix(&text, 8).ok();
        let mode = mode.filter(|mode| *mode <= 0o777 && are_digits);
        mode.map(Self).ok_or_else(|| {
            let why = format!("{text:?}: write permissions in octal digits, such as \"0660\"");
            D::Error::custom(why)
        })
    }
}

fn http_connections() -> usize {
    64
}

/// HTTP. Who may sign over it is granted by `[[access]]` with a token.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpSection {
    /// The address and port.
    pub address: SocketAddr,
    /// True if it may be an address beyond this computer: by default false.
    #[serde(default)]
    pub remote: bool,
    /// Most connections: 1 to 10,000, by default 64.
    #[serde(
        default = "http_connections",
        deserialize_with = "number_between::<1, 10_000, _, _>"
    )]
    pub connections: usize,
    /// The application for which `POST /sign` signs if the request names none; without it such a
    /// request is refused.
    #[serde(default, deserialize_with = "some_psid")]
    pub sign_psid: Option<Psid>,
    /// The applications of messages whose request has a `type` in place of an application, as
    /// V2X-Hub sends it: by default none, and the type is not looked at.
    #[serde(default, deserialize_with = "named_psids")]
    pub sign_types: BTreeMap<String, Psid>,
    /// The applications for which `POST /sign` signs without a token, for clients that send none:
    /// by default none. Every process of this computer may have them signed then.
    #[serde(default, deserialize_with = "psids")]
    pub sign_without_token: BTreeSet<Psid>,
}

impl HttpSection {
    /// Refuses to sign without a token where other computers can ask.
    ///
    /// # Errors
    /// A text about `address`, which is the configured one or that of a socket that was passed.
    pub fn check(&self, address: SocketAddr) -> Result<(), String> {
        let is_here = address.ip().to_canonical().is_loopback() && !self.remote;
        match self.sign_without_token.is_empty() || is_here {
            true => Ok(()),
            false => Err(format!(
                "[http] sign_without_token: at {address}, other computers could have messages \
                 signed; give a loopback address such as 127.0.0.1:8090 without remote = true, or \
                 [[access]] with token_file"
            )),
        }
    }
}
