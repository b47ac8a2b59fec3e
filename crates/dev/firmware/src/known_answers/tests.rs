//! Tests of the form of known answers, and of comparisons with them.

use super::*;

const TEXT: &str = "ecu one 0\n\
    record 0102ff\n\
    seed 0707070707070707070707070707070707070707070707070707070707070707\n\
    frame 10 120#0102\n\
    frame 20 0ABCDEF1##1000102030405060708090a0b\n\
    frame 30 121##2\n\
    frame 35 120#03\n\
    ecu two 1000\n\
    record \n\
    seed 0808080808080808080808080808080808080808080808080808080808080808\n";

fn sent() -> Vec<Frame> {
    let known = KnownAnswers::parse(TEXT);
    let frames = known.parties[0].frames.iter();
    frames.map(|known| known.frame).collect()
}

#[test]
fn a_text_survives_the_way_through_values() {
    assert_eq!(KnownAnswers::parse(TEXT).to_string(), TEXT);
    let commented = format!("# What it is.\n{TEXT}");
    assert_eq!(KnownAnswers::parse(&commented), KnownAnswers::parse(TEXT));
}

#[test]
fn times_are_left_out_or_an_order() {
    let known = KnownAnswers::parse(&format!("{TEXT}frame 15 122#04\n"));
    let places: Vec<usize> = known
        .in_order()
        .iter()
        .map(|(_, place, _)| *place)
        .collect();
    assert_eq!(places, [0, 1, 0, 0, 0]);
    let timeless = known.without_times().to_string();
    assert!(timeless.starts_with("ecu one\n"), "{timeless}");
    assert!(timeless.ends_with("frame 122#04\n"), "{timeless}");
    assert_eq!(KnownAnswers::parse(&timeless).to_string(), timeless);
}

#[test]
fn streams_are_compared_each_in_its_order() {
    let party = &KnownAnswers::parse(TEXT).parties[0];
    let mut frames = sent();
    party.assert_sent(&frames);
    // Another stream first, and one frame more.
    frames.swap(1, 2);
    frames.push(frames[0]);
    assert!(party.is_reached(&frames));
    party.assert_sent(&frames);
    assert!(!party.is_reached(&frames[..2]));
}

#[test]
#[should_panic(expected = "frames of one, Some(120)")]
fn a_changed_order_is_found() {
    let mut frames = sent();
    frames.swap(0, 3);
    KnownAnswers::parse(TEXT).parties[0].assert_sent(&frames);
}

#[test]
#[should_panic(expected = "frames of one, Some(121)")]
fn a_changed_flag_is_found() {
    let mut frames = sent();
    frames[2] = frame_of("121##3").expect("a frame");
    KnownAnswers::parse(TEXT).parties[0].assert_sent(&frames);
}

#[test]
#[should_panic(expected = "no known answer: frames 120#01")]
fn a_line_of_another_form_is_refused() {
    let _ = KnownAnswers::parse("ecu one\nframes 120#01");
}
