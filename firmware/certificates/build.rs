//! Has the image of a Cortex-M33 linked for a part with more flash than that of the others.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = env::var("TARGET").expect("cargo sets it");
    if env::var_os("CARGO_FEATURE_BOARD").is_none() || target != "thumbv8m.main-none-eabihf" {
        return;
    }
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let memory = PathBuf::from(package).join("../boards/stm32h573-receiver");
    println!("cargo::rustc-link-search={}", memory.display());
    println!(
        "cargo::rerun-if-changed={}",
        memory.join("memory.x").display()
    );
}
