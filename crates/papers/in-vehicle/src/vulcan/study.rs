//! The cost model: what a message and a round trip take by the board's figures and mean frames.

use waywarden_boards::Board;
use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::timing::{BitRate, BitTiming, duration};
use waywarden_can::{ExtendedId, Frame, Id, StandardId};
use waywarden_work::{Algorithm, Duration, Operation, OperationKind};

use super::data::{Data, Published};
use super::ends::Ids;
use super::operation::metered;
use super::quantity::{Buffers, Code, VulcanMetric, VulcanProtocol, VulcanQuantity, VulcanRun};
use waywarden_paper_tables::exact::{lengths, mean};
use waywarden_paper_tables::{Amount, Assumptions, PaperError};

/// The paper's data, the boards and the mean frames.
#[derive(Clone, Debug)]
pub struct VulcanStudy {
    pub(super) data: Data,
    pub(super) board: Board,
    /// Board on which the software MAC was measured.
    pub(super) software_board: Board,
    /// Mean frames of 8 bytes on the bus, without intermission, in nanoseconds: with 11-bit and
    /// with 29-bit identifiers.
    frames: [f64; 2],
}

/// A call of a protected module: two domain switches.
pub(super) const MODULE_CALL: Operation =
    Operation::new(OperationKind::ModuleCall, Algorithm::ProtectedModule, 0);

/// Terms of one message's time in a run, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    /// The driver call that loads a frame, and that which fetches one.
    pub(super) load: f64,
    pub(super) fetch: f64,
    /// One code.
    pub(super) code: f64,
    /// The sender's call of the module that makes the message; zero outside of protected modules.
    ///
    /// `Choice:` it comes before the data frame. The rows of LeiA that are known from memory have
    /// it as well, whose data frame takes longer than call and code: beside that frame it would not
    /// show.
    pub(super) call: f64,
    /// True if the receiver computes it while the tag is under way.
    pub(super) ahead: bool,
    pub(super) buffers: Buffers,
    pub(super) intermission: f64,
    /// Lead of reception over the end of a frame: a bit (docs/bus-model.md). The formula leaves it
    /// out: the board's driver calls have it in them.
    pub(super) early: f64,
    /// Its frames on the bus: of data and tag, or of both in one.
    pub(super) frames: Vec<f64>,
}

impl Message {
    /// Returns the time from the call to the acknowledgement of the last frame.
    pub(super) fn send(&self) -> f64 {
        match self.frames[..] {
            [data, tag] => {
                let loaded = match self.buffers {
                    Buffers::One => data.max(self.code) + self.load,
                    Buffers::Several => (self.code + self.load).max(data + self.intermission),
                };
                self.call + self.load + loaded + tag
            }
            _ => self.call + self.code + self.load + self.on_bus(),
        }
    }

    /// Returns the time from the call to the message in the other ECU's application.
    pub(super) fn way(&self) -> f64 {
        let fetched = self.send() - self.early + self.fetch;
        match self.frames[..] {
            [data, _] if self.ahead => {
                let has_data = self.call + self.load + data - self.early + self.fetch;
                fetched.max(has_data + self.code)
            }
            _ => fetched + self.code,
        }
    }

    fn on_bus(&self) -> f64 {
        self.frames.iter().sum()
    }

    /// Returns the time that both processors work on it.
    fn processors(&self) -> f64 {
        self.frames.len() as f64 * (self.load + self.fetch) + 2.0 * self.code + self.call
    }
}

impl VulcanStudy {
    /// Reads the data and the boards.
    ///
    /// # Errors
    /// [`PaperError::Data`], [`PaperError::Board`] and [`PaperError::Missing`] if the built-in
    /// files are at fault.
    pub fn load() -> Result<Self, PaperError> {
        let data = Data::load()?;
        let board = |name: &str| match Board::builtin(name) {
            Some(board) => Ok(board),
            None => Err(PaperError::Board {
                key: "vulcan",
                board: name.to_owned(),
            }),
        };
        let mut study = VulcanStudy {
            board: board(&data.bench.board)?,
            software_board: board(&data.bench.software_board)?,
            data,
            frames: [0.0; 2],
        };
        study.frames = [study.mean_frame(false)?, study.mean_frame(true)?];
        Ok(study)
    }

    /// Replaces assumptions: the bench's board and bit rate.
    ///
    /// # Errors
    /// [`PaperError::NotAssumed`] for a data bit rate, [`PaperError::BitRate`] for a bit rate that
    /// no bus has.
    pub fn assuming(mut self, assumed: &Assumptions) -> Result<Self, PaperError> {
        assumed.without_data_bit_rate("vulcan")?;
        assumed.on_can("vulcan", self.data.bench.bit_rate)?;
        if let Some(board) = &assumed.board {
            self.board = board.clone();
        }
        if let Some(rate) = assumed.bit_rate {
            self.data.bench.bit_rate = rate;
            self.frames = [self.mean_frame(false)?, self.mean_frame(true)?];
        }
        Ok(self)
    }

    /// Returns the bench's bit rate.
    pub(super) fn timing(&self) -> Result<BitTiming, PaperError> {
        let rate = BitRate::new(self.data.bench.bit_rate);
        let rate = rate.map_err(|_| missing("a bit rate that no controller has"))?;
        Ok(BitTiming::classic(rate))
    }

    /// Returns how long a bit is, in nanoseconds.
    pub(super) fn bit(&self) -> f64 {
        1e9 / f64::from(self.data.bench.bit_rate)
    }

    fn intermission(&self) -> Result<f64, PaperError> {
        Ok(self.timing()?.intermission().get() as f64 / 1e3)
    }

    fn mean_frame(&self, extended: bool) -> Result<f64, PaperError> {
        let frames = lengths(|id: ExtendedId, data| {
            let id = match extended {
                true => Id::Extended(id),
                false => Id::standard(id.base()).ok()?,
            };
            Frame::classic(id, &data[..8]).ok()
        });
        let mean = mean(&frames, &self.timing()?).ok_or_else(|| missing("a frame"))?;
        Ok(mean.as_nanos() as f64 - self.intermission()?)
    }

    /// Returns how long the bench's own ping is on the bus, in nanoseconds.
    pub(super) fn bench_frame(&self, extended: bool) -> Result<f64, PaperError> {
        let bench = &self.data.bench;
        // LeiA shows a counter below the identifier: that of the first message.
        let id = match extended {
            true => ExtendedId::new(u32::from(bench.ping) << 18 | 1).map(Id::Extended),
            false => Id::standard(bench.ping),
        };
        let frame = id.map(|id| Frame::classic(id, &bench.ping_payload));
        let Ok(Ok(frame)) = frame else {
            return Err(missing("the bench's frame"));
        };
        let length = frame_length(&frame, FdVariant::Iso);
        Ok(duration(&length, &self.timing()?).get() as f64 / 1e3)
    }

    /// Returns the identifiers of who sends pings.
    pub(super) fn ids(&self) -> Result<Ids, PaperError> {
        let bench = &self.data.bench;
        let id = |raw| StandardId::new(raw).map_err(|_| missing("an identifier of 11 bits"));
        Ok(Ids {
            own: id(bench.ping)?,
            other: id(bench.pong)?,
            own_failures: id(bench.ping_failures)?,
            other_failures: id(bench.pong_failures)?,
        })
    }

    /// Returns what one code of a run is: of the published protocols by the paper's fields, of
    /// ours as they report it. None without a code.
    pub(super) fn operation(&self, run: VulcanRun) -> Result<Option<Operation>, PaperError> {
        let Some(algorithm) = run.code.algorithm() else {
            return Ok(None);
        };
        let published = match run.protocol {
            VulcanProtocol::Vatican => Published::Vatican,
            VulcanProtocol::Leia => Published::Leia,
            _ => {
                let operation = metered(run, self.ids()?);
                return operation.map(Some).ok_or_else(|| missing("a code"));
            }
        };
        let bytes = self.fields(published).bytes();
        Ok(Some(Operation::new(OperationKind::Tag, algorithm, bytes)))
    }

    /// Returns what the codes of a published protocol are over.
    pub(super) const fn fields(&self, of: Published) -> super::data::Fields {
        match of {
            Published::Vatican => self.data.associated.vatican,
            Published::Leia => self.data.associated.leia,
        }
    }

    /// Returns how many bytes the code of a published protocol is over, as it reports itself.
    pub(super) fn metered_bytes(&self, of: Published) -> Result<Option<u32>, PaperError> {
        let operation = metered(of.run(), self.ids()?);
        Ok(operation.map(|operation| operation.bytes))
    }

    /// Returns what an operation costs on the bench's board, in nanoseconds.
    fn cost(&self, operation: &Operation) -> Result<f64, PaperError> {
        Ok(self.board.cost(operation)?.duration.as_nanos() as f64)
    }

    /// Returns a driver call for a frame of 8 bytes.
    pub(super) const fn driver_call(kind: OperationKind, extended: bool) -> Operation {
        let format = match extended {
            true => Algorithm::CanExtended,
            false => Algorithm::CanStandard,
        };
        Operation::new(kind, format, 8)
    }

    /// Returns what a message of a run consists of.
    pub(super) fn message(&self, run: VulcanRun) -> Result<Message, PaperError> {
        let extended = run.protocol.is_extended();
        let frames = run.protocol.frames() as usize;
        Ok(Message {
            load: self.cost(&Self::driver_call(OperationKind::FrameSend, extended))?,
            fetch: self.cost(&Self::driver_call(OperationKind::FrameReceive, extended))?,
            code: match self.operation(run)? {
                Some(operation) => self.cost(&operation)?,
                None => 0.0,
            },
            call: match run.has_modules {
                true => self.cost(&MODULE_CALL)?,
                false => 0.0,
            },
            ahead: run.protocol.computes_ahead(),
            buffers: run.buffers,
            intermission: self.intermission()?,
            early: 0.0,
            frames: vec![self.frames[usize::from(extended)]; frames],
        })
    }

    /// Returns what a quantity comes to by formula.
    ///
    /// # Errors
    /// [`PaperError`] for an operation without a figure on the bench's board.
    pub fn formula(&self, of: &VulcanQuantity) -> Result<Amount, PaperError> {
        if of.what == VulcanMetric::Frames {
            return Ok(Amount::Number(f64::from(2 * of.run.protocol.frames())));
        }
        let message = self.message(of.run)?;
        let nanos = value(of.what, [&message, &message]);
        Ok(Amount::Time(Duration::from_nanos(nanos.round() as u64)))
    }

    /// Returns the same, in nanoseconds, with the frames of a round trip as they were, and with
    /// receivers that have a frame `early`.
    pub(super) fn with_frames(
        &self,
        of: &VulcanQuantity,
        frames: &[f64],
        early: f64,
    ) -> Result<f64, PaperError> {
        let mut ping = self.message(of.run)?;
        ping.early = early;
        let mut pong = ping.clone();
        let count = ping.frames.len();
        if frames.len() == 2 * count {
            ping.frames = frames[..count].to_vec();
            pong.frames = frames[count..].to_vec();
        }
        Ok(value(of.what, [&ping, &pong]))
    }
}

impl Published {
    /// Returns the paper's run of it with the Sancus unit.
    pub(super) const fn run(self) -> VulcanRun {
        let protocol = match self {
            Published::Vatican => VulcanProtocol::Vatican,
            Published::Leia => VulcanProtocol::Leia,
        };
        VulcanRun::new(protocol, Code::Unit)
    }
}

/// Returns a time in nanoseconds of a ping and its pong.
pub(super) fn value(what: VulcanMetric, [ping, pong]: [&Message; 2]) -> f64 {
    match what {
        VulcanMetric::Code => ping.code,
        VulcanMetric::Send => ping.send(),
        VulcanMetric::RoundTrip => ping.way() + pong.way(),
        VulcanMetric::Bus => ping.on_bus() + pong.on_bus(),
        VulcanMetric::Processors => ping.processors() + pong.processors(),
        VulcanMetric::Frames => (ping.frames.len() + pong.frames.len()) as f64,
    }
}

pub(super) fn missing(what: &str) -> PaperError {
    PaperError::Missing {
        key: "vulcan",
        what: what.to_owned(),
    }
}
