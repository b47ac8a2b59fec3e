//! The quantity behind a number: computed by the formulas and measured by a simulation.

use serde::Deserialize;

use waywarden_paper_tables::Measurement;

/// A number of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VulcanQuantity {
    /// The run it belongs to.
    pub run: VulcanRun,
    /// Metric of the run.
    pub what: VulcanMetric,
}

/// Two ECUs on the paper's board, one of which answers each message of the other with one of its
/// own, at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VulcanRun {
    /// Authentication protocol.
    pub protocol: VulcanProtocol,
    /// Authentication code.
    pub code: Code,
    /// Transmit buffers into which the driver loads frames.
    pub buffers: Buffers,
    /// True if keys and codes are in protected modules: a sender calls one for each message.
    pub has_modules: bool,
}

/// Authentication protocol of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VulcanProtocol {
    /// Not at all; 11-bit identifiers.
    Plain,
    /// Not at all; 29-bit identifiers.
    PlainExtended,
    /// vatiCAN as published.
    Vatican,
    /// LeiA as published.
    Leia,
    /// The hardened protocol in vatiCAN's frames.
    PairedVatican,
    /// The hardened protocol in LeiA's frames.
    PairedLeia,
    /// SecOC, profile 1: four bytes of message, four of freshness and code in one frame.
    SecOc,
}

/// Authentication code, and the unit or software that computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// None.
    None,
    /// SpongentMac in the Sancus unit.
    Unit,
    /// vatiCAN's own in software. Its bits are SpongentMac's here, its time is its own.
    Software,
    /// AES-128-CMAC in software.
    Cmac,
}

/// Transmit buffers that the driver loads.
///
/// `Choice:` [`Buffers::One`] stands for the paper, because the driver published with it waits for
/// the frame before to be sent until it loads the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Buffers {
    /// One, although the controller has three.
    One,
    /// As many as there are frames of a message.
    Several,
}

/// Metric of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VulcanMetric {
    /// The time of one code.
    Code,
    /// From the call that sends a message to the acknowledgement of its last frame.
    Send,
    /// From the call that sends the ping to the pong in the application.
    RoundTrip,
    /// Time that the frames of a round trip are on the bus, without intermissions.
    Bus,
    /// Time that both processors are busy with a round trip.
    Processors,
    /// Frames of a round trip.
    Frames,
}

/// Source of measured values; returns `None` for a quantity that was not measured.
pub type VulcanMeasured<'a> = dyn Fn(&VulcanQuantity) -> Option<Measurement> + 'a;

/// Measures nothing: for the formulas alone.
#[must_use]
pub const fn unmeasured(_: &VulcanQuantity) -> Option<Measurement> {
    None
}

impl VulcanRun {
    /// Without authentication.
    pub const PLAIN: VulcanRun = VulcanRun::new(VulcanProtocol::Plain, Code::None);
    /// vatiCAN with its own code in software.
    pub const SOFTWARE: VulcanRun = VulcanRun::new(VulcanProtocol::Vatican, Code::Software);

    /// A run of the published driver.
    #[must_use]
    pub const fn new(protocol: VulcanProtocol, code: Code) -> Self {
        VulcanRun {
            protocol,
            code,
            buffers: Buffers::One,
            has_modules: false,
        }
    }

    /// Returns the same run with keys and codes in protected modules.
    #[must_use]
    pub const fn in_modules(self) -> Self {
        VulcanRun {
            has_modules: true,
            ..self
        }
    }

    /// Returns the same run with what is counted of it.
    #[must_use]
    pub const fn count(self, what: VulcanMetric) -> VulcanQuantity {
        VulcanQuantity { run: self, what }
    }
}

impl VulcanProtocol {
    /// Returns true if identifiers have 29 bits.
    #[must_use]
    pub const fn is_extended(self) -> bool {
        matches!(
            self,
            VulcanProtocol::PlainExtended | VulcanProtocol::Leia | VulcanProtocol::PairedLeia
        )
    }

    /// Frames of a message.
    #[must_use]
    pub const fn frames(self) -> u32 {
        match self {
            VulcanProtocol::Plain | VulcanProtocol::PlainExtended | VulcanProtocol::SecOc => 1,
            VulcanProtocol::Vatican | VulcanProtocol::Leia => 2,
            VulcanProtocol::PairedVatican | VulcanProtocol::PairedLeia => 2,
        }
    }

    /// Bytes of a message's payload: SecOC's frame has half of its bytes for itself.
    #[must_use]
    pub const fn payload(self) -> usize {
        match self {
            VulcanProtocol::SecOc => 4,
            _ => 8,
        }
    }

    /// Returns true if a receiver computes the code as soon as it has the data, as the published
    /// code does. It compares the code with the tag when that comes. The hardened protocol cannot:
    /// only the tag's frame tells it which counter the code covers.
    #[must_use]
    pub const fn computes_ahead(self) -> bool {
        matches!(self, VulcanProtocol::Vatican | VulcanProtocol::Leia)
    }
}

impl VulcanMetric {
    /// Returns the number of messages in it.
    pub(super) const fn messages(self) -> f64 {
        match self {
            VulcanMetric::Send | VulcanMetric::Code => 1.0,
            VulcanMetric::RoundTrip
            | VulcanMetric::Bus
            | VulcanMetric::Processors
            | VulcanMetric::Frames => 2.0,
        }
    }
}
