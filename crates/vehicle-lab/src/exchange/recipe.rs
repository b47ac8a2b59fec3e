//! A vehicle for one exchange, as text of a vehicle file: so many ECUs of one kind on one bus, and
//! an orchestrator, or a security module with streams to protect.
//!
//! Everything is a word or a number of the vehicle file, which checks them: a scheme that vehicle
//! files learn is one that a recipe can have.

use std::fmt::Write;

/// What goes into the vehicle file.
#[derive(Clone, Debug)]
pub struct Recipe<'a> {
    /// Whether the ECUs authenticate to a security module instead of agreeing on a key.
    pub lasan: bool,
    /// How many ECUs there are besides the orchestrator or the security module.
    pub ecus: u32,
    /// The board of all of them: the name of a built-in one, or the path of a file.
    pub board: &'a str,
    /// The nominal bit rate, in bits per second.
    pub bit_rate: u32,
    /// The data bit rate of a CAN FD bus; none for a classic one.
    pub data_bit_rate: Option<u32>,
    /// What goes into `[[keys]]`, key and word, such as `("scheme", "symmetric-distribution")`.
    pub keys: &'a [(&'a str, &'a str)],
    /// What random choices follow from, up to `i64::MAX`.
    pub seed: u64,
    /// How long it may take, such as `60s`.
    pub duration: &'a str,
}

impl Recipe<'_> {
    /// Writes the vehicle file.
    #[must_use]
    pub fn toml(&self) -> String {
        let what = match self.lasan {
            true => "One start under a security module.",
            false => "One exchange of group keys.",
        };
        let mut text = format!(
            "# {what} `waywarden keys FILE` shows it step by step, `waywarden run FILE`\n# in \
             figures; docs/vehicle-file.md has everything that can be added.\n[vehicle]\nname = \
             \"keys\"\n",
        );
        let mut line = |key: &str, value: &str| {
            // Writing to memory has no way to fail.
            let _ = writeln!(text, "{key} = {value}");
        };
        line("seed", &self.seed.to_string());
        line("duration", &quoted(self.duration));
        text.push_str("\n[[bus]]\nname = \"can\"\n");
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(text, "{key} = {value}");
        };
        line("bitrate", &bit_rate(self.bit_rate));
        if let Some(rate) = self.data_bit_rate {
            line("data_bitrate", &bit_rate(rate));
        }
        let board = quoted(self.board);
        let ecu = |text: &mut String, name: &str| {
            let head = "\n[[ecu]]\nname";
            let _ = writeln!(
                text,
                "{head} = \"{name}\"\nports = [\"can\"]\nboard = {board}"
            );
        };
        // The first one gets address 1 and the others follow.
        let first = if self.lasan {
            "security-module"
        } else {
            "orchestrator"
        };
        ecu(&mut text, first);
        for number in 1..=self.ecus {
            ecu(&mut text, &format!("ecu-{number}"));
            if self.has_streams() {
                text.push_str(&self.stream(number));
            }
        }
        let key = if self.lasan {
            "security_module"
        } else {
            "orchestrator"
        };
        let _ = writeln!(text, "\n[[keys]]\nname = \"car\"\n{key} = \"{first}\"");
        if self.has_streams() {
            let names = (1..=self.ecus).map(|number| format!("\"Stream{number}\""));
            let names: Vec<String> = names.collect();
            let lines: Vec<String> = names.chunks(8).map(|line| line.join(", ")).collect();
            let _ = writeln!(text, "protect = [\n  {},\n]", lines.join(",\n  "));
        }
        for (key, word) in self.keys {
            let _ = writeln!(text, "{key} = {}", quoted(word));
        }
        text
    }

    /// Whether each ECU has a stream to be authorised for: a classic frame has no room for
    /// protection.
    fn has_streams(&self) -> bool {
        self.lasan && self.data_bit_rate.is_some()
    }

    /// What an ECU sends to the next one: so seldom that it hardly delays anything.
    fn stream(&self, number: u32) -> String {
        let next = number % self.ecus + 1;
        format!(
            "sends = [{{ name = \"Stream{number}\", id = {:#05X}, length = 8, period = \"1s\", \
             receivers = [\"ecu-{next}\"] }}]\n",
            0x100 + number
        )
    }
}

/// Returns bits per second as vehicle files have them.
fn bit_rate(rate: u32) -> String {
    match rate {
        rate if rate.is_multiple_of(1_000_000) => format!("\"{}M\"", rate / 1_000_000),
        rate if rate.is_multiple_of(1_000) => format!("\"{}k\"", rate / 1_000),
        rate => format!("\"{rate}\""),
    }
}

/// Returns a text as a string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_vehicle_file::{Board, VehicleFile};

    #[test]
    fn a_recipe_is_a_vehicle_file() {
        let keys = [("scheme", "symmetric-distribution"), ("suite", "p256")];
        let recipe = Recipe {
            lasan: false,
            ecus: 3,
            board: "odd \"boards\"/b\\.toml",
            bit_rate: 83_333,
            data_bit_rate: None,
            keys: &keys,
            seed: 7,
            duration: "3s",
        };
        let text = recipe.toml();
        let file = VehicleFile::parse("recipe", &text).unwrap();
        assert_eq!((file.seed, file.ecus.len()), (7, 4));
        assert_eq!(file.duration.as_nanos(), 3_000_000_000);
        let board = Board::File("odd \"boards\"/b\\.toml".to_owned());
        assert!(file.ecus.iter().all(|ecu| ecu.board.value == board));
        assert_eq!(file.buses[0].nominal.bit_rate, 83_333);
        let group = &file.groups[0];
        let addresses = group.parties().map(|party| party.address.0);
        assert_eq!(addresses.collect::<Vec<_>>(), [1, 2, 3, 4]);
        let fd = Recipe {
            data_bit_rate: Some(2_000_000),
            ..recipe
        };
        let file = VehicleFile::parse("recipe", &fd.toml()).unwrap();
        assert!(file.buses[0].fd.is_some());
    }

    #[test]
    fn under_a_security_module_each_sends_to_the_next() {
        let keys = [("scheme", "lasan"), ("profile", "compact")];
        let recipe = Recipe {
            lasan: true,
            ecus: 20,
            board: "tc297",
            bit_rate: 500_000,
            data_bit_rate: Some(2_000_000),
            keys: &keys,
            seed: 7,
            duration: "3s",
        };
        let file = VehicleFile::parse("recipe", &recipe.toml()).unwrap();
        let network = &file.lasan[0];
        assert_eq!((network.members.len(), network.protected.len()), (20, 20));
        let last = &file.streams[19];
        assert_eq!((last.sender.0, last.receivers[0].ecu.0), (20, 1));
        let classic = Recipe {
            data_bit_rate: None,
            ..recipe
        };
        let file = VehicleFile::parse("recipe", &classic.toml()).unwrap();
        assert_eq!((file.lasan.len(), file.streams.len()), (1, 0));
    }

    #[test]
    fn what_vehicle_files_do_not_know_a_recipe_cannot_have() {
        let recipe = Recipe {
            lasan: false,
            ecus: 2,
            board: "tc297",
            bit_rate: 500_000,
            data_bit_rate: None,
            keys: &[("scheme", "magic")],
            seed: 0,
            duration: "1s",
        };
        let errors = VehicleFile::parse("recipe", &recipe.toml()).unwrap_err();
        assert!(errors.to_string().contains("magic"), "{errors}");
    }
}
