//! One exchange as one ECU lives it: from the orchestration message to the secret of the logical
//! ECU that results [GKE Fig. 4, Fig. 13].
//!
//! The state machine computes at once and waits: what it computed is used only after its owner has
//! reported the operations and their time has passed. `docs/protocols/gke.md` maps its stages to
//! the states of the paper's Group Key Manager.

mod confirmation;

use waywarden_can::segment::raw::PayloadProgress;
use waywarden_key_suites::{RecordedOperations, Secret};
use waywarden_work::Instant;
use zeroize::Zeroizing;

use super::identifier::{GroupHeader, Step};
use super::inbox::Inbox;
use super::plan::{Excluded, GroupPlan};
use super::settings::{GroupDirectory, GroupSettings};
use super::suite::GroupSuite;
use super::transcript::{self, Keys};
use waywarden_key_roles::Address;

/// One of the two participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    A,
    B,
}

/// The part of an ECU in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It acts for one side [GKE §III-B: active member].
    Active(Side),
    /// It holds the secret of one side and listens [GKE §III-B: passive member].
    Passive(Side),
    /// It only learns who takes part, and in the symmetric scheme which shares were exchanged.
    Witness,
}

/// Reason that an exchange failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExchangeFailure {
    /// The orchestrator's signature is wrong, or not fresh.
    Orchestration,
    /// This ECU lacks the secret of the logical ECU it should act for.
    SecretMissing(Address),
    /// A share is no point of the curve, or one that must not be used.
    Share,
    /// A participant's signature is wrong.
    Confirmation,
    /// Not everything came in time.
    Timeout,
    /// A public key is missing from the directory.
    PublicKeyMissing(Address),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Waits for the orchestrator's signature.
    Announced,
    /// The signature has been checked.
    Ordered,
    /// The own share is ready to be sent.
    ShareReady,
    /// Waits until the own share is sent and the other one is here.
    Sharing { sent: bool },
    /// The keys are extracted.
    Extracted,
    /// The own confirmation is ready to be sent.
    ConfirmationReady,
    /// Waits until the own confirmation is sent and the other one is here.
    Confirming { sent: bool },
    /// All that had to be checked was checked.
    Checked,
}

/// The next need of an exchange.
pub(super) enum Advance {
    /// Something from the bus.
    Wait,
    /// To be asked again when the metered work is done.
    Working,
    /// The signature of the orchestrator is right: the exchange replaces all earlier ones.
    Ordered,
    /// To send this payload.
    Send(Step, [u8; 64]),
    /// Nothing more: the secret of the logical ECU, and of the private channel.
    Formed(Keys),
    /// Nothing more, and no secret: it was only witnessed.
    Witnessed,
    Failed(ExchangeFailure),
}

/// The values of its ECU that an exchange uses.
pub(super) struct Surroundings<'a, S: GroupSuite> {
    pub(super) suite: &'a S,
    pub(super) directory: &'a dyn GroupDirectory,
    pub(super) signing_key: &'a S::SigningKey,
    pub(super) excluded: &'a Excluded,
    /// The secret of the side the ECU belongs to: of a logical ECU, or fresh for a physical one.
    pub(super) secret: Option<Secret>,
    pub(super) meter: &'a mut RecordedOperations,
}

pub(super) struct Exchange<S: GroupSuite> {
    pub(super) header: GroupHeader,
    pub(super) part: Part,
    pub(super) freshness: u64,
    /// Time of its last received frame or last step, for its timeout.
    pub(super) active_at: Instant,
    stage: Stage,
    /// Open before the secret it begins with is there, as in a fixed tree.
    patient: bool,
    orchestration: Inbox,
    shares: [Inbox; 2],
    confirmations: [Inbox; 2],
    checked: [bool; 2],
    scalar: Option<S::Scalar>,
    keys: Option<Keys>,
}

impl<S: GroupSuite> Exchange<S> {
    pub(super) fn new(
        settings: &GroupSettings,
        header: GroupHeader,
        part: Part,
        freshness: u64,
        now: Instant,
    ) -> Self {
        let inbox = |step| Inbox::new(settings.transport, step);
        Exchange {
            header,
            part,
            freshness,
            active_at: now,
            stage: Stage::Announced,
            patient: false,
            orchestration: inbox(Step::Orchestration),
            shares: [inbox(Step::ShareA), inbox(Step::ShareB)],
            confirmations: [inbox(Step::ConfirmationA), inbox(Step::ConfirmationB)],
            checked: [false; 2],
            scalar: None,
            keys: None,
        }
    }

    /// Returns the exchange with its order taken as given: the orchestrator's own, or one of a
    /// fixed tree whose start was signed.
    pub(super) fn ordered(mut self) -> Self {
        self.stage = Stage::Ordered;
        self
    }

    /// Returns the exchange as one that waits for the secret of its side.
    pub(super) fn patient(mut self) -> Self {
        self.patient = true;
        self
    }

    /// Returns true if it was opened before its turn.
    pub(super) fn is_patient(&self) -> bool {
        self.patient
    }

    /// Returns true if its next step needs the secret of its side.
    pub(super) fn is_about_to_begin(&self, settings: &GroupSettings) -> bool {
        self.stage == Stage::Ordered && !self.is_ahead_of_its_peer(settings)
    }

    /// Returns true if the orchestrator's signature has been verified.
    pub(super) fn is_ordered(&self) -> bool {
        self.stage != Stage::Announced
    }

    /// Takes a frame's data; what is not expected is ignored.
    pub(super) fn take(&mut self, step: Step, data: &[u8]) -> Option<PayloadProgress> {
        let inbox = match step {
            Step::Orchestration if !self.is_ordered() => &mut self.orchestration,
            Step::ShareA => &mut self.shares[0],
            Step::ShareB => &mut self.shares[1],
            Step::ConfirmationA => &mut self.confirmations[0],
            Step::ConfirmationB => &mut self.confirmations[1],
            _ => return None,
        };
        inbox.push(data)
    }

    /// A payload of this exchange has been sent.
    pub(super) fn sent(&mut self, step: Step) {
        match (&mut self.stage, step) {
            (Stage::Sharing { sent }, Step::ShareA | Step::ShareB)
            | (Stage::Confirming { sent }, Step::ConfirmationA | Step::ConfirmationB) => {
                *sent = true;
            }
            _ => {}
        }
    }

    /// Returns both shares once both are here.
    pub(super) fn both_shares(&self) -> Option<[[u8; 32]; 2]> {
        Some([self.shares[0].take()?, self.shares[1].take()?])
    }

    /// Takes the next step.
    pub(super) fn advance(&mut self, around: &mut Surroundings<'_, S>) -> Advance {
        match self.stage {
            Stage::Announced => self.check_orchestration(around),
            Stage::Ordered => self.begin(around),
            Stage::ShareReady => self.send_share(),
            Stage::Sharing { sent } => self.extract(sent, around),
            Stage::Extracted => self.confirm(around),
            Stage::ConfirmationReady => self.send_confirmation(),
            Stage::Confirming { sent } => self.check_confirmations(sent, around),
            Stage::Checked => match self.keys.take() {
                Some(keys) => Advance::Formed(keys),
                None => Advance::Wait,
            },
        }
    }

    fn check_orchestration(&mut self, around: &mut Surroundings<'_, S>) -> Advance {
        let Some(signature) = self.orchestration.take() else {
            return Advance::Wait;
        };
        let settings = around.directory.settings();
        let excluded = self.excluded_by_header(&settings.plan, around.excluded);
        let (step, header) = (Step::Orchestration, self.header);
        let message = transcript::orchestration(
            around.suite.identifier(),
            settings,
            step,
            header,
            self.freshness,
            &excluded,
        );
        let orchestrator = settings.plan.orchestrator();
        let Some(key) = around.directory.public_key(orchestrator) else {
            return Advance::Failed(ExchangeFailure::PublicKeyMissing(orchestrator));
        };
        if around
            .suite
            .verify(around.meter, key, message.as_bytes(), &signature)
            .is_err()
        {
            return Advance::Failed(ExchangeFailure::Orchestration);
        }
        self.stage = Stage::Ordered;
        Advance::Ordered
    }

    /// Returns the excluded ECUs once this exchange is ordered: where the orchestrator stands in
    /// for a physical ECU, its address is in that one's place [GKE Algorithm 2].
    pub(super) fn excluded_by_header(&self, plan: &GroupPlan, before: &Excluded) -> Excluded {
        let mut excluded = *before;
        let Some((first, second)) = plan.children(self.header.result) else {
            return excluded;
        };
        let stand_in = plan.orchestrator();
        for (planned, named) in [(first, self.header.first), (second, self.header.second)] {
            if plan.is_physical(planned) && planned != stand_in {
                excluded.set(planned, named == stand_in);
            }
        }
        excluded
    }

    fn begin(&mut self, around: &mut Surroundings<'_, S>) -> Advance {
        let side = match self.part {
            Part::Witness => return self.witness(around.directory.settings()),
            Part::Active(side) | Part::Passive(side) => side,
        };
        if self.is_ahead_of_its_peer(around.directory.settings()) {
            return Advance::Wait;
        }
        let Some(secret) = around.secret.take() else {
            return Advance::Failed(ExchangeFailure::SecretMissing(self.address(side)));
        };
        if self.header.second == Address::NONE {
            self.keys = Some(Keys::promoted(secret));
            self.stage = Stage::Checked;
            return self.advance(around);
        }
        let settings = around.directory.settings();
        let logical = !settings.plan.is_physical(self.address(side));
        let scalar = match logical && settings.profile.is_as_published() {
            true => around.suite.scalar_as_published(&first_half(&secret)),
            false => around.suite.scalar(&secret),
        };
        if let Part::Active(_) = self.part {
            let share = around.suite.share(around.meter, &scalar);
            self.shares[side as usize].put(settings.transport, &share);
            self.stage = Stage::ShareReady;
        } else {
            self.stage = Stage::Sharing { sent: true };
        }
        self.scalar = Some(scalar);
        Advance::Working
    }

    /// In a fixed tree the side with fewer levels below it lets the other one speak first: only
    /// then all members over there listen.
    fn is_ahead_of_its_peer(&self, settings: &GroupSettings) -> bool {
        let (Part::Active(side) | Part::Passive(side)) = self.part else {
            return false;
        };
        let (other, peers) = match side {
            Side::A => (Side::B, &self.shares[1]),
            Side::B => (Side::A, &self.shares[0]),
        };
        let height = |side| settings.plan.height(self.address(side));
        self.patient && peers.take::<32>().is_none() && height(side) < height(other)
    }

    /// In a tree a witness has seen enough; in the symmetric scheme it waits for both shares.
    fn witness(&mut self, settings: &GroupSettings) -> Advance {
        let symmetric = settings.plan.root() == Address::NONE;
        if symmetric && self.both_shares().is_none() {
            return Advance::Wait;
        }
        Advance::Witnessed
    }

    fn send_share(&mut self) -> Advance {
        let Part::Active(side) = self.part else {
            return Advance::Wait;
        };
        self.stage = Stage::Sharing { sent: false };
        let mut payload = [0; 64];
        if let Some(share) = self.shares[side as usize].take::<32>() {
            payload[..32].copy_from_slice(&share);
        }
        Advance::Send([Step::ShareA, Step::ShareB][side as usize], payload)
    }

    fn extract(&mut self, sent: bool, around: &mut Surroundings<'_, S>) -> Advance {
        let (Some(shares), true, Some(scalar)) = (self.both_shares(), sent, &self.scalar) else {
            return Advance::Wait;
        };
        let settings = around.directory.settings();
        let peers = match self.part {
            Part::Active(Side::A) | Part::Passive(Side::A) => &shares[1],
            _ => &shares[0],
        };
        let Ok(agreed) = around.suite.extract(around.meter, scalar, peers) else {
            return Advance::Failed(ExchangeFailure::Share);
        };
        let actors = self.actors(settings, around.excluded);
        let [a, b] = &shares;
        self.keys = Some(transcript::keys(
            (around.suite.identifier(), settings),
            self.header,
            self.freshness,
            actors,
            [a, b],
            &agreed,
            around.meter,
        ));
        self.scalar = None;
        self.stage = match (self.part, settings.profile.is_as_published()) {
            // The paper's passive members only extract.
            (Part::Passive(_), true) => Stage::Checked,
            (Part::Passive(_), false) => Stage::Confirming { sent: true },
            _ => Stage::Extracted,
        };
        Advance::Working
    }

    /// Returns who acts for either side.
    pub(super) fn actors(&self, settings: &GroupSettings, excluded: &Excluded) -> [Address; 2] {
        [self.header.first, self.header.second].map(|at| acting_for(settings, at, excluded))
    }

    pub(super) fn address(&self, side: Side) -> Address {
        match side {
            Side::A => self.header.first,
            Side::B => self.header.second,
        }
    }
}

/// Returns who acts for a participant named in a header: a physical ECU for itself, the
/// orchestrator in the place of an excluded one.
pub(super) fn acting_for(settings: &GroupSettings, named: Address, excluded: &Excluded) -> Address {
    match settings.plan.is_physical(named) {
        true => named,
        false => settings.plan.active(named, excluded),
    }
}

fn first_half(secret: &Secret) -> Zeroizing<[u8; 16]> {
    let mut half = Zeroizing::new([0; 16]);
    half.copy_from_slice(&secret.as_bytes()[..16]);
    half
}
