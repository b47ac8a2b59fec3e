//! Due times of awareness messages [EN 302 637-2 §6.1.3], and their content.

use waywarden_testkit::each_seed;
use waywarden_v2x_security::region::{Accuracy, ErrorEllipse};
use waywarden_v2x_station::bsm;
use waywarden_v2x_station::cam::{self, CamTrigger, Generation, Rules};
use waywarden_v2x_station::{Motion, VehicleType};
use waywarden_v2x_wire::bsm::MessageFrame;
use waywarden_v2x_wire::cam::{Cam, DriveDirection, HighFrequencyContainer};
use waywarden_v2x_wire::etsi102894::AltitudeConfidence;
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_v2x_wire::uper::parse;

use crate::drive::{Drive, START, STEP_US, place};

/// A message that was due, and the motion that it contains.
struct Sent {
    at: Time64,
    motion: Motion,
    generation: Generation,
}

/// Every message of a drive of two minutes, and where the vehicle was at each look.
fn drive(seed: u64, channel_us: u64) -> (Vec<Sent>, Vec<Motion>) {
    let mut drive = Drive::new(seed);
    let mut rules = Rules::new(&VehicleType::CAR);
    rules.set_channel_limit(channel_us);
    let (mut sent, mut looks) = (Vec::new(), Vec::new());
    for _ in 0..12_000 {
        let motion = drive.step();
        looks.push(motion);
        if let Some(generation) = rules.check(&motion, motion.time) {
            let at = motion.time;
            sent.push(Sent {
                at,
                motion,
                generation,
            });
        }
    }
    (sent, looks)
}

/// Returns true for a change as defined by the standard; an independent copy of the rule.
fn has_changed(now: &Motion, then: &Motion) -> bool {
    let angle = |motion: &Motion| i32::from(motion.heading_decidegrees.unwrap());
    let turned = (angle(now) - angle(then)).rem_euclid(3_600);
    let turned = turned.min(3_600 - turned);
    let speed = |motion: &Motion| i32::from(motion.speed_cm_s.unwrap());
    turned > 40 || (speed(now) - speed(then)).abs() > 50 || now.distance_m(then) > 4.0
}

#[test]
fn messages_keep_the_rules_of_generation() {
    let counts = each_seed(60, |seed| {
        let channel = [100_000, 200_000, 500_000][seed as usize % 3];
        let (sent, looks) = drive(seed, channel);
        assert_eq!(sent[0].generation.cause, CamTrigger::First);
        let (mut period, mut in_a_row) = (1_000_000, 0);
        for pair in sent.windows(2) {
            let [last, next] = pair else { unreachable!() };
            let gap = next.at.0 - last.at.0;
            assert!(gap >= channel && gap <= 1_000_000 + STEP_US, "{gap}");
            // Nothing was due between the two.
            let between = looks.iter().filter(|look| {
                look.time > last.at && look.time < next.at && look.time.0 - last.at.0 >= channel
            });
            for look in between {
                assert!(!has_changed(look, &last.motion));
                assert!(look.time.0 - last.at.0 < period);
            }
            match next.generation.cause {
                CamTrigger::Motion => {
                    assert!(has_changed(&next.motion, &last.motion));
                    (period, in_a_row) = (gap, 0);
                }
                CamTrigger::Time => {
                    assert!(gap >= period && !has_changed(&next.motion, &last.motion));
                    in_a_row += 1;
                    if in_a_row == 3 {
                        period = 1_000_000;
                    }
                }
                CamTrigger::First => panic!("only one is the first"),
            }
        }
        let count = |cause| {
            let of_cause = sent.iter().filter(|one| one.generation.cause == cause);
            of_cause.count()
        };
        (count(CamTrigger::Motion), count(CamTrigger::Time))
    });
    // Both causes were seen.
    let all = counts
        .iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(all.0 > 100 && all.1 > 10, "{all:?}");
}

#[test]
fn low_frequency_container_comes_with_the_first_and_twice_a_second() {
    each_seed(20, |seed| {
        let (sent, _) = drive(seed, 100_000);
        let mut last: Option<Time64> = None;
        for one in &sent {
            let is_due = last.is_none_or(|last| one.at.0 - last.0 >= 500_000);
            assert_eq!(one.generation.with_low_frequency, is_due);
            if is_due {
                last = Some(one.at);
            }
        }
    });
}

#[test]
fn vehicle_that_stops_falls_back_to_one_message_a_second() {
    let mut rules = Rules::new(&VehicleType::CAR);
    let mut sent = Vec::new();
    for step in 0..400_u64 {
        let now = Time64(START.0 + step * STEP_US);
        // 30 m/s for a second, which is 4 m in each 140 ms; then it stands.
        let way = (step.min(100) as f64) * 0.3;
        let motion = Motion {
            heading_decidegrees: Some(0),
            speed_cm_s: Some(3_000),
            ..Motion::at(place(way, 0.0), now)
        };
        if let Some(generation) = rules.check(&motion, now) {
            sent.push((step, generation.cause));
        }
    }
    let gaps: Vec<_> = sent
        .windows(2)
        .map(|two| (two[1].0 - two[0].0, two[1].1))
        .collect();
    let (moving, standing) = gaps.split_at(7);
    assert!(
        moving.iter().all(|gap| *gap == (14, CamTrigger::Motion)),
        "{gaps:?}"
    );
    let time = |steps| (steps, CamTrigger::Time);
    assert_eq!(
        standing,
        [time(14), time(14), time(14), time(100), time(100)]
    );
}

#[test]
fn roadside_unit_sends_once_a_second_and_a_clock_that_steps_back_starts_again() {
    let mut rules = Rules::new(&VehicleType::ROADSIDE_UNIT);
    let mut count = 0;
    for step in 0..1_000_u64 {
        let now = Time64(START.0 + step * STEP_US);
        let motion = Motion::at(place(step as f64, 0.0), now);
        if let Some(generation) = rules.check(&motion, now) {
            assert!(!generation.with_low_frequency);
            count += 1;
        }
    }
    assert_eq!(count, 10);
    let back = Motion::at(place(0.0, 0.0), Time64(START.0 - 60_000_000));
    let begun = rules.check(&back, back.time).unwrap();
    assert_eq!(begun.cause, CamTrigger::First);
}

#[test]
fn messages_say_what_the_vehicle_does() {
    each_seed(50, |seed| {
        let mut drive = Drive::new(seed);
        let motion = (0..1_000).map(|_| drive.step()).last().unwrap();
        let generation = Generation {
            cause: CamTrigger::Time,
            with_low_frequency: seed % 2 == 0,
        };
        let bytes = cam::message(7 + seed as u32, &VehicleType::CAR, &motion, generation).unwrap();
        let cam: Cam<'_> = parse(&bytes).unwrap();
        assert_eq!(cam.header.station_id.value(), 7 + seed as i64);
        let delta = cam.cam.generation_delta_time_ms.value();
        assert_eq!(delta, (motion.time.0 / 1_000 % 65_536) as i64);
        let parameters = &cam.cam.parameters;
        let position = &parameters.basic.reference_position;
        assert_eq!(
            position.latitude.value(),
            i64::from(motion.location.latitude.0)
        );
        assert_eq!(position.altitude.altitude_cm.value(), 3_500);
        assert_eq!(
            parameters.low_frequency.is_some(),
            generation.with_low_frequency
        );
        let HighFrequencyContainer::BasicVehicle(vehicle) = &parameters.high_frequency else {
            panic!("a car");
        };
        assert_eq!(
            vehicle.speed.speed_cm_s.value(),
            i64::from(motion.speed_cm_s.unwrap())
        );
        let heading = vehicle.heading.heading_decidegrees.value();
        assert_eq!(heading, i64::from(motion.heading_decidegrees.unwrap()));
        assert_eq!(vehicle.vehicle_length.length_dm.value(), 45);
        assert_eq!(vehicle.drive_direction, DriveDirection::Forward);

        let bytes = bsm::message(9, 130, &VehicleType::CAR, &motion).unwrap();
        let MessageFrame::BasicSafety(message) = parse(&bytes).unwrap() else {
            panic!("a basic safety message");
        };
        assert_eq!(message.core.message_count.value(), 2);
        assert_eq!(message.core.temporary_id.value(), 9);
        assert_eq!(
            message.core.speed_2_cm_s.value(),
            i64::from(motion.speed_cm_s.unwrap()) / 2
        );
        assert_eq!(message.core.heading_eightieth_degrees.value(), heading * 8);
        assert_eq!(message.core.elevation_dm.value(), 350);
    });
}

#[test]
fn what_is_not_known_is_said_to_be_unknown() {
    let motion = Motion {
        speed_cm_s: Some(u16::MAX),
        acceleration_cm_s2: Some(i16::MAX),
        ..Motion::at(place(0.0, 0.0), START)
    };
    let vehicle = VehicleType {
        station_type: 255,
        length_cm: None,
        width_cm: Some(u16::MAX),
    };
    let generation = Generation {
        cause: CamTrigger::First,
        with_low_frequency: true,
    };
    let bytes = cam::message(u32::MAX, &vehicle, &motion, generation).unwrap();
    let cam: Cam<'_> = parse(&bytes).unwrap();
    let HighFrequencyContainer::BasicVehicle(said) = &cam.cam.parameters.high_frequency else {
        panic!("a vehicle");
    };
    assert_eq!(said.heading.heading_decidegrees.value(), 3_601);
    assert_eq!(said.speed.speed_cm_s.value(), 16_383);
    assert_eq!(said.vehicle_length.length_dm.value(), 1_023);
    assert_eq!(said.vehicle_width_dm.value(), 62);
    assert_eq!(
        said.longitudinal_acceleration.acceleration_dm_s2.value(),
        161
    );
    assert_eq!(said.yaw_rate.yaw_rate_centidegrees_s.value(), 32_767);
    let bytes = bsm::message(1, 0, &vehicle, &motion).unwrap();
    let MessageFrame::BasicSafety(said) = parse(&bytes).unwrap() else {
        panic!("a basic safety message");
    };
    assert_eq!(said.core.speed_2_cm_s.value(), 8_191);
    assert_eq!(said.core.heading_eightieth_degrees.value(), 28_800);
}

#[test]
fn errors_of_a_position_are_said_and_those_of_what_is_not_known_are_not() {
    let mut motion = Motion {
        heading_decidegrees: Some(900),
        speed_cm_s: Some(2_000),
        accuracy: Accuracy {
            ellipse: Some(ErrorEllipse {
                semi_major_cm: 251,
                semi_minor_cm: 5_000,
                orientation_decidegrees: 900,
            }),
            elevation_cm: Some(400),
            speed_cm_s: Some(126),
            heading_decidegrees: Some(0),
        },
        ..Motion::at(place(0.0, 0.0), START)
    };
    let generation = Generation {
        cause: CamTrigger::First,
        with_low_frequency: false,
    };
    let said = |motion: &Motion| {
        let bytes = cam::message(1, &VehicleType::CAR, motion, generation).unwrap();
        let cam: Cam<'_> = parse(&bytes).unwrap();
        let position = &cam.cam.parameters.basic.reference_position;
        let HighFrequencyContainer::BasicVehicle(vehicle) = &cam.cam.parameters.high_frequency
        else {
            panic!("a vehicle");
        };
        let ellipse = &position.confidence_ellipse;
        let numbers = [
            ellipse.semi_major_cm.value(),
            ellipse.semi_minor_cm.value(),
            ellipse.semi_major_orientation_decidegrees.value(),
            vehicle.speed.confidence_cm_s.value(),
            vehicle.heading.confidence_decidegrees.value(),
        ];
        (numbers, position.altitude.confidence)
    };
    let american = |motion: &Motion| {
        let bytes = bsm::message(1, 0, &VehicleType::CAR, motion).unwrap();
        let MessageFrame::BasicSafety(message) = parse(&bytes).unwrap() else {
            panic!("a basic safety message");
        };
        let accuracy = message.core.accuracy;
        (
            accuracy.semi_major_5_cm.value(),
            accuracy.orientation.value(),
        )
    };
    let metres = AltitudeConfidence::Metres5;
    assert_eq!(said(&motion), ([251, 4_094, 900, 126, 1], metres));
    assert_eq!(american(&motion), (51, 16_383));
    (motion.heading_decidegrees, motion.speed_cm_s) = (None, None);
    assert_eq!(said(&motion), ([251, 4_094, 900, 127, 127], metres));
    motion.accuracy = Accuracy::default();
    let unknown = AltitudeConfidence::Unavailable;
    assert_eq!(said(&motion), ([4_095, 4_095, 3_601, 127, 127], unknown));
    assert_eq!(american(&motion), (255, 65_535));
}
