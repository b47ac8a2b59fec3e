//! The formulas on the boards' figures: what each [`GkeQuantity`] comes to.

use std::collections::BTreeMap;

use waywarden_boards::Board;
use waywarden_work::{self as work, Algorithm, Duration, OperationKind};

use super::data::{Data, Run};
use super::model::{self, Costs, FrameTimes, GkeBus, GkeScheme, GroupTime};
use super::quantity::{Aggregation, ExchangePart, GkeOperation, GkeQuantity, GkeStep, GkeSuite};
use super::wire;
use waywarden_paper_tables::{Amount, PaperError, Printed, Unit};

/// The paper's data and the boards they speak of.
#[derive(Clone, Debug)]
pub struct GkeStudy {
    pub(super) data: Data,
    pub(super) boards: BTreeMap<String, Board>,
    /// Bit rates in place of the paper's: nominal, then data.
    pub(super) bit_rates: [Option<u32>; 2],
    /// True if another board has taken the place of the paper's.
    pub(super) is_replaced: bool,
    /// Bit rates that the printed frame times fit with the paper's own boards; empty unless
    /// something is replaced.
    pub(super) fitted_rates: Vec<(FrameTimes, (u32, u32))>,
}

impl GkeStudy {
    /// Reads the data and the boards.
    ///
    /// # Errors
    /// [`PaperError::Data`] and [`PaperError::Board`] if the built-in files are at fault.
    pub fn load() -> Result<Self, PaperError> {
        let data = Data::load()?;
        let names = data.frame_times.iter().flat_map(|row| &row.boards);
        let boards = names.map(|name| match Board::builtin(name) {
            Some(board) => Ok((name.clone(), board)),
            None => Err(PaperError::Board {
                key: "gke",
                board: name.clone(),
            }),
        });
        let boards = boards.collect::<Result<_, _>>()?;
        Ok(GkeStudy {
            data,
            boards,
            bit_rates: [None; 2],
            is_replaced: false,
            fitted_rates: Vec::new(),
        })
    }

    /// Returns the boards' names, in order.
    pub(super) fn board_names(&self) -> impl Iterator<Item = &str> {
        self.boards.keys().map(String::as_str)
    }

    /// Returns a board.
    pub(super) fn board(&self, name: &str) -> Result<&Board, PaperError> {
        self.boards.get(name).ok_or_else(|| PaperError::Board {
            key: "gke",
            board: name.to_owned(),
        })
    }

    /// Returns what a quantity comes to by formula.
    ///
    /// # Errors
    /// [`PaperError`] for a board, table or operation without figures.
    pub fn formula(&self, of: &GkeQuantity) -> Result<Amount, PaperError> {
        Ok(match of {
            GkeQuantity::Operation {
                board,
                suite,
                operation,
            } => Amount::Time(self.operation(board, *suite, *operation)?),
            GkeQuantity::Send { board, bus, bytes } => {
                let times = self.frame_times(board, *bus)?;
                Amount::Time(match bytes {
                    0..=32 => times.snd32,
                    _ => times.snd64,
                })
            }
            GkeQuantity::Step {
                place,
                seen_by,
                step,
            } => Amount::Time(self.step(place, *seen_by, *step)?),
            GkeQuantity::Run { place, seen_by } => Amount::Time(self.run(place, *seen_by)?),
            GkeQuantity::TwoParty { boards, suite, bus } => {
                Amount::Time(self.two_party(boards, *suite, *bus)?)
            }
            GkeQuantity::Group {
                scheme,
                n,
                board,
                suite,
                bus,
                part,
            } => Amount::Time(part.of(&self.group(*scheme, *n, board, *suite, *bus)?)),
            GkeQuantity::Frames { scheme, n, bus } => count(model::frames(*scheme, *n, *bus)),
            GkeQuantity::Load {
                scheme,
                n,
                board,
                suite,
                bus,
            } => {
                let time = self.group(*scheme, *n, board, *suite, *bus)?;
                Amount::Number(100.0 * share(time.bus(), time.total()))
            }
            GkeQuantity::FrameShare {
                scheme,
                n,
                bus,
                frames_per_second,
            } => {
                let frames = model::frames(*scheme, *n, *bus) as f64;
                Amount::Number(100.0 * frames / f64::from(*frames_per_second))
            }
            GkeQuantity::ClassicFrame { bit_rate } => Amount::Time(exact_classic(*bit_rate)?.0),
            GkeQuantity::FrameRate { bit_rate } => {
                Amount::Number(1e9 / self.stated_classic(*bit_rate)?.as_nanos() as f64)
            }
            GkeQuantity::SpeedUp { over, .. } => {
                let ratios = self.speed_ups(of)?.into_iter().map(|(_, ratio)| ratio);
                Amount::Number(match over {
                    Aggregation::Mean => ratios.sum::<f64>() / GkeOperation::ALL.len() as f64,
                    Aggregation::Least => ratios.fold(f64::INFINITY, f64::min),
                })
            }
            GkeQuantity::Ratio { over, under } => {
                Amount::Number(plain(self.formula(over)?) / plain(self.formula(under)?))
            }
        })
    }

    /// Returns the five ratios of a speed-up; none for anything else.
    pub(super) fn speed_ups(
        &self,
        of: &GkeQuantity,
    ) -> Result<Vec<(GkeOperation, f64)>, PaperError> {
        let GkeQuantity::SpeedUp {
            slow,
            slow_board,
            fast,
            fast_board,
            ..
        } = of
        else {
            return Ok(Vec::new());
        };
        let ratio = |operation| {
            let slow = self.operation(slow_board, *slow, operation)?;
            let fast = self.operation(fast_board, *fast, operation)?;
            Ok((operation, share(slow, fast)))
        };
        GkeOperation::ALL.into_iter().map(ratio).collect()
    }

    /// Returns what an operation costs.
    fn operation(
        &self,
        board: &str,
        suite: GkeSuite,
        operation: GkeOperation,
    ) -> Result<Duration, PaperError> {
        self.cost(board, operation.kind(), suite.algorithm(), 0)
    }

    fn cost(
        &self,
        board: &str,
        kind: OperationKind,
        algorithm: Algorithm,
        bytes: u32,
    ) -> Result<Duration, PaperError> {
        let operation = work::Operation::new(kind, algorithm, bytes);
        Ok(self.board(board)?.cost(&operation)?.duration)
    }

    /// Returns what the two halves of AES over a signature cost: encryption, decryption.
    pub(super) fn cipher(&self, board: &str) -> Result<(Duration, Duration), PaperError> {
        let cost = |kind| self.cost(board, kind, Algorithm::Aes128Ctr, 64);
        Ok((cost(OperationKind::Encrypt)?, cost(OperationKind::Decrypt)?))
    }

    /// Returns the costs of the steps by the figures of Tables IV and V.
    ///
    /// # Errors
    /// [`PaperError`] for an unknown board, or one without these figures.
    pub fn costs(&self, board: &str, suite: GkeSuite) -> Result<Costs, PaperError> {
        let (encrypt, decrypt) = self.cipher(board)?;
        let verify = self.operation(board, suite, GkeOperation::Verify)?;
        Ok(Costs {
            verify_request: verify,
            share: self.operation(board, suite, GkeOperation::Share)?,
            extract: self.operation(board, suite, GkeOperation::Extract)?,
            sign: self.operation(board, suite, GkeOperation::Sign)?,
            encrypt,
            decrypt,
            verify_confirmation: verify,
        })
    }

    /// Returns T_kex.
    pub(super) fn two_party(
        &self,
        [first, second]: &[String; 2],
        suite: GkeSuite,
        bus: GkeBus,
    ) -> Result<Duration, PaperError> {
        let slower = self
            .costs(first, suite)?
            .slower(&self.costs(second, suite)?);
        let frames = self
            .frame_times(first, bus)?
            .slower(&self.frame_times(second, bus)?);
        Ok(model::two_party(&slower, &slower, &frames))
    }

    /// Returns the time of a group key exchange, taken apart.
    ///
    /// # Errors
    /// [`PaperError`] for an unknown board, or one without figures.
    pub fn group(
        &self,
        scheme: GkeScheme,
        n: u32,
        board: &str,
        suite: GkeSuite,
        bus: GkeBus,
    ) -> Result<GroupTime, PaperError> {
        let costs = self.costs(board, suite)?;
        Ok(model::group(
            scheme,
            n,
            &costs,
            &self.frame_times(board, bus)?,
        ))
    }

    /// Returns the time that the steps of a table add up to, as one of the two ECUs sees it.
    fn run(&self, place: &str, seen_by: usize) -> Result<Duration, PaperError> {
        let run = self.data.run_at(place)?;
        let own = run_costs(run, seen_by)?;
        let peer = run_costs(run, 1 - seen_by.min(1))?;
        Ok(model::two_party(&own, &peer, &run_frames(run)?))
    }

    /// Returns what the boards' figures and the bit model say about a step of a table.
    fn step(&self, place: &str, seen_by: usize, step: GkeStep) -> Result<Duration, PaperError> {
        let run = self.data.run_at(place)?;
        if let Some(bytes) = step.message_bytes() {
            let times = self.wire_times(run)?;
            let frame = times.frames[usize::from(bytes > 32)];
            return Ok(frame + self.driver(&run.boards)?);
        }
        let costs = self.costs(&run.boards[seen_by.min(1)], GkeSuite::FourQ)?;
        Ok(match step {
            GkeStep::VerifyRequest => costs.verify_request,
            GkeStep::Share => costs.share,
            GkeStep::Extract => costs.extract,
            GkeStep::Sign => costs.sign,
            GkeStep::Encrypt => costs.encrypt,
            GkeStep::Decrypt => costs.decrypt,
            _ => costs.verify_confirmation,
        })
    }

    /// Returns the driver calls on both sides of a frame: the slower sender and receiver.
    pub(super) fn driver(&self, boards: &[String; 2]) -> Result<Duration, PaperError> {
        let slower = |kind| {
            let [first, second] = boards;
            let first = self.cost(first, kind, Algorithm::CanFd, 0)?;
            Ok::<_, PaperError>(first.max(self.cost(second, kind, Algorithm::CanFd, 0)?))
        };
        Ok(slower(OperationKind::FrameSend)? + slower(OperationKind::FrameReceive)?)
    }

    /// Returns the time of a classic frame by what the paper says of one at 1 Mbit/s.
    pub(super) fn stated_classic(&self, bit_rate: u32) -> Result<Duration, PaperError> {
        let mut claims = self.data.claim.iter().filter_map(|claim| match claim.of {
            GkeQuantity::ClassicFrame { bit_rate } => claim
                .printed
                .first()
                .map(|printed| (bit_rate, printed_time(printed, claim.unit))),
            _ => None,
        });
        let (rate, time) = claims
            .next()
            .ok_or_else(|| missing_frames("classic frames"))?;
        let nanos = time.as_nanos() * u64::from(rate) / u64::from(bit_rate.max(1));
        Ok(Duration::from_nanos(nanos))
    }
}

/// Returns the mean and the least time of a classic frame by the bit model.
pub(super) fn exact_classic(bit_rate: u32) -> Result<(Duration, Duration), PaperError> {
    wire::classic(bit_rate).ok_or_else(|| missing_frames("a bit rate of zero"))
}

pub(super) fn missing_frames(what: &str) -> PaperError {
    PaperError::Missing {
        key: "gke",
        what: what.to_owned(),
    }
}

/// Returns the costs that a table prints for one of its two ECUs.
pub(super) fn run_costs(run: &Run, seen_by: usize) -> Result<Costs, PaperError> {
    let step = |step| {
        let (row, printed) = run.printed(step, seen_by)?;
        Ok::<_, PaperError>(printed_time(printed, row.unit))
    };
    Ok(Costs {
        verify_request: step(GkeStep::VerifyRequest)?,
        share: step(GkeStep::Share)?,
        extract: step(GkeStep::Extract)?,
        sign: step(GkeStep::Sign)?,
        encrypt: step(GkeStep::Encrypt)?,
        decrypt: step(GkeStep::Decrypt)?,
        verify_confirmation: step(GkeStep::VerifyConfirmation)?,
    })
}

/// Returns the frame times that a table prints.
pub(super) fn run_frames(run: &Run) -> Result<FrameTimes, PaperError> {
    let step = |step| {
        let (row, printed) = run.printed(step, 0)?;
        Ok::<_, PaperError>(printed_time(printed, row.unit))
    };
    Ok(FrameTimes {
        snd32: step(GkeStep::Send32First)?,
        snd64: step(GkeStep::Send64First)?,
    })
}

/// Returns a printed time to the nanosecond.
pub(super) fn printed_time(printed: &Printed, unit: Unit) -> Duration {
    Duration::from_nanos((printed.value() * unit.size()).round() as u64)
}

/// Returns how often one time goes into another.
pub(super) fn share(part: Duration, whole: Duration) -> f64 {
    part.as_nanos() as f64 / whole.as_nanos() as f64
}

fn count(frames: u64) -> Amount {
    Amount::Number(frames as f64)
}

fn plain(amount: Amount) -> f64 {
    match amount {
        Amount::Time(time) => time.as_nanos() as f64,
        Amount::Number(number) => number,
    }
}

impl ExchangePart {
    /// Takes the part out of the whole.
    #[must_use]
    pub fn of(self, time: &GroupTime) -> Duration {
        match self {
            ExchangePart::Total => time.total(),
            ExchangePart::Exchanges => time.exchanges(),
            ExchangePart::Orchestration => time.orchestration(),
            ExchangePart::ExchangeBus => time.exchange_bus,
            ExchangePart::ExchangeComputation => time.exchange_computation,
            ExchangePart::Bus => time.bus(),
            ExchangePart::Computation => time.computation(),
        }
    }
}
