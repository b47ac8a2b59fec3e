//! Messages verified: each refusal, hostile bytes, floods, lists, data of others.

mod batch;
mod batch_order;
mod canonical_forms;
mod corpus;
mod cost;
mod delta_lists;
mod examples;
mod forgeries;
mod hostile;
mod leap_seconds;
mod linkage;
mod linked_lists;
mod list_histories;
mod list_order;
mod lists;
mod memory;
mod nested_messages;
mod refusals;
mod regions;
mod restarts;
mod trust;
mod unhashed_forms;
