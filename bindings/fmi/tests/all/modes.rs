//! Functions in the wrong mode, wrong variables and wrong files are refused with a reason.

use std::ptr;

use waywarden_fmi::life::{
    fmi3EnterInitializationMode, fmi3EnterStepMode, fmi3ExitInitializationMode, fmi3FreeInstance,
    fmi3Reset, fmi3Terminate,
};
use waywarden_fmi::status::Status;
use waywarden_fmi::step::fmi3DoStep;
use waywarden_fmi::unsupported::fmi3GetFMUState;
use waywarden_fmi::values::{
    fmi3GetFloat64, fmi3GetUInt32, fmi3GetUInt64, fmi3SetUInt32, fmi3SetUInt64,
};
use waywarden_vehicle_fmu::variables::{BusVariable, Variable};

use crate::importer::{Messages, Resources, ok};

const BUS: &str = "[vehicle]\nname = \"two\"\n[[bus]]\nname = \"a\"\nbitrate = \"500k\"\n";

fn refused(status: Status, messages: &Messages, reason: &str) {
    assert_eq!(status, Status::Error);
    let said = messages.take();
    assert!(said.len() == 1 && said[0].contains(reason), "{said:?}");
}

#[test]
fn each_mode_has_its_functions() {
    let (messages, resources) = (Messages::default(), Resources::new(BUS, 2, &[]));
    let instance = resources.instance(&messages, "token", true);
    let (mut event, mut stop, mut early, mut reached) = (9, 9, 9, 9.0);
    let rate = Variable::OfBus(0, BusVariable::BitRate).reference();
    // SAFETY: all places are there, and the instance is freed at the end.
    unsafe {
        let mut step = |from, length| {
            fmi3DoStep(
                instance,
                from,
                length,
                1,
                &mut event,
                &mut stop,
                &mut early,
                &mut reached,
            )
        };
        refused(
            step(0.0, 1.0),
            &messages,
            "not allowed in Instantiated mode",
        );
        ok(fmi3SetUInt64(instance, &1, 1, &7, 1));
        ok(fmi3SetUInt32(instance, &rate, 1, &250_000, 1));
        ok(fmi3EnterInitializationMode(instance, 0, 0.0, 5.0, 0, 0.0));
        ok(fmi3ExitInitializationMode(instance));
        refused(step(5.0, 1.0), &messages, "not allowed in Event mode");
        refused(
            fmi3SetUInt64(instance, &1, 1, &7, 1),
            &messages,
            "not allowed",
        );
        ok(fmi3EnterStepMode(instance));
        ok(step(5.0, 1.0));
        refused(step(5.0, 1.0), &messages, "the unit is at 6 s");
        refused(step(6.0, -1.0), &messages, "a step of -1 s");
        refused(step(f64::NAN, 1.0), &messages, "the time is NaN");
        refused(step(6.0, 1e30), &messages, "106 days");
        let (mut number, mut rates, mut time) = (0, 0, 0.0);
        ok(fmi3GetUInt64(instance, &1, 1, &mut number, 1));
        ok(fmi3GetUInt32(instance, &rate, 1, &mut rates, 1));
        ok(fmi3GetFloat64(instance, &0, 1, &mut time, 1));
        assert_eq!((number, rates, time), (7, 250_000, 6.0));
        let wrong = fmi3GetFloat64(instance, &rate, 1, &mut time, 1);
        refused(wrong, &messages, "a.bitRate is a UInt32");
        let unknown = fmi3GetFloat64(instance, &77, 1, &mut time, 1);
        refused(unknown, &messages, "no variable of value reference 77");
        let null = fmi3GetFloat64(instance, ptr::null(), 1, &mut time, 1);
        refused(null, &messages, "null");
        let state = fmi3GetFMUState(instance, ptr::null_mut());
        refused(state, &messages, "does not have this capability");
        ok(fmi3Terminate(instance));
        ok(fmi3Reset(instance));
        ok(fmi3GetUInt32(instance, &rate, 1, &mut rates, 1));
        assert_eq!(rates, 500_000);
        // A rate that no controller has.
        ok(fmi3SetUInt32(instance, &rate, 1, &0, 1));
        ok(fmi3EnterInitializationMode(instance, 0, 0.0, 0.0, 0, 0.0));
        refused(
            fmi3ExitInitializationMode(instance),
            &messages,
            "bit rate of bus \"a\"",
        );
        fmi3FreeInstance(instance);
        assert_eq!(fmi3Terminate(ptr::null_mut()), Status::Error);
        fmi3FreeInstance(ptr::null_mut());
    }
}

#[test]
fn a_unit_of_other_files_is_refused() {
    let messages = Messages::default();
    for (resources, token, reason) in [
        (
            Resources::new(BUS, 2, &[]),
            "another",
            "the instantiation token is \"another\"",
        ),
        (Resources::new(BUS, 0, &[]), "token", "no terminal"),
        (
            Resources::new(BUS, 2, &["brakes"]),
            "token",
            "unknown ECU \"brakes\"",
        ),
        (
            Resources::new(BUS, 500, &[]),
            "token",
            "500 nodes on each bus; at most 127",
        ),
        (Resources::new("[vehicle]\n", 2, &[]), "token", "car.toml:1"),
    ] {
        assert!(resources.instance(&messages, token, false).is_null());
        let said = messages.take();
        assert!(said.len() == 1 && said[0].contains(reason), "{said:?}");
    }
}

/// Two instances run side by side and know nothing of each other.
#[test]
fn instances_are_apart() {
    let (messages, resources) = (Messages::default(), Resources::new(BUS, 2, &[]));
    let two = [(); 2].map(|()| resources.instance(&messages, "token", false));
    let mut seed = 0;
    // SAFETY: both were made, and are freed once.
    unsafe {
        ok(fmi3SetUInt64(two[0], &1, 1, &99, 1));
        ok(fmi3GetUInt64(two[1], &1, 1, &mut seed, 1));
        assert_ne!(seed, 99);
        for instance in two {
            fmi3FreeInstance(instance);
        }
    }
}
