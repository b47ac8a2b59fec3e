//! The quantity behind a printed number: computed by the formulas and measured by a simulation.
//!
//! Also the seam through which a simulation hands in what it measured.

use std::fmt;

use serde::Deserialize;
use waywarden_work::{Algorithm, OperationKind};

use super::model::{GkeBus, GkeScheme};
use waywarden_paper_tables::Measurement;

/// Quantity that a printed number states.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum GkeQuantity {
    /// The time of one operation on one board.
    Operation {
        /// Name of a built-in board.
        board: String,
        /// Curve and signature scheme.
        suite: GkeSuite,
        /// Operation on the curve.
        operation: GkeOperation,
    },
    /// The time of a message of so many bytes, from sender to receiver.
    Send {
        /// The board of both.
        board: String,
        /// Kind of frames.
        bus: GkeBus,
        /// Message length, in bytes.
        bytes: u32,
    },
    /// One step of the protocol run that Table VI or VII measures.
    #[serde(skip)]
    Step {
        /// Table that prints the run.
        place: String,
        /// Index of one of its two ECUs, 0 or 1.
        seen_by: usize,
        /// Step of the protocol.
        step: GkeStep,
    },
    /// The whole run that Table VI or VII measures, by the sum of its steps.
    #[serde(rename_all = "kebab-case")]
    Run {
        /// Table that prints the run.
        place: String,
        /// Index of one of its two ECUs, 0 or 1.
        seen_by: usize,
    },
    /// T_kex on the figures of Tables IV and V: the slower of both in every stage.
    TwoParty {
        /// Boards of the two ECUs.
        boards: [String; 2],
        /// Curve and signature scheme.
        suite: GkeSuite,
        /// Kind of frames.
        bus: GkeBus,
    },
    /// The time of a group key exchange of `n` ECUs and an orchestrator, all of one board.
    Group {
        /// Group key scheme.
        scheme: GkeScheme,
        /// Number of ECUs beside the orchestrator.
        n: u32,
        /// Board of every ECU.
        board: String,
        /// Curve and signature scheme.
        suite: GkeSuite,
        /// Kind of frames.
        bus: GkeBus,
        /// Part of the time.
        part: ExchangePart,
    },
    /// Number of frames that a group key exchange puts on the bus, orchestration included.
    Frames {
        /// Group key scheme.
        scheme: GkeScheme,
        /// Number of ECUs beside the orchestrator.
        n: u32,
        /// Kind of frames.
        bus: GkeBus,
    },
    /// The share of the time of a group key exchange in which its frames occupy the bus.
    Load {
        /// Group key scheme.
        scheme: GkeScheme,
        /// Number of ECUs beside the orchestrator.
        n: u32,
        /// Board of every ECU.
        board: String,
        /// Curve and signature scheme.
        suite: GkeSuite,
        /// Kind of frames.
        bus: GkeBus,
    },
    /// Frames of a group key exchange as a share of what a bus carries in a second.
    #[serde(rename_all = "kebab-case")]
    FrameShare {
        /// Group key scheme.
        scheme: GkeScheme,
        /// Number of ECUs beside the orchestrator.
        n: u32,
        /// Kind of frames.
        bus: GkeBus,
        /// Capacity that the paper assumes for the bus, in frames a second.
        frames_per_second: u32,
    },
    /// The time of a classic frame of 8 bytes with a 29-bit identifier, on average.
    #[serde(rename_all = "kebab-case")]
    ClassicFrame {
        /// Bit rate in bits per second.
        bit_rate: u32,
    },
    /// Number of such frames that follow each other in a second, by the paper's time of one.
    #[serde(rename_all = "kebab-case")]
    FrameRate {
        /// Bit rate in bits per second.
        bit_rate: u32,
    },
    /// Ratio of the time of one suite on one board to that of another suite on another board.
    #[serde(rename_all = "kebab-case")]
    SpeedUp {
        /// The slower suite.
        slow: GkeSuite,
        /// Board of the slower suite.
        slow_board: String,
        /// The faster suite.
        fast: GkeSuite,
        /// Board of the faster suite.
        fast_board: String,
        /// Reduction of the five operations' ratios to one number.
        over: Aggregation,
    },
    /// One quantity divided by another.
    Ratio {
        /// The dividend.
        over: Box<GkeQuantity>,
        /// The divisor.
        under: Box<GkeQuantity>,
    },
}

/// The curve, and with it the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GkeSuite {
    /// FourQ and SchnorrQ.
    #[serde(rename = "fourq")]
    FourQ,
    /// P-256 and ECDSA.
    P256,
}

/// The rows of Tables IV and V.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GkeOperation {
    /// A Diffie-Hellman share.
    Share,
    /// The secret from the peer's share.
    Extract,
    /// A key pair for signatures.
    KeyGenerate,
    /// A signature.
    Sign,
    /// The check of a signature.
    Verify,
}

/// The rows of Tables VI and VII.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GkeStep {
    /// Step 1: the request's signature is verified.
    VerifyRequest,
    /// Step 2: the share is computed.
    Share,
    /// Step 3a: the first share is sent.
    #[serde(rename = "send32-first")]
    Send32First,
    /// Step 3b: the second share is sent.
    #[serde(rename = "send32-second")]
    Send32Second,
    /// Step 4a: the key is extracted.
    Extract,
    /// Step 4b: the confirmation is signed.
    Sign,
    /// Step 4c: the signature is encrypted.
    Encrypt,
    /// Step 5a: the first confirmation is sent.
    #[serde(rename = "send64-first")]
    Send64First,
    /// Step 5b: the second confirmation is sent.
    #[serde(rename = "send64-second")]
    Send64Second,
    /// Step 6a: the peer's signature is decrypted.
    Decrypt,
    /// Step 6b: the peer's confirmation is verified.
    VerifyConfirmation,
}

/// Part of a group key exchange's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExchangePart {
    /// T_gkex and T_SoECU.
    Total,
    /// T_gkex.
    Exchanges,
    /// T_SoECU.
    Orchestration,
    /// The frames of T_gkex.
    ExchangeBus,
    /// The cryptography of T_gkex.
    ExchangeComputation,
    /// All frames.
    Bus,
    /// All cryptography.
    Computation,
}

/// Reduction of five ratios to one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregation {
    /// Their mean.
    Mean,
    /// The least of them.
    Least,
}

/// Source of measured values; returns `None` for a quantity that was not measured.
pub type GkeMeasured<'a> = dyn Fn(&GkeQuantity) -> Option<Measurement> + 'a;

/// Measures nothing: for the formulas alone.
#[must_use]
pub const fn unmeasured(_: &GkeQuantity) -> Option<Measurement> {
    None
}

impl GkeSuite {
    /// Both, in the paper's order.
    pub const ALL: [GkeSuite; 2] = [GkeSuite::FourQ, GkeSuite::P256];

    /// Returns the algorithm of board figures.
    #[must_use]
    pub const fn algorithm(self) -> Algorithm {
        match self {
            GkeSuite::FourQ => Algorithm::FourQ,
            GkeSuite::P256 => Algorithm::P256,
        }
    }
}

impl GkeOperation {
    /// All five, in the paper's order.
    pub const ALL: [GkeOperation; 5] = [
        GkeOperation::Share,
        GkeOperation::Extract,
        GkeOperation::KeyGenerate,
        GkeOperation::Sign,
        GkeOperation::Verify,
    ];

    /// Returns the kind of operation of board figures.
    #[must_use]
    pub const fn kind(self) -> OperationKind {
        match self {
            GkeOperation::Share => OperationKind::Share,
            GkeOperation::Extract => OperationKind::Extract,
            GkeOperation::KeyGenerate => OperationKind::KeyGenerate,
            GkeOperation::Sign => OperationKind::Sign,
            GkeOperation::Verify => OperationKind::Verify,
        }
    }
}

impl GkeStep {
    /// Returns the payload length in bytes if the step is a message; none for a computation.
    #[must_use]
    pub const fn message_bytes(self) -> Option<u32> {
        match self {
            GkeStep::Send32First | GkeStep::Send32Second => Some(32),
            GkeStep::Send64First | GkeStep::Send64Second => Some(64),
            _ => None,
        }
    }
}

impl ExchangePart {
    /// Every part.
    pub const ALL: [ExchangePart; 7] = [
        ExchangePart::Total,
        ExchangePart::Exchanges,
        ExchangePart::Orchestration,
        ExchangePart::ExchangeBus,
        ExchangePart::ExchangeComputation,
        ExchangePart::Bus,
        ExchangePart::Computation,
    ];

    /// Returns the part in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ExchangePart::Total => "T_gkex and T_SoECU together",
            ExchangePart::Exchanges => "T_gkex, bus time included",
            ExchangePart::Orchestration => "T_SoECU",
            ExchangePart::ExchangeBus => "the frames of T_gkex",
            ExchangePart::ExchangeComputation => "the cryptography of T_gkex",
            ExchangePart::Bus => "all frames",
            ExchangePart::Computation => "all cryptography",
        }
    }
}

impl fmt::Display for GkeSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            GkeSuite::FourQ => "FourQ",
            GkeSuite::P256 => "P-256",
        })
    }
}

impl fmt::Display for GkeBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            GkeBus::Can => "CAN",
            GkeBus::CanFd => "CAN FD",
        })
    }
}

impl fmt::Display for GkeScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            GkeScheme::Main => "main scheme",
            GkeScheme::Without => "scheme without orchestrator",
            GkeScheme::Symmetric => "symmetric scheme",
            GkeScheme::TwoParty => "two-party exchange",
        })
    }
}

impl fmt::Display for GkeOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.kind().name())
    }
}
