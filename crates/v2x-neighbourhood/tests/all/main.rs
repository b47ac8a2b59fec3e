//! Neighbourhoods in virtual time, and on threads.

mod hostile;
mod neighbourhood;
mod road;
mod threads;
