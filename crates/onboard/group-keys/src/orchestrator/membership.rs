//! Membership: ECUs removed, readmitted, and the keys that an orchestrator has.

use waywarden_key_roles::Address;
use waywarden_key_suites::Secret;

use super::super::event::GroupRoleEvent;
use super::super::settings::GroupDirectory;
use super::super::suite::GroupSuite;
use super::Orchestrator;

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'_, S, D> {
    /// Removes an ECU from the group: all keys that it knew are renewed without it
    /// [GKE §III-D]. Nothing happens for an address that is not in the plan.
    pub fn remove(&mut self, ecu: Address) {
        if self.directory.settings().plan.ecus().any(|at| at == ecu) {
            self.removed.set(ecu, true);
            self.removal = true;
            self.events.push(GroupRoleEvent::Removed(ecu));
            self.exclude(ecu);
        }
    }

    /// Takes a removed ECU back: the keys on its way up are renewed with it [GKE §III-D].
    pub fn readmit(&mut self, ecu: Address) {
        if self.removed.contains(ecu) {
            self.removed.set(ecu, false);
            self.removal = true;
            self.include(ecu);
        }
    }

    /// Takes in the ECUs of another network, which had been removed or left out so far: with a plan
    /// of [several networks](crate::GroupPlan::of_networks) they form their own keys, and one
    /// exchange at the top merges both [GKE §III-B].
    pub fn admit(&mut self, network: &[Address]) {
        network.iter().for_each(|&ecu| self.readmit(ecu));
    }

    /// Returns the group key and its epoch once it has been proven to the members.
    pub fn group_key(&self) -> Option<(u64, &Secret)> {
        self.key.as_ref().map(|key| (self.epoch, key))
    }

    /// Returns the key of a logical ECU that the orchestrator belongs to: a subgroup's own key
    /// [GKE §III-B].
    pub fn subgroup_key(&self, logical: Address) -> Option<Secret> {
        let settings = self.directory.settings();
        self.party.secrets.traffic_key(logical, settings)
    }

    /// Returns the key of the private channel with an ECU, `sk_i` [GKE §III-C1].
    pub fn channel_key(&self, ecu: Address) -> Option<&[u8; 16]> {
        let mut ecus = self.directory.settings().plan.ecus();
        let index = ecus.position(|at| at == ecu)?;
        self.ecus.get(index)?.channel.as_deref()
    }

    /// Takes the oldest event.
    pub fn event(&mut self) -> Option<GroupRoleEvent> {
        self.events.pop()
    }

    /// Returns how many events were lost because the caller did not take them.
    pub fn events_lost(&self) -> u32 {
        self.events.lost()
    }
}
