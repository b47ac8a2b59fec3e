//! The image that computes one operation: the one whose place in the list the record has, in two
//! bytes, little endian. Behind them the record has the seed of its secret, in four bytes, and what
//! the operation is given. Places from [`FIRST_LEAK`] and [`FIRST_KEPT`] on are those of
//! computations for a check of constant time. Any other place stands for nothing at all, to count
//! what the gates themselves take.
//!
//! A gate is a request to wait, which feeds the watchdog: no operation takes what it allows, and
//! neither does the making of its inputs. The host ends the image with its answer to the second.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use heapless::Vec;
use waywarden_firmware_link::{Answer, Link, MESSAGE_MAX, Request, VERSION};
use waywarden_firmware_operations::{
    FIRST_KEPT, FIRST_LEAK, Gate, KEEPING, LEAKING, OPERATIONS, nothing,
};
use waywarden_firmware_port::{Pipe, Place, entry, note};

static RECORD: Place<Vec<u8, MESSAGE_MAX>> = Place::new();

struct Waits(Pipe);

impl Gate for Waits {
    #[inline(never)]
    fn pass(&mut self) {
        self.0.exchange(&Request::Wait { until: None });
    }
}

note!(purpose = "operations to count");

#[entry]
fn main() -> ! {
    let mut pipe = Pipe::open();
    let record = RECORD.put(Vec::new);
    match pipe.exchange(&Request::Boot { version: VERSION }) {
        Answer::Boot { record: bytes, .. } => {
            // No message is longer than there is room for.
            let _ = record.extend_from_slice(bytes);
        }
        _ => panic!("the answer to the first request is not that of a boot"),
    }
    let Some((place, rest)) = record.split_first_chunk::<2>() else {
        panic!("a record without a place in the list");
    };
    let Some((secret, given)) = rest.split_first_chunk::<4>() else {
        panic!("a record without the seed of a secret");
    };
    let place = usize::from(u16::from_le_bytes(*place));
    let secret = u32::from_le_bytes(*secret);
    let other = match place.checked_sub(FIRST_KEPT) {
        Some(place) => KEEPING.get(place),
        None => place
            .checked_sub(FIRST_LEAK)
            .and_then(|place| LEAKING.get(place)),
    };
    let mut waits = Waits(pipe);
    if let Some(operation) = OPERATIONS.get(place) {
        operation.run(&mut waits, secret, given);
    } else if let Some(other) = other {
        other.run(&mut waits, secret);
    } else {
        nothing(&mut waits);
    }
    panic!("the run ended without an end");
}
