//! Authenticated streams between whole ECUs on the exact bus: what it costs in time, bit errors,
//! resets, and ECUs that spoof, inject and replay; each protocol behind the same seam.

mod hostile;
mod lab;
mod paired;
mod published;
mod secoc;
