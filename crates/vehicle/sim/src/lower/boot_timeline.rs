//! The boot timeline of an ECU: from each boot to the next reset, as the vehicle file plans it. An
//! ECU's clock restarts with each boot, and its orders are those of the scenario all the same.

use waywarden_can_sim::clock::LocalClock;
use waywarden_work::{Duration, Instant};

use super::at;
use waywarden_vehicle_file::{self as file, EcuFailure, EcuFailureKind, EcuIndex, VehicleFile};

/// Time of an ECU from one boot to the next reset.
#[derive(Clone, Debug)]
pub(super) struct BootPeriod {
    /// Time of the boot, from power-on.
    pub(super) began: Duration,
    /// End of the boot period before it; none for the first.
    before_ended: Option<Duration>,
    /// True if it is the first boot of a part that the file calls new.
    is_of_new_part: bool,
    /// Rates of its clock in parts per billion, each with its start; in order of time, the first
    /// from power-on.
    rates: Vec<(Duration, i32)>,
}

/// Returns the boot periods of an ECU in order, at least one.
pub(super) fn boot_timeline(file: &VehicleFile, index: EcuIndex) -> Vec<BootPeriod> {
    let faults = || file.faults.iter().filter(|fault| fault.ecu == index);
    let resets = faults().filter_map(|fault| {
        let (from, until) = fault.reset()?;
        Some((from, until, fault.kind == EcuFailureKind::Replaced))
    });
    // Replacements that a security module knows of: its role sees to what the new part knows.
    let replaced = file.lasan.iter().flat_map(|one| one.replacements(index));
    let replaced = replaced.map(|at| (at, at + file::SHORT_RESET, false));
    let mut resets: Vec<(Duration, Duration, bool)> = resets.chain(replaced).collect();
    resets.sort_unstable();
    let rates = rates(file, index);
    let life = |began, before_ended, is_of_new_part| BootPeriod {
        began,
        before_ended,
        is_of_new_part,
        rates: rates.clone(),
    };
    let is_new = faults().any(EcuFailure::is_new_at_power_on);
    let first = life(file.ecu(index).start, None, is_new);
    let later = resets
        .into_iter()
        .map(|(ended, began, is_new)| life(began, Some(ended), is_new));
    std::iter::once(first).chain(later).collect()
}

/// Returns how fast an ECU's clock runs from when on. Of several faults of it the one that began
/// last holds.
fn rates(file: &VehicleFile, index: EcuIndex) -> Vec<(Duration, i32)> {
    let usual = file.ecu(index).clock_ppm;
    let faults = file.faults.iter().filter(|fault| fault.ecu == index);
    let drifts: Vec<(file::Window, i32)> = faults
        .filter_map(|fault| match fault.kind {
            EcuFailureKind::ClockDrift { ppm } => Some((fault.window, usual.saturating_add(ppm))),
            _ => None,
        })
        .collect();
    let ends = drifts.iter().filter_map(|(window, _)| window.until);
    let mut changes: Vec<Duration> = drifts.iter().map(|(window, _)| window.from).collect();
    changes.extend(ends.chain([Duration::ZERO]));
    changes.sort_unstable();
    changes.dedup();
    let rate = |at: Duration| {
        let holds = |(window, _): &&(file::Window, i32)| {
            window.from <= at && window.until.is_none_or(|until| at < until)
        };
        let latest = drifts
            .iter()
            .filter(holds)
            .max_by_key(|(window, _)| window.from);
        latest.map_or(usual, |(_, ppm)| *ppm).saturating_mul(1_000)
    };
    changes.into_iter().map(|at| (at, rate(at))).collect()
}

impl BootPeriod {
    /// Returns what the ECU's clock shows at a time of the scenario; zero if that was before.
    pub(super) fn shows(&self, moment: Duration) -> Instant {
        let since = self
            .rates
            .iter()
            .take_while(|(from, _)| *from <= self.began);
        let rate = since.last().map_or(0, |(_, rate)| *rate);
        let mut clock = LocalClock::starting(at(self.began), rate);
        let later = self
            .rates
            .iter()
            .skip_while(|(from, _)| *from <= self.began);
        for (from, rate) in later.take_while(|(from, _)| *from <= moment) {
            clock = clock.drifting(at(*from), *rate);
        }
        clock.at(at(moment))
    }

    /// Returns true if it has begun at a time of the scenario.
    pub(super) fn has_begun_by(&self, moment: Duration) -> bool {
        self.began <= moment || self.before_ended.is_none()
    }

    /// Returns true if an order for this time is due in this boot period or a later one, not in an
    /// earlier one. Orders from the time between two periods are given at the boot.
    pub(super) fn is_due_from(&self, order_at: Duration) -> bool {
        self.before_ended.is_none_or(|ended| ended <= order_at)
    }

    /// Returns true if it is the first boot of a part that the file calls new, which knows no key
    /// that ECUs agreed on.
    pub(super) const fn is_of_new_part(&self) -> bool {
        self.is_of_new_part
    }

    /// Returns true if it began with this reset.
    pub(super) fn follows(&self, reset_at: Duration) -> bool {
        self.before_ended == Some(reset_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAR: &str = "[vehicle]\nname = \"car\"\n[[bus]]\nname = \"one\"\nbitrate = \"500k\"\n\
                       [[ecu]]\nname = \"a\"\nports = [\"one\"]\nstart = \"100ms\"\n\
                       clock_ppm = 1000\n";

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn of(faults: &str) -> Vec<BootPeriod> {
        let file = VehicleFile::parse("car.toml", &format!("{CAR}{faults}"));
        boot_timeline(
            &file.unwrap_or_else(|errors| panic!("{errors}")),
            EcuIndex(0),
        )
    }

    fn shown(micros: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(micros)
    }

    #[test]
    fn an_order_is_given_once_whatever_is_reset_and_a_clock_begins_again() {
        let lives = of(
            "[[fault]]\nkind = \"reset\"\necu = \"a\"\nfrom = \"1s\"\nuntil = \"1500ms\"\n\
             [[fault]]\nkind = \"reset\"\necu = \"a\"\nfrom = \"600ms\"\n",
        );
        let began: Vec<Duration> = lives.iter().map(|life| life.began).collect();
        assert_eq!(began, [ms(100), ms(600) + file::SHORT_RESET, ms(1_500)]);
        let due_from = |at| [0, 1, 2].map(|life: usize| lives[life].is_due_from(ms(at)));
        // A boot that ended before the order never gets to it.
        assert_eq!(due_from(300), [true, false, false]);
        assert_eq!(due_from(800), [true, true, false]);
        assert_eq!(due_from(1_200), [true, true, true]);
        assert_eq!(lives[2].shows(ms(1_200)), shown(0));
        assert_eq!(lives[2].shows(ms(1_700)), shown(200_200));
        assert_eq!(lives[0].shows(ms(1_100)), shown(1_001_000));
        assert!(lives[1].follows(ms(600)) && !lives[2].follows(ms(600)));
    }

    #[test]
    fn a_clock_that_drifts_shows_what_it_does_at_the_time_of_the_scenario() {
        let lives = of(
            "[[fault]]\nkind = \"clock-drift\"\necu = \"a\"\nppm = 4000\nfrom = \"600ms\"\n\
             until = \"1600ms\"\n\
             [[fault]]\nkind = \"clock-drift\"\necu = \"a\"\nppm = -1000\nfrom = \"1100ms\"\n\
             until = \"1200ms\"\n\
             [[fault]]\nkind = \"reset\"\necu = \"a\"\nfrom = \"1s\"\nuntil = \"1150ms\"\n",
        );
        // Half a second at 1,000 ppm, 100 ms at 5,000.
        assert_eq!(lives[0].shows(ms(700)), shown(500_500 + 100_500));
        // 50 ms at 0, 400 ms at 5,000, and one second at 1,000.
        let expected = 50_000 + 402_000 + 1_001_000;
        assert_eq!(lives[1].shows(ms(2_600)), shown(expected));
    }
}
