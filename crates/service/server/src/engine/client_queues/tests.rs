//! Clients keep each other neither from places nor from turns.

use std::collections::HashMap;

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_schedule::ClaimedSender;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::*;
use crate::engine::VerificationSettings;

const NOW: Time64 = Time64(700_000_100 * 1_000_000);

fn of_sender(sender: u8) -> Features {
    Features {
        sender: ClaimedSender::Certificate(HashedId8([sender; 8])),
        ..Features::default()
    }
}

/// Number of a message and its client.
type Item = (ClientId, usize);

#[test]
fn a_batch_of_one_sender_waits_whole_and_the_share_of_a_client_is_its_own() {
    let bounds = VerificationSettings::BOUNDS;
    let mut queues = ClientQueues::<Item>::new(Policy::FIFO, bounds);
    let [batch, other] = [ClientId::next(), ClientId::next()];
    for number in 0..bounds.messages {
        let dropped = queues.push((batch, None), (batch, number), &of_sender(1), NOW);
        assert!(dropped.is_empty(), "message {number}");
    }
    let dropped = queues.push((batch, None), (batch, bounds.messages), &of_sender(1), NOW);
    assert_eq!(dropped.len(), 1);
    assert_eq!(dropped[0].cause, DropCause::QueueFull);
    for number in 0..256 {
        let dropped = queues.push((other, None), (other, number), &of_sender(1), NOW);
        assert!(dropped.is_empty(), "message {number} of the other client");
    }
    // They take turns: the other client's last message is among the first 512.
    let mut dropped = Vec::new();
    let order: Vec<Item> = std::iter::from_fn(|| queues.pop(NOW, &mut dropped)).collect();
    assert_eq!(order.len(), bounds.messages + 256);
    let last = order.iter().rposition(|(client, _)| *client == other);
    assert_eq!(last, Some(511));
    assert!(dropped.is_empty());
    assert_eq!(queues.len(), 0);
}

#[test]
fn messages_beyond_the_share_of_a_sender_wait_behind_those_of_other_senders() {
    let mut queues = ClientQueues::<u8>::new(Policy::FIFO, VerificationSettings::BOUNDS);
    let client = (ClientId::next(), None);
    for _ in 0..200 {
        queues.push(client, 1, &of_sender(1), NOW);
    }
    for _ in 0..3 {
        queues.push(client, 2, &of_sender(2), NOW);
    }
    let order: Vec<u8> = std::iter::from_fn(|| queues.pop(NOW, &mut Vec::new())).collect();
    assert_eq!(order.len(), 203);
    let last = order.iter().rposition(|sender| *sender == 2).unwrap();
    // One in eight is the one that waits longest, whatever its rank.
    assert!(last < 32 + 3 + 5, "after {last} others");
}

/// Pushes and pops at random: a client's messages are dropped for its own alone, turns go round,
/// and no message is lost or given twice.
fn clients_do_not_touch_each_other(seed: u64) {
    let mut random = Random::new(seed);
    let bounds = Bounds {
        messages: 1 + random.index(12),
        reserved: 0,
        // A queue that is made again counts its turns from the beginning.
        oldest_every: 0,
        wait_us: 1 + random.below(400),
        ranked_per_sender: random.index(5),
        ..VerificationSettings::BOUNDS
    };
    let policy = ["fifo", "class,deadline", "safety"][random.index(3)];
    let mut queues = ClientQueues::<Item>::new(policy.parse().unwrap(), bounds);
    let clients: Vec<ClientId> = (0..1 + random.index(6)).map(|_| ClientId::next()).collect();
    let mut alone: HashMap<ClientId, Queue<Item>> = HashMap::new();
    let (mut now, mut popped, mut number) = (NOW, Vec::new(), 0);
    for _ in 0..200 {
        now.0 += random.below(60);
        let mut dropped = Vec::new();
        if random.index(5) < 3 {
            let client = clients[random.index(clients.len())];
            number += 1;
            let features = of_sender(random.below(3) as u8);
            dropped = queues.push((client, None), (client, number), &features, now);
            assert!(
                dropped.iter().all(|one| one.item.0 == client),
                "seed {seed}"
            );
            let own = alone
                .entry(client)
                .or_insert_with(|| Queue::new(policy.parse().unwrap(), bounds));
            // A queue that had no other client dropped the same ones, if it expired as early.
            while own.pop_expired(now).is_some() {}
            own.push((client, number), &features, now);
        } else if let Some(next) = queues.pop(now, &mut dropped) {
            popped.push(next);
            if let Some(own) = alone.get_mut(&next.0) {
                assert_eq!(own.pop(now), Some(next), "seed {seed}: as if it were alone");
            }
        }
        for one in &dropped {
            assert!(!popped.contains(&one.item), "seed {seed}: both");
        }
        let longest = clients.len() * bounds.messages;
        assert!(queues.len() <= longest, "seed {seed}");
        assert!(queues.turns.len() <= clients.len(), "seed {seed}");
        assert!(queues.idle.len() <= IDLE_MAX, "seed {seed}");
    }
    let waiting: usize = queues.clients.values().map(|one| one.queue.len()).sum();
    assert_eq!(waiting, queues.len(), "seed {seed}");
}

#[test]
fn each_client_is_served_as_if_it_were_alone() {
    each_seed(300, clients_do_not_touch_each_other);
}
