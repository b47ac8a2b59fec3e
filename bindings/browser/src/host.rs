//! Imports of the module: the page is told of progress, and of a panic before it ends all.

#[cfg(target_family = "wasm")]
mod page {
    #[link(wasm_import_module = "waywarden")]
    unsafe extern "C" {
        /// So many thousandths of a run are done.
        pub(super) fn progress(done: u32, total: u32);
        /// The module panics for this reason; what it returns is no longer to be used.
        pub(super) fn panicked(text: *const u8, length: usize);
    }
}

/// Tells the page how far a run has come, as a share from 0 to 1.
#[cfg(target_family = "wasm")]
pub(crate) fn progress(share: f64) {
    // SAFETY: the page's function takes two numbers and calls nothing of the module.
    unsafe { page::progress((share * 1e3) as u32, 1_000) }
}

/// No page is there, in a test.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn progress(_: f64) {}

/// Has a panic be told to the page: the module itself only stops.
#[cfg(target_family = "wasm")]
pub(crate) fn tell_panics() {
    std::panic::set_hook(Box::new(|information| {
        let text = information.to_string();
        // SAFETY: the page reads so many bytes of the text, which is there until it returns.
        unsafe { page::panicked(text.as_ptr(), text.len()) }
    }));
}

/// Panics of a test are its runner's.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn tell_panics() {}
