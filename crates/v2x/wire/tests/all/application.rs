//! Names and numbers of applications as users write them.

use waywarden_testkit::Random;
use waywarden_v2x_wire::application::{
    APPLICATIONS, ApplicationError, application, application_meaning, application_name,
};
use waywarden_v2x_wire::coer;
use waywarden_v2x_wire::ieee1609dot2::Psid;
use waywarden_v2x_wire::wsmp::{PSID_MAX, Wsm};

#[test]
fn applications_are_read_by_name_and_by_number() {
    let cam = [
        "CAM", "cam", "36", "036", "0x24", "0X24", "0x0024", "0p24", "0P24",
    ];
    for text in cam {
        assert_eq!(application(text), Ok(Psid(36)), "{text}");
    }
    for text in ["", "CAMM", "+36", "-36", "3 6", "0x", "0x+24", "24h"] {
        assert_eq!(application(text), Err(ApplicationError::Unknown), "{text}");
    }
    for text in ["18446744073709551616", "0x10000000000000000"] {
        assert_eq!(application(text), Err(ApplicationError::TooLarge), "{text}");
    }
}

/// Some write p-encoded numbers like others, and the others would be above the greatest PSID.
#[test]
fn p_encoded_numbers_without_their_prefix_are_named() {
    for (text, number) in [
        ("E0000017", 2_113_687),
        ("0xE0000017", 2_113_687),
        ("80-02", 130),
        ("BFE0", 0x4060),
        ("7F", 0x7F),
    ] {
        let encoded = Psid(number);
        let error = ApplicationError::WithoutPrefix { encoded };
        assert_eq!(application(text), Err(error), "{text}");
        assert!(
            error
                .to_string()
                .contains(&format!("PSID {number} (write 0x{number:X})"))
        );
    }
    assert_eq!(application("0x8002"), Ok(Psid(0x8002)));
}

/// The figures are those of the public list of PSIDs, which has both forms.
#[test]
fn p_encoded_numbers_have_known_answers() {
    let known = [
        ("0p00", 0),
        ("0p7f", 0x7F),
        ("0p80-00", 0x80),
        ("0p80-02", 130),
        ("0p8002", 130),
        ("0p80-80", 256),
        ("0pBF-FF", 0x407F),
        ("0pC0-00-00", 0x4080),
        ("0pDF-FF-FF", 0x20_407F),
        ("0pE0-00-00-00", 0x20_4080),
        ("0pE0000017", 2_113_687),
        ("0pEF-FF-FF-FF", PSID_MAX),
    ];
    for (text, number) in known {
        assert_eq!(application(text), Ok(Psid(number)), "{text}");
    }
    let refused = [
        "0p",
        "0p2",
        "0p80",
        "0p24-00",
        "0p80-2",
        "0p80-02-",
        "0p-80-02",
        "0p80--02",
        "0pE0-000017",
        "0pE000-0017",
        "0pF0-00-00-00",
        "0pE0-00-00-00-00",
        "0p80-0\u{E9}",
    ];
    for text in refused {
        let error = Err(ApplicationError::NotPEncoded);
        assert_eq!(application(text), error, "{text}");
    }
}

#[test]
fn digits_that_are_a_p_encoding_too_are_refused_with_both_readings() {
    let error = application("8002").unwrap_err();
    assert_eq!(
        error.to_string(),
        "8002 may be the decimal PSID 8002 (write 0x1F42) or the p-encoded 0p80-02, PSID 130 \
         (write 0x82)"
    );
    for text in ["8000", "8999", "9000", "9999"] {
        let decimal = text.parse().unwrap();
        let Err(ApplicationError::Ambiguous {
            decimal: read,
            encoded,
        }) = application(text)
        else {
            panic!("{text} is taken");
        };
        assert_eq!(read, decimal);
        assert_eq!(application(&format!("0p{text}")), Ok(encoded));
        assert_eq!(application(&format!("0x{decimal:X}")), Ok(Psid(decimal)));
    }
    for (text, number) in [
        ("7999", 7_999),
        ("10000", 10_000),
        ("08002", 8_002),
        ("80", 80),
    ] {
        assert_eq!(application(text), Ok(Psid(number)), "{text}");
    }
}

#[test]
fn names_are_different_and_one_meaning_belongs_to_a_number() {
    for (at, one) in APPLICATIONS.iter().enumerate() {
        assert_eq!(application(one.name), Ok(one.psid));
        assert_eq!(application_meaning(one.psid), Some(one.meaning));
        let first = application_name(one.psid).unwrap();
        assert_eq!(application(first), Ok(one.psid));
        let before = &APPLICATIONS[..at];
        assert!(
            before
                .iter()
                .all(|other| !other.name.eq_ignore_ascii_case(one.name))
        );
        assert!(before.iter().all(|other| other.psid <= one.psid));
    }
    assert_eq!(application_name(Psid(140)), Some("SREM"));
    assert_eq!(application("tlc-stat"), Ok(Psid(637)));
}

/// Each form of a number gives this number and none of its neighbours, and the p-encoding is that
/// of a WSM's header.
#[test]
fn forms_of_a_number_are_of_it_alone() {
    let mut random = Random::of_test("forms_of_a_number_are_of_it_alone");
    let edges = [
        0, 0x7F, 0x80, 0x407F, 0x4080, 0x20_407F, 0x20_4080, PSID_MAX,
    ];
    let random = core::iter::repeat_with(|| random.below(PSID_MAX + 1)).take(1_000);
    for number in edges.into_iter().chain(random.collect::<Vec<_>>()) {
        let encoded = p_encoding(Psid(number));
        let together = encoded.concat();
        let forms = [
            format!("0x{number:x}"),
            format!("0x{number:016X}"),
            format!("0p{together}"),
            format!("0p{}", encoded.join("-").to_lowercase()),
            format!("{number:05}"),
        ];
        for form in forms {
            assert_eq!(application(&form), Ok(Psid(number)), "{form}");
        }
        let shorter = &together[..together.len() - 1];
        assert!(application(&format!("0p{shorter}")).is_err(), "0p{shorter}");
        assert!(
            application(&format!("0p{together}00")).is_err(),
            "0p{together}00"
        );
    }
}

/// The octets of the number in a WSM's header, each as two digits.
fn p_encoding(psid: Psid) -> Vec<String> {
    let message = Wsm::new(psid, &[]);
    let mut bytes = [0; 16];
    let bytes = coer::emit(&message, &mut bytes).unwrap();
    // Before it: version and transport; after it: the length of no data.
    let octets = bytes[2..bytes.len() - 1].iter();
    octets.map(|octet| format!("{octet:02X}")).collect()
}
