//! Cost of work on an ECU, and the longest response time of a job of each task.

use waywarden_boards::{Board, BoardSecurityModule};
use waywarden_response_time::{self as response_time, Limit, NoBound, level_busy_period};
use waywarden_vehicle_file::{FrameFormat, TaskPriorities};
use waywarden_work::{Algorithm, Duration, Operation, OperationKind};

/// A task of an ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Receive,
    Send,
    Mac,
}

/// Cost of a job, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// On a core.
    pub(crate) core: u64,
    /// On the security module after that.
    pub(crate) module: u64,
}

impl Cost {
    pub(crate) const fn on_core(core: u64) -> Self {
        Cost { core, module: 0 }
    }

    /// Returns the cost of as many jobs.
    pub(crate) const fn times(self, number: u64) -> Self {
        Cost {
            core: self.core * number,
            module: self.module * number,
        }
    }
}

/// A job that comes again and again: shortest period, jitter and cost in picoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) task: Task,
    pub(crate) period: u64,
    pub(crate) jitter: u64,
    pub(crate) cost: Cost,
    /// Further limits on the number of jobs.
    pub(crate) limits: Vec<Limit>,
}

/// Returns the longest time from arrival to end of jobs that receive, send and compute codes.
pub(crate) fn responses(jobs: &[Job], tasks: &TaskPriorities) -> [Result<u64, NoBound>; 3] {
    // Of what a bound covers, codes alone are computed: nothing less urgent is on a module.
    let mac = response(jobs, (Task::Mac, 0), tasks);
    let on_module = |job: &Job| job.cost.module > 0;
    let of_cores = |task| {
        if !jobs.iter().any(on_module) || priority(Task::Mac, tasks) < priority(task, tasks) {
            return response(jobs, (task, 0), tasks);
        }
        // The calls of a check come one after the other, each when the module is done with the one
        // before: as late as its end.
        let late = mac?;
        let mut jobs = jobs.to_vec();
        for job in jobs.iter_mut().filter(|job| on_module(job)) {
            job.jitter += late;
        }
        response(&jobs, (task, 0), tasks)
    };
    [of_cores(Task::Receive), of_cores(Task::Send), mac]
}

/// Returns the longest time from a job's arrival to its end: no longer than its processor works
/// without a pause at jobs that are as urgent or more. More cores make none of them later.
///
/// While a code is on its way, a core or the security module works at it or at a job that is as
/// urgent. So it takes no longer than one processor would work without a pause that had the work of
/// both. A module completes what it has begun, so that one of the commands that are less urgent may
/// go before: `blocking` is the longest.
fn response(
    jobs: &[Job],
    (task, blocking): (Task, u64),
    tasks: &TaskPriorities,
) -> Result<u64, NoBound> {
    let own = priority(task, tasks);
    let urgent = jobs.iter().filter(|job| priority(job.task, tasks) >= own);
    let urgent: Vec<_> = urgent
        .map(|job| response_time::RecurringJob {
            period: job.period,
            jitter: job.jitter,
            cost: part(job.cost, task),
            limits: job.limits.clone(),
        })
        .collect();
    level_busy_period(blocking, &urgent).map_err(|cause| match cause {
        NoBound::Overload => NoBound::ProcessorOverload,
        other => other,
    })
}

/// Returns the part of a job's cost that a task may wait for: only codes wait for the module.
const fn part(cost: Cost, task: Task) -> u64 {
    match task {
        Task::Mac => cost.core + cost.module,
        Task::Receive | Task::Send => cost.core,
    }
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

/// Returns what one encryption, decryption or code with one of these ciphers costs at most.
pub(crate) fn symmetric(board: &Board, ciphers: &[Algorithm], bytes: u32) -> u64 {
    let kinds = [OperationKind::Encrypt, OperationKind::Decrypt];
    let mut all: Vec<(OperationKind, Algorithm)> = Vec::new();
    for kind in kinds {
        all.extend(ciphers.iter().map(|&cipher| (kind, cipher)));
    }
    all.push((OperationKind::Tag, Algorithm::HmacSha256));
    let costs = all
        .into_iter()
        .filter_map(|(kind, cipher)| cost(board, kind, cipher, bytes));
    costs.max().unwrap_or(0)
}

/// Returns what one code over up to `bytes` costs at most, with the call of a protected module.
pub(crate) fn code(board: &Board, mac: Algorithm, bytes: u32, is_module: bool) -> Cost {
    let tag = |bytes| Operation::new(OperationKind::Tag, mac, bytes);
    let call = OperationKind::ModuleCall;
    let call = is_module
        .then(|| cost(board, call, Algorithm::ProtectedModule, 0))
        .flatten();
    let call = Cost::on_core(call.unwrap_or(0));
    let computing = (0..=bytes).filter_map(|bytes| board.module_cost(&tag(bytes)));
    let own = match computing.map(|cost| picoseconds(cost.duration)).max() {
        Some(module) => {
            let call = BoardSecurityModule::call(&tag(bytes));
            let core = cost(board, call.kind, call.algorithm, bytes).unwrap_or(0);
            Cost { core, module }
        }
        None => {
            let lengths =
                (0..=bytes).filter_map(|bytes| cost(board, OperationKind::Tag, mac, bytes));
            Cost::on_core(lengths.max().unwrap_or(0))
        }
    };
    Cost {
        core: own.core + call.core,
        module: own.module,
    }
}

fn cost(board: &Board, kind: OperationKind, algorithm: Algorithm, bytes: u32) -> Option<u64> {
    let cost = board.cost(&Operation::new(kind, algorithm, bytes)).ok()?;
    Some(picoseconds(cost.duration))
}

const fn picoseconds(duration: Duration) -> u64 {
    duration.as_nanos().saturating_mul(1_000)
}

const fn priority(task: Task, tasks: &TaskPriorities) -> u8 {
    match task {
        Task::Receive => tasks.receive,
        Task::Send => tasks.send,
        Task::Mac => tasks.mac,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: TaskPriorities = TaskPriorities {
        receive: 4,
        send: 3,
        mac: 2,
        crypto: 1,
    };

    const fn job(task: Task, core: u64, module: u64) -> Job {
        Job {
            task,
            period: 1_000,
            jitter: 0,
            cost: Cost { core, module },
            limits: Vec::new(),
        }
    }

    #[test]
    fn a_code_on_a_module_waits_for_both_and_the_cores_tasks_for_the_core_alone() {
        let jobs = [
            job(Task::Receive, 10, 0),
            job(Task::Mac, 1, 50),
            job(Task::Mac, 2, 60),
        ];
        let response = |task, blocking| response(&jobs, (task, blocking), &TASKS);
        assert_eq!(response(Task::Mac, 0), Ok(10 + 51 + 62));
        assert_eq!(response(Task::Receive, 0), Ok(10));
        // A command that is less urgent and runs already.
        assert_eq!(response(Task::Mac, 300), Ok(423));
        let equal = TaskPriorities { mac: 4, ..TASKS };
        assert_eq!(super::response(&jobs, (Task::Receive, 0), &equal), Ok(13));
    }

    #[test]
    fn calls_that_come_late_delay_tasks_that_are_no_more_urgent() {
        let jobs = [job(Task::Send, 10, 0), job(Task::Mac, 5, 500)];
        let alone = [Ok(10), Ok(10), Ok(515)];
        assert_eq!(responses(&jobs, &TASKS)[1..], alone[1..]);
        // 515 of jitter: of two checks the last call and the first one come together.
        let equal = TaskPriorities { mac: 3, ..TASKS };
        let close = [job(Task::Send, 300, 0), job(Task::Mac, 250, 200)];
        let [_, send, mac] = responses(&close, &equal);
        assert_eq!((send, mac), (Ok(300 + 2 * 250), Ok(750)));
    }

    #[test]
    fn a_code_costs_its_call_on_the_core_and_the_rest_on_the_module() {
        let board = Board::builtin("stm32h5").expect("a built-in board");
        let used = board.clone().with_module_in_use().expect("a module");
        let on = |board: &Board, mac| code(board, mac, 16, false);
        // 800 cycles, and 480 for each of two blocks, at 250 MHz.
        let expected = Cost {
            core: 3_200_000,
            module: 3_840_000,
        };
        assert_eq!(on(&used, Algorithm::Aes128Cmac), expected);
        assert_eq!(on(&board, Algorithm::Aes128Cmac).module, 0);
        let hmac = Algorithm::HmacSha256;
        assert_eq!(on(&used, hmac), on(&board, hmac));
    }
}
