//! Images in QEMU, against the image's library on this machine and against hostile files, values
//! and frames.

mod budgets;
mod c_image;
mod constant_time;
mod hostile;
mod image;
mod isolation;
mod operations;
mod port;
mod process;
mod receiver;
mod resets;
mod secoc;
mod vehicles;
mod world;
