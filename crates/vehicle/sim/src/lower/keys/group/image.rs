//! The record of an ECU image in a group.

use waywarden_firmware_link::{
    EcuRecord, FollowedRecord, FollowingRecord, GroupRecord, List, NETWORKS_MAX, ORDERS_MAX,
    PARTIES_MAX, PlanRecord,
};
use waywarden_group_keys::{GroupProfile, GroupSuite, OrchestratorCommand, PlannedEcu};
use waywarden_session_keys::FollowingKey;
use waywarden_work::{Duration, Instant};

use super::{Group, identity_secret, orders, suite};
use crate::lower::boot_timeline::BootPeriod;
use waywarden_vehicle_file::{EcuIndex, GroupKey, KeyParty, KeySuite};

impl Group<'_> {
    /// Returns its place in the vehicle file.
    pub(in crate::lower) const fn place(&self) -> usize {
        self.at
    }

    /// Returns the name of its suite, as a vehicle file has it.
    pub(in crate::lower) const fn suite(&self) -> &'static str {
        match self.group.suite {
            KeySuite::FourQ => "fourq",
            KeySuite::P256 => "p256",
        }
    }

    /// Makes the record of an image at a boot.
    ///
    /// # Errors
    /// The part that an image cannot have, in words.
    pub(in crate::lower) fn record(
        &self,
        index: EcuIndex,
        life: &BootPeriod,
        ecu: EcuRecord,
        followed: Option<&(GroupKey, Vec<FollowingKey>)>,
    ) -> Result<GroupRecord, String> {
        let (group, settings) = (self.group, &self.known.settings);
        let name = &group.name.value;
        if settings.profile != GroupProfile::Hardened {
            return Err(format!(
                "`{name}` has the messages as published, which are in no image: leave `profile` out"
            ));
        }
        let mut parties = group.parties();
        let party = parties.find(|party| party.ecu == index);
        let party = party.ok_or_else(|| format!("it is not in `{name}`"))?;
        let (orders, renewal) = match *party == group.orchestrator {
            true => self.orders(life)?,
            false => (List::new(), None),
        };
        Ok(GroupRecord {
            ecu,
            suite: suite(group.suite).identifier(),
            plan: self.plan()?,
            transport: settings.transport,
            identifiers: settings.identifiers,
            merge_order: settings.merge_order,
            orchestration: settings.orchestration,
            timing: settings.timing,
            directory: List::from_slice(&self.known.keys).map_err(|_| self.too_many())?,
            address: party.address,
            secret: *identity_secret(self.seed, self.at, party.address).as_bytes(),
            holds_streams: group.holds_streams,
            orders,
            renewal,
            followed: followed.map(|followed| self.followed(followed)),
        })
    }

    fn too_many(&self) -> String {
        let name = &self.group.name.value;
        format!("`{name}` has more ECUs than an image knows: at most {PARTIES_MAX} of them")
    }

    fn plan(&self) -> Result<PlanRecord, String> {
        let group = self.group;
        let places = |members: &[KeyParty], ranks: &[u8]| {
            let place = |(member, rank): (&KeyParty, &u8)| PlannedEcu {
                address: member.address,
                rank: *rank,
            };
            let places: Vec<_> = members.iter().zip(ranks).map(place).collect();
            List::from_slice(&places).map_err(|_| self.too_many())
        };
        let mut networks = List::new();
        let mut rest = self.ranks.as_slice();
        for network in &group.networks {
            let (own, others) = rest.split_at(network.members.len().min(rest.len()));
            rest = others;
            networks.push(places(&network.members, own)?).map_err(|_| {
                let name = &group.name.value;
                format!(
                    "`{name}` is merged of more networks than an image knows: at most \
                     {NETWORKS_MAX} of them"
                )
            })?;
        }
        if networks.is_empty() {
            // One is within the bound.
            networks.extend([places(&group.members, rest)?]);
        }
        let members: usize = networks.iter().map(|ecus| ecus.len()).sum();
        match members < PARTIES_MAX {
            true => Ok(PlanRecord {
                scheme: group.scheme,
                odd: group.odd,
                orchestrator: group.orchestrator.address,
                networks,
            }),
            false => Err(self.too_many()),
        }
    }

    fn orders(&self, life: &BootPeriod) -> Result<Orders, String> {
        let (orders, renewal) = orders(self.group, life);
        let orders = List::from_slice(&orders).map_err(|_| {
            format!(
                "`{}` orders {} times something, and an image knows {ORDERS_MAX} orders: join and \
                 remove less, or simulate the orchestrator",
                self.group.name.value,
                orders.len()
            )
        })?;
        Ok((orders, renewal.map(|(first, period, _)| (first, period))))
    }

    fn followed(&self, (key, keys): &(GroupKey, Vec<FollowingKey>)) -> FollowedRecord {
        let change_over = self.change_over();
        let record = |key: &FollowingKey| FollowingRecord {
            id: key.id,
            usage: key.usage,
            sends: key.sends,
            of: key.of,
        };
        FollowedRecord {
            logical: key.logical,
            sends_after: change_over.sends_after,
            overlap: change_over.overlap,
            // One for each end, and that of the announcements.
            keys: keys.iter().map(record).collect(),
        }
    }
}

/// The orders of an orchestrator with their times; the time of its first renewal, and from one to
/// the next.
type Orders = (
    List<(Instant, OrchestratorCommand), ORDERS_MAX>,
    Option<(Instant, Duration)>,
);
