//! Verdicts on received messages, taken note of.

use waywarden_v2x_station::content::MessageContent;

use crate::event::{NeighbourhoodEvent, Reception};
use crate::frame::StationMoment;
use crate::security::ReceptionVerdict;
use crate::waiting::Waiting;

use super::Participant;

impl Participant {
    pub(super) fn judge(
        &mut self,
        waiting: Waiting,
        verdict: ReceptionVerdict,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    ) {
        let Waiting { frame, link, .. } = waiting;
        let received = waiting.received;
        let (content, is_new) = match &verdict {
            ReceptionVerdict::Accepted {
                signer,
                psid,
                payload,
                ..
            } => {
                if let Some(congestion) = &mut self.congestion {
                    congestion.accepted(*signer, payload);
                }
                let content = MessageContent::of(*psid, payload);
                let is_new = self.neighbours.accept(*signer, link, content, received);
                (Some(content), is_new)
            }
            ReceptionVerdict::Refused { code, .. } => {
                self.neighbours.refuse(link, *code, received);
                (None, false)
            }
            ReceptionVerdict::PayloadRefused { .. } | ReceptionVerdict::Unanswered(_) => {
                (None, false)
            }
        };
        events(NeighbourhoodEvent::Heard(Box::new(Reception {
            frame,
            link,
            verdict,
            content,
            is_new,
            received,
            latency: now.elapsed.saturating_sub(waiting.heard),
        })));
    }
}
