//! The key roles of a simulated ECU, with their events recorded.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_ecu::Guard;
use waywarden_group_keys::{
    Address, GroupConfiguration, GroupFrameReader, GroupRoleEvent, OrchestratorCommand,
};
use waywarden_key_suites::{PublicKey, Secret};
use waywarden_session_keys::{GroupObserver, GroupRole, TimedGroupRole, beginning};
use waywarden_work::Instant;

use super::key_role::KeyRole;
use super::session_keys::{GroupKeyId, KeysInUse};
use waywarden_vehicle_trace::{Fact, Facts, GroupKeyEvent};

/// Settings and public keys of a group, shared by its roles.
pub type GroupKnowledge = Arc<GroupConfiguration<Vec<(Address, PublicKey)>>>;

/// A role in a group of any key protocol, chosen when the vehicle is made.
pub struct AnyGroupRole(pub Box<dyn GroupRole + Send>);

/// A party of a group that follows a timetable.
pub type TimedParty = TimedGroupRole<AnyGroupRole, Vec<(Instant, OrchestratorCommand)>>;

/// Keys of a group that its ECU's other roles use, and the store in which they find them.
#[derive(Clone)]
pub struct PublishedKeys {
    /// Store of the keys in use.
    pub in_use: Arc<KeysInUse>,
    /// Keys of the group that they use.
    pub wanted: Vec<GroupKeyId>,
}

/// A key role of a simulated ECU.
pub struct GroupKeyRole {
    role: TimedParty,
    /// Reader of its group's frames.
    frames: Arc<GroupFrameReader>,
    recorder: Recorder,
}

/// Records the events of a role, and publishes its keys.
struct Recorder {
    published: PublishedKeys,
    /// The group, by its place in the vehicle file.
    group: usize,
    facts: Facts,
}

impl GroupKeyRole {
    /// Has the events of a role recorded. It takes the frames that the reader reads.
    #[must_use]
    pub fn new(
        role: TimedParty,
        frames: Arc<GroupFrameReader>,
        published: PublishedKeys,
        (group, facts): (usize, Facts),
    ) -> Self {
        GroupKeyRole {
            role,
            frames,
            recorder: Recorder {
                published,
                group,
                facts,
            },
        }
    }
}

impl GroupRole for AnyGroupRole {
    fn event(&mut self) -> Option<GroupRoleEvent> {
        self.0.event()
    }

    fn take(&mut self, order: OrchestratorCommand) {
        self.0.take(order);
    }

    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)> {
        self.0.key(logical)
    }
}

impl Node for AnyGroupRole {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.0.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.0.poll(now, room)
    }
}

impl Recorder {
    fn report(&self, event: GroupKeyEvent) {
        let group = self.group;
        self.facts.push(Fact::GroupKey { group, event });
    }
}

impl GroupObserver for Recorder {
    fn begun(&mut self) {
        self.report(GroupKeyEvent::Begun);
    }

    /// Says which keys are in use: those of the epoch that was just confirmed.
    fn confirmed(&mut self, role: &impl GroupRole, epoch: u64) {
        for &(group, logical) in &self.published.wanted {
            if let Some((epoch, key)) = role.key(logical) {
                self.published.in_use.put((group, logical), epoch, key);
            }
        }
        let key = role.key(None).map_or(0, |(_, key)| beginning(&key));
        self.report(GroupKeyEvent::InUse { epoch, key });
    }

    fn event(&mut self, event: GroupRoleEvent) {
        self.report(GroupKeyEvent::Role(event));
    }
}

impl Guard for GroupKeyRole {
    fn hears(&self, _port: Port, frame: &Frame) -> bool {
        self.frames.read(frame).is_some()
    }
}

impl KeyRole for GroupKeyRole {
    fn has_key(&self) -> bool {
        self.role.has_key()
    }
}

impl Node for GroupKeyRole {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.role.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.role.poll(now, room, &mut self.recorder)
    }
}
