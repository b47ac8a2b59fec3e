//! Values out of range, too long or too deep, and resets of ECUs that are off.

use super::{CAR, complaints, with};

#[test]
fn a_reset_of_an_ecu_that_is_not_up_is_placed() {
    let reset = |from: &str, until: &str| {
        format!("[[fault]]\nkind = 'reset'\necu = 'A'\nfrom = '{from}'\nuntil = '{until}'\n")
    };
    let fine = [reset("10ms", "20ms"), reset("20001us", "30ms")].concat();
    assert!(complaints(&with(&fine)).is_empty());
    for (text, line, named) in [
        (reset("1ms", "20ms"), 11, "it boots at 5 ms"),
        (
            [reset("10ms", "30ms"), reset("20ms", "40ms")].concat(),
            16,
            "it boots at 30 ms",
        ),
        (
            [reset("20ms", "40ms"), reset("10ms", "20ms")].concat(),
            11,
            "it boots at 20 ms",
        ),
    ] {
        let complaints = complaints(&with(&text));
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        let complaint = &complaints[0];
        assert!(
            complaint.starts_with(&format!("car.toml:{line}:")),
            "{complaint}"
        );
        assert!(complaint.contains(named), "{complaint}");
    }
}

#[test]
fn numbers_out_of_range_are_named_as_they_stand() {
    let negative = complaints(&CAR.replace("0x100", "-1"));
    assert!(
        negative[0].contains("identifier -1 is out of range: 0 to 0x7FF"),
        "{negative:?}"
    );
    for (period, good) in [("1ns", false), ("999ns", false), ("1us", true)] {
        let complaints = complaints(&CAR.replace("10ms", period));
        assert_eq!(complaints.is_empty(), good, "{period}: {complaints:?}");
        assert!(good || complaints[0].contains("1 us or more"));
    }
}

#[test]
fn a_list_too_long_is_the_only_complaint() {
    let mut text = CAR.to_owned();
    for ecu in 0..1_100 {
        text += &format!("[[ecu]]\nname = 'e{ecu}'\nports = ['b']\n");
    }
    text += "[[stream]]\nname = 's'\nid = 1\nlength = 1\nperiod = '1ms'\nsender = 'e1099'\n";
    let complaints = complaints(&text);
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(
        complaints[0].contains("1101 ecu are too many: at most 1024"),
        "{complaints:?}"
    );
}

#[test]
fn what_is_long_or_deep_is_not_repeated() {
    let long = "x".repeat(5_000);
    for text in [
        CAR.replace("'A'", &format!("'{long}'")),
        CAR.replace("['b']", &format!("['{long}']")),
        CAR.replace("'10ms'", &format!("'10ms', format = '{long}'")),
    ] {
        let complaints = complaints(&text);
        let longest = complaints.iter().map(String::len).max().unwrap();
        assert!(longest < 300, "{longest}: {}", &complaints[0][..300]);
    }
    let deep = with(&format!("x = {}{}\n", "[".repeat(500), "]".repeat(500)));
    let complaints = complaints(&deep);
    let mut distinct: Vec<&str> = complaints
        .iter()
        .filter_map(|one| one.split_once(": ").map(|(_, what)| what))
        .collect();
    distinct.dedup();
    assert_eq!(distinct.len(), complaints.len(), "{complaints:?}");
}
