//! Images in QEMU, against the image's library on this machine and against hostile files, values
//! and frames.

mod budgets;
mod c_image;
mod certificates;
mod constant_time;
mod group_budgets;
mod group_hostile;
mod group_vehicles;
mod hostile;
mod image;
mod isolation;
mod known_answers;
mod lasan;
mod notes;
mod operations;
mod paired;
mod port;
mod process;
mod receiver;
mod resets;
mod secoc;
mod tap;
mod vehicles;
mod world;
