//! Carriers of freshness and code: what has room, what is tried, and why nothing is carried.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::{FrameFormat, Stream, VehicleFile};
use waywarden_vehicle_lab::compare::{Attacks, AuthenticationChoice, KeyChoice, Original, Variant};
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

use super::{CAR, NONE, figures_of, original, setting, trial, with};

#[test]
fn pdus_of_their_own_carry_what_has_no_room_and_are_tried_only_then() {
    let (car, setting) = (original(CAR), setting(Attacks::File));
    let variants = car.variants(&[KeyChoice::None], AuthenticationChoice::ALL);
    let pdus = with(AuthenticationChoice::SecocPdus("production"));
    assert!(variants.contains(&pdus));
    let own = figures_of(&car, pdus, &setting);
    assert_eq!((own.coverage.covered, own.coverage.streams), (5, 5));
    let file = VehicleFile::parse("variant", &car.toml(pdus, &setting)).unwrap();
    let table = &file.authentications[0];
    assert!(table.is_separate());
    let freshness = table.freshness_master().unwrap();
    let ids = table
        .streams
        .iter()
        .filter_map(|at| table.cryptographic_id(*at));
    assert_eq!(ids.count(), 5);
    assert_eq!(freshness.id.raw(), 0x00F);
    // Each message of 4 bytes has room for its tag.
    let small = CAR.replace("length = 8", "length = 4");
    let variants = original(&small).variants(&[KeyChoice::None], AuthenticationChoice::ALL);
    assert!(!variants.contains(&pdus));
}

#[test]
fn the_baseline_on_can_fd_has_the_frames_of_secoc_without_tags() {
    let (car, setting) = (original(CAR), setting(Attacks::File));
    let variants = car.variants(&[KeyChoice::None], &[AuthenticationChoice::Secoc("jaspar")]);
    assert_eq!(variants[..2], [NONE, Variant::BASELINE_ON_FD]);
    let fd_streams = |variant| {
        let file = VehicleFile::parse("variant", &car.toml(variant, &setting)).unwrap();
        let streams = file.streams.iter();
        let is_fd = |one: &&Stream| matches!(one.format, FrameFormat::Fd { .. });
        let fd = streams.filter(is_fd).map(|one| one.name.value.clone());
        fd.collect::<Vec<String>>()
    };
    let secoc = with(AuthenticationChoice::Secoc("jaspar"));
    assert_eq!(fd_streams(Variant::BASELINE_ON_FD), fd_streams(secoc));
    assert_ne!(fd_streams(Variant::BASELINE_ON_FD), fd_streams(NONE));
    let load = |variant| {
        let text = car.toml(variant, &setting);
        let file = VehicleFile::parse("variant", &text).unwrap();
        let lowered = lower(&file, &Resources::default(), Some(5)).unwrap();
        let outcome = run(lowered, &mut Discard, &mut |_| ()).unwrap();
        Report::new(&file, 5, &outcome).buses[1].load
    };
    let (bare, fd, tagged) = (load(NONE), load(Variant::BASELINE_ON_FD), load(secoc));
    assert!(fd < bare && fd < tagged, "{bare} {fd} {tagged}");
    // No stream of a classic bus becomes CAN FD.
    let classic = CAR.replace("data_bitrate = \"2M\"\n", "").replace(
        "length = 16, period = \"20ms\", receivers",
        "length = 8, period = \"20ms\", receivers",
    );
    let variants = original(&classic).variants(&[KeyChoice::None], AuthenticationChoice::ALL);
    assert!(!variants.contains(&Variant::BASELINE_ON_FD));
    let lacking = original(&classic)
        .lacks_baseline_on_fd(AuthenticationChoice::ALL)
        .unwrap();
    assert!(
        lacking.reason.contains("`data_bitrate`"),
        "{}",
        lacking.reason
    );
    assert_eq!(lacking.variants, [Variant::BASELINE_ON_FD]);
    let secoc = [AuthenticationChoice::Secoc("jaspar")];
    assert!(original(&classic).lacks_baseline_on_fd(&secoc).is_none());
    assert!(
        car.lacks_baseline_on_fd(AuthenticationChoice::ALL)
            .is_none()
    );
}

#[test]
fn the_baseline_on_can_fd_leaves_frames_that_secoc_does_not_change() {
    // An ECU has counters for 16 streams: with them SecOC makes fewer frames CAN FD.
    let stream = |at: usize| {
        let id = 0x100 + at;
        format!(
            "  {{ name = \"S{at}\", id = {id}, length = 8, format = \"classic\", \
             period = \"100ms\", receivers = [\"b\"] }},\n"
        )
    };
    let streams: String = (0..18).map(stream).collect();
    let text = format!(
        "[vehicle]\nname = \"wide\"\nduration = \"4s\"\n[[bus]]\nname = \"m\"\nbitrate = \
         \"500k\"\ndata_bitrate = \"2M\"\n[[ecu]]\nname = \"a\"\nports = [\"m\"]\nsends = \
         [\n{streams}]\n[[ecu]]\nname = \"b\"\nports = [\"m\"]\n"
    );
    let (car, setting) = (original(&text), setting(Attacks::File));
    let variants = car.variants(&[KeyChoice::None], AuthenticationChoice::ALL);
    let baselines = [
        Variant::BASELINE_ON_FD,
        Variant::BASELINE_ON_FD_WITH_COUNTERS,
    ];
    assert_eq!(variants[1..3], baselines);
    let on_fd = |variant| {
        let file = VehicleFile::parse("variant", &car.toml(variant, &setting)).unwrap();
        let is_fd = |one: &&Stream| matches!(one.format, FrameFormat::Fd { .. });
        file.streams.iter().filter(is_fd).count()
    };
    assert_eq!(baselines.map(on_fd), [18, 16]);
    let secoc = |profile| with(AuthenticationChoice::Secoc(profile));
    assert_eq!(
        [secoc("production"), secoc("autosar-1")].map(on_fd),
        [18, 16]
    );
    let alone = car.variants(
        &[KeyChoice::None],
        &[AuthenticationChoice::Secoc("autosar-1")],
    );
    assert_eq!(alone[1], Variant::BASELINE_ON_FD_WITH_COUNTERS);
}

#[test]
fn a_scheme_that_carries_nothing_says_why_and_what_helps() {
    let mut car = original(CAR);
    let reason = |car: &Original, authentication| {
        let result = trial(car, with(authentication), &setting(Attacks::File)).result;
        result.unwrap_err()
    };
    car.protect(&["Window".to_owned()]).unwrap();
    assert_eq!(
        reason(&car, AuthenticationChoice::Secoc("production")),
        "secoc-production cannot carry the stream to protect: stream \"Window\" has 8 bytes, and \
         freshness and code take 4 of the 8 that its frame has; shorten it, write `format = \
         \"fd\"` on a CAN FD bus, or leave it without a tag"
    );
    car.protect(&["Mirror".to_owned(), "Pressure".to_owned()])
        .unwrap();
    let vatican = reason(&car, AuthenticationChoice::Vatican);
    for part in [
        "vatican can carry none of the 2 streams to protect: ",
        "stream \"Mirror\" has the odd identifier 0x121; an even one",
        "stream \"Pressure\" is CAN FD; vatiCAN and LeiA have classic frames",
    ] {
        assert!(vatican.contains(part), "{vatican}");
    }
    let lasan = Variant {
        keys: KeyChoice::Lasan("hardened", "p256"),
        authentication: AuthenticationChoice::Lasan,
    };
    car.protect(&["Window".to_owned()]).unwrap();
    let lasan = trial(&car, lasan, &setting(Attacks::File)).result;
    let lasan = lasan.unwrap_err();
    assert!(
        lasan.contains("stream \"Window\" is a classic frame of 8 bytes; LASAN"),
        "{lasan}"
    );
}
