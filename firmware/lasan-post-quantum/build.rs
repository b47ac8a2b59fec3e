//! Has the image linked for a part with more memory than the others.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_BOARD").is_none() {
        return;
    }
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let memory = PathBuf::from(package).join("../boards/stm32l4s9");
    println!("cargo::rustc-link-search={}", memory.display());
    println!(
        "cargo::rerun-if-changed={}",
        memory.join("memory.x").display()
    );
}
