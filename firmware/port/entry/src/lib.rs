//! The attribute `entry`: has the start-up code find the first function of an image.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;

/// A function that the start-up code calls. It has the name that the linker looks for.
const CALLED: &str = "
    #[unsafe(export_name = \"main\")]
    extern \"C\" fn called_by_the_start() -> ! {
        main()
    }";

/// Marks `fn main() -> !` as the first function of an image.
#[proc_macro_attribute]
pub fn entry(_: TokenStream, function: TokenStream) -> TokenStream {
    let called: TokenStream = CALLED.parse().expect("the text above is a function");
    function.into_iter().chain(called).collect()
}
