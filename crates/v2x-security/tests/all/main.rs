//! Messages verified: each refusal, hostile bytes, floods, lists, data of others.

mod batch;
mod corpus;
mod examples;
mod forgeries;
mod hostile;
mod lists;
mod memory;
mod refusals;
mod world;
