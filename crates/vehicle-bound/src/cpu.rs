//! What work costs on an ECU, and how long a job of each task takes at most.

use waywarden_boards::Board;
use waywarden_response_time::{NoBound, level_busy_period};
use waywarden_vehicle_file::{FrameFormat, TaskPriorities};
use waywarden_work::{Algorithm, Operation, OperationKind};

/// A task of an ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Receive,
    Send,
    Mac,
}

/// A job that comes again and again: shortest period, jitter and cost in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) task: Task,
    pub(crate) period: u64,
    pub(crate) jitter: u64,
    pub(crate) cost: u64,
}

/// Returns the longest time from a job's arrival to its end: no longer than its processor works
/// without a pause at jobs that are as urgent or more. More cores make none of them later.
pub(crate) fn response(jobs: &[Job], task: Task, tasks: &TaskPriorities) -> Result<u64, NoBound> {
    let own = priority(task, tasks);
    let urgent = jobs.iter().filter(|job| priority(job.task, tasks) >= own);
    let urgent: Vec<_> = urgent
        .map(|job| (job.period, job.jitter, job.cost))
        .collect();
    level_busy_period(0, &urgent).map_err(|cause| match cause {
        NoBound::Overload => NoBound::ProcessorOverload,
        other => other,
    })
}

/// Returns what a driver call for a frame costs; 0 where the board has no figure, which the
/// simulator refuses.
pub(crate) fn driver(
    board: &Board,
    task: Task,
    format: FrameFormat,
    extended: bool,
    bytes: u8,
) -> u64 {
    let kind = match task {
        Task::Send => OperationKind::FrameSend,
        _ => OperationKind::FrameReceive,
    };
    let algorithm = match (format, extended) {
        (FrameFormat::Fd { .. }, _) => Algorithm::CanFd,
        (FrameFormat::Classic, true) => Algorithm::CanExtended,
        (FrameFormat::Classic, false) => Algorithm::CanStandard,
    };
    cost(board, kind, algorithm, u32::from(bytes)).unwrap_or(0)
}

/// Returns what one code over up to `bytes` costs at most, with the call of a protected module.
pub(crate) fn code(board: &Board, mac: Algorithm, bytes: u32, is_module: bool) -> u64 {
    let lengths = (0..=bytes).filter_map(|bytes| cost(board, OperationKind::Tag, mac, bytes));
    let call = OperationKind::ModuleCall;
    let call = is_module
        .then(|| cost(board, call, Algorithm::ProtectedModule, 0))
        .flatten();
    lengths.max().unwrap_or(0) + call.unwrap_or(0)
}

fn cost(board: &Board, kind: OperationKind, algorithm: Algorithm, bytes: u32) -> Option<u64> {
    let cost = board.cost(&Operation::new(kind, algorithm, bytes)).ok()?;
    Some(cost.duration.as_nanos().saturating_mul(1_000))
}

const fn priority(task: Task, tasks: &TaskPriorities) -> u8 {
    match task {
        Task::Receive => tasks.receive,
        Task::Send => tasks.send,
        Task::Mac => tasks.mac,
    }
}
