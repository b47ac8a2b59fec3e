//! The handlers of faults and of the watchdog, by core. Each ends in a report, and never returns.

#[cfg(any(cortex = "m4f", cortex = "m33"))]
mod cortex_m;
#[cfg(cortex = "r5f")]
mod r5f;
#[cfg(cortex = "r5f")]
mod start;
