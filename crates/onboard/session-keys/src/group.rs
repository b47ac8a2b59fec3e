//! A role in a group that follows a timetable: a renewal does not break off an agreement of all
//! members.

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_group_keys::{
    Address, GroupDirectory, GroupRoleEvent, GroupSuite, Member, Orchestrator, OrchestratorCommand,
};
use waywarden_key_suites::Secret;
use waywarden_work::{Duration, Instant};

use crate::Timetable;

/// A role in a group of any key protocol: a node that takes orders and has keys.
pub trait GroupRole: Node {
    /// Takes the oldest event.
    fn event(&mut self) -> Option<GroupRoleEvent>;

    /// Takes an order; only an orchestrator does anything.
    fn take(&mut self, order: OrchestratorCommand);

    /// Returns the group key with its epoch, or in its place the key of a logical ECU.
    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)>;
}

/// The role of a party in a group.
pub enum GroupParty<'a, S: GroupSuite, D> {
    /// A member.
    Member(Member<'a, S, D>),
    /// The orchestrator.
    Orchestrator(Orchestrator<'a, S, D>),
}

impl<S: GroupSuite, D: GroupDirectory> GroupRole for GroupParty<'_, S, D> {
    fn event(&mut self) -> Option<GroupRoleEvent> {
        match self {
            GroupParty::Member(role) => role.event(),
            GroupParty::Orchestrator(role) => role.event(),
        }
    }

    fn take(&mut self, order: OrchestratorCommand) {
        if let GroupParty::Orchestrator(role) = self {
            role.obey(order);
        }
    }

    fn key(&self, logical: Option<Address>) -> Option<(u64, Secret)> {
        match self {
            GroupParty::Member(role) => {
                in_use(role.group_key(), logical, |of| role.subgroup_key(of))
            }
            GroupParty::Orchestrator(role) => {
                in_use(role.group_key(), logical, |of| role.subgroup_key(of))
            }
        }
    }
}

impl<S: GroupSuite, D: GroupDirectory> Node for GroupParty<'_, S, D> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match self {
            GroupParty::Member(role) => role.handle(now, input),
            GroupParty::Orchestrator(role) => role.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        match self {
            GroupParty::Member(role) => role.poll(now, room),
            GroupParty::Orchestrator(role) => role.poll(now, room),
        }
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

/// The observer of a role in a group.
pub trait GroupObserver {
    /// An agreement of all members has begun.
    fn begun(&mut self);

    /// The role has confirmed a key: the keys of this epoch are in use.
    fn confirmed(&mut self, role: &impl GroupRole, epoch: u64);

    /// The role reports something else.
    fn event(&mut self, event: GroupRoleEvent);
}

/// A role in a group that follows a timetable. `T` stores the orders.
pub struct TimedGroupRole<R, T> {
    role: R,
    timetable: Timetable<T, OrchestratorCommand>,
    /// Time that members take to confirm a key that the orchestrator has.
    answer: Duration,
    /// True if it has confirmed a key.
    has_key: bool,
}

impl<R, T> TimedGroupRole<R, T>
where
    R: GroupRole,
    T: AsRef<[(Instant, OrchestratorCommand)]>,
{
    /// Lets a role follow a timetable; members take `answer` to confirm a key.
    pub const fn new(
        role: R,
        timetable: Timetable<T, OrchestratorCommand>,
        answer: Duration,
    ) -> Self {
        TimedGroupRole {
            role,
            timetable,
            answer,
            has_key: false,
        }
    }

    /// Returns true if it has confirmed a key.
    pub const fn has_key(&self) -> bool {
        self.has_key
    }

    /// Hands the role an input.
    pub fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.role.handle(now, input);
    }

    /// Has the role do what is due, and reports its events.
    pub fn poll(&mut self, now: Instant, room: Ports, observer: &mut impl GroupObserver) -> Output {
        self.take_orders(now, observer);
        let output = self.role.poll(now, room);
        self.listen(now, observer);
        match output {
            Output::Idle(next_deadline) => {
                let next = self.timetable.next();
                Output::Idle(next_deadline.into_iter().chain(next).min())
            }
            output => output,
        }
    }

    fn take_orders(&mut self, now: Instant, observer: &mut impl GroupObserver) {
        while let Some(order) = self.timetable.due(now) {
            if matches!(order, OrchestratorCommand::Start { .. }) {
                observer.begun();
            }
            if matches!(
                order,
                OrchestratorCommand::Start { .. } | OrchestratorCommand::Renew { .. }
            ) {
                self.timetable.hold();
            }
            self.role.take(order);
            // A role remembers few events: those of one order are heard before the next.
            self.listen(now, observer);
        }
    }

    fn listen(&mut self, now: Instant, observer: &mut impl GroupObserver) {
        while let Some(event) = self.role.event() {
            match event {
                GroupRoleEvent::Confirmed { epoch } => {
                    self.timetable.release(now + self.answer);
                    self.has_key = true;
                    observer.confirmed(&self.role, epoch);
                }
                GroupRoleEvent::Renewing => observer.begun(),
                other => observer.event(other),
            }
        }
    }
}

/// Returns the first 8 bytes of a key, so that a run can compare the keys of its ECUs.
#[must_use]
pub fn beginning(key: &Secret) -> u64 {
    key.as_bytes()
        .first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
