//! Names of the quantities that are measured on this machine.

use waywarden_work::OperationKind;

use waywarden_paper_tables::Measurement;

/// A measured quantity: a time on this machine, for P-256 on one thread, or the length of an
/// encoded message, which is equal on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EcqvQuantity {
    /// Time of a single operation.
    Operation(OperationKind),
    /// Time per signature to verify many queued ones.
    WaitingSignature,
    /// Time per message to rebuild the key and verify, for many queued messages.
    WaitingMessage,
    /// Length of the certificate or digest that a message carries, in bytes.
    SignerBytes(Signer),
    /// Length of a signed message with [`PAYLOAD_BYTES`], in bytes.
    MessageBytes(Signer),
}

/// Payload length of an encoded message, in bytes: the default of section III-A.
pub const PAYLOAD_BYTES: usize = 254;

/// Signer information in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signer {
    /// The implicit certificate of the signer.
    Implicit,
    /// The explicit certificate of the signer.
    Explicit,
    /// The digest of an implicit or explicit certificate that the receiver knows.
    Digest,
}

impl Signer {
    /// All kinds, in the order of tables.
    pub const ALL: [Signer; 3] = [Signer::Implicit, Signer::Explicit, Signer::Digest];

    /// Returns its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Signer::Implicit => "implicit certificate",
            Signer::Explicit => "explicit certificate",
            Signer::Digest => "digest of a known certificate",
        }
    }
}

/// Source of measured values; returns `None` for a quantity that was not measured.
pub type EcqvMeasured<'a> = dyn Fn(&EcqvQuantity) -> Option<Measurement> + 'a;

/// Returns `None` for every quantity: for tables of the paper's boards only.
#[must_use]
pub const fn unmeasured(_: &EcqvQuantity) -> Option<Measurement> {
    None
}

/// The operations of Table I with the paper's names, in its order.
pub const OPERATIONS: [(OperationKind, &str); 7] = [
    (OperationKind::KeyGenerate, "KeyGen"),
    (OperationKind::CertificateRequest, "CsrGen"),
    (OperationKind::CertificateIssue, "CrtGen"),
    (OperationKind::CertificateAccept, "CRTReception"),
    (OperationKind::KeyRebuild, "Extract"),
    (OperationKind::Sign, "Sign"),
    (OperationKind::Verify, "Verify"),
];

/// Returns the paper's name of an operation.
pub(super) fn name(kind: OperationKind) -> &'static str {
    let mut all = OPERATIONS.iter();
    all.find(|(of, _)| *of == kind)
        .map_or(kind.name(), |(_, name)| name)
}

/// Role of a device (section IV).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Obtains a certificate for each message, then signs and sends the message.
    FullSender,
    /// Signs and sends with a certificate that it already has.
    DirectSender,
    /// Verifies a message.
    Receiver,
}

impl Role {
    /// Every role, in the order of Table II.
    pub(super) const ALL: [Role; 3] = [Role::FullSender, Role::DirectSender, Role::Receiver];

    /// Returns the paper's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Role::FullSender => "Full Sender",
            Role::DirectSender => "Direct Sender",
            Role::Receiver => "Receiver",
        }
    }

    /// Returns the operations that the role performs for a message.
    pub(super) const fn operations(self) -> &'static [OperationKind] {
        match self {
            Role::FullSender => &[
                OperationKind::CertificateRequest,
                OperationKind::CertificateAccept,
                OperationKind::Sign,
            ],
            Role::DirectSender => &[OperationKind::Sign],
            Role::Receiver => &[OperationKind::KeyRebuild, OperationKind::Verify],
        }
    }
}
