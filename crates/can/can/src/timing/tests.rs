//! Times of frames: published means, and the parts of a bit.

extern crate std;

use std::string::ToString;
use std::vec::Vec;

use super::*;
use crate::bits::{FdVariant, expand, frame_length};
use crate::frame::{FdFlags, Frame};
use crate::id::Id;

fn rate(text: &str) -> BitRate {
    text.parse().unwrap()
}

#[test]
fn bit_rates_read_and_print_as_people_write_them() {
    for (text, bits_per_second, printed) in [
        ("500k", 500_000, "500k"),
        ("2M", 2_000_000, "2M"),
        ("83.333k", 83_333, "83.333k"),
        ("125000", 125_000, "125k"),
        (" 33.3k ", 33_300, "33.3k"),
        ("0.5M", 500_000, "500k"),
        ("1.0", 1, "1"),
        ("4294967295", u32::MAX, "4294.967295M"),
        ("5.000000M", 5_000_000, "5M"),
        ("999", 999, "999"),
    ] {
        assert_eq!(rate(text).bits_per_second(), bits_per_second, "{text}");
        assert_eq!(rate(text).to_string(), printed);
        assert_eq!(rate(&rate(text).to_string()), rate(text));
    }
}

#[test]
fn what_is_no_bit_rate_is_refused_by_cause() {
    for (text, error) in [
        ("", BitRateError::Empty),
        ("k", BitRateError::Empty),
        ("500 k", BitRateError::Character(' ')),
        ("-5", BitRateError::Character('-')),
        ("500kk", BitRateError::Character('k')),
        ("5m", BitRateError::Character('m')),
        (".5M", BitRateError::Point),
        ("5.k", BitRateError::Point),
        ("1.2.3M", BitRateError::Point),
        ("0.5", BitRateError::Fraction),
        ("1.05", BitRateError::Fraction),
        ("83.3333k", BitRateError::Fraction),
        ("0", BitRateError::Zero),
        ("0.000M", BitRateError::Zero),
        ("5000M", BitRateError::TooHigh),
        ("4294.967296M", BitRateError::TooHigh),
        ("99999999999999999999999999999999", BitRateError::TooHigh),
    ] {
        assert_eq!(text.parse::<BitRate>(), Err(error), "{text:?}");
    }
}

#[test]
fn a_bit_time_is_rounded_to_the_nearest_picosecond() {
    // 1/83,333 s = 12,000,048.0002 ps; 1/3 s = 333,333,333,333.3 ps; 1/1.5 MHz = 666,666.7 ps
    for (text, picoseconds) in [
        ("500k", 2_000_000),
        ("83.333k", 12_000_048),
        ("3", 333_333_333_333),
        ("1.5M", 666_667),
    ] {
        let phase = PhaseTiming::recommended(rate(text));
        assert_eq!(phase.bit(), Picoseconds::new(picoseconds), "{text}");
    }
}

#[test]
fn sample_points_lie_inside_the_bit() {
    assert_eq!(
        SamplePoint::from_permille(0),
        Err(SamplePointError { permille: 0 })
    );
    assert_eq!(
        SamplePoint::from_permille(1_000),
        Err(SamplePointError { permille: 1_000 })
    );
    let phase = PhaseTiming::new(rate("1M"), SamplePoint::from_permille(800).unwrap());
    assert_eq!(phase.to_sample(), Picoseconds::new(800_000));
    assert_eq!(phase.from_sample(), Picoseconds::new(200_000));
    assert_eq!(
        PhaseTiming::recommended(rate("500k"))
            .sample_point()
            .permille(),
        875
    );
    assert_eq!(
        PhaseTiming::recommended(rate("800k"))
            .sample_point()
            .permille(),
        800
    );
    assert_eq!(
        PhaseTiming::recommended(rate("2M"))
            .sample_point()
            .permille(),
        750
    );
    assert_eq!(
        SamplePoint::from_permille(875).unwrap().to_string(),
        "87.5 %"
    );
}

#[test]
fn a_classic_frame_lasts_its_bits() {
    // 47 bits without stuffing, 3 of them intermission; 0x555 needs none before r0 and DLC.
    let frame = Frame::classic(Id::standard(0x555).unwrap(), &[0x55; 8]).unwrap();
    let length = frame_length(&frame, FdVariant::Iso);
    let timing = BitTiming::classic(rate("500k"));
    assert_eq!(
        duration(&length, &timing),
        Picoseconds::new(2_000_000) * length.nominal_bits
    );
    assert_eq!(timing.intermission().to_string(), "6 us");
}

#[test]
fn the_rate_changes_at_the_sample_points() {
    let frame = Frame::fd(Id::standard(0x555).unwrap(), &[0x55; 8]).unwrap();
    let timing = BitTiming {
        nominal: PhaseTiming::new(rate("500k"), SamplePoint::from_permille(875).unwrap()),
        data: Some(PhaseTiming::new(
            rate("2M"),
            SamplePoint::from_permille(700).unwrap(),
        )),
    };
    let wire = expand(&frame, FdVariant::Iso);
    let lasts = |field: Field| -> Vec<u64> {
        let bits = wire.bits().iter().filter(|bit| bit.field == field);
        bits.map(|bit| bit_duration(bit, &timing).get()).collect()
    };
    // 0.875 x 2000 ns + 0.3 x 500 ns; 0.7 x 500 ns + 0.125 x 2000 ns.
    assert_eq!(lasts(Field::BitRateSwitch), [1_900_000]);
    assert_eq!(lasts(Field::CrcDelimiter), [600_000]);
    assert_eq!(lasts(Field::Reserved), [2_000_000]);
    assert_eq!(lasts(Field::ErrorStateIndicator), [500_000]);
    assert_eq!(lasts(Field::AckSlot), [2_000_000]);
}

#[test]
fn without_a_switch_an_fd_frame_is_nominal_throughout() {
    let id = Id::standard(0x555).unwrap();
    let frame = Frame::fd_with(
        id,
        &[0x55; 8],
        FdFlags {
            bit_rate_switch: false,
            error_state_indicator: false,
        },
    )
    .unwrap();
    let length = frame_length(&frame, FdVariant::Iso);
    assert_eq!(length.data_bits, 0);
    let timing = BitTiming::fd(rate("500k"), rate("2M"));
    for bit in expand(&frame, FdVariant::Iso).bits() {
        assert_eq!(bit_duration(bit, &timing), timing.nominal.bit(), "{bit:?}");
    }
    assert_eq!(
        duration(&length, &timing),
        timing.nominal.bit() * length.total_bits()
    );
}

#[test]
fn the_bits_of_a_frame_add_up_to_its_duration() {
    let id = Id::extended(0x1234_5678).unwrap();
    let frames = [
        Frame::classic(id, &[0; 8]).unwrap(),
        Frame::remote(id, 8).unwrap(),
        Frame::fd(id, &[0xA5; 64]).unwrap(),
        Frame::fd_with(
            id,
            &[0; 16],
            FdFlags {
                bit_rate_switch: true,
                error_state_indicator: true,
            },
        )
        .unwrap(),
        Frame::fd_with(
            id,
            &[0xFF; 20],
            FdFlags {
                bit_rate_switch: false,
                error_state_indicator: true,
            },
        )
        .unwrap(),
    ];
    let mut timings: Vec<BitTiming> = ["125k", "83.333k", "1M", "3"]
        .map(|nominal| BitTiming::fd(rate(nominal), rate("7.777777M")))
        .into();
    timings.push(BitTiming::classic(rate("33.333k")));
    for (frame, timing) in frames
        .iter()
        .flat_map(|frame| timings.iter().map(move |t| (frame, t)))
    {
        let wire = expand(frame, FdVariant::Iso);
        let sum: Picoseconds = wire
            .bits()
            .iter()
            .map(|bit| bit_duration(bit, timing))
            .sum();
        assert_eq!(sum, duration(&wire.length(), timing), "{frame} {timing:?}");
    }
}

#[test]
fn picoseconds_print_as_microseconds() {
    assert_eq!(Picoseconds::new(243_500_000).to_string(), "243.5 us");
    assert_eq!(Picoseconds::new(12_000_048).to_string(), "12.000048 us");
    assert_eq!(
        Picoseconds::new(12_000_048).to_duration().as_nanos(),
        12_001
    );
}

#[test]
fn shares_of_a_bit_are_sample_points_from_50_to_95_percent() {
    for (share, permille) in [
        (0.5, 500),
        (0.875, 875),
        (0.95, 950),
        (0.8004, 800),
        (0.4996, 500),
    ] {
        let point = SamplePoint::of_share(share).map(SamplePoint::permille);
        assert_eq!(point, Some(permille), "{share}");
    }
    for share in [
        0.0,
        0.4994,
        0.9506,
        1.0,
        -0.8,
        1e300,
        f64::INFINITY,
        f64::NAN,
    ] {
        assert_eq!(SamplePoint::of_share(share), None, "{share}");
    }
}

#[test]
fn a_data_phase_is_as_fast_or_faster() {
    let rate = BitRate::constant;
    assert!(BitTiming::fd(rate(500_000), rate(250_000)).has_slow_data_phase());
    assert!(!BitTiming::fd(rate(500_000), rate(500_000)).has_slow_data_phase());
    assert!(!BitTiming::classic(rate(500_000)).has_slow_data_phase());
}
