//! The roles of a group.

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Node};
use waywarden_group_keys::{
    AnyGroupSuite, GroupProfile, GroupRoleEvent, Member, MemberStorage, Orchestrator,
    OrchestratorError, OrchestratorStorage,
};

use super::forged;
use super::laws::Proven;
use super::parties::{Directory, identity};
use crate::seen::Seen;
use crate::source::Source;
use crate::world::{ECUS, Network, first_boot};

/// Most frames of one payload.
const FRAMES_MAX: usize = 8;

type GroupMember<'a> = Member<'static, AnyGroupSuite, &'a Directory>;
type GroupOrchestrator<'a> = Orchestrator<'static, AnyGroupSuite, &'a Directory>;

pub(super) struct GroupNetwork<'a> {
    suite: AnyGroupSuite,
    pub(super) directory: &'a Directory,
    pub(super) members: [GroupMember<'a>; ECUS],
    pub(super) orchestrator: GroupOrchestrator<'a>,
    proven: Proven,
}

fn new_member<'a>(
    suite: AnyGroupSuite,
    boot: &Boot<'_>,
    directory: &'a Directory,
    at: usize,
) -> GroupMember<'a> {
    let memory = MemberStorage::boxed(&directory.settings.plan);
    Member::new(boot, identity(suite, directory, at), directory, memory)
}

fn new_orchestrator<'a>(
    suite: AnyGroupSuite,
    boot: &Boot<'_>,
    directory: &'a Directory,
) -> Result<GroupOrchestrator<'a>, OrchestratorError> {
    let memory = OrchestratorStorage::boxed(&directory.settings.plan);
    let identity = identity(suite, directory, ECUS);
    let mut orchestrator = Orchestrator::new(boot, identity, directory, memory)?;
    orchestrator.renew(false);
    Ok(orchestrator)
}

impl<'a> GroupNetwork<'a> {
    /// Boots all roles.
    pub(super) fn new(
        suite: AnyGroupSuite,
        directory: &'a Directory,
    ) -> Result<Self, OrchestratorError> {
        let member = |at| new_member(suite, &first_boot(at), directory, at);
        Ok(GroupNetwork {
            suite,
            directory,
            members: std::array::from_fn(member),
            orchestrator: new_orchestrator(suite, &first_boot(ECUS), directory)?,
            proven: Proven::new(),
        })
    }
}

const fn name(event: &GroupRoleEvent) -> Option<&'static str> {
    Some(match event {
        GroupRoleEvent::Confirmed { .. } => "confirmed",
        GroupRoleEvent::Failed { .. } => "failed",
        GroupRoleEvent::Missed { .. } => "missed",
        GroupRoleEvent::Unresponsive(_) => "unresponsive",
        GroupRoleEvent::Included(_) => "included",
        _ => return None,
    })
}

impl Network for GroupNetwork<'_> {
    const BURST: u8 = 1;

    fn role(&mut self, at: usize) -> &mut dyn Node {
        match self.members.get_mut(at) {
            Some(member) => member,
            None => &mut self.orchestrator,
        }
    }

    fn restart(&mut self, at: usize, boot: &Boot<'_>) {
        if let Some(member) = self.members.get_mut(at) {
            *member = new_member(self.suite, boot, self.directory, at);
        } else if let Ok(made) = new_orchestrator(self.suite, boot, self.directory) {
            self.orchestrator = made;
        }
    }

    fn frames_max(&self) -> usize {
        FRAMES_MAX
    }

    fn inspect(&mut self, at: usize, seen: &mut Seen) {
        let Some(member) = self.members.get_mut(at) else {
            while let Some(event) = self.orchestrator.event() {
                name(&event).into_iter().for_each(|name| seen.note(name));
            }
            if let Some((epoch, key)) = self.orchestrator.group_key() {
                self.proven.note(epoch, key.as_bytes());
            }
            return;
        };
        while let Some(event) = member.event() {
            name(&event).into_iter().for_each(|name| seen.note(name));
            if matches!(event, GroupRoleEvent::Confirmed { .. })
                && self.directory.settings.profile == GroupProfile::Hardened
            {
                let (epoch, key) = member.group_key().expect("a confirmed key is there");
                self.proven.check(epoch, key.as_bytes());
            }
        }
    }

    fn forge(&self, last: Option<&Frame>, source: &mut Source<'_>) -> Vec<Frame> {
        forged::message(&self.directory.settings, last, source)
    }

    fn command(&mut self, source: &mut Source<'_>) -> usize {
        let ecu = forged::address(&self.directory.settings, source);
        match source.byte() % 4 {
            0 => self.orchestrator.renew(source.byte().is_multiple_of(2)),
            1 => self.orchestrator.remove(ecu),
            _ => self.orchestrator.readmit(ecu),
        }
        ECUS
    }

    /// Reads the keys.
    fn call(&mut self, source: &mut Source<'_>) -> usize {
        let at = forged::address(&self.directory.settings, source);
        let _ = self.orchestrator.channel_key(at);
        for member in &self.members {
            let _ = (member.subgroup_key(at), member.channel_key());
        }
        ECUS
    }
}
