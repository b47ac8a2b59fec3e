//! The note of an image on a board of this crate.

/// Parts that the macro names.
#[doc(hidden)]
pub mod parts {
    pub use waywarden_firmware_link::{GROUP_KEYS, LASAN, PAIRED, SECOC, VERSION};
    pub use waywarden_firmware_note::note;
}

#[cfg(cortex = "m4f")]
#[doc(hidden)]
#[macro_export]
macro_rules! machine {
    () => {
        "machine=mps2-an386"
    };
}

#[cfg(cortex = "m33")]
#[doc(hidden)]
#[macro_export]
macro_rules! machine {
    () => {
        "machine=mps2-an505"
    };
}

#[cfg(cortex = "r5f")]
#[doc(hidden)]
#[macro_export]
macro_rules! machine {
    () => {
        "machine=cortex-r5f"
    };
}

/// Writes the note of an image: that of an ECU with the kind of its record and its suite, or the
/// purpose of one that is no ECU.
#[macro_export]
macro_rules! note {
    (purpose = $purpose:literal) => {
        $crate::parts::note!(
            ::core::concat!("link={link} ", $crate::machine!(), " purpose=", $purpose),
            link = $crate::parts::VERSION,
        );
    };
    ($kind:ident) => {
        $crate::note!($kind, words = "");
    };
    ($kind:ident, suite = $suite:literal) => {
        $crate::note!($kind, words = ::core::concat!(" suite=", $suite));
    };
    ($kind:ident, words = $words:expr) => {
        $crate::parts::note!(
            ::core::concat!(
                "link={link} ",
                $crate::machine!(),
                " record={record}",
                $words
            ),
            link = $crate::parts::VERSION,
            record = $crate::parts::$kind,
        );
    };
}
