//! The operations' numbers in the binary form, and their names in the JSON form.

use std::fmt;

use super::{RequestedOperation, ResponseBody};

macro_rules! kinds {
    ($(
        $(#[$meta:meta])*
        $kind:ident = $number:literal, $name:literal $(, alias $alias:literal)*;
    )*) => {
        /// The kind of operation that a request asks for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum OperationKind {
            $($(#[$meta])* $kind = $number,)*
        }

        impl OperationKind {
            /// Every operation.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Returns its name in the JSON form.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// Returns the standards' names that the JSON form takes for it as well.
            #[must_use]
            pub fn aliases(self) -> &'static [&'static str] {
                match self {
                    $(Self::$kind => &[$($alias,)*],)*
                }
            }
        }
    };
}

kinds! {
    /// Sign a payload.
    Sign = 1, "sign", alias "SN-SIGN", alias "Sec-SignedData", alias "WME_SEC_SIGN_DATA";
    /// Verify a message.
    Verify = 2, "verify", alias "SN-VERIFY", alias "Sec-SignedDataVerification",
        alias "WME_SEC_VERIFY_DATA";
    /// Verify several messages.
    VerifyMany = 3, "verifyMany";
    /// Encrypt data.
    Encrypt = 4, "encrypt", alias "SN-ENCRYPT";
    /// Decrypt a message.
    Decrypt = 5, "decrypt", alias "SN-DECRYPT";
    /// Say what is known of a certificate.
    CertificateStatus = 6, "certificateStatus";
    /// Report what was counted.
    Statistics = 7, "statistics";
    /// Report whether the service works.
    Health = 8, "health";
    /// Take a token.
    Authenticate = 9, "authenticate";
    /// Send verdicts as they fall.
    Subscribe = 10, "subscribe";
    /// Sign with another certificate from now on.
    ChangeCertificate = 11, "changeCertificate", alias "SN-IDCHANGE-TRIGGER";
}

impl OperationKind {
    /// Returns the operation of a number.
    #[must_use]
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| *one as u8 == number)
    }

    /// Returns the operation of a name or an alias.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|one| one.name() == name || one.aliases().contains(&name))
    }
}

impl fmt::Display for OperationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl RequestedOperation {
    /// Returns the kind of the operation.
    #[must_use]
    pub fn kind(&self) -> OperationKind {
        match self {
            Self::Sign(_) => OperationKind::Sign,
            Self::Verify(_) => OperationKind::Verify,
            Self::VerifyMany(_) => OperationKind::VerifyMany,
            Self::Encrypt(_) => OperationKind::Encrypt,
            Self::Decrypt(_) => OperationKind::Decrypt,
            Self::CertificateStatus(_) => OperationKind::CertificateStatus,
            Self::Statistics => OperationKind::Statistics,
            Self::Health => OperationKind::Health,
            Self::Authenticate(_) => OperationKind::Authenticate,
            Self::Subscribe => OperationKind::Subscribe,
            Self::ChangeCertificate(_) => OperationKind::ChangeCertificate,
        }
    }
}

impl ResponseBody {
    /// Returns the kind of the answered operation; `None` for an event, which answers none.
    #[must_use]
    pub fn kind(&self) -> Option<OperationKind> {
        Some(match self {
            Self::Signed { .. } => OperationKind::Sign,
            Self::Verified(_) => OperationKind::Verify,
            Self::VerifiedMany(_) => OperationKind::VerifyMany,
            Self::Encrypted(_) => OperationKind::Encrypt,
            Self::Decrypted(_) => OperationKind::Decrypt,
            Self::CertificateStatus(_) => OperationKind::CertificateStatus,
            Self::Statistics(_) => OperationKind::Statistics,
            Self::Health(_) => OperationKind::Health,
            Self::Authenticated => OperationKind::Authenticate,
            Self::Subscribed => OperationKind::Subscribe,
            Self::CertificateChanged { .. } => OperationKind::ChangeCertificate,
            Self::Event { .. } => return None,
        })
    }
}
