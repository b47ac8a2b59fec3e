//! Links the images with the import library of the gateway, which the build of the secure half
//! writes.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_BOARD").is_none() {
        return;
    }
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let library = package.join("../../target/firmware/images/gateway.o");
    println!("cargo::rerun-if-changed={}", library.display());
    println!("cargo::rustc-link-arg-bins={}", library.display());
}
