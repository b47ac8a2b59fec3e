//! Neighbourhoods in virtual time, and on threads.

mod certificates;
mod clocks;
mod congestion;
mod eavesdropper;
mod hostile;
mod neighbourhood;
mod payload;
mod repeated;
mod road;
mod threads;
