//! A visitor sees every part once, at its place.

use waywarden_v2x_wire::coer::{CoerDecode, LeafValue, Visitor, parse_with};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, CrlContents, Ieee1609Dot2Data};

use super::bytes::SCOPE;
use crate::support::maker::Maker;
use crate::support::{etsi_certificates, field_messages, written};

struct Part {
    begin: usize,
    /// Place at which its last part ended.
    filled: usize,
    has_parts: bool,
    /// The bytes of its value, if it is a leaf of octets.
    octets: Option<Vec<u8>>,
}

/// Compares the parts with each other as the visitor receives them.
struct Order<'a> {
    input: &'a [u8],
    open: Vec<Part>,
    entered: usize,
    left: usize,
    /// Number of bytes that are the value of a leaf.
    leaf_bytes: usize,
    leaf_end: usize,
}

impl<'a> Order<'a> {
    fn watch<T: CoerDecode<'a>>(input: &'a [u8]) -> Self {
        let mut order = Order {
            input,
            open: Vec::new(),
            entered: 0,
            left: 0,
            leaf_bytes: 0,
            leaf_end: 0,
        };
        parse_with::<T, _>(input, &mut order).unwrap();
        assert!(order.open.is_empty(), "everything that began ended");
        assert_eq!(order.entered, order.left);
        assert!(order.leaf_bytes > input.len() / 2 && order.leaf_bytes <= input.len());
        order
    }
}

impl Visitor for Order<'_> {
    fn enter(&mut self, _: &'static str, of_type: &'static str, offset: usize) {
        assert!(!of_type.is_empty());
        if let Some(outer) = self.open.last_mut() {
            assert!(offset >= outer.filled, "parts do not overlap");
            assert!(outer.octets.is_none(), "a leaf has no parts");
            outer.has_parts = true;
        } else {
            assert_eq!((offset, self.entered), (0, 0));
        }
        self.entered += 1;
        self.open.push(Part {
            begin: offset,
            filled: offset,
            has_parts: false,
            octets: None,
        });
    }

    fn value(&mut self, value: LeafValue<'_>) {
        let part = self.open.last_mut().unwrap();
        assert!(!part.has_parts && part.octets.is_none(), "one value a leaf");
        part.octets = Some(match value {
            LeafValue::Octets(octets) => octets.to_vec(),
            LeafValue::Text(text) => text.as_bytes().to_vec(),
            // Numbers and names are not slices; their last byte tells them well enough.
            LeafValue::Unsigned(number) => vec![number as u8],
            LeafValue::Signed(number) => vec![number as u8],
            LeafValue::Name(_) | LeafValue::Absent => Vec::new(),
        });
    }

    fn leave(&mut self, offset: usize) {
        let part = self.open.pop().unwrap();
        self.left += 1;
        assert!(offset >= part.filled && offset <= self.input.len());
        if let Some(outer) = self.open.last_mut() {
            outer.filled = offset;
        } else {
            assert_eq!(offset, self.input.len(), "the root is everything");
        }
        let Some(octets) = part.octets else {
            return;
        };
        let span = &self.input[part.begin..offset];
        assert!(span.ends_with(&octets), "a leaf is where it is said to be");
        assert!(part.begin >= self.leaf_end, "leaves do not overlap");
        self.leaf_end = offset;
        self.leaf_bytes += span.len();
    }
}

#[test]
fn of_real_data() {
    for (_, bytes) in etsi_certificates().iter().flatten() {
        Order::watch::<Certificate<'_>>(bytes);
    }
    let mut parts = 0;
    for (_, bytes) in field_messages().iter().flatten() {
        parts += Order::watch::<Ieee1609Dot2Data<'_>>(bytes).entered;
    }
    println!("{parts} parts in the messages from the field");
}

#[test]
fn of_values_of_all_kinds() {
    for seed in 0..300 {
        let mut maker = Maker::new(seed, SCOPE);
        let list = written(&maker.revocation_list());
        Order::watch::<CrlContents<'_>>(&list);
        let certificate = written(&maker.certificate());
        Order::watch::<Certificate<'_>>(&certificate);
    }
}
