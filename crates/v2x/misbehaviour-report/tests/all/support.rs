//! Recorded reports and faulty messages.

use waywarden_testkit::{blocks, bytes_of};
use waywarden_v2x_misbehaviour_report::layout::TargetId;

/// A faulty message, and the recorded report about it.
pub(crate) struct Recorded {
    pub(crate) name: &'static str,
    pub(crate) target: TargetId,
    pub(crate) observation: u8,
    pub(crate) message: Vec<u8>,
    pub(crate) report: Option<Vec<u8>>,
}

pub(crate) fn recorded() -> Vec<Recorded> {
    let file = include_str!("../../../../../vectors/misbehaviour-reports.txt");
    let all: Vec<_> = blocks(file)
        .map(|block| Recorded {
            name: block["name"],
            target: TargetId(bytes_of(block["target"])[0]),
            observation: bytes_of(block["observation"])[0],
            message: bytes_of(block["message"]),
            report: block.get("report").map(|digits| bytes_of(digits)),
        })
        .collect();
    assert_eq!(all.len(), 8);
    all
}
