//! The files of layouts, and faults of the notation.

use crate::Message;
use crate::catalogue::FILES;
use crate::layout::{Shape, Size};
use crate::notation::parse;

#[test]
fn every_file_is_read_and_every_message_is_there() {
    for (name, texts) in FILES {
        let layouts = parse(texts).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(!layouts.messages.is_empty(), "{name}: no message");
    }
    let kinds = [
        "CAM",
        "DENM",
        "SPATEM",
        "MAPEM",
        "IVIM",
        "SREM",
        "SSEM",
        "CPM",
        "VAM",
        "J2735-MessageFrame",
    ];
    for kind in kinds {
        assert!(
            Message::of_kind(kind).next().is_some(),
            "no layout of {kind}"
        );
    }
}

#[test]
fn an_open_type_is_chosen_by_a_number_before_it() {
    for (name, texts) in FILES {
        let layouts = parse(texts).expect("a file that is read");
        for one in &layouts.types {
            let Shape::Sequence(sequence) = &one.shape else {
                continue;
            };
            for (at, field) in sequence.fields.iter().enumerate() {
                if let Shape::Open(open) = &layouts.types[field.of_type].shape {
                    let mut before = sequence.fields[..at].iter();
                    assert!(
                        before.any(|other| other.name == open.by),
                        "{name}: {}.{} is chosen by {}",
                        one.name,
                        field.name,
                        open.by
                    );
                }
            }
        }
    }
}

#[test]
fn types_may_be_named_before_they_are_defined_and_be_others() {
    let text = "A = LIST (1..4,...) B # a comment\nB = C\nC = BITS (3) { x - y }";
    let layouts = parse(&[text]).expect("a file");
    let size = Size {
        low: 1,
        high: Some(4),
        is_extensible: true,
    };
    assert!(matches!(&layouts.types[0].shape, Shape::List(own, 1) if *own == size));
    for (at, name) in [(1, "B"), (3, "C")] {
        assert_eq!(layouts.types[at].name, name);
        let Shape::Bits(_, names) = &layouts.types[at].shape else {
            panic!("{name}: {:?}", layouts.types[at].shape);
        };
        assert_eq!(names, &["x", "", "y"]);
    }
}

#[test]
fn a_fault_is_reported_with_its_line() {
    for (text, line, reason) in [
        ("A = BOOLEAN\nA = NULL", 2, "A is defined twice"),
        ("A = B", 0, "A is not defined"),
        ("A = A", 0, "A is not defined"),
        ("A = integer", 1, "integer is no type"),
        ("A = OCTETS 4", 1, "4 is no size"),
        ("A = INTEGER 1..x", 1, "x is no bound"),
        ("A = SEQUENCE {", 1, "the file ends"),
        (
            "message X release 1 \"S\" root B\nA = NULL",
            1,
            "of an unknown type",
        ),
    ] {
        let error = parse(&[text]).expect_err(text);
        assert!(error.reason.contains(reason), "{text}: {error:?}");
        assert_eq!(error.line, line, "{text}: {error:?}");
    }
}

#[test]
fn a_text_replaces_types_of_those_before_it() {
    let base = "message X release 1 \"S\" root A\nA = SEQUENCE { b B c C }\nB = NULL\nC = BOOLEAN";
    let other = "message Y release 2 \"T\" root A\nB = BOOLEAN\nD = NULL";
    let layouts = parse(&[base, other]).expect("two texts");
    let kinds: Vec<&str> = layouts.messages.iter().map(|root| root.kind).collect();
    assert_eq!(kinds, ["Y"]);
    let shape = |name| {
        &layouts
            .types
            .iter()
            .find(|one| one.name == name)
            .expect(name)
            .shape
    };
    assert!(matches!(shape("B"), Shape::Boolean));
    assert!(matches!(shape("D"), Shape::Null));
    let error = parse(&[base, "B = NULL B = NULL"]).expect_err("twice in one text");
    assert_eq!(error.reason, "B is defined twice");
}
