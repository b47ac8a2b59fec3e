//! Exact copies of earlier claims.

use alloc::collections::{BTreeMap, VecDeque};

use crate::claim::{Claim, SenderId};

/// The claims of the last messages, by position, speed and heading to the last bit. Noise makes two
/// honest claims of moving vehicles differ.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    known: BTreeMap<[u64; 4], SenderId>,
    order: VecDeque<[u64; 4]>,
    most: usize,
}

impl Copies {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            known: BTreeMap::new(),
            order: VecDeque::new(),
            most: most.max(1),
        }
    }

    /// Remembers a claim that moves, and returns the sender who made the same claim before.
    pub(crate) fn first_sender(
        &mut self,
        sender: SenderId,
        claim: &Claim,
        speed_least_m_s: f64,
    ) -> Option<SenderId> {
        let (speed, heading) = (claim.speed_m_s?, claim.heading_degrees?);
        if libm::fabs(speed) < speed_least_m_s {
            return None;
        }
        let key = [claim.x_m, claim.y_m, speed, heading].map(f64::to_bits);
        if let Some(&first) = self.known.get(&key) {
            return Some(first);
        }
        if self.order.len() >= self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.order.push_back(key);
        self.known.insert(key, sender);
        None
    }
}
