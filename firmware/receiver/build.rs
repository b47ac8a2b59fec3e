//! Has the image linked with more stack than the others.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_BOARD").is_none() {
        return;
    }
    let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let part = match env::var("TARGET").expect("cargo sets it").as_str() {
        "thumbv8m.main-none-eabihf" => "stm32h573-receiver",
        "armv7r-none-eabihf" => return,
        _ => "stm32f405-receiver",
    };
    let memory = PathBuf::from(package).join("../boards").join(part);
    println!("cargo::rustc-link-search={}", memory.display());
    println!(
        "cargo::rerun-if-changed={}",
        memory.join("memory.x").display()
    );
}
