//! Has the linker write the import library of the gateway, which images of the normal half are
//! linked with.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let script = package.join("../boards/stm32l562-secure/link.x");
    println!("cargo::rerun-if-changed={}", script.display());
    if env::var_os("CARGO_FEATURE_BOARD").is_none() {
        return;
    }
    let library = package.join("../../target/firmware/images/gateway.o");
    println!("cargo::rustc-link-arg-bins=--cmse-implib");
    println!(
        "cargo::rustc-link-arg-bins=--out-implib={}",
        library.display()
    );
}
