//! The quantity behind a number: computed by the formulas and measured by a simulation.

use std::fmt;

use serde::Deserialize;
use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, Profile, Sizes};
use waywarden_work::{Algorithm, Duration};

use waywarden_paper_tables::Measurement;

/// A number of one run: a metric and a part of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The run it belongs to.
    pub run: Run,
    /// Metric that is counted.
    pub what: Metric,
    /// Part of the run that is counted.
    pub part: Part,
}

/// ECUs that authenticate themselves to a security module after it has started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The name of a suite.
    pub suite: String,
    /// Message profile.
    pub profile: Profile,
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
    /// Bytes of messages, without what fills their last frames up.
    Bytes,
    /// Frames.
    Frames,
    /// The time that frames and their intermissions occupy the bus.
    Bus,
    /// The time that the operations take on a board, which need not be that of the run.
    Computation {
        /// Party whose operations count.
        who: Party,
        /// Board whose figures give the time.
        board: String,
    },
    /// The time spent in one of the three states of \[LASAN, Experimental Evaluation\].
    State(State),
    /// The time spent in all three.
    States,
}

/// The three states of \[LASAN, Experimental Evaluation\].
///
/// `Choice:` the paper does not say of which device it speaks. Its amortised rest is its amortised
/// computation to the digit, so computation and rest are those of both, added up; and as rest lacks
/// the amortised communication, receiving is communication too, which is counted once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A message is under way.
    Communication,
    /// Cryptography runs.
    Computation,
    /// Neither.
    Rest,
}

/// Party that computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// The security module.
    Module,
    /// The ECU.
    Ecu,
    /// Both, one after the other.
    Both,
}

/// Share of a run: the work that the security module does once for all ECUs, or that for each ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Once: what the paper calls amortised.
    Once,
    /// For one ECU.
    Each,
    /// Both, with as many ECUs as there are.
    All,
}

/// Source of measured values; returns `None` for a quantity that was not measured.
pub type Measured<'a> = dyn Fn(&Quantity) -> Option<Measurement> + 'a;

/// Measures nothing: for the formulas alone.
#[must_use]
pub const fn unmeasured(_: &Quantity) -> Option<Measurement> {
    None
}

/// A suite: what its messages and its work follow from.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// The NIST category of the weaker of its parts; 0 if it falls to a quantum computer. None for
    /// what was never standardised.
    pub category: Option<u8>,
    /// The sizes of what is sent.
    pub sizes: Sizes,
    /// Key agreements, side by side.
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

impl Run {
    /// Returns the same run with what is counted of it.
    #[must_use]
    pub fn count(&self, what: Metric, part: Part) -> Quantity {
        let run = self.clone();
        Quantity { run, what, part }
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

/// Returns the name of a profile.
pub(super) const fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::AsPublished => "as-published",
        Profile::Hardened => "hardened",
        Profile::Compact => "compact",
    }
}

/// Returns the name of a kind of credentials.
pub(super) const fn credentials_name(credentials: Credentials) -> &'static str {
    match credentials {
        Credentials::Certificates => "certificates",
        Credentials::Digests => "digests",
        Credentials::Keys => "keys",
    }
}
