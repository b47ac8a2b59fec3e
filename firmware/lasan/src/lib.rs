//! The main program of an image under a LASAN security module, for the suite that it is given.
#![no_std]
#![forbid(unsafe_code)]

/// Parts that the main program names.
#[doc(hidden)]
pub mod parts {
    pub use waywarden_can::mailbox::Mailbox;
    pub use waywarden_ecu::EcuRole;
    pub use waywarden_firmware_ecu::{Board, EcuNode, boot, node, serve};
    pub use waywarden_firmware_lasan::{
        ECUS, Grants, HANDSHAKES, HELD, LasanRole, LasanStart, PERMISSIONS, Places, Roles, roles,
    };
    pub use waywarden_firmware_port::{Pipe, Place, entry, note};
    pub use waywarden_firmware_secoc::Keys;
    pub use waywarden_lasan::{AuthenticationSuite, EcuArrays, ModuleArrays, ModuleMessages};
}

/// Makes the main program of an image with a suite, which vehicle files have under this name.
#[macro_export]
macro_rules! image {
    ($suite:ty, $name:literal) => {
        use $crate::parts::*;

        type Suite = $suite;
        type Role = LasanRole<'static, Pipe, Suite>;

        /// Bytes of the longest message of the suite.
        const MESSAGE: usize = <Suite as AuthenticationSuite>::MESSAGE_MAX;
        /// Bytes of a public key of the suite.
        const KEY: usize = <Suite as AuthenticationSuite>::SIZES.public_key;

        static START: Place<LasanStart> = Place::new();
        static BOARD: Place<Board<Pipe>> = Place::new();
        static KEYS: Place<Keys> = Place::new();
        static GRANTS: Place<Grants> = Place::new();
        static ECU: Place<EcuArrays<MESSAGE, KEY, HELD>> = Place::new();
        static MESSAGES: Place<ModuleMessages<MESSAGE, HANDSHAKES>> = Place::new();
        static MODULE: Place<ModuleArrays<'static, Suite, ECUS, HANDSHAKES, PERMISSIONS>> =
            Place::new();
        static ROLES: Place<Roles<'static, Pipe, Suite>> = Place::new();
        static MAILBOX: Place<Mailbox<EcuNode<'static, Pipe, &'static mut [EcuRole<Role>], Role>>> =
            Place::new();

        note!(LASAN, suite = $name);

        #[entry]
        fn main() -> ! {
            let mut pipe = Pipe::open();
            let start = START.put(|| boot(&mut pipe));
            let board = BOARD.put(|| Board::new(pipe, start));
            let messages = MESSAGES.put(ModuleMessages::new);
            let places = Places {
                ecu: ECU.put(EcuArrays::new).storage(),
                module: MODULE.put(|| ModuleArrays::new(messages)).storage(),
                keys: KEYS.put(Keys::new),
                grants: GRANTS.put(Grants::new),
            };
            let roles = ROLES.put(|| roles(start, Suite::default(), places, board));
            let roles = roles.as_mut_slice();
            let boot = start.boot();
            let mailbox = MAILBOX.put(|| {
                let node = node(&boot, &start.record.ecu.streams, roles, board);
                Mailbox::new(node, boot.now)
            });
            serve(board, mailbox);
            // The pipe ends the image with the run.
            panic!("the run ended without an end");
        }
    };
}
