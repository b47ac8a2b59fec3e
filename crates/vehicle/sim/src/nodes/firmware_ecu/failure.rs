//! An ECU whose image could not be started.

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_vehicle_resources::ImageFault;
use waywarden_vehicle_trace::{Fact, Facts};
use waywarden_work::Instant;

/// A node that says once why its image did not start, and does nothing.
pub struct FailedImage {
    /// The fact, until it was reported.
    fact: Option<Fact>,
    facts: Facts,
}

impl FailedImage {
    /// Makes the node.
    #[must_use]
    pub fn new(fault: &ImageFault, facts: Facts) -> Self {
        let why = fault.to_string();
        FailedImage {
            fact: Some(Fact::ImageFailed { why }),
            facts,
        }
    }
}

impl Node for FailedImage {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
        if let Some(fact) = self.fact.take() {
            self.facts.push(fact);
        }
        Output::Idle(None)
    }
}
