//! Known answers, the slow reference, hostile input, batches, and constants recomputed.

mod agreement;
mod batches;
mod derivation;
mod fuzz;
mod hostile;
mod known_answers;
mod reference;
mod torsion;
