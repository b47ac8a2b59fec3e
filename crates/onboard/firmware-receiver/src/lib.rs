//! A V2X receiver on a microcontroller: it takes signed items one at a time through a [`Link`], and
//! gives its verdict on each.
#![no_std]
#![forbid(unsafe_code)]

use core::fmt::Write;

use heapless::String;
use waywarden_firmware_link::{
    Answer, Link, Request, SignedItem, SignedKind, TEXT_MAX, VERSION, Verdict,
};
use waywarden_v2x_security::{Capacity, ReceptionContext, Refusal, Verifier};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// The capacity of the receiver. Without tables of keys, as one takes 5 KB.
pub const CAPACITY: Capacity = Capacity {
    certificates: 16,
    messages: 128,
    table_bytes: 0,
};

/// Takes signed items until the run is over.
///
/// # Panics
/// If an answer is not of the kind of its request.
pub fn run(link: &mut impl Link) {
    let request = Request::Boot { version: VERSION };
    let Answer::Boot { .. } = link.exchange(&request) else {
        panic!("the answer to the first request is not that of a boot");
    };
    let mut receiver = Verifier::new(CAPACITY);
    let mut reason = String::new();
    let mut is_accepted = None;
    loop {
        let verdict = is_accepted.map(|is_accepted| Verdict {
            is_accepted,
            reason: &reason,
        });
        let item = match link.exchange(&Request::TakeSigned(verdict)) {
            Answer::Signed(item) => item,
            Answer::Finish => return,
            _ => panic!("the answer is no signed item"),
        };
        let taken = take(&mut receiver, &item);
        is_accepted = Some(taken.is_ok());
        reason = taken.map_or_else(|refusal| text(&refusal), |()| String::new());
    }
}

/// Takes one item.
///
/// # Errors
/// The check that failed.
pub fn take(receiver: &mut Verifier, item: &SignedItem<'_>) -> Result<(), Refusal> {
    match item.kind {
        SignedKind::TrustAnchor => receiver.add_trust_anchor(item.bytes).map(drop),
        SignedKind::Certificate => receiver.add_certificate(item.bytes).map(drop),
        SignedKind::Message { now } => {
            let context = ReceptionContext::at(Time64(now));
            receiver.verify(item.bytes, &context).map(drop)
        }
    }
}

/// Returns the words of a refusal, cut to [`TEXT_MAX`] bytes.
#[must_use]
pub fn text(refusal: &Refusal) -> String<TEXT_MAX> {
    struct Cut(String<TEXT_MAX>);

    impl Write for Cut {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            let mut all = text.chars();
            all.try_for_each(|char| self.0.push(char))
                .map_err(|_| core::fmt::Error)
        }
    }

    let mut cut = Cut(String::new());
    // Text beyond the bound is cut.
    let _ = write!(cut, "{refusal}");
    cut.0
}
