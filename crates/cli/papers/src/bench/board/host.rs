//! Data of the operating system on this machine.

use std::fs;
use std::thread;

/// The most cores that a board file may have.
const CORES_MAX: usize = 256;

/// This machine.
pub(super) struct Host {
    /// The processor's name, without control characters.
    pub(super) processor: String,
    pub(super) cores: usize,
    /// `None` if the operating system does not say.
    pub(super) clock_mhz: Option<u64>,
}

impl Host {
    pub(super) fn this() -> Self {
        let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let base = "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency";
        let base_khz = fs::read_to_string(base).ok();
        let base_khz = base_khz.and_then(|text| text.trim().parse::<u64>().ok());
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self {
            processor: processor(&about),
            cores: cores.clamp(1, CORES_MAX),
            clock_mhz: base_khz
                .map(|khz| khz / 1_000)
                .or_else(|| current_mhz(&about))
                .filter(|mhz| (1..=100_000).contains(mhz)),
        }
    }

    /// The processor and the operating system.
    pub(super) fn name(&self) -> String {
        let (system, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
        format!("{}, {system} on {architecture}", self.processor)
    }
}

fn field<'a>(about: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = about.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(key, _)| key.trim() == name)?;
    Some(value.trim()).filter(|value| !value.is_empty())
}

fn processor(about: &str) -> String {
    let names = ["model name", "Model", "Hardware", "cpu model", "cpu"];
    let name = names.into_iter().find_map(|name| field(about, name));
    let name = name.unwrap_or(std::env::consts::ARCH);
    name.chars().filter(|one| !one.is_control()).collect()
}

fn current_mhz(about: &str) -> Option<u64> {
    let mhz: f64 = field(about, "cpu MHz")?.parse().ok()?;
    // A float that is no number, or too large, becomes 0 or the greatest: both are filtered out.
    Some(mhz.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_read_from_what_linux_says() {
        let intel = "processor\t: 0\nmodel\t\t: 106\nmodel name\t: Intel(R) Xeon(R)\n\
                     cpu MHz\t\t: 2593.905\n";
        assert_eq!(processor(intel), "Intel(R) Xeon(R)");
        assert_eq!(current_mhz(intel), Some(2_594));
        let arm = "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 4\u{7f} B\n";
        assert_eq!(processor(arm), "Raspberry Pi 4 B");
        assert_eq!(current_mhz(arm), None);
        assert_eq!(processor(""), std::env::consts::ARCH);
        assert_eq!(current_mhz("cpu MHz : NaN"), Some(0));
    }
}
