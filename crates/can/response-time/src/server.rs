//! One processor and its jobs: how long it works without a pause.

#[cfg(test)]
mod tests;

use crate::analysis::{Bound, WHOLE, iterate, share};
use crate::message::NoBound;

/// A job that comes again and again. Times are picoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecurringJob {
    /// The shortest time from one to the next.
    pub period: u64,
    /// The jitter of the jobs.
    pub jitter: u64,
    /// The cost of one job.
    pub cost: u64,
    /// Additional limits of the number of jobs: at most their sum; no limit if there are none.
    pub limits: Vec<Limit>,
}

/// A number of jobs that comes in each period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The shortest time from one to the next.
    pub period: u64,
    /// The jitter of the jobs.
    pub jitter: u64,
    /// Number of jobs that come at once.
    pub number: u64,
}

impl RecurringJob {
    /// min(ceil((t + J) / T), sum of ceil((t + J) / T) n) C, once at least.
    fn demand(&self, t: u64) -> Option<u64> {
        let number = t.checked_add(self.jitter)?.div_ceil(self.period).max(1);
        let mut limits = self.limits.iter();
        let limit = limits.try_fold(0, |sum: u64, one| {
            let times = t
                .checked_add(one.jitter)?
                .div_ceil(one.period.max(1))
                .max(1);
            sum.checked_add(times.checked_mul(one.number)?)
        })?;
        let number = match self.limits.is_empty() {
            true => number,
            false => number.min(limit),
        };
        number.checked_mul(self.cost)
    }

    /// The part of all time that it takes in the long run.
    fn load(&self) -> Option<u128> {
        let rate = (self.period > 0).then(|| share(self.cost, self.period))?;
        let limits = self.limits.iter();
        let limit = limits.map(|one| share(self.cost.saturating_mul(one.number), one.period));
        Some(match self.limits.is_empty() {
            true => rate,
            false => rate.min(limit.sum()),
        })
    }
}

/// Returns the longest time in which a server works without a pause at jobs of given periods,
/// jitters and costs: the smallest t above 0 with t = `start` + sum of ceil((t + J) / T) C. No job
/// among them takes longer, in whichever order they are done.
///
/// # Errors
/// [`NoBound::Overload`] if there is none; [`NoBound::UnlimitedRate`] if a job that costs time has
/// the period zero; [`NoBound::NotConverged`].
pub fn level_busy_period(start: u64, jobs: &[RecurringJob]) -> Bound {
    let jobs = jobs.iter().filter(|job| job.cost > 0);
    let load = jobs
        .clone()
        .try_fold(0, |sum: u128, job| Some(sum + job.load()?));
    match load {
        None => return Err(NoBound::UnlimitedRate),
        Some(load) if load >= WHOLE => return Err(NoBound::Overload),
        Some(_) => {}
    }
    let first = jobs.clone().map(|job| job.cost).sum::<u64>() + start;
    iterate(first, |t| {
        let mut jobs = jobs.clone();
        jobs.try_fold(start, |sum, job| sum.checked_add(job.demand(t)?))
    })
}
