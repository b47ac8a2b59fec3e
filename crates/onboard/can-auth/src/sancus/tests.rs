//! Attestation and delivery: the modules that get keys, and those that do not.

use super::*;
use crate::key_store::{KeyStoreError, MacKeyStore};
use crate::mac::SpongentMac;
use waywarden_work::RecordedOperations;

const CODE: &[u8] = b"the code of PMrpm";
const ID: KeyId = KeyId(0x20);

struct Lab {
    module: Module<SpongentMac, 2>,
    server: AttestationServer<SpongentMac>,
}

fn key(byte: u8) -> MacKey {
    MacKey::from_bytes([byte; 16])
}

fn meter() -> RecordedOperations {
    RecordedOperations::new()
}

fn module(node: u8, vendor: u16, code: &[u8], boot: u8) -> Module<SpongentMac, 2> {
    Hardware::new(&key(node)).protect(vendor, &[code], &[boot; 16], &mut meter())
}

fn lab() -> Lab {
    Lab {
        module: module(1, 7, CODE, 1),
        server: AttestationServer::new(&key(1), 7, &[CODE], &mut meter()),
    }
}

impl Lab {
    fn attest(&mut self, challenge: u8) -> Result<(), AttestError> {
        let challenge = self.server.ask([challenge; 16]);
        let quote = self.module.attest(challenge, &mut meter());
        self.server.receive(&quote, &mut meter())
    }

    fn delivery(&mut self, byte: u8) -> Delivery {
        let delivery = self
            .server
            .deliver(ID, Usage::Both, &key(byte), &mut meter());
        delivery.expect("attested")
    }

    fn has(&mut self, byte: u8) -> bool {
        let expected = SpongentMac::new(&key(byte)).compute(&[b"message"]);
        let tag = self.module.tag(ID, &[b"message"], &mut meter());
        tag.is_ok_and(|tag| tag.whole() == expected.whole())
    }
}

#[test]
fn an_attested_module_has_the_key_and_no_one_reads_it() {
    let mut lab = lab();
    let refused = lab.server.deliver(ID, Usage::Both, &key(9), &mut meter());
    assert_eq!(refused, Err(AttestError::NotAttested));
    lab.attest(3).unwrap();
    let delivery = lab.delivery(9);
    assert_ne!(delivery.sealed, [9; 16], "it does not travel in clear");
    lab.module.take(&delivery, &mut meter()).unwrap();
    assert!(lab.has(9));
}

#[test]
fn another_module_vendor_or_node_is_not_believed() {
    for other in [
        module(1, 7, b"the code of PMrpm, patched", 1),
        module(1, 8, CODE, 1),
        module(2, 7, CODE, 1),
    ] {
        let mut lab = lab();
        lab.module = other;
        assert_eq!(lab.attest(3), Err(AttestError::Quote));
        lab.module = module(1, 7, CODE, 2);
        let quote = lab.module.attest(Challenge([3; 16]), &mut meter());
        assert_eq!(
            lab.server.receive(&quote, &mut meter()),
            Ok(()),
            "the right one still may"
        );
        assert_eq!(
            lab.server.receive(&quote, &mut meter()),
            Err(AttestError::NotAsked)
        );
    }
}

#[test]
fn every_changed_bit_is_refused() {
    let mut lab = lab();
    lab.attest(3).unwrap();
    let delivery = lab.delivery(9);
    let mut changed = std::vec![delivery; 3];
    changed[0].count += 1;
    changed[1].id = KeyId(0x21);
    changed[2].usage = Usage::Check;
    for bit in 0..128 {
        let (mut sealed, mut tag) = (delivery, delivery);
        sealed.sealed[bit / 8] ^= 1 << (bit % 8);
        tag.tag[bit / 8] ^= 1 << (bit % 8);
        changed.extend([sealed, tag]);
    }
    for delivery in &changed {
        let refused = lab.module.take(delivery, &mut meter());
        assert_eq!(refused, Err(DeliveryError::Seal));
    }
    assert_eq!(lab.module.take(&delivery, &mut meter()), Ok(()));
    let quote = lab.module.attest(lab.server.ask([4; 16]), &mut meter());
    for bit in 0..128 {
        let (mut fresh, mut tag) = (quote, quote);
        fresh.fresh[bit / 8] ^= 1 << (bit % 8);
        tag.tag[bit / 8] ^= 1 << (bit % 8);
        for quote in [fresh, tag] {
            assert_eq!(
                lab.server.receive(&quote, &mut meter()),
                Err(AttestError::Quote)
            );
        }
    }
}

/// An attacker replays challenge and delivery to a module that was started again.
#[test]
fn nothing_recorded_brings_an_old_key_back() {
    let mut lab = lab();
    lab.attest(3).unwrap();
    let (old, new) = (lab.delivery(9), lab.delivery(10));
    lab.module.take(&old, &mut meter()).unwrap();
    lab.module.take(&new, &mut meter()).unwrap();
    let replayed = lab.module.take(&old, &mut meter());
    assert_eq!(replayed, Err(DeliveryError::Replay));
    assert!(lab.has(10));
    for boot in [1, 2] {
        // Even one whose numbers repeat asks for an attestation first.
        lab.module = module(1, 7, CODE, boot);
        assert_eq!(
            lab.module.take(&old, &mut meter()),
            Err(DeliveryError::NotAttested)
        );
    }
    let _ = lab.module.attest(Challenge([3; 16]), &mut meter());
    assert_eq!(
        lab.module.take(&old, &mut meter()),
        Err(DeliveryError::Seal)
    );
    assert_eq!(
        lab.module.tag(ID, &[], &mut meter()).err(),
        Some(KeyStoreError::UnknownKey(ID))
    );
}

#[test]
fn a_full_module_says_so_and_keeps_what_it_has() {
    let mut lab = lab();
    lab.attest(3).unwrap();
    for (id, expected) in [(1, Ok(())), (2, Ok(())), (3, Err(DeliveryError::Full))] {
        let delivery = lab
            .server
            .deliver(KeyId(id), Usage::Both, &key(5), &mut meter());
        assert_eq!(lab.module.take(&delivery.unwrap(), &mut meter()), expected);
    }
}
