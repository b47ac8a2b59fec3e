//! A vehicle for one exchange, composed as a vehicle file: so many ECUs of one kind on one bus, and
//! an orchestrator, or a security module with streams to protect.
//!
//! All values are words or numbers of the vehicle file, which checks them: a scheme that vehicle
//! files support is one that a scenario can have.

use toml::{Table, Value};
use waywarden_vehicle_file::to_text;

use crate::composing::{self, add, names, set, table};

/// Parameters of the vehicle file.
#[derive(Clone, Debug)]
pub struct ExchangeScenario<'a> {
    /// True if the ECUs authenticate to a security module instead of agreeing on a key.
    pub lasan: bool,
    /// Number of ECUs besides the orchestrator or the security module.
    pub ecus: u32,
    /// The board of all of them: the name of a built-in one, or the path of a file.
    pub board: &'a str,
    /// The nominal bit rate, in bits per second.
    pub bit_rate: u32,
    /// The data bit rate of a CAN FD bus; none for a classic one.
    pub data_bit_rate: Option<u32>,
    /// Entries of `[[keys]]`, key and word, such as `("scheme", "symmetric-distribution")`.
    pub keys: Vec<(&'a str, String)>,
    /// Seed of the random choices, up to `i64::MAX`.
    pub seed: u64,
    /// Limit on the simulated duration, such as `60s`.
    pub duration: &'a str,
}

impl ExchangeScenario<'_> {
    /// Writes the vehicle file.
    #[must_use]
    pub fn toml(&self) -> String {
        let what = match self.lasan {
            true => "One start under a security module.",
            false => "One exchange of group keys.",
        };
        let text = to_text(&self.table());
        format!(
            "# {what} `waywarden keys FILE` shows it step by step, `waywarden run FILE`\n# in \
             figures; docs/vehicle-file.md has everything that can be added.\n{text}"
        )
    }

    /// Composes the vehicle: the table that its file is read as.
    #[must_use]
    pub fn table(&self) -> Table {
        let vehicle = table([
            ("name", "keys".into()),
            ("seed", composing::seed(self.seed)),
            ("duration", self.duration.into()),
        ]);
        let mut bus = table([("name", "can".into()), ("bitrate", bit_rate(self.bit_rate))]);
        if let Some(rate) = self.data_bit_rate {
            set(&mut bus, "data_bitrate", bit_rate(rate));
        }
        let mut car = table([("vehicle", Value::Table(vehicle))]);
        add(&mut car, "bus", bus);
        // The first one gets address 1 and the others follow.
        let (role, first) = match self.lasan {
            true => ("security_module", "security-module"),
            false => ("orchestrator", "orchestrator"),
        };
        add(&mut car, "ecu", self.ecu(first));
        for number in 1..=self.ecus {
            let mut ecu = self.ecu(&format!("ecu-{number}"));
            if self.has_streams() {
                set(&mut ecu, "sends", vec![self.stream(number)]);
            }
            add(&mut car, "ecu", ecu);
        }
        let mut keys = table([("name", "car".into()), (role, first.into())]);
        if self.has_streams() {
            let streams = (1..=self.ecus).map(|number| Value::String(stream_name(number)));
            set(&mut keys, "protect", streams.collect::<Vec<_>>());
        }
        for (key, word) in &self.keys {
            set(&mut keys, key, word.as_str());
        }
        add(&mut car, "keys", keys);
        car
    }

    fn ecu(&self, name: &str) -> Table {
        let board = self.board.into();
        table([
            ("name", name.into()),
            ("ports", names(["can"])),
            ("board", board),
        ])
    }

    /// Returns true if each ECU has a stream to be authorized for: a classic frame has no room for
    /// protection.
    const fn has_streams(&self) -> bool {
        self.lasan && self.data_bit_rate.is_some()
    }

    /// Returns the stream of an ECU to the next one: so rare that it hardly delays anything.
    fn stream(&self, number: u32) -> Table {
        let next = format!("ecu-{}", number % self.ecus + 1);
        table([
            ("name", stream_name(number).into()),
            ("id", i64::from(0x100 + number).into()),
            ("length", 8.into()),
            ("period", "1s".into()),
            ("receivers", names([next.as_str()])),
        ])
    }
}

fn stream_name(number: u32) -> String {
    format!("Stream{number}")
}

/// Returns bits per second as vehicle files have them.
fn bit_rate(rate: u32) -> Value {
    Value::String(match rate {
        rate if rate.is_multiple_of(1_000_000) => format!("{}M", rate / 1_000_000),
        rate if rate.is_multiple_of(1_000) => format!("{}k", rate / 1_000),
        rate => rate.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_vehicle_file::{BoardSource, VehicleFile};

    fn words<'a>(keys: &[(&'a str, &str)]) -> Vec<(&'a str, String)> {
        let keys = keys.iter();
        keys.map(|(key, word)| (*key, (*word).to_owned())).collect()
    }

    #[test]
    fn a_scenario_is_a_vehicle_file() {
        let keys = [("scheme", "symmetric-distribution"), ("suite", "p256")];
        let scenario = ExchangeScenario {
            lasan: false,
            ecus: 3,
            board: "odd \"boards\"/b\\.toml",
            bit_rate: 83_333,
            data_bit_rate: None,
            keys: words(&keys),
            seed: 7,
            duration: "3s",
        };
        let text = scenario.toml();
        let file = VehicleFile::parse("recipe", &text).unwrap();
        assert_eq!((file.seed, file.ecus.len()), (7, 4));
        assert_eq!(file.duration.as_nanos(), 3_000_000_000);
        let board = BoardSource::File("odd \"boards\"/b\\.toml".to_owned());
        assert!(file.ecus.iter().all(|ecu| ecu.board.value == board));
        assert_eq!(file.buses[0].nominal.bit_rate, 83_333);
        let group = &file.groups[0];
        let addresses = group.parties().map(|party| party.address.0);
        assert_eq!(addresses.collect::<Vec<_>>(), [1, 2, 3, 4]);
        let fd = ExchangeScenario {
            data_bit_rate: Some(2_000_000),
            ..scenario
        };
        let file = VehicleFile::parse("recipe", &fd.toml()).unwrap();
        assert!(file.buses[0].fd.is_some());
    }

    #[test]
    fn under_a_security_module_each_sends_to_the_next() {
        let keys = [("scheme", "lasan"), ("profile", "compact")];
        let scenario = ExchangeScenario {
            lasan: true,
            ecus: 20,
            board: "tc297",
            bit_rate: 500_000,
            data_bit_rate: Some(2_000_000),
            keys: words(&keys),
            seed: 7,
            duration: "3s",
        };
        let file = VehicleFile::parse("recipe", &scenario.toml()).unwrap();
        let network = &file.lasan[0];
        assert_eq!((network.members.len(), network.protected.len()), (20, 20));
        let last = &file.streams[19];
        assert_eq!((last.sender.0, last.receivers[0].ecu.0), (20, 1));
        let classic = ExchangeScenario {
            data_bit_rate: None,
            ..scenario
        };
        let file = VehicleFile::parse("recipe", &classic.toml()).unwrap();
        assert_eq!((file.lasan.len(), file.streams.len()), (1, 0));
    }

    #[test]
    fn a_scenario_has_only_what_vehicle_files_know() {
        let scenario = ExchangeScenario {
            lasan: false,
            ecus: 2,
            board: "tc297",
            bit_rate: 500_000,
            data_bit_rate: None,
            keys: words(&[("scheme", "magic")]),
            seed: 0,
            duration: "1s",
        };
        let errors = VehicleFile::parse("recipe", &scenario.toml()).unwrap_err();
        assert!(errors.to_string().contains("magic"), "{errors}");
    }
}
