//! Names the core that an image is for, and has one without `cortex-m-rt` linked.

use std::env;
use std::fs;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(cortex, values(\"m4f\", \"m33\", \"r5f\"))");
    let target = env::var("TARGET").expect("cargo sets it");
    let cortex = match target.as_str() {
        "thumbv7em-none-eabihf" => "m4f",
        "thumbv8m.main-none-eabihf" => "m33",
        "armv7r-none-eabihf" => "r5f",
        // The crate says so where it is compiled: a host only reads its manifest.
        _ => return,
    };
    println!("cargo::rustc-cfg=cortex=\"{cortex}\"");
    if cortex == "r5f" {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
        fs::copy("cortex-r5f.x", out.join("link.x")).expect("the folder of this build");
        println!("cargo::rustc-link-search={}", out.display());
        println!("cargo::rerun-if-changed=cortex-r5f.x");
    }
}
