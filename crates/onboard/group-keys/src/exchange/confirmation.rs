//! The second half of an exchange: each side signs both shares, and all members check the
//! signatures [GKE Fig. 4, steps 4b to 6b].

use super::{Advance, Exchange, ExchangeFailure, Part, Side, Stage, Surroundings};
use crate::identifier::Step;
use crate::suite::GroupSuite;
use crate::transcript::{self, Pair};
use waywarden_key_suites::symmetric::{decrypt_ctr, encrypt_ctr};

impl<S: GroupSuite> Exchange<S> {
    pub(super) fn confirm(&mut self, around: &mut Surroundings<'_, S>) -> Advance {
        let (Part::Active(side), Some(keys)) = (self.part, &self.keys) else {
            return Advance::Wait;
        };
        let settings = around.directory.settings();
        let Some(message) = self.signed_by(side, around) else {
            return Advance::Wait;
        };
        let mut payload = around
            .suite
            .sign(around.meter, around.signing_key, message.as_bytes());
        let step = confirmation_step(side);
        let block = transcript::counter_block(settings.profile, step, self.freshness);
        encrypt_ctr(around.meter, &keys.confirmation, &block, &mut payload);
        self.confirmations[side as usize].put(settings.transport, &payload);
        self.stage = Stage::ConfirmationReady;
        Advance::Working
    }

    pub(super) fn send_confirmation(&mut self) -> Advance {
        let Part::Active(side) = self.part else {
            return Advance::Wait;
        };
        self.stage = Stage::Confirming { sent: false };
        let payload = self.confirmations[side as usize].take();
        Advance::Send(confirmation_step(side), payload.unwrap_or([0; 64]))
    }

    pub(super) fn check_confirmations(
        &mut self,
        sent: bool,
        around: &mut Surroundings<'_, S>,
    ) -> Advance {
        for side in [Side::A, Side::B] {
            let own = self.part == Part::Active(side);
            if own || self.checked[side as usize] {
                self.checked[side as usize] = true;
                continue;
            }
            let Some(payload) = self.confirmations[side as usize].take() else {
                continue;
            };
            return match self.check_one(side, payload, around) {
                Ok(()) => {
                    self.checked[side as usize] = true;
                    Advance::Working
                }
                Err(failure) => Advance::Failed(failure),
            };
        }
        if self.checked != [true; 2] || !sent {
            return Advance::Wait;
        }
        self.stage = Stage::Checked;
        self.advance(around)
    }

    fn check_one(
        &self,
        side: Side,
        mut payload: [u8; 64],
        around: &mut Surroundings<'_, S>,
    ) -> Result<(), ExchangeFailure> {
        let settings = around.directory.settings();
        let signer = self.actors(settings, around.excluded)[side as usize];
        let key = around.directory.public_key(signer);
        let key = key.ok_or(ExchangeFailure::PublicKeyMissing(signer))?;
        let keys = self.keys.as_ref().ok_or(ExchangeFailure::Confirmation)?;
        let block =
            transcript::counter_block(settings.profile, confirmation_step(side), self.freshness);
        decrypt_ctr(around.meter, &keys.confirmation, &block, &mut payload);
        let message = self.signed_by(side, around);
        let message = message.ok_or(ExchangeFailure::Confirmation)?;
        around
            .suite
            .verify(around.meter, key, message.as_bytes(), &payload)
            .map_err(|_| ExchangeFailure::Confirmation)
    }

    fn signed_by(&self, side: Side, around: &Surroundings<'_, S>) -> Option<transcript::Message> {
        let shares = self.both_shares()?;
        let settings = around.directory.settings();
        let actors = self.actors(settings, around.excluded);
        let (signer, reader) = match side {
            Side::A => (0, 1),
            Side::B => (1, 0),
        };
        let pair = Pair {
            signer: actors[signer],
            reader: actors[reader],
            signer_share: &shares[signer],
            reader_share: &shares[reader],
        };
        let step = confirmation_step(side);
        let (header, freshness) = (self.header, self.freshness);
        let suite = around.suite.identifier();
        Some(transcript::confirmation(
            suite, settings, step, header, freshness, pair,
        ))
    }
}

fn confirmation_step(side: Side) -> Step {
    [Step::ConfirmationA, Step::ConfirmationB][side as usize]
}
