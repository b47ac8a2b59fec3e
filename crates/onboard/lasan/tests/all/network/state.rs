//! The state of the roles: keys, sessions, and authorization of all.

use waywarden_lasan::{Address, AuthenticationSuite, LasanEcu};

use super::{Fleet, stream_of};

impl<S: AuthenticationSuite, const H: usize> Fleet<S, H> {
    /// The key that an ECU has of another's stream.
    pub(crate) fn stream_key(&self, ecu: u8, sender: u8) -> Option<(u32, [u8; 32])> {
        let ecu = self.ecus[usize::from(ecu) - 1].borrow();
        let (generation, key) = ecu.as_ref()?.stream_key(stream_of(sender))?;
        Some((generation, *key.as_bytes()))
    }

    pub(crate) fn is_authenticated(&self, ecu: u8) -> bool {
        let own = self.ecus[usize::from(ecu) - 1].borrow();
        let module = self.module.borrow();
        own.as_ref().is_some_and(LasanEcu::is_authenticated)
            && module
                .as_ref()
                .is_some_and(|module| module.is_authenticated(Address(ecu)))
    }

    /// Prints what the roles have to say, for the reader of a failed test.
    pub(crate) fn tell(&self) {
        println!("sent: {:?}", self.sent);
        println!("module: {:?}", self.module_events);
        println!("ecus: {:?}", self.ecu_events);
    }

    /// Asserts that every ECU is authenticated and every stream's key is with all who may have it.
    #[track_caller]
    pub(crate) fn assert_authorized(&self) {
        self.tell();
        for ecu in 1..=self.network_config.ecus {
            assert!(self.is_authenticated(ecu), "ECU {ecu} is not authenticated");
        }
        for line in &self.network_config.streams {
            let sender = line.sender.0;
            let expected = self.stream_key(sender, sender);
            assert!(expected.is_some(), "ECU {sender} may not send");
            for ecu in 1..=self.network_config.ecus {
                let key = self.stream_key(ecu, sender);
                match line.holders().contains(Address(ecu)) {
                    true => assert_eq!(key, expected, "stream of {sender} at {ecu}"),
                    false => assert_eq!(key, None, "stream of {sender} at {ecu}"),
                }
            }
        }
    }
}
