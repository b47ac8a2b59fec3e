//! Requests to the engine, and their results.

mod encryption;
mod operation;
mod payload;
mod restart;
mod signing;
mod verification;

use std::sync::Arc;

use waywarden_testkit::Random;

use crate::support::{NOW, TestTime, World};

fn world() -> (World, Arc<TestTime>) {
    (World::new(&mut Random::new(23)), TestTime::new(NOW))
}
