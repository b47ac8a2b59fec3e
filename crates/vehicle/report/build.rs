//! With `WAYWARDEN_NO_PROSE=1` every phrase that a writer prints is an `x`, so that a test can show
//! that no verdict is read from one.

fn main() {
    println!("cargo:rerun-if-env-changed=WAYWARDEN_NO_PROSE");
    if std::env::var("WAYWARDEN_NO_PROSE").is_ok_and(|set| set == "1") {
        println!("cargo:rustc-cfg=no_prose");
    }
}
