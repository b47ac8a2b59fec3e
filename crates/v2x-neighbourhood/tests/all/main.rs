//! Neighbourhoods in virtual time, and on threads.

mod eavesdropper;
mod hostile;
mod neighbourhood;
mod road;
mod threads;
