//! The quantity behind a number: computed by the formulas and measured by a simulation.

use std::fmt;

use serde::Deserialize;
use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanProfile, Sizes};
use waywarden_work::{Algorithm, Duration};

use waywarden_paper_tables::Measurement;

/// A number of one run: a metric and a part of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct LasanQuantity {
    /// The run it belongs to.
    pub run: LasanRun,
    /// Metric that is counted.
    pub what: Metric,
    /// Part of the run that is counted.
    pub part: Part,
}

/// ECUs that authenticate themselves to a security module after it has started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LasanRun {
    /// Name of the suite.
    pub suite: String,
    /// Message profile.
    pub profile: LasanProfile,
    /// Form of the parties' credentials.
    pub credentials: Credentials,
    /// The kind of frames.
    pub transport: Transport,
    /// The pause after each frame, if there is one.
    pub pacing: Option<Duration>,
    /// Board of the security module and of every ECU.
    pub board: String,
    /// Number of ECUs besides the security module.
    pub ecus: u8,
}

/// Metric of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Bytes of messages, without the padding of their last frames.
    Bytes,
    /// Frames.
    Frames,
    /// Bus time of the frames and their intermissions.
    Bus,
    /// Time of the operations on a board, which may differ from the run's board.
    Computation {
        /// Party whose operations count.
        who: ComputingParty,
        /// Board whose figures give the time.
        board: String,
    },
    /// The time spent in one of the three states of \[LASAN, Experimental Evaluation\].
    State(State),
    /// The time spent in all three states.
    States,
}

/// The three states of \[LASAN, Experimental Evaluation\].
///
/// `Choice:` the paper does not name the device. Its amortised rest equals its amortised
/// computation to the digit, so computation and rest are summed over both devices. Its rest lacks
/// the amortised communication, so receiving is communication, too, which is counted once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A message is being transmitted.
    Communication,
    /// Cryptography runs.
    Computation,
    /// Neither.
    Rest,
}

/// Party that computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComputingParty {
    /// The security module.
    Module,
    /// The ECU.
    Ecu,
    /// Both, one after the other.
    Both,
}

/// Share of a run: the work that the security module does once for all ECUs, or its work for each
/// ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Work done once, which the paper calls amortised.
    Once,
    /// Work for one ECU.
    Each,
    /// Both, for all ECUs of the run.
    All,
}

/// Source of measured values; returns `None` for a quantity that was not measured.
pub type LasanMeasured<'a> = dyn Fn(&LasanQuantity) -> Option<Measurement> + 'a;

/// Returns `None` for every quantity: for tables of the formulas only.
#[must_use]
pub const fn unmeasured(_: &LasanQuantity) -> Option<Measurement> {
    None
}

/// A suite: the sizes and algorithms that determine its messages and its work.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperSuite {
    /// Its name.
    pub name: String,
    /// The NIST security category of its weaker part; 0 if a quantum computer breaks it. `None` for
    /// a suite that was never standardised.
    pub category: Option<u8>,
    /// Sizes of the transmitted values.
    pub sizes: Sizes,
    /// Key agreements, which run side by side.
    pub agreements: Vec<Algorithm>,
    /// The signature.
    pub signature: Algorithm,
}

impl State {
    /// Every state, in the paper's order.
    pub const ALL: [State; 3] = [State::Communication, State::Computation, State::Rest];
}

impl Part {
    /// Both parts of the paper's table.
    pub const COLUMNS: [Part; 2] = [Part::Once, Part::Each];
}

impl LasanRun {
    /// Returns the quantity of this run with the given metric and part.
    #[must_use]
    pub fn count(&self, what: Metric, part: Part) -> LasanQuantity {
        let run = self.clone();
        LasanQuantity { run, what, part }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            State::Communication => "communication",
            State::Computation => "computation",
            State::Rest => "rest",
        })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Part::Once => "amortised",
            Part::Each => "non-amortised",
            Part::All => "total",
        })
    }
}
