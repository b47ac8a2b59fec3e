//! Changes by the workshop: ECUs enrolled, replaced, retired.

use waywarden_key_roles::Address;

use super::super::credential::by_certificate;
use super::super::event::ModuleEvent;
use super::super::name::Name;
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::SecurityModule;
use super::rule::{ReplaceError, Rule};

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'_, S, D> {
    /// Takes an ECU into the roster, or back into it: a new one, or one that was retired. `digest`
    /// is that of the key it must have ([`enrolled_digest`](crate::enrolled_digest)). Without one
    /// an address that was enrolled before may have the keys that it might have then; for another
    /// one, where keys are known by certificates, every key that a certificate gives it will do.
    /// False if there is no room, or a digest is needed. Kept over a reset, once it is written.
    ///
    /// Whatever session the address had is over, and streams that it had a key of get a new one.
    pub fn enrol(&mut self, ecu: Address, name: Name, digest: Option<&[u8; 32]>) -> bool {
        let certified = by_certificate(self.directory.settings()).then_some(Rule::CERTIFIED);
        let known = self.roster.rule(ecu).or(certified);
        let rule = digest.map(Rule::pinned).or(known);
        rule.is_some_and(|rule| self.enrol_by(ecu, name, rule))
    }

    /// Puts a new part into the place of an ECU, and shuts out the old one: [`enrol`](Self::enrol)
    /// with the digest of the new part's key; or, where keys are known by certificates, without
    /// one: then those by which the address has been authenticated are not accepted any more,
    /// however long their certificates hold. Three parts of an address can be shut out so. Kept
    /// over a reset, once it is written. As published no part is shut out, for keys in certificates
    /// are not used there.
    ///
    /// # Errors
    /// [`ReplaceError`] if the new part is not known and the old one cannot be shut out; nothing is
    /// changed then.
    pub fn replace(
        &mut self,
        ecu: Address,
        name: Name,
        digest: Option<&[u8; 32]>,
    ) -> Result<(), ReplaceError> {
        let known = self.roster.rule(ecu).ok_or(ReplaceError::NotEnrolled)?;
        let published = self.directory.settings().profile.is_as_published();
        let rule = match digest {
            Some(digest) => Rule::pinned(digest),
            None if published => known,
            None => known.replaced()?,
        };
        // The address has its place already.
        self.enrol_by(ecu, name, rule);
        Ok(())
    }

    fn enrol_by(&mut self, ecu: Address, name: Name, rule: Rule) -> bool {
        if let Some(index) = self.roster.position(ecu) {
            self.forget_ecu(index, ecu);
        }
        let enrolled = self.roster.enrol(ecu, name, rule, self.now);
        if enrolled {
            self.events.push(ModuleEvent::Enrolled(ecu));
        }
        enrolled
    }

    /// Takes an ECU out of the roster: it is not authenticated any more, what it sends is not
    /// keyed any more, and what it received gets a new key. Kept over a reset.
    pub fn retire(&mut self, ecu: Address) {
        let place = self.roster.position(ecu);
        if let Some(index) = place.filter(|_| self.roster.retire(ecu)) {
            // It is out of the roster before streams are keyed again, so that it is owed none.
            self.forget_ecu(index, ecu);
            self.events.push(ModuleEvent::Retired(ecu));
        }
    }

    pub(super) fn forget_ecu(&mut self, index: usize, ecu: Address) {
        if let Some(at) = self.handshake_of(index) {
            self.handshakes[at].free();
            // What is being computed for it must not become the next one's in this place.
            self.later = self
                .later
                .take()
                .filter(|later| later.handshake() != Some(at));
        }
        if let Some(registrant) = self.roster.of_mut(index) {
            registrant.forget();
        }
        self.leave_streams(ecu);
    }
}
