//! Keys in SoftHSM2: made, kept, found, used, refused. Where it is not installed, each test says
//! that it was skipped.

mod token;
