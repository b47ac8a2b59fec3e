//! The start of a fixed tree as it comes to a member [GKE §V-C].

use waywarden_can::Frame;
use waywarden_work::Instant;

use super::{Member, TIMESTAMP_UNIT};
use crate::event::GroupRoleEvent;
use crate::exchange::ExchangeFailure;
use crate::identifier::{GroupHeader, Step};
use crate::inbox::Inbox;
use crate::party::is_fresh;
use crate::plan::Excluded;
use crate::settings::{GroupDirectory, GroupSettings};
use crate::suite::GroupSuite;
use crate::transcript;

/// A start as it comes in.
pub(super) struct Start {
    /// Alleged until the signature is right, as is whether the exchanges give way.
    freshness: u64,
    gives_way: bool,
    signature: Inbox,
}

impl Start {
    pub(super) fn new(settings: &GroupSettings, freshness: u64) -> Self {
        Start {
            freshness,
            gives_way: false,
            signature: Inbox::new(settings.transport, Step::Start),
        }
    }
}

impl<S: GroupSuite, D: GroupDirectory> Member<'_, S, D> {
    pub(super) fn take_start(&mut self, now: Instant, header: GroupHeader, frame: &Frame) {
        let settings = self.directory.settings();
        if settings.profile.is_as_published() && self.start.is_none() {
            let timestamp = now.as_nanos() / TIMESTAMP_UNIT;
            self.start = Some(Start::new(settings, timestamp));
        }
        if is_whole_group(self.directory.settings(), &header)
            && let Some(start) = &mut self.start
        {
            start.gives_way = header.gives_way;
            let _ = start.signature.push(frame.data());
        }
    }

    /// Checks the signature that starts the whole tree.
    pub(super) fn check_start(&mut self) {
        let complete = |start: &mut Start| start.signature.take::<64>().is_some();
        let Some(start) = self.start.take_if(complete) else {
            return;
        };
        let (freshness, gives_way) = (start.freshness, start.gives_way);
        let Some(signature) = start.signature.take::<64>() else {
            return;
        };
        let settings = self.directory.settings();
        // It may have been held back until a later order was obeyed.
        if !is_fresh(settings.profile, freshness, self.party.freshness) {
            return;
        }
        let orchestrator = settings.plan.orchestrator();
        let header = GroupHeader {
            gives_way,
            ..transcript::whole_group(settings)
        };
        let all = Excluded::default();
        let message = transcript::orchestration(
            self.party.suite.identifier(),
            settings,
            Step::Start,
            header,
            freshness,
            &all,
        );
        let Some(key) = self.directory.public_key(orchestrator) else {
            return;
        };
        let meter = &mut self.party.worker.meter;
        if self
            .party
            .suite
            .verify(meter, key, message.as_bytes(), &signature)
            .is_err()
        {
            let (result, failure) = (header.result, ExchangeFailure::Orchestration);
            self.events.push(GroupRoleEvent::Failed { result, failure });
            return;
        }
        self.party
            .begin_fixed_tree(freshness, gives_way, settings, self.now);
        self.count_beginning();
    }

    /// In a fixed tree the next exchange but one is opened as soon as one is through.
    pub(super) fn open_above(&mut self, formed: &GroupHeader) {
        let settings = self.directory.settings();
        self.party.open_above(formed, settings, self.now);
    }
}

/// Returns true if a header addresses the whole group.
pub(super) fn is_whole_group(settings: &GroupSettings, header: &GroupHeader) -> bool {
    let whole = transcript::whole_group(settings);
    (header.first, header.second, header.result) == (whole.first, whole.second, whole.result)
}
