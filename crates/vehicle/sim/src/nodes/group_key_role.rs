//! The key roles of a simulated ECU, with their events recorded.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_ecu::Guard;
use waywarden_group_keys::{
    Address, AnyGroupSuite, GroupConfiguration, GroupDirectory, GroupFrameReader, GroupRoleEvent,
    GroupSuite, OrchestratorCommand,
};
use waywarden_key_suites::PublicKey;
use waywarden_session_keys::{GroupObserver, GroupParty, TimedGroupRole, beginning};
use waywarden_work::Instant;

use super::key_role::KeyRole;
use super::session_keys::{GroupKeyId, KeysInUse};
use waywarden_vehicle_trace::{Fact, Facts, GroupKeyEvent};

/// Settings and public keys of a group, shared by its roles.
pub type GroupKnowledge = Arc<GroupConfiguration<Vec<(Address, PublicKey)>>>;

/// A party of a group that follows a timetable.
pub type TimedParty =
    TimedGroupRole<'static, AnyGroupSuite, GroupKnowledge, Vec<(Instant, OrchestratorCommand)>>;

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
    fn confirmed<S: GroupSuite, D: GroupDirectory>(
        &mut self,
        role: &GroupParty<'_, S, D>,
        epoch: u64,
    ) {
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
