//! Options that have no use in a paper, and those that contradict each other: refused before
//! anything is measured. What clap can tell without the paper stands beside the options.

use waywarden_command_line::exit::Failure;
use waywarden_papers::{NoCell, Paper};

use super::Papers;

impl Papers {
    /// Refuses what the paper has no use for, and two documents for standard output.
    pub(super) fn check(&self, paper: &Paper) -> Result<(), Failure> {
        self.format.beside("--html", self.html.as_deref())?;
        let key = paper.key;
        let is_measured = ["ecqv-cits", "wave-sec"].contains(&key);
        if self.host && (!is_measured || key == "wave-sec" && cfg!(not(unix))) {
            return Err(Failure::new(format_args!(
                "--host is for ecqv-cits and, on Unix, wave-sec; nothing of {key} is measured on \
                 this machine: leave it out"
            )));
        }
        if key != "wave-sec" {
            let messages = self.messages.map(|count| format!("--messages {count}"));
            let real_time = self.real_time.then(|| "--real-time".to_owned());
            if let Some(option) = messages.or(real_time) {
                return Err(Failure::new(format_args!(
                    "{option} is for the messages that --host measures in wave-sec; in {key} \
                     --host measures none: leave {option} out"
                )));
            }
        }
        if let (Some(folder), true) = (&self.traffic, key != "ecqv-cits") {
            return Err(Failure::new(format_args!(
                "--traffic is for ecqv-cits; no table of {key} is of traffic: leave out --traffic \
                 {}",
                folder.display()
            )));
        }
        // Other names are looked up when all is measured: some cells are there only then.
        match self.cell.as_deref().filter(|name| name.trim().is_empty()) {
            Some(_) => Err(Failure::new(NoCell::Empty { key })),
            None => Ok(()),
        }
    }
}
