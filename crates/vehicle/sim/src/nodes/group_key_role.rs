//! The key roles of a simulated ECU: ordered to begin, renew, remove and readmit, with their events
//! recorded.

use std::sync::Arc;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_ecu::Guard;
use waywarden_group_keys::{
    Address, GroupDirectory, GroupFrameReader, GroupRoleEvent, GroupSuite, Member, Orchestrator,
};
use waywarden_key_suites::Secret;
use waywarden_work::{Duration, Instant};

use super::key_role::KeyRole;
use super::session_keys::{GroupKeyId, KeysInUse};
use super::timetable::Timetable;
use waywarden_vehicle_trace::{Fact, Facts, GroupKeyEvent};

/// Administrative command to an orchestrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrchestratorCommand {
    /// Have the first key agreed on.
    Start {
        /// True if its frames lose arbitration to application traffic.
        gives_way: bool,
    },
    /// Have another one agreed on when all have acknowledged the last.
    Renew {
        /// True if its frames lose arbitration to application traffic.
        gives_way: bool,
    },
    /// Remove a member.
    Remove(Address),
    /// Take it back.
    Readmit(Address),
}

/// A key role, whatever its suite and scheme.
pub trait GroupRole: Node + Send {
    /// Takes the oldest event.
    fn event(&mut self) -> Option<GroupRoleEvent>;
    /// Takes an order; only an orchestrator does anything.
    fn take(&mut self, order: OrchestratorCommand);
    /// Returns the group key with its epoch, or in its place the key of a logical ECU.
    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)>;
}

impl<S: GroupSuite, D: GroupDirectory> GroupRole for Member<'_, S, D>
where
    Self: Send,
{
    fn event(&mut self) -> Option<GroupRoleEvent> {
        Member::event(self)
    }

    fn take(&mut self, _order: OrchestratorCommand) {}

    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)> {
        in_use(self.group_key(), logical, |of| self.subgroup_key(of))
    }
}

impl<S: GroupSuite, D: GroupDirectory> GroupRole for Orchestrator<'_, S, D>
where
    Self: Send,
{
    fn event(&mut self) -> Option<GroupRoleEvent> {
        Orchestrator::event(self)
    }

    fn take(&mut self, order: OrchestratorCommand) {
        match order {
            OrchestratorCommand::Start { gives_way } => self.renew(gives_way),
            OrchestratorCommand::Renew { gives_way } => self.renew_when_acknowledged(gives_way),
            OrchestratorCommand::Remove(ecu) => self.remove(ecu),
            OrchestratorCommand::Readmit(ecu) => self.readmit(ecu),
        }
    }

    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)> {
        in_use(self.group_key(), logical, |of| self.subgroup_key(of))
    }
}

/// Returns a group key, or in its place that of a logical ECU.
fn in_use(
    group_key: Option<(u64, &Secret)>,
    logical: Option<Address>,
    subgroup_key: impl FnOnce(Address) -> Option<Secret>,
) -> Option<(u64, Secret)> {
    let (epoch, key) = group_key?;
    match logical {
        Some(logical) => Some((epoch, subgroup_key(logical)?)),
        None => Some((epoch, key.duplicate())),
    }
}

/// Keys of a group that its ECU's other roles use, and the store in which they find them.
#[derive(Clone)]
pub struct PublishedKeys {
    /// Store of the keys in use.
    pub in_use: Arc<KeysInUse>,
    /// Keys of the group that they use.
    pub wanted: Vec<GroupKeyId>,
}

/// A key role that follows a timetable: a renewal does not break off an agreement of all members.
pub struct GroupKeyRole {
    role: Box<dyn GroupRole>,
    timetable: Timetable<OrchestratorCommand>,
    /// Reader of its group's frames.
    frames: Arc<GroupFrameReader>,
    /// Time that members take to confirm a key that the orchestrator has.
    answer: Duration,
    published: PublishedKeys,
    /// True if it has confirmed a key.
    has_key: bool,
    /// The group, by its place in the vehicle file.
    group: usize,
    facts: Facts,
}

impl GroupKeyRole {
    /// Lets a role in a group follow a timetable. It takes the frames that the reader reads, and
    /// members take so long to confirm a key.
    #[must_use]
    pub fn new(
        role: Box<dyn GroupRole>,
        timetable: Timetable<OrchestratorCommand>,
        (frames, answer): (Arc<GroupFrameReader>, Duration),
        published: PublishedKeys,
        (group, facts): (usize, Facts),
    ) -> Self {
        GroupKeyRole {
            role,
            timetable,
            frames,
            answer,
            published,
            has_key: false,
            group,
            facts,
        }
    }

    fn report(&self, event: GroupKeyEvent) {
        let group = self.group;
        self.facts.push(Fact::GroupKey { group, event });
    }

    fn take_orders(&mut self, now: Instant) {
        while let Some(order) = self.timetable.due(now) {
            if matches!(order, OrchestratorCommand::Start { .. }) {
                self.report(GroupKeyEvent::Begun);
            }
            if matches!(
                order,
                OrchestratorCommand::Start { .. } | OrchestratorCommand::Renew { .. }
            ) {
                self.timetable.hold();
            }
            self.role.take(order);
            // A role remembers few events: those of one order are heard before the next.
            self.listen(now);
        }
    }

    /// Says which keys are in use: those of the epoch that was just confirmed.
    fn publish(&self) {
        for &(group, logical) in &self.published.wanted {
            if let Some((epoch, key)) = self.role.key(logical) {
                self.published.in_use.put((group, logical), epoch, key);
            }
        }
    }

    fn listen(&mut self, now: Instant) {
        while let Some(event) = self.role.event() {
            if matches!(event, GroupRoleEvent::Confirmed { .. }) {
                self.timetable.release(now + self.answer);
                self.publish();
                self.has_key = true;
            }
            self.report(match event {
                GroupRoleEvent::Renewing => GroupKeyEvent::Begun,
                GroupRoleEvent::Confirmed { epoch } => GroupKeyEvent::InUse {
                    epoch,
                    key: self.role.key(None).map_or(0, |(_, key)| beginning(&key)),
                },
                other => GroupKeyEvent::Role(other),
            });
        }
    }
}

impl Guard for GroupKeyRole {
    fn hears(&self, _port: Port, frame: &Frame) -> bool {
        self.frames.read(frame).is_some()
    }
}

impl KeyRole for GroupKeyRole {
    fn has_key(&self) -> bool {
        self.has_key
    }
}

impl Node for GroupKeyRole {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.role.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.take_orders(now);
        let output = self.role.poll(now, room);
        self.listen(now);
        match output {
            Output::Idle(next_deadline) => {
                let next = self.timetable.next();
                Output::Idle(next_deadline.into_iter().chain(next).min())
            }
            output => output,
        }
    }
}

/// Returns what a key begins with.
fn beginning(key: &Secret) -> u64 {
    key.as_bytes()
        .first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
