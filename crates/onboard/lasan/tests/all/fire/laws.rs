//! Laws that must never be broken, checked after every output of every role.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use waywarden_can::Frame;
use waywarden_can::node::Output;
use waywarden_key_suites::symmetric::open_gcm;
use waywarden_lasan::Address;
use waywarden_lasan::{AuthenticationSuite, LasanHeader, Permission, ProtectedOutcome, StreamId};
use waywarden_work::NoMeter;

use crate::network::{NetworkConfig, TestEcu, TestModule};

type Bytes = [u8; 32];

/// The laws, and what has to be remembered to hold them.
pub(super) struct Laws {
    permissions: Vec<Permission>,
    ecus: u8,
    /// The secrets that each ECU has ever had with the security module.
    exporters: Mutex<BTreeSet<(u8, Bytes)>>,
    /// The stream and generation of each key, and the key of each generation.
    keys: Mutex<BTreeMap<Bytes, (StreamId, u32)>>,
    generations: Mutex<BTreeMap<(StreamId, u32), Bytes>>,
    /// The keys and counters under which payloads were sent.
    counters: Mutex<BTreeSet<(Bytes, u32)>>,
    payloads: AtomicU64,
    sent: Mutex<BTreeSet<(StreamId, u64)>>,
    received: Mutex<BTreeSet<(u8, u64)>>,
}

impl Laws {
    pub(super) fn new(network_config: &NetworkConfig) -> Self {
        Laws {
            permissions: network_config.streams.clone(),
            ecus: network_config.ecus,
            exporters: Mutex::default(),
            keys: Mutex::default(),
            generations: Mutex::default(),
            counters: Mutex::default(),
            payloads: AtomicU64::new(0),
            sent: Mutex::default(),
            received: Mutex::default(),
        }
    }

    /// No key but what the list allows, one key for one stream and generation, no counter twice.
    pub(super) fn look<S: AuthenticationSuite>(
        &self,
        address: u8,
        ecu: &TestEcu<S>,
        output: &Output,
    ) {
        if let Some(exporter) = ecu.exporter() {
            let known = (address, *exporter.as_bytes());
            self.exporters.lock().unwrap().insert(known);
        }
        for line in &self.permissions {
            let Some((generation, key)) = ecu.stream_key(line.stream) else {
                continue;
            };
            let (key, which) = (*key.as_bytes(), (line.stream, generation));
            let holders = line.holders();
            assert!(
                holders.contains(Address(address)),
                "{address} has the key of {which:?}"
            );
            let mut keys = self.keys.lock().unwrap();
            assert_eq!(*keys.entry(key).or_insert(which), which, "one key twice");
            let mut generations = self.generations.lock().unwrap();
            let first = *generations.entry(which).or_insert(key);
            assert_eq!(first, key, "two keys for {which:?}");
            if let Output::Transmit { frame, .. } = output
                && line.sender == Address(address)
                && StreamId::of(frame.id()) == line.stream
                && let Some(counter) = counter_of(line, generation, &key, frame)
            {
                let fresh = self.counters.lock().unwrap().insert((key, counter));
                assert!(fresh, "{address} has used {counter} of {which:?} twice");
            }
        }
        if let Output::Transmit { frame, .. } = output {
            let (header, stream) = (LasanHeader::of(frame), StreamId::of(frame.id()));
            let own = |line: &Permission| line.stream == stream && line.sender.0 == address;
            match header {
                Some((header, _)) => assert_eq!(header.source, Address(address)),
                None => assert!(
                    self.permissions.iter().any(own),
                    "{address} sends {frame:?}"
                ),
            }
        }
    }

    /// No session of the security module's that the ECU of that address has not, or had not, too;
    /// and no two of them with one secret.
    pub(super) fn look_at_module<S: AuthenticationSuite>(&self, module: &TestModule<S>) {
        let mut seen = BTreeSet::new();
        for ecu in 1..=self.ecus {
            if let Some(exporter) = module.exporter(Address(ecu)) {
                let exporter = *exporter.as_bytes();
                let genuine = self.exporters.lock().unwrap().contains(&(ecu, exporter));
                assert!(genuine, "somebody else is authenticated as {ecu}");
                assert!(seen.insert(exporter), "one secret for two ECUs");
            }
        }
    }

    /// Returns a payload that no ECU has sent.
    pub(super) fn next_payload(&self, sender: u8) -> [u8; 8] {
        let next = self.payloads.fetch_add(1, Relaxed) + 1;
        let stream = crate::network::stream_of(sender);
        self.sent.lock().unwrap().insert((stream, next));
        next.to_be_bytes()
    }

    /// Asserts that an authentic payload was sent in this stream, and is taken once.
    pub(super) fn received(&self, address: u8, received: Option<ProtectedOutcome>) {
        let Some(ProtectedOutcome::Authentic {
            stream, payload, ..
        }) = received
        else {
            return;
        };
        let number = u64::from_be_bytes(*payload.first_chunk().unwrap());
        assert!(self.sent.lock().unwrap().contains(&(stream, number)));
        let fresh = self.received.lock().unwrap().insert((address, number));
        assert!(fresh, "{address} has taken payload {number} twice");
    }
}

/// Returns the counter of a protected frame, if it is under this key.
fn counter_of(line: &Permission, generation: u32, key: &Bytes, frame: &Frame) -> Option<u32> {
    let ([_, high, low], rest) = frame.data().split_first_chunk()?;
    let (body, tag) = rest.split_last_chunk()?;
    // No run is long enough for more than the low bytes.
    let counter = u32::from(u16::from_be_bytes([*high, *low]));
    let mut nonce = [0; 12];
    nonce[4..8].copy_from_slice(&generation.to_be_bytes());
    nonce[8..].copy_from_slice(&counter.to_be_bytes());
    let mut bound = [line.sender.0; 5];
    bound[..4].copy_from_slice(&line.stream.0.to_be_bytes());
    let mut body = body.to_vec();
    open_gcm(&mut NoMeter, key, &nonce, &bound, &mut body, tag).ok()?;
    Some(counter)
}
