//! The access-control list: which ECU may send which stream to whom, and when.

use super::name::NetworkTime;
use waywarden_key_roles::Address;

/// Names a stream: whatever number a network gives it, its CAN identifier for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u32);

/// A set of addresses from 0 to 127.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AddressSet(u128);

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The stream.
    pub stream: StreamId,
    /// The only ECU that may send it.
    pub sender: Address,
    /// The ECUs that receive it.
    pub receivers: AddressSet,
    /// First time at which it holds.
    pub from: NetworkTime,
    /// End of the permission, that time excluded.
    pub until: NetworkTime,
}

impl Permission {
    /// Returns true if it holds at a time.
    #[must_use]
    pub fn holds_at(&self, time: NetworkTime) -> bool {
        self.from <= time && time < self.until
    }

    /// Returns all ECUs that get the key: the sender and all receivers.
    #[must_use]
    pub const fn holders(&self) -> AddressSet {
        self.receivers.with(self.sender)
    }
}

impl AddressSet {
    /// No address.
    pub const NONE: AddressSet = AddressSet(0);

    /// Returns the set with an address added; addresses above 127 are never in a set.
    #[must_use]
    pub const fn with(self, address: Address) -> Self {
        match address.0 {
            0..=127 => AddressSet(self.0 | 1 << address.0),
            _ => self,
        }
    }

    /// Returns the set without an address.
    #[must_use]
    pub const fn without(self, address: Address) -> Self {
        match address.0 {
            0..=127 => AddressSet(self.0 & !(1 << address.0)),
            _ => self,
        }
    }

    /// Returns true if an address is in the set.
    #[must_use]
    pub const fn contains(self, address: Address) -> bool {
        address.0 <= 127 && self.0 & 1 << address.0 != 0
    }

    /// Returns true if the set has no address.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of addresses.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns who is in it, in order.
    pub fn iter(self) -> impl Iterator<Item = Address> {
        (0..=127).map(Address).filter(move |&at| self.contains(at))
    }

    /// Returns who is in either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        AddressSet(self.0 | other.0)
    }

    /// Returns who is in this one, but not in the other.
    #[must_use]
    pub const fn except(self, other: Self) -> Self {
        AddressSet(self.0 & !other.0)
    }
}

impl FromIterator<Address> for AddressSet {
    fn from_iter<I: IntoIterator<Item = Address>>(addresses: I) -> Self {
        addresses.into_iter().fold(Self::NONE, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: AddressSet = [1, 64, 127, 200].map(Address).into_iter().collect();
        assert!(set.iter().eq([1, 64, 127].map(Address)));
        assert!(!set.contains(Address(200)) && !set.contains(Address(72)));
        assert_eq!((set.len(), set.without(Address(64)).len()), (3, 2));
        assert!(set.except(set).is_empty());
    }

    #[test]
    fn windows_exclude_their_end() {
        let permission = Permission {
            stream: StreamId(7),
            sender: Address(1),
            receivers: AddressSet::NONE,
            from: NetworkTime(10),
            until: NetworkTime(20),
        };
        assert!(permission.holds_at(NetworkTime(10)) && permission.holds_at(NetworkTime(19)));
        assert!(!permission.holds_at(NetworkTime(9)) && !permission.holds_at(NetworkTime(20)));
    }
}
