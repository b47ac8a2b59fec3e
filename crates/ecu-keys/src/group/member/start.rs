//! The start of a fixed tree as it comes to a member [GKE §V-C].

use waywarden_can::Frame;
use waywarden_work::Instant;

use super::{Member, TIMESTAMP_UNIT};
use crate::group::event::Event;
use crate::group::exchange::Failure;
use crate::group::identifier::{Address, Header, Step};
use crate::group::inbox::Inbox;
use crate::group::party::is_fresh;
use crate::group::plan::Excluded;
use crate::group::settings::{Directory, Profile, Settings};
use crate::group::transcript;
use crate::suite::{PublicKey, Suite};

impl<S, D, const E: usize> Member<S, D, E>
where
    S: Suite<PublicKey = PublicKey, Signature = [u8; 64]>,
    D: Directory,
{
    pub(super) fn take_start(&mut self, now: Instant, header: Header, frame: &Frame) {
        let settings = self.directory.settings();
        if settings.profile == Profile::AsPublished && self.start.is_none() {
            let timestamp = now.as_nanos() / TIMESTAMP_UNIT;
            self.start = Some((timestamp, Inbox::new(settings.transport, Step::Start)));
        }
        if is_whole_group(self.directory.settings(), &header)
            && let Some((_, inbox)) = &mut self.start
        {
            let _ = inbox.push(frame.data());
        }
    }

    /// Checks the signature that starts the whole tree.
    pub(super) fn check_start(&mut self) {
        let Some((freshness, signature)) = self
            .start
            .as_ref()
            .and_then(|(freshness, inbox)| Some((*freshness, inbox.take::<64>()?)))
        else {
            return;
        };
        self.start = None;
        let settings = self.directory.settings();
        // It may have been held back until a later order was obeyed.
        if !is_fresh(settings.profile, freshness, self.party.freshness) {
            return;
        }
        let orchestrator = settings.plan.orchestrator();
        let header = transcript::whole_group(settings);
        let everybody = Excluded::default();
        let message =
            transcript::orchestration::<S>(settings, Step::Start, header, freshness, &everybody);
        let Some(key) = self.directory.public_key(orchestrator) else {
            return;
        };
        let meter = &mut self.party.meter;
        if S::verify(meter, key, message.as_bytes(), &signature).is_err() {
            let (result, failure) = (header.result, Failure::Orchestration);
            self.events.push(Event::Failed { result, failure });
            return;
        }
        self.party.begin_fixed_tree(freshness, settings, self.now);
    }

    /// In a fixed tree the next exchange but one is opened as soon as one is through.
    pub(super) fn open_above(&mut self, formed: Address) {
        let settings = self.directory.settings();
        self.party.open_above(formed, settings, self.now);
    }
}

/// Whether a header speaks to the whole group.
pub(super) fn is_whole_group(settings: &Settings, header: &Header) -> bool {
    let whole = transcript::whole_group(settings);
    (header.first, header.second, header.result) == (whole.first, whole.second, whole.result)
}
