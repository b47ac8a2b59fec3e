//! Boards and policies to compare, and the attack, as options.

use std::path::Path;

use waywarden_boards::Board;
use waywarden_traffic_lab::{
    AttackKind, AttackSettings, BoardProfile, KeyRebuilding, PolicyComparison,
};
use waywarden_v2x_schedule::Policy;

use super::stack::StackPlan;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::terminal::plain;

/// The policies that are compared unless others are named: the paper's areas, and ours.
const POLICIES: [&str; 6] = [
    "fifo",
    "circle:150m,exclusive",
    "circle:300m,exclusive",
    "ellipse:25x300m,exclusive",
    "sector:300m:180deg,exclusive",
    "safety",
];

/// Kind of false messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Kind {
    /// No false messages.
    None,
    /// Invalid signatures, another sender's name in each.
    NewNames,
    /// Invalid signatures, names of vehicles on the road.
    StolenNames,
    /// Valid signatures, one certificate for each transmitter.
    ValidSignatures,
}

impl Kind {
    /// Returns the kind of the attack, if there is one.
    pub(super) fn attack(self) -> Option<AttackKind> {
        match self {
            Self::None => None,
            Self::NewNames => Some(AttackKind::NewNames),
            Self::StolenNames => Some(AttackKind::StolenNames),
            Self::ValidSignatures => Some(AttackKind::ValidSignatures),
        }
    }

    /// Returns its name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NewNames => "new-names",
            Self::StolenNames => "stolen-names",
            Self::ValidSignatures => "valid-signatures",
        }
    }
}

/// Messages for which a public key is rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Rebuilding {
    /// For each one, as in [ECQV-CITS].
    EachMessage,
    /// For the first one of each sender; its key is kept.
    FirstMessage,
}

/// Boards and policies.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Which messages are verified in time")]
pub(super) struct Compared {
    /// A board that verifies what vehicles receive: a built-in one (x86-64, a72, a53, arm11, m4, m3
    /// and others), or a file, such as `waywarden bench board` writes. Repeatable.
    #[arg(long, value_name = "BOARD")]
    board: Vec<String>,
    /// Number of cores of each board that verify [default: all that it has].
    #[arg(long, requires = "board")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    cores: Option<u32>,
    /// Beacons for which a board rebuilds the sender's public key from its implicit certificate
    /// [default: each-message]. Of messages of a stack, it accepts each certificate once.
    #[arg(long, value_enum, requires = "board")]
    key_rebuilding: Option<Rebuilding>,
    /// Order in which messages are verified, see docs/schedule.md. Repeatable
    /// [default: fifo, four areas of [ECQV-CITS], and safety].
    #[arg(long, requires = "board")]
    policy: Vec<Policy>,
    /// Number of vehicles that verify at a time: the first ones on the road, and others after them.
    #[arg(
        long,
        value_name = "VEHICLES",
        default_value_t = 10,
        requires = "board"
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    receivers: u32,
}

/// Refuses an option that has the same value twice: what is counted twice looks more certain.
pub(super) fn once(option: &str, values: &[impl AsRef<str>]) -> Result<(), Failure> {
    for (at, value) in values.iter().enumerate() {
        let value = value.as_ref();
        if values[..at].iter().any(|before| before.as_ref() == value) {
            let value = plain(value);
            return Err(Failure::new(format_args!("{option} {value}: given twice")));
        }
    }
    Ok(())
}

/// Settings of an attack.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "How attackers send")]
pub(super) struct AttackOptions {
    /// Number of transmitters, each where a vehicle was after ten seconds.
    #[arg(long, default_value_t = 4, requires = "attack")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    transmitters: u32,
    /// Number of messages that each of them sends in a second.
    #[arg(long, value_name = "HZ", default_value_t = 200, requires = "attack")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=10_000))]
    attack_rate: u64,
}

impl AttackOptions {
    /// Returns an attack of a kind.
    pub(super) fn attack(&self, kind: AttackKind) -> AttackSettings {
        AttackSettings {
            kind,
            transmitters: self.transmitters as usize,
            period_ns: 1_000_000_000 / self.attack_rate,
        }
    }
}

impl Compared {
    /// Reads the boards, for beacons or for the messages of a stack.
    pub(super) fn comparison(
        &self,
        stack: Option<&StackPlan>,
    ) -> Result<PolicyComparison, Failure> {
        once("--board", &self.board)?;
        let policies: Vec<String> = self.policy.iter().map(ToString::to_string).collect();
        once("--policy", &policies)?;
        let boards = self.board.iter().map(|name| self.profile(name, stack));
        let default = || POLICIES.iter().filter_map(|text| text.parse().ok());
        let policies = match (self.board.is_empty(), self.policy.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => default().collect(),
            (false, false) => self.policy.clone(),
        };
        Ok(PolicyComparison {
            boards: boards.collect::<Result<_, _>>()?,
            policies,
            receivers: self.receivers as usize,
        })
    }

    fn profile(&self, name: &str, stack: Option<&StackPlan>) -> Result<BoardProfile, Failure> {
        let board = match Board::builtin(name) {
            Some(board) => board,
            None if Path::new(name).exists() => files::board(Path::new(name))?,
            None => {
                let known: Vec<_> = Board::builtin_names().collect();
                return Err(Failure::new(format_args!(
                    "--board {}: neither a file nor a built-in board; there are {}",
                    plain(name),
                    known.join(", ")
                )));
            }
        };
        if let Some(stack) = stack {
            if self.key_rebuilding.is_some() {
                return Err(Failure::new(
                    "--key-rebuilding is for beacons: of messages of a stack, boards accept each \
                     certificate once; leave it out",
                ));
            }
            let work = stack.certificate_work()?;
            return BoardProfile::of_stack(&board, self.cores, work).map_err(Failure::new);
        }
        let rebuilding = match self.key_rebuilding {
            Some(Rebuilding::EachMessage) | None => KeyRebuilding::EachMessage,
            Some(Rebuilding::FirstMessage) => KeyRebuilding::FirstMessage,
        };
        BoardProfile::of_board(&board, self.cores, rebuilding).map_err(Failure::new)
    }
}
