//! Certificates of a run as the frames show them: which station had which, asked for which, and
//! sent its own for which reason.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use waywarden_v2x_neighbourhood::virtual_time::StationEvent;
use waywarden_v2x_neighbourhood::{NeighbourhoodEvent, Reception, ReceptionVerdict};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId3, HashedId8, Ieee1609Dot2Content, SignerIdentifier,
};

/// The rule of CAMs \[TS 103 097 §7.1.1\].
const SECOND_US: u64 = 1_000_000;

/// Parts of a frame that the exchange of certificates needs.
struct Parts {
    signer: HashedId8,
    has_certificate: bool,
    requests: Vec<HashedId3>,
}

fn parts(frame: &[u8]) -> Parts {
    let found = detect(frame).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = &found.data.content else {
        panic!("not signed");
    };
    let (signer, has_certificate) = match &signed.signer {
        SignerIdentifier::Digest(id) => (*id, false),
        SignerIdentifier::Certificate(chain) => {
            let own = chain.iter().flatten().next().unwrap();
            (certificate_digest(&own).unwrap().id_8(), true)
        }
        SignerIdentifier::OwnKey(_) => panic!("signed by itself"),
    };
    let requests = signed.tbs_data.header_info.inline_p2pcd_request;
    Parts {
        signer,
        has_certificate,
        requests: requests.iter().flatten().flatten().collect(),
    }
}

fn id_3(id: HashedId8) -> HashedId3 {
    let [.., one, two, three] = id.0;
    HashedId3([one, two, three])
}

/// Certificates that one station had since it started.
#[derive(Default)]
struct Knowledge {
    tickets: BTreeSet<HashedId8>,
    own: Option<HashedId8>,
    /// The next CAM carries the own certificate: a station asked for it, or may lack it.
    owes: bool,
    certificate_sent: Option<u64>,
    /// Times of the first and the last message of each ticket of which none has verified.
    waiting: BTreeMap<HashedId8, (Duration, Duration)>,
}

/// Counts of a run.
#[derive(Default)]
pub(super) struct SentMessages {
    stations: BTreeMap<usize, Knowledge>,
    /// Times of restarts by station; it knows nothing then.
    restarts: BTreeMap<usize, Duration>,
    pub(super) cams: u64,
    pub(super) cams_with_certificate: u64,
    /// CAMs with a certificate that no rule asks for, and CAMs without one that a rule asks for.
    pub(super) against_the_rule: Vec<String>,
    pub(super) requests: u64,
    /// Requests for certificates that the asking station had.
    pub(super) needless: Vec<String>,
    /// From the first message of a ticket to the first that verified, for each receiver.
    pub(super) waits: Vec<Duration>,
}

impl SentMessages {
    pub(super) fn new(restarts: BTreeMap<usize, Duration>) -> Self {
        Self {
            restarts,
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, happened: &StationEvent) {
        let (at, now) = (happened.station, happened.now);
        if self
            .restarts
            .get(&at)
            .is_some_and(|due| now.elapsed >= *due)
        {
            self.restarts.remove(&at);
            self.stations.remove(&at);
        }
        match &happened.event {
            NeighbourhoodEvent::Sent { frame, .. } => self.sent(at, &frame.bytes, now.time.0),
            NeighbourhoodEvent::Heard(reception) => self.heard(at, reception, now.elapsed),
            NeighbourhoodEvent::PseudonymChanged { certificate, .. } => {
                let station = self.stations.entry(at).or_default();
                station.own = Some(*certificate);
                station.certificate_sent = None;
            }
            other => panic!("{other:?}"),
        }
    }

    fn sent(&mut self, at: usize, frame: &[u8], now: u64) {
        let parts = parts(frame);
        let station = self.stations.entry(at).or_default();
        self.cams += 1;
        self.cams_with_certificate += u64::from(parts.has_certificate);
        for id in parts.requests {
            self.requests += 1;
            if station.tickets.iter().any(|had| id_3(*had) == id) {
                self.needless.push(format!("station {at} at {now}: {id:?}"));
            }
        }
        let last = station.certificate_sent;
        let is_due = last.is_none_or(|last| now >= last + SECOND_US);
        if (is_due || station.owes) != parts.has_certificate {
            let owes = station.owes;
            self.against_the_rule.push(format!(
                "station {at} at {now}: certificate {}, last {last:?}, owes {owes}",
                parts.has_certificate
            ));
        }
        station.own = Some(parts.signer);
        if parts.has_certificate {
            station.owes = false;
            station.certificate_sent = Some(now);
        }
    }

    fn heard(&mut self, at: usize, reception: &Reception, now: Duration) {
        let parts = parts(&reception.frame.bytes);
        let station = self.stations.entry(at).or_default();
        let is_own = station.own.map(id_3);
        station.owes |= parts.requests.iter().any(|id| Some(*id) == is_own);
        let is_first = !station.tickets.contains(&parts.signer);
        if is_first {
            let waiting = station.waiting.entry(parts.signer);
            waiting.or_insert((now, now)).1 = now;
        }
        match &reception.verdict {
            ReceptionVerdict::Accepted { .. } => {
                if is_first {
                    assert!(parts.has_certificate);
                    station.owes = true;
                    station.tickets.insert(parts.signer);
                }
                if let Some((first, _)) = station.waiting.remove(&parts.signer) {
                    self.waits.push(now - first);
                }
            }
            ReceptionVerdict::Refused { code, .. } => {
                assert_eq!(*code, ResultCode::ParsingCertificateNotFound);
                station.owes = true;
            }
            ReceptionVerdict::PayloadRefused { reason: why }
            | ReceptionVerdict::Unanswered(why) => panic!("{why}"),
        }
    }

    /// The longest time for which messages of a ticket came without one that verified, of tickets
    /// that were never verified.
    pub(super) fn longest_open(&self) -> Duration {
        let open = self.stations.values().flat_map(|one| one.waiting.values());
        let spans = open.map(|(first, last)| *last - *first);
        spans.max().unwrap_or_default()
    }

    /// The median and the longest wait, in milliseconds.
    pub(super) fn waits_ms(&self) -> (u128, u128) {
        let mut sorted = self.waits.clone();
        sorted.sort_unstable();
        let at = |index: usize| sorted.get(index).map_or(0, Duration::as_millis);
        (at(sorted.len() / 2), at(sorted.len().saturating_sub(1)))
    }

    pub(super) fn report(&self, what: &str) {
        let (median, longest) = self.waits_ms();
        let share = 100.0 * self.cams_with_certificate as f64 / self.cams.max(1) as f64;
        println!(
            "{what}: {} CAMs, {share:.1} % with a certificate; {} certificates requested, {} of \
             them had before; {} CAMs against the rule; {} pairs, first verified after {median} ms \
             (median), {longest} ms (longest)",
            self.cams,
            self.requests,
            self.needless.len(),
            self.against_the_rule.len(),
            self.waits.len(),
        );
    }
}
