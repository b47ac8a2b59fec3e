//! Statuses of requests, and refusals.

use std::fmt;

macro_rules! statuses {
    ($($(#[$meta:meta])* $status:ident = $code:literal, $name:literal;)*) => {
        /// The status of a request. A message that is verified and refused has the status `Ok`: its
        /// verdict is in the response.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Status {
            $($(#[$meta])* $status = $code,)*
        }

        impl Status {
            /// Every status.
            pub const ALL: &'static [Self] = &[$(Self::$status,)*];

            /// Returns its name in the JSON form.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$status => $name,)*
                }
            }

            /// Returns the status of a name.
            #[must_use]
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }

            /// Returns the status of a code.
            #[must_use]
            pub fn of_code(code: u16) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| *one as u16 == code)
            }
        }
    };
}

statuses! {
    /// It was done.
    Ok = 0, "ok";
    /// The request cannot be read.
    Malformed = 1, "malformed";
    /// The operation or the version is not known.
    Unsupported = 2, "unsupported";
    /// The request or one of its fields is too long.
    TooLong = 3, "tooLong";
    /// The client has no grant for this operation.
    NotAuthorized = 4, "notAuthorized";
    /// The client has no grant to sign for this application.
    PsidNotAuthorized = 5, "psidNotAuthorized";
    /// The service's certificates do not permit this application or these permissions.
    NotPermitted = 6, "notPermitted";
    /// No certificate of the service is valid now.
    NoCertificate = 7, "noCertificate";
    /// The service does not trust its time.
    TimeNotTrusted = 8, "timeNotTrusted";
    /// The service does not know where it is, and the application demands it.
    LocationUnknown = 9, "locationUnknown";
    /// Too much waits: try again later.
    Overloaded = 10, "overloaded";
    /// The deadline is over.
    DeadlineExceeded = 11, "deadlineExceeded";
    /// The policy verifies nothing from where the message claims to be.
    OutsidePolicy = 12, "outsidePolicy";
    /// Nothing is encrypted: the reason says why.
    NotEncrypted = 13, "notEncrypted";
    /// Nothing is decrypted: the reason says why.
    NotDecrypted = 14, "notDecrypted";
    /// There are too many connections.
    TooManyConnections = 15, "tooManyConnections";
    /// The service is ending.
    ShuttingDown = 16, "shuttingDown";
    /// The service failed.
    Internal = 17, "internal";
    /// The message is outside of the certificate's time or place, or cannot be written.
    NotSigned = 18, "notSigned";
}

macro_rules! shares {
    ($($(#[$meta:meta])* $share:ident = $code:literal, $name:literal;)*) => {
        /// The share that was used up where a request or message is refused with
        /// [`Status::Overloaded`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum ExhaustedShare {
            $($(#[$meta])* $share = $code,)*
        }

        impl ExhaustedShare {
            /// Every share.
            pub const ALL: &'static [Self] = &[$(Self::$share,)*];

            /// Returns its name in the JSON form.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$share => $name,)*
                }
            }

            /// Returns the share of a name.
            #[must_use]
            pub fn of_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }

            /// Returns the share of a code; 0 is none.
            #[must_use]
            pub fn of_code(code: u8) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| *one as u8 == code)
            }
        }
    };
}

shares! {
    /// Messages of the connection that wait for verification. Datagrams of a user count as one
    /// connection.
    Connection = 1, "connection";
    /// Messages of one sender among those of the connection.
    Sender = 2, "sender";
    /// Requests of all clients to one thread of the service, of which the client has the most.
    Queue = 3, "queue";
    /// Datagrams of the user that are under way.
    User = 4, "user";
    /// Memory for the requests of all clients.
    Memory = 5, "memory";
}

/// A request that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRequest {
    /// Status of the request.
    pub status: Status,
    /// The share that was used up, with [`Status::Overloaded`].
    pub share: Option<ExhaustedShare>,
    /// Human-readable reason, with the expected value.
    pub reason: String,
}

impl RefusedRequest {
    /// Refuses with a reason.
    #[must_use]
    pub fn new(status: Status, reason: impl Into<String>) -> Self {
        Self {
            status,
            share: None,
            reason: reason.into(),
        }
    }

    /// Refuses with [`Status::Overloaded`].
    #[must_use]
    pub fn overloaded(share: ExhaustedShare, reason: impl Into<String>) -> Self {
        Self {
            share: Some(share),
            ..Self::new(Status::Overloaded, reason)
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for RefusedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status, self.reason)
    }
}

impl std::error::Error for RefusedRequest {}
