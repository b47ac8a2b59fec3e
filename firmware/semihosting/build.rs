//! Tells the crate if its target is a Cortex-M, which calls the emulator by another instruction.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(cortex_m)");
    let target = env::var("TARGET").expect("cargo sets it");
    if target.starts_with("thumb") {
        println!("cargo::rustc-cfg=cortex_m");
    }
}
