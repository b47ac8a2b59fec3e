//! A start under a security module summed up.

use std::collections::BTreeSet;

use waywarden_can_sim::clock::Time;
use waywarden_lasan::{LasanHeader, LasanKind};
use waywarden_work::Duration;

use super::super::network::{AuthenticatedParty, KeyedStream, NetworkExchange};
use super::super::record::{IdentifiedHeader, KeyFrame, Noticed, Record};
use super::super::{ExchangeFrames, FrameAddresses, ms, picos_ms};
use super::{SummaryContext, payload};
use crate::run::RunOutcome;
use waywarden_vehicle_file::Lasan;
use waywarden_vehicle_report::measure::lasan::{AuthenticatedFigures, NetworkFigures};
use waywarden_vehicle_report::report::{CarriedRow, KindRow, authenticated, transport_name};

/// Returns the end of a start: the next message that begins something, after every ECU was
/// authorized.
pub(super) fn end(
    record: &Record,
    outcome: &RunOutcome,
    of: usize,
    figures: &NetworkFigures,
) -> Time {
    let Some(complete) = figures.complete else {
        return outcome.end;
    };
    let begins = |frame: &KeyFrame| {
        let kind = header(frame).map(|header| header.kind);
        let begin = [
            LasanKind::Hello,
            LasanKind::ModuleCertificate,
            LasanKind::Startup,
            LasanKind::Invite,
            LasanKind::Request,
            LasanKind::Beacon,
        ];
        kind.is_some_and(|kind| begin.contains(&kind))
    };
    let next = record.entries.iter().filter_map(|entry| match entry {
        Noticed::Frame(frame) if frame.of == of && begins(frame) => Some(frame.attempt.started),
        _ => None,
    });
    next.filter(|start| *start > complete)
        .min()
        .unwrap_or(outcome.end)
}

fn header(frame: &KeyFrame) -> Option<LasanHeader> {
    match frame.header {
        IdentifiedHeader::Lasan(header) => Some(header),
        IdentifiedHeader::Group(..) => None,
    }
}

impl SummaryContext<'_> {
    pub(super) fn network(&self, at: usize, place: usize) -> NetworkExchange {
        let lasan: &Lasan = &self.file.lasan[place];
        let figures = &self.outcome.measure.networks()[place];
        let (begun, authorized) = (figures.begun(), figures.complete);
        let is_out = |party: &&AuthenticatedFigures| figures.is_left_out(party);
        let members = || figures.parties.iter().skip(1).filter(|one| !is_out(one));
        let retired = figures.parties.iter().filter(is_out);
        let authenticated =
            members().try_fold(Time::ZERO, |last, party| Some(last.max(party.first?)));
        let missing = members().filter(|party| party.first.is_none());
        let first = self.counted(at).map(|one| one.attempt.started).min();
        let (destroyed, foreign) = self.disturbed(at);
        let module = lasan.security_module.ecu.0;
        let reported = |word: &str| {
            let reported = self.events(at).filter(|one| one.ecu == module);
            reported.filter(|one| one.code == word).count() as u64
        };
        let streams: Vec<KeyedStream> = self.keyed_streams(figures);
        let unkeyed = streams.iter().zip(&figures.keys);
        let unkeyed = unkeyed.filter(|(one, protected)| {
            one.keyed_ms.is_none() && figures.is_awaited(protected, self.outcome.end)
        });
        let took = authorized.zip(begun);
        NetworkExchange {
            network: lasan.name.value.clone(),
            suite: lasan.suite,
            profile: lasan.profile.name(),
            credentials: lasan.credentials.name(),
            transport: transport_name(lasan.transport),
            security_module: self.ecu(module),
            members: lasan.members.len(),
            buses: lasan.buses.iter().map(|bus| self.bus(bus.0)).collect(),
            retired: retired.map(|party| self.ecu(party.ecu.0)).collect(),
            authorized: authorized.is_some(),
            unauthenticated: missing.map(|party| self.ecu(party.ecu.0)).collect(),
            cut_off: members()
                .filter(|party| party.cut_off)
                .map(|party| self.ecu(party.ecu.0))
                .collect(),
            unkeyed: unkeyed.map(|(one, _)| one.stream.clone()).collect(),
            begun_ms: begun.map(ms),
            first_frame_ms: first.map(ms),
            authenticated_ms: authenticated.map(ms),
            authorized_ms: authorized.map(ms),
            took_ms: took.map(|(end, start)| picos_ms(end.since(start).get())),
            messages: self.carried(at, |_| true),
            amortised: self.carried(at, LasanKind::is_broadcast),
            bus_load: self.load(at),
            destroyed,
            foreign,
            failed: reported("failed"),
            refused: reported("refused"),
            kinds: self.kinds(at),
            parts: self.network_parts(at, lasan),
            ecus: self.network_parties(at, place),
            streams,
        }
    }

    fn carried(&self, at: usize, counts: impl Fn(LasanKind) -> bool) -> CarriedRow {
        let counted = || {
            let counted = self.counted(at);
            counted.filter(|one| header(one).is_some_and(|header| counts(header.kind)))
        };
        CarriedRow {
            frames: counted().count() as u64,
            bytes: counted().map(payload).sum(),
            bus_ms: picos_ms(counted().map(|one| self.busy(one)).sum()),
        }
    }

    fn kinds(&self, at: usize) -> Vec<KindRow> {
        let kinds = self.counted(at).filter_map(header).map(|one| one.kind);
        let kinds: BTreeSet<LasanKind> = kinds.collect();
        let row = |kind: LasanKind| KindRow {
            kind: kind.name(),
            amortised: kind.is_broadcast(),
            carried: self.carried(at, |one| one == kind),
        };
        kinds.into_iter().map(row).collect()
    }

    fn network_parts(&self, at: usize, lasan: &Lasan) -> Vec<ExchangeFrames> {
        let module = lasan.security_module.address;
        self.parts(at, |one| {
            let header = header(one)?;
            let name = match header.kind {
                LasanKind::ModuleCertificate | LasanKind::Startup | LasanKind::Beacon => {
                    return Some(("start-up", None, true));
                }
                LasanKind::Request | LasanKind::Grant | LasanKind::Deny => "authorization",
                // The security module acknowledges the end of an authentication.
                LasanKind::Acknowledge if header.source != module => "authorization",
                _ => "authentication",
            };
            let ecu = match header.source == module {
                true => header.target,
                false => header.source,
            };
            let addresses = FrameAddresses::Message {
                source: ecu.0,
                target: module.0,
            };
            Some((name, Some(addresses), true))
        })
    }

    fn network_parties(&self, at: usize, place: usize) -> Vec<AuthenticatedParty> {
        let figures = &self.outcome.measure.networks()[place];
        let name = &self.file.lasan[place].name.value;
        let parties = figures.parties.iter().enumerate().map(|(number, party)| {
            let row = authenticated(name, self.outcome, figures, party, number == 0);
            let (computed_ms, operations) = self.computed(party.ecu.0);
            AuthenticatedParty {
                ecu: row.ecu,
                address: row.address,
                part: row.part,
                authenticated_ms: party.first.map(ms),
                communication_ms: row.communication_ms,
                computation_ms: row.computation_ms,
                rest_ms: row.rest_ms,
                frames: self.sent(at, party.ecu.0),
                computed_ms,
                operations,
            }
        });
        parties.collect()
    }

    fn keyed_streams(&self, figures: &NetworkFigures) -> Vec<KeyedStream> {
        let keys = figures.keys.iter().map(|protected| {
            let key = &protected.key;
            let receivers = key.receivers.iter().map(|ecu| self.ecu(ecu.0));
            let millis = |at: Duration| at.as_nanos() as f64 / 1e6;
            KeyedStream {
                stream: self.file.granted_key_name(key),
                sender: self.ecu(key.sender.0),
                receivers: receivers.collect(),
                from_ms: millis(key.window.from),
                until_ms: key.window.until.map(millis),
                sender_ms: protected.sender_first.map(ms),
                keyed_ms: protected.complete.map(ms),
                retired: figures.is_stream_left_out(protected),
            }
        });
        keys.collect()
    }
}
