//! Busy periods of processors: known answers.

use super::*;

const fn job(period: u64, jitter: u64, cost: u64) -> RecurringJob {
    RecurringJob {
        period,
        jitter,
        cost,
        limits: Vec::new(),
    }
}

#[test]
fn a_busy_period_of_jobs_needs_a_load_below_one() {
    assert_eq!(level_busy_period(0, &[job(10, 0, 3), job(20, 0, 5)]), Ok(8));
    let full = [job(10, 0, 5), job(20, 0, 10)];
    assert_eq!(level_busy_period(0, &full), Err(NoBound::Overload));
    let endless = [job(0, 0, 5)];
    assert_eq!(level_busy_period(0, &endless), Err(NoBound::UnlimitedRate));
}

#[test]
fn a_limited_number_of_jobs_takes_no_more_than_its_sum() {
    let mut fast = job(4, 0, 3);
    let other = job(100, 0, 10);
    // 10 + 3 ceil(t / 4), which is longer than 30 of the fast ones.
    let unlimited = level_busy_period(0, &[fast.clone(), other.clone()]).unwrap();
    assert_eq!(unlimited, 40);
    fast.limits = vec![Limit {
        period: 1_000,
        jitter: 0,
        number: 4,
    }];
    assert_eq!(level_busy_period(0, &[fast.clone(), other.clone()]), Ok(22));
    // More than all of the time, but not for long.
    fast.period = 2;
    assert_eq!(level_busy_period(0, &[fast, other]), Ok(22));
}
