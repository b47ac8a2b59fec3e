//! Plans of vehicles: their buses, their keys, and what keeps one from being made.

use std::num::NonZeroU32;
use std::sync::Arc;

use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth_log::{
    AuthenticationPlan, BusAssignmentError, CheckLogError, LogChecker, LogProtector, VehicleKeys,
    VehiclePlan, VehiclePlanError,
};
use waywarden_vehicle_file::{AuthenticationFile, StreamIndex, VehicleFile};

use super::{KEY, Log, plain};

const CAR: &str = r#"
    [vehicle]
    name = "two buses"

    [[bus]]
    name = "main"
    bitrate = "500k"

    [[bus]]
    name = "body"
    bitrate = "125k"

    [[ecu]]
    name = "engine"
    ports = ["main"]

    [[ecu]]
    name = "brakes"
    ports = ["main"]

    [[ecu]]
    name = "door"
    ports = ["body"]

    [[stream]]
    name = "speed"
    id = 0x280
    sender = "engine"
    receivers = ["brakes"]
    period = "10ms"
    length = 8
"#;

const TABLE: &str = r#"
    [[authentication]]
    scheme = "vatican"
    protect = ["speed"]
"#;

/// A key store that has one key.
struct OneKey;

impl VehicleKeys for OneKey {
    fn message_key(&self, _: usize, _: StreamIndex) -> MacKey {
        MacKey::from_bytes([7; 16])
    }

    fn announcement_key(&self, _: usize) -> MacKey {
        MacKey::from_bytes([8; 16])
    }
}

fn car(tables: &str) -> VehicleFile {
    VehicleFile::parse("car.toml", &format!("{CAR}{tables}")).unwrap()
}

#[test]
fn channel_is_the_bus_that_it_is_assigned_to() {
    let file = car(TABLE);
    let mut plan = VehiclePlan::new(&file).unwrap();
    assert_eq!(plan.buses(), ["main", "body"]);
    assert_eq!(plan.with_session_keys().count(), 0);
    plan.assign("can0", "main").unwrap();
    let plan = Arc::new(plan.finish(&OneKey, NonZeroU32::MIN).unwrap());
    let log = Log::short();
    let protected = log.protected(&plan).unwrap();
    assert_eq!(protected.records.len(), 20);
    let (checked, summary) = protected.checked(&plan);
    assert_eq!(plain(&checked), log.records);
    assert_eq!(summary.streams[0].stream, "speed");
    assert_eq!(summary.streams[0].authentic, 20);
}

#[test]
fn channel_of_no_bus_is_refused() {
    let file = car(TABLE);
    let plan = VehiclePlan::new(&file).unwrap();
    let plan = Arc::new(plan.finish(&OneKey, NonZeroU32::MIN).unwrap());
    let error = Log::short().protected(&plan).err().unwrap();
    let text = "channel can0 is no bus of car.toml; assign it to one of main, body";
    assert_eq!(error.to_string(), text);
    let (log, mut checked) = (Log::short(), Vec::new());
    let error = LogChecker::new(plan).check(&log.records[0], &log.channels, &mut checked);
    assert!(matches!(error, Err(CheckLogError::UnknownBus(_))));
}

#[test]
fn channels_are_assigned_once_and_to_buses() {
    let file = car(TABLE);
    let mut plan = VehiclePlan::new(&file).unwrap();
    let error = plan.assign("can0", "chassis").unwrap_err();
    let text = "car.toml has no bus chassis; its buses: main, body";
    assert_eq!(error.to_string(), text);
    plan.assign("can0", "main").unwrap();
    let again = plan.assign("can0", "body");
    assert!(matches!(
        again,
        Err(BusAssignmentError::AssignedTwice { .. })
    ));
}

#[test]
fn vehicle_without_authentication_has_no_plan() {
    let file = car("");
    let error = VehiclePlan::new(&file).err().unwrap();
    assert!(matches!(
        error,
        VehiclePlanError::NothingAuthenticated { .. }
    ));
    assert!(error.to_string().starts_with("car.toml: "), "{error}");
}

#[test]
fn plans_and_logs_may_move_to_other_threads() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync>() {}
    is_shared::<AuthenticationPlan>();
    is_send::<LogProtector>();
    is_send::<LogChecker>();
}

#[test]
fn toyota_is_another_name_of_production() {
    let protocol = |profile: &str| {
        let text = format!(
            "[[authentication]]\nscheme = \"secoc\"\nprofile = \"{profile}\"\n\
             protect = \"all\"\n{KEY}"
        );
        let file = AuthenticationFile::parse("auth.toml", &text, None).unwrap();
        file.tables[0].protocol.clone()
    };
    assert_eq!(protocol("toyota"), protocol("production"));
    assert_ne!(protocol("toyota"), protocol("jaspar"));
}
