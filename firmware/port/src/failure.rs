//! The ends that an image does not plan: a panic, and what the handlers of the board report; each
//! with its reason as a request.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use heapless::String;
use waywarden_firmware_link::{Request, TEXT_MAX};
use waywarden_firmware_semihosting as semihosting;

use crate::pipe;

/// A text that takes as much as there is room for.
#[derive(Default)]
struct Text(String<TEXT_MAX>);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut all = text.chars();
        all.try_for_each(|char| self.0.push(char))
            .map_err(|_| fmt::Error)
    }
}

/// Sends the reason and ends the image.
pub(crate) fn report(reason: fmt::Arguments<'_>) -> ! {
    let mut text = Text::default();
    // Text beyond the bound is cut.
    let _ = text.write_fmt(reason);
    pipe::send_last(&Request::Failed(&text.0));
    semihosting::exit(1)
}

#[panic_handler]
fn panicked(info: &PanicInfo<'_>) -> ! {
    let message = info.message();
    match info.location() {
        Some(place) => report(format_args!(
            "{message} ({}:{})",
            place.file(),
            place.line()
        )),
        None => report(format_args!("{message}")),
    }
}
