//! Grants that arrive after the end of their session.

use std::collections::BTreeSet;

use waywarden_can_sim::clock::Time;
use waywarden_lasan::{EcuEvent, ModuleEvent};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{AuthorizationEvent, Fact, TraceSink, VehicleEvent};

/// Three ECUs on real boards whose certificates end while keys are being renewed.
const ENDING: &str = r#"
[vehicle]
name = "ending"
duration = "3500ms"
[[bus]]
name = "a"
bitrate = "500k"
data_bitrate = "2M"
[[ecu]]
name = "safe"
ports = ["a"]
board = "tc297"
address = 1
[[ecu]]
name = "e1"
ports = ["a"]
board = "tc297"
address = 2
sends = [{ name = "S1", id = 0x100, length = 8, period = "50ms", receivers = ["e2"] }]
[[ecu]]
name = "e2"
ports = ["a"]
board = "tc297"
address = 3
sends = [{ name = "S2", id = 0x101, length = 8, period = "50ms", receivers = ["e1"] }]
[[ecu]]
name = "e3"
ports = ["a"]
board = "tc297"
address = 4
sends = [{ name = "S3", id = 0x102, length = 8, period = "50ms", receivers = ["e1", "e2"] }]
[[keys]]
name = "k"
scheme = "lasan"
security_module = "safe"
protect = ["S1", "S2", "S3"]
stream_key = "5s"
"#;

/// A grant that was being opened when its ECU's session ended brought a key for a whole lifetime.
#[test]
fn no_one_takes_a_grant_after_the_end_of_its_session() {
    for end in (2_000..3_000).step_by(100) {
        let text = format!("{ENDING}valid_until = \"{end}ms\"\n");
        let file = VehicleFile::parse("ending.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
        let mut watch = Ending::default();
        run(lowered, &mut watch, &mut |_| {}).unwrap();
        assert!(watch.over.len() >= 3, "until {end} ms: {:?}", watch.over);
        assert_eq!(watch.late, [""; 0], "until {end} ms");
    }
}

/// ECUs whose session is over, and keys granted to them after that.
#[derive(Default)]
struct Ending {
    over: BTreeSet<usize>,
    late: Vec<String>,
}

impl TraceSink for Ending {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let VehicleEvent::Noted { ecu, remark } = event else {
            return;
        };
        let Fact::Authorization { event, .. } = remark.fact else {
            return;
        };
        match event {
            AuthorizationEvent::Ecu(EcuEvent::SessionLost) => {
                self.over.insert(ecu.0);
            }
            AuthorizationEvent::Ecu(EcuEvent::Authenticated { .. })
            | AuthorizationEvent::Module(ModuleEvent::Authenticated(_)) => {
                self.over.remove(&ecu.0);
            }
            AuthorizationEvent::Ecu(EcuEvent::Granted { .. }) if self.over.contains(&ecu.0) => {
                self.late.push(format!("{at:?} {}: {event:?}", ecu.0));
            }
            _ => {}
        }
    }
}
