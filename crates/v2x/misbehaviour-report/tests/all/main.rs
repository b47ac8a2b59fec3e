//! Tests of misbehaviour reports.

mod evidence;
mod layout;
mod secured;
mod support;
