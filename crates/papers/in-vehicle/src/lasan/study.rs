//! The formulas on the boards' figures: what each [`LasanQuantity`] comes to.

use std::collections::BTreeMap;

use waywarden_boards::Board;
use waywarden_can::bits::FrameLength;
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_can::{ExtendedId, Frame, Id};
use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanProfile, SUITES};
use waywarden_work::{Algorithm, Duration, Operation, OperationKind};

use super::data::{Code, Data};
use super::flow;
use super::quantity::{ComputingParty, LasanQuantity, LasanRun, Metric, PaperSuite, Part, State};
use waywarden_paper_tables::exact::{lengths, mean};
use waywarden_paper_tables::{Amount, Assumptions, PaperError};

/// Bits per second of classic CAN and of arbitration on CAN FD, and of data there.
pub(super) const NOMINAL_RATE: u32 = 500_000;
pub(super) const DATA_RATE: u32 = 2_000_000;

/// The boards that computing times are given on.
pub(super) const BOARDS: [&str; 3] = ["tms570", "tc297", "m4"];

/// The data bytes that frames can have.
const FIELDS: [usize; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64];

/// The paper's data, the suites and the boards.
#[derive(Clone, Debug)]
pub struct LasanStudy {
    pub(super) data: Data,
    suites: Vec<PaperSuite>,
    boards: BTreeMap<String, Board>,
    /// Nominal and data bit rates of our runs, in bit/s.
    bit_rates: (u32, u32),
    /// The bits of random frames, by their data bytes; with 29-bit identifiers.
    frames: BTreeMap<(bool, usize), Vec<FrameLength>>,
}

impl LasanStudy {
    /// Reads the data and the boards.
    ///
    /// # Errors
    /// [`PaperError::Data`], [`PaperError::Board`] and [`PaperError::Missing`] if the built-in
    /// files are at fault.
    pub fn load() -> Result<Self, PaperError> {
        let data = Data::load()?;
        let mut suites = Vec::new();
        for &(name, category, sizes) in SUITES {
            suites.push(suite(name, Some(category), sizes)?);
        }
        for code in &data.code {
            if !suites.iter().any(|known| known.name == code.suite) {
                suites.push(suite(&code.suite, None, code.sizes())?);
            }
        }
        let names = BOARDS.into_iter().chain([data.testbed.board.as_str()]);
        let boards = names.map(|name| match Board::builtin(name) {
            Some(board) => Ok((name.to_owned(), board)),
            None => Err(no_board(name)),
        });
        let boards = boards.collect::<Result<_, _>>()?;
        let mut frames = BTreeMap::new();
        for bytes in FIELDS {
            frames.insert((true, bytes), random(true, bytes));
            if bytes <= 8 {
                frames.insert((false, bytes), random(false, bytes));
            }
        }
        Ok(LasanStudy {
            data,
            suites,
            boards,
            bit_rates: (NOMINAL_RATE, DATA_RATE),
            frames,
        })
    }

    /// Replaces assumptions: the testbed's board, and the bit rates of every bus.
    ///
    /// # Errors
    /// [`PaperError::BitRate`] and [`PaperError::SlowData`] for bit rates that no bus has.
    pub fn assuming(mut self, assumed: &Assumptions) -> Result<Self, PaperError> {
        assumed.on_can("lasan", NOMINAL_RATE)?;
        if let Some(board) = &assumed.board {
            let name = self.data.testbed.board.clone();
            self.boards.insert(name, board.clone());
        }
        if let Some(rate) = assumed.bit_rate {
            self.data.testbed.bit_rate = rate;
            self.bit_rates.0 = rate;
        }
        if let Some(rate) = assumed.data_bit_rate {
            self.bit_rates.1 = rate;
        }
        Ok(self)
    }

    /// Returns the bit rates of a kind of frames.
    pub(super) fn timing(&self, transport: Transport) -> Result<BitTiming, PaperError> {
        let rate = |bits| BitRate::new(bits).map_err(|_| no_rate());
        let (nominal, data) = self.bit_rates;
        Ok(match transport {
            Transport::Classic => BitTiming::classic(rate(nominal)?),
            Transport::Fd => BitTiming::fd(rate(nominal)?, rate(data)?),
        })
    }

    /// Returns a suite.
    pub(super) fn suite(&self, name: &str) -> Result<&PaperSuite, PaperError> {
        let mut suites = self.suites.iter();
        suites
            .find(|suite| suite.name == name)
            .ok_or_else(|| missing(format!("suite `{name}`")))
    }

    /// Returns the suites that run here, in their own order.
    pub(super) fn running(&self) -> impl Iterator<Item = &PaperSuite> {
        self.suites.iter().filter(|suite| suite.category.is_some())
    }

    /// Returns a board.
    pub(super) fn board(&self, name: &str) -> Result<&Board, PaperError> {
        self.boards.get(name).ok_or_else(|| no_board(name))
    }

    /// Returns a suite of the published code.
    pub(super) fn code(&self, suite: &str) -> Result<&Code, PaperError> {
        let mut all = self.data.code.iter();
        all.find(|code| code.suite == suite)
            .ok_or_else(|| missing(format!("published code with `{suite}`")))
    }

    /// Returns the run that the paper measures.
    pub(super) fn testbed(&self, suite: &str) -> LasanRun {
        LasanRun {
            suite: suite.to_owned(),
            profile: LasanProfile::AsPublished,
            credentials: Credentials::Certificates,
            transport: Transport::Classic,
            pacing: Some(self.pacing()),
            board: self.data.testbed.board.clone(),
            ecus: 1,
        }
    }

    /// Returns the testbed's time from one frame to the next.
    pub(super) const fn pacing(&self) -> Duration {
        Duration::from_micros(self.data.testbed.pacing_us)
    }

    /// Returns what a quantity comes to by formula.
    ///
    /// # Errors
    /// [`PaperError`] for a suite or a board that is not known, or an operation without figures.
    pub fn formula(&self, of: &LasanQuantity) -> Result<Amount, PaperError> {
        let LasanQuantity { run, what, part } = of;
        Ok(match what {
            Metric::Bytes => Amount::Number(self.over(run, *part, |length| length)? as f64),
            Metric::Frames => Amount::Number(self.frame_count(run, *part)? as f64),
            Metric::Bus => Amount::Time(self.bus_time(run, *part)?),
            Metric::Computation { who, board } => {
                Amount::Time(self.computation(run, *part, *who, board)?)
            }
            Metric::State(State::Communication) => {
                let frames = self.frame_count(run, *part)? as u64;
                Amount::Time(match run.pacing {
                    Some(pause) => Duration::from_nanos(pause.as_nanos() * frames),
                    None => self.bus_time(run, *part)?,
                })
            }
            // Whenever one of the two computes, the other rests.
            Metric::State(State::Computation | State::Rest) => {
                Amount::Time(self.computation(run, *part, ComputingParty::Both, &run.board)?)
            }
            Metric::States => {
                let mut sum = Duration::ZERO;
                for state in State::ALL {
                    let of = run.count(Metric::State(state), *part);
                    if let Amount::Time(time) = self.formula(&of)? {
                        sum += time;
                    }
                }
                Amount::Time(sum)
            }
        })
    }

    /// Adds up something over the messages of a part.
    fn over(
        &self,
        run: &LasanRun,
        part: Part,
        count: impl Fn(usize) -> usize,
    ) -> Result<usize, PaperError> {
        let messages = flow::messages(run, self.suite(&run.suite)?).into_iter();
        let counted =
            messages.map(|(kind, length)| part.of(kind.is_broadcast(), run.ecus) * count(length));
        Ok(counted.sum())
    }

    /// Returns the frames of a part.
    pub(super) fn frame_count(&self, run: &LasanRun, part: Part) -> Result<usize, PaperError> {
        self.over(run, part, |length| flow::frames(run, length).len())
    }

    fn bus_time(&self, run: &LasanRun, part: Part) -> Result<Duration, PaperError> {
        let timing = self.timing(run.transport)?;
        let mut nanos = 0;
        for (kind, length) in flow::messages(run, self.suite(&run.suite)?) {
            let times = part.of(kind.is_broadcast(), run.ecus) as u64;
            for bytes in flow::frames(run, length) {
                nanos += times * self.frame_time(run.transport, bytes, &timing)?.as_nanos();
            }
        }
        Ok(Duration::from_nanos(nanos))
    }

    /// Returns the mean time of a frame with its intermission.
    fn frame_time(
        &self,
        transport: Transport,
        bytes: usize,
        timing: &BitTiming,
    ) -> Result<Duration, PaperError> {
        let lengths = self.frames.get(&(transport == Transport::Fd, bytes));
        lengths
            .and_then(|lengths| mean(lengths, timing))
            .ok_or_else(|| missing(format!("a frame of {bytes} bytes")))
    }

    /// Returns the mean time of a classic frame of 8 bytes with an 11-bit identifier, as the
    /// testbed sends them.
    pub(super) fn testbed_frame(&self) -> Result<Duration, PaperError> {
        let rate = BitRate::new(self.data.testbed.bit_rate).map_err(|_| no_rate())?;
        let frames = lengths(|id, data| {
            let id = Id::standard(id.base()).ok()?;
            Frame::classic(id, &data[..8]).ok()
        });
        mean(&frames, &BitTiming::classic(rate)).ok_or_else(no_rate)
    }

    fn computation(
        &self,
        run: &LasanRun,
        part: Part,
        who: ComputingParty,
        board: &str,
    ) -> Result<Duration, PaperError> {
        let mut nanos = 0;
        for step in flow::steps(run, self.suite(&run.suite)?) {
            if who == ComputingParty::Both || who == step.who {
                let times = part.of(step.once, run.ecus) as u64;
                nanos += times * self.cost(board, &step.operation)?.as_nanos();
            }
        }
        Ok(Duration::from_nanos(nanos))
    }

    /// Returns what an operation costs.
    pub(super) fn cost(&self, board: &str, of: &Operation) -> Result<Duration, PaperError> {
        Ok(self.board(board)?.cost(of)?.duration)
    }

    /// Returns what a signature and its check cost.
    pub(super) fn signature_costs(
        &self,
        board: &str,
        algorithm: Algorithm,
    ) -> Result<[Duration; 2], PaperError> {
        let cost = |kind| self.cost(board, &Operation::new(kind, algorithm, 0));
        Ok([cost(OperationKind::Sign)?, cost(OperationKind::Verify)?])
    }
}

/// Returns the bits of random frames with 29-bit identifiers.
fn random(is_fd: bool, bytes: usize) -> Vec<FrameLength> {
    lengths(|id: ExtendedId, data| match is_fd {
        true => Frame::fd(id, &data[..bytes]).ok(),
        false => Frame::classic(id, &data[..bytes]).ok(),
    })
}

/// Reads the algorithms of a suite out of its name.
fn suite(
    name: &str,
    category: Option<u8>,
    sizes: waywarden_lasan::Sizes,
) -> Result<PaperSuite, PaperError> {
    let unknown = || missing(format!("the algorithms of suite `{name}`"));
    let (agreement, signature) = name.split_once('+').unwrap_or((name, name));
    let algorithm = |name: &str| Algorithm::from_name(name).ok_or_else(unknown);
    let agreements = match agreement.strip_prefix("x25519-") {
        Some(other) => vec![algorithm(other)?, Algorithm::X25519],
        None => vec![algorithm(agreement)?],
    };
    Ok(PaperSuite {
        name: name.to_owned(),
        category,
        sizes,
        agreements,
        signature: algorithm(signature)?,
    })
}

fn no_board(name: &str) -> PaperError {
    PaperError::Board {
        key: "lasan",
        board: name.to_owned(),
    }
}

fn no_rate() -> PaperError {
    missing("a bit rate that no controller has".to_owned())
}

pub(super) const fn missing(what: String) -> PaperError {
    PaperError::Missing { key: "lasan", what }
}
