//! Section V-D against sums done by hand, encoded messages beside the paper's, and the machine at
//! hand beside Tables VII to XIV.

use super::super::certificates::VERIFICATION;
use super::super::encoded::ENCODED;
use super::super::quantity::{EcqvQuantity, Signer};
use super::{cells, host, study};
use crate::cell_checks::{assert_says, find, printed};
use waywarden_paper_tables::{Amount, CellVerdict, Measurement};

#[test]
fn messages_are_payload_signature_and_certificate() {
    let cells = cells(&study());
    // By hand: 254 + 64 + 93 and 180, and 64 more.
    for (name, ours, verdict) in [
        (
            "message with implicit certificate: from",
            411.0,
            CellVerdict::Agrees,
        ),
        (
            "message with implicit certificate: to",
            498.0,
            CellVerdict::Agrees,
        ),
        (
            "message with explicit certificate: from",
            475.0,
            CellVerdict::Differs,
        ),
        (
            "message with explicit certificate: to",
            562.0,
            CellVerdict::Differs,
        ),
        (
            "average packet with implicit certificate",
            455.0,
            CellVerdict::Agrees,
        ),
        (
            "average packet with explicit certificate",
            519.5,
            CellVerdict::Agrees,
        ),
    ] {
        let cell = find(&cells, "§V-D", name);
        assert_eq!(
            (cell.formula, cell.verdict),
            (Some(ours), verdict),
            "{name}"
        );
    }
    let from = find(&cells, "§V-D", "message with explicit certificate: from");
    assert_says(
        from,
        &["410 B that are printed and 64 B are 474 B, as printed"],
    );
    let to = find(&cells, "§V-D", "message with explicit certificate: to");
    assert_says(to, &["564 B, which is not the printed number either"]);
}

#[test]
fn ten_to_fifteen_per_cent_are_rounded_to_steps_of_five() {
    let cells = cells(&study());
    for (end, ours) in [("from", 100.0 * 64.0 / 562.0), ("to", 100.0 * 64.0 / 475.0)] {
        let name = format!("implicit certificates save of a message: {end}");
        let cell = find(&cells, "§V-D", &name);
        assert_eq!(cell.verdict, CellVerdict::Differs);
        assert!((cell.formula.unwrap() - ours).abs() < 1e-9);
        let words = "explicit certificate 11.4 to 13.5 %, as printed if rounded to steps of 5 %";
        assert_says(cell, &[words, "implicit one 12.9 to 15.6 %;"]);
    }
}

#[test]
fn the_channel_carries_fewer_messages_than_grapes_receives() {
    let cells = cells(&study());
    let number = |name: &str| find(&cells, "§V-D", name).formula.unwrap();
    let raw = "messages of 460 B in 100 ms at 6 Mb/s";
    assert_eq!(number(raw), 163.0);
    assert_eq!(
        number(&format!("{raw}, with preamble, headers and gaps")),
        126.0
    );
    let beyond = find(&cells, "§V-D", "columns of Table VI above 163 messages");
    assert_eq!(beyond.formula, Some(1.0));
    assert_says(beyond, &["Grapes rush has 175"]);
}

#[test]
fn costs_are_comparable_only_if_the_explicit_certificate_is_new() {
    let mut study = study();
    let name = "certificates of both kinds cost as much, within 10 %";
    let own = cells(&study);
    let cell = find(&own, "§V-D", name);
    assert_eq!(cell.verdict, CellVerdict::Agrees);
    // M3: 344 over 364 and over 182; x86_64: 0.69 over 0.70 and over 0.35.
    let words = [
        "0.945 to 0.986 times of two Verify",
        "1.89 to 1.971 times of one",
    ];
    assert_says(cell, &words);
    let new = "explicit certificate that is new, Verify twice: M3";
    assert_eq!(find(&own, VERIFICATION, new).formula, Some(364.0));
    study.text.messages.saved_percent = [printed("11"), printed("13")];
    let other = cells(&study);
    let saved = find(
        &other,
        "§V-D",
        "implicit certificates save of a message: from",
    );
    assert_eq!(saved.verdict, CellVerdict::Agrees);
}

#[test]
fn encoded_messages_stand_beside_the_paper_s() {
    let cells = study().cells(&host).unwrap();
    let of = |name: &str| find(&cells, "§V-D", name);
    let certificate = of("implicit certificate, encoded");
    assert_eq!(
        (certificate.measured, certificate.verdict),
        (Some(95.0), CellVerdict::Agrees)
    );
    let message = of("message with implicit certificate, encoded");
    assert_eq!(message.verdict, CellVerdict::Differs);
    assert_says(
        message,
        &[
            "400 B are 10 below the 410 to 500",
            "51 B of signature and headers",
        ],
    );
    let saved = of("implicit certificates save of an encoded message");
    assert_says(saved, &["23.08 % are 8.077 above the 10 to 15"]);
    let name = "implicit certificate: in 100 ms, on the air";
    // 16 + 6 + 8 * 438 bits are 74 symbols: 632 us, and 77.5 us of gap.
    assert_eq!(find(&cells, ENCODED, name).measured, Some(140.0));
    let name = "digest of a known certificate: in 100 ms, by bits alone";
    assert_eq!(find(&cells, ENCODED, name).measured, Some(214.0));
}

#[test]
fn without_encoded_messages_there_are_no_cells_of_them() {
    let only_implicit = |of: &EcqvQuantity| match of {
        EcqvQuantity::MessageBytes(Signer::Implicit) => Some(Measurement {
            amount: Amount::Number(400.0),
            beside: Vec::new(),
        }),
        _ => None,
    };
    let cells = study().cells(&only_implicit).unwrap();
    assert!(cells.iter().all(|cell| cell.measured.is_none()));
}

#[test]
fn this_host_verifies_the_messages_of_the_road() {
    let cells = study().cells(&host).unwrap();
    let number = |place: &str, name: &str| find(&cells, place, name).measured.unwrap();
    let close = |ours: f64, expected: f64| assert!((ours - expected).abs() < 1e-9, "{ours}");
    // 175 messages, 0.1 ms each; 0.06 ms each if many wait.
    let name = "100 ms, most: Grapes rush";
    close(number("Table VIII", &format!("this host, {name}")), 17.5);
    close(
        number("Table VIII", &format!("this host, many waiting, {name}")),
        10.5,
    );
    let name = "this host, 100 ms, sector of 180 degrees: MASA normal";
    close(number("Table XIV", name), 1.2);
}
