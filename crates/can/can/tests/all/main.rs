//! Frames: their bits, times and forms, computed and by hand.

mod frame_bits;
mod frame_times;
mod hand_checked;
mod log_form;
