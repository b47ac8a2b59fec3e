//! Has the images for a Cortex-M4F linked with more stack than others. Other parts have as much.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_BOARD").is_none() {
        return;
    }
    if env::var("TARGET").expect("cargo sets it") != "thumbv7em-none-eabihf" {
        return;
    }
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let memory = PathBuf::from(package).join("../boards/stm32f405-halves");
    println!("cargo::rustc-link-search={}", memory.display());
    println!(
        "cargo::rerun-if-changed={}",
        memory.join("memory.x").display()
    );
}
