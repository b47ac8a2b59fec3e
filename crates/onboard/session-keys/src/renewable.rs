//! Key stores whose keys may be renewed while they are in use.

use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{Mac, MacKey};
use waywarden_can_auth::sancus::Module;
use waywarden_can_auth::stream::{Check, Protect};
use waywarden_ecu::{Authenticator, End};

/// Keys that may be renewed while they are in use.
pub trait RenewableKeys {
    /// Puts a key in the place of the one of this name, which serves for checking until
    /// [`RenewableKeys::forget_previous`], or until a message under the new one was checked.
    fn renew(&mut self, id: KeyId, usage: Usage, key: &MacKey);

    /// Ends that: the key before serves no more.
    fn forget_previous(&mut self, id: KeyId);

    /// Takes a key out, and the one before it.
    fn withdraw(&mut self, id: KeyId);
}

impl<M: Mac, const N: usize> RenewableKeys for Keyring<M, N> {
    fn renew(&mut self, id: KeyId, usage: Usage, key: &MacKey) {
        if self.roll_over(id, key).is_err() {
            // There is room for all keys of a role: its size was chosen by their number.
            let _: Result<(), KeyStoreError> = self.insert(id, usage, key);
        }
    }

    fn forget_previous(&mut self, id: KeyId) {
        Keyring::forget_previous(self, id);
    }

    fn withdraw(&mut self, id: KeyId) {
        self.remove(id);
    }
}

/// The keys of a protected module are in place before the car starts, and stay.
impl<M: Mac, const N: usize> RenewableKeys for Module<M, N> {
    fn renew(&mut self, _id: KeyId, _usage: Usage, _key: &MacKey) {}

    fn forget_previous(&mut self, _id: KeyId) {}

    fn withdraw(&mut self, _id: KeyId) {}
}

/// Keys that another owns.
impl<V: RenewableKeys + ?Sized> RenewableKeys for &mut V {
    fn renew(&mut self, id: KeyId, usage: Usage, key: &MacKey) {
        (**self).renew(id, usage, key);
    }

    fn forget_previous(&mut self, id: KeyId) {
        (**self).forget_previous(id);
    }

    fn withdraw(&mut self, id: KeyId) {
        (**self).withdraw(id);
    }
}

impl<V, P, C, S, R> RenewableKeys for Authenticator<V, P, C, S, R>
where
    V: MacKeyStore + RenewableKeys,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    fn renew(&mut self, id: KeyId, usage: Usage, key: &MacKey) {
        self.key_store_mut().renew(id, usage, key);
    }

    fn forget_previous(&mut self, id: KeyId) {
        self.key_store_mut().forget_previous(id);
    }

    fn withdraw(&mut self, id: KeyId) {
        self.key_store_mut().withdraw(id);
    }
}
