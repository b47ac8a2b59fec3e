//! Consistency of the parts: buses that carry a stream, receivers that can hear it, and identifiers
//! that collide.

use std::collections::HashMap;

use waywarden_can::Id;

use super::draft::{Draft, StreamDraft};
use super::model::{
    BusIndex, BusPassage, EcuIndex, FrameFormat, RouteIndex, StreamIndex, StreamReceiver,
};
use super::problem::Problem;
use super::source::Findings;

impl Draft {
    /// Follows every stream through the gateways and notes contradictions.
    pub(super) fn connect(&mut self, findings: &Findings<'_>) {
        self.start_on_own_bus();
        let complete = self.routes.iter().all(Option::is_some);
        self.spread_all();
        self.forward(findings, complete);
        if complete {
            self.hear(findings);
        }
        self.distinct_ids(findings);
    }

    fn start_on_own_bus(&mut self) {
        for draft in self.streams.iter_mut().flatten() {
            draft.stream.carried = vec![BusPassage {
                bus: draft.stream.bus,
                by: None,
            }];
        }
    }

    /// Fills in the streams of routes that take all that are sent on their bus.
    fn spread_all(&mut self) {
        for draft in self.routes.iter_mut().flatten() {
            let route = &mut draft.route;
            let sent_here = |at: &usize| {
                let sent = self.streams[*at].as_ref();
                sent.is_some_and(|sent| sent.stream.bus == route.from)
            };
            route.streams = match &draft.named {
                Some(named) => named
                    .iter()
                    .map(|stream| StreamIndex(stream.value))
                    .collect(),
                None => (0..self.streams.len())
                    .filter(sent_here)
                    .map(StreamIndex)
                    .collect(),
            };
        }
    }

    /// Carries streams along routes until nothing moves; each round takes every stream one gateway
    /// further, so there are at most as many rounds as buses.
    fn forward(&mut self, findings: &Findings<'_>, complete: bool) {
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (at, draft) in self.routes.iter().enumerate() {
            let streams = draft.iter().flat_map(|draft| draft.route.streams.iter());
            open.extend(streams.map(|stream| (at, stream.0)));
        }
        for _ in 0..self.buses.len() {
            let before = open.len();
            let waiting = std::mem::take(&mut open);
            // Judged by where streams were at the start of the round: the shortest way wins.
            let ready: Vec<bool> = waiting
                .iter()
                .map(|&(route, stream)| self.is_carried_to(route, stream))
                .collect();
            for (&(route, stream), ready) in waiting.iter().zip(ready) {
                if ready {
                    self.take(route, stream, findings);
                } else {
                    open.push((route, stream));
                }
            }
            if open.len() == before {
                break;
            }
        }
        for (route, stream) in open.into_iter().filter(|_| complete) {
            self.never_there(route, stream, findings);
        }
    }

    fn is_carried_to(&self, route: usize, stream: usize) -> bool {
        match (&self.routes[route], self.stream(stream)) {
            (Some(draft), Some(stream)) => {
                let carried = &stream.stream.carried;
                carried
                    .iter()
                    .any(|carried| carried.bus == draft.route.from)
            }
            _ => false,
        }
    }

    fn take(&mut self, route: usize, stream: usize, findings: &Findings<'_>) {
        let (Some(taker), Some(taken)) = (&self.routes[route], &mut self.streams[stream]) else {
            return;
        };
        let to = taker.route.to;
        let span = taker.place_of(stream);
        let name = || taken.stream.name.value.clone();
        let bus_name = || self.bus_names.name(to.0).to_owned();
        if taken.stream.carried.iter().any(|carried| carried.bus == to) {
            let problem = Problem::CarriedTwice {
                stream: name(),
                bus: bus_name(),
            };
            return findings.add(&span, problem);
        }
        let classic_bus = self
            .buses
            .get(to.0)
            .is_some_and(|bus| bus.as_ref().is_some_and(|bus| bus.fd.is_none()));
        if classic_bus && taken.stream.format != FrameFormat::Classic {
            let length = usize::from(taken.stream.length);
            let problem = Problem::RouteToClassic {
                stream: name(),
                bus: bus_name(),
                length,
            };
            findings.add(&span, problem);
        }
        taken.stream.carried.push(BusPassage {
            bus: to,
            by: Some(RouteIndex(route)),
        });
    }

    fn never_there(&self, route: usize, stream: usize, findings: &Findings<'_>) {
        if let (Some(draft), Some(stopped)) = (&self.routes[route], self.stream(stream)) {
            let problem = Problem::NotCarried {
                stream: stopped.stream.name.value.clone(),
                bus: self.bus_names.name(draft.route.from.0).to_owned(),
                carried: self.carriers(stopped),
            };
            findings.add(&draft.place_of(stream), problem);
        }
    }

    /// Finds for every receiver the bus on which it hears the stream.
    fn hear(&mut self, findings: &Findings<'_>) {
        for at in 0..self.streams.len() {
            let Some(draft) = &self.streams[at] else {
                continue;
            };
            let mut receivers = Vec::new();
            for listed in &draft.receivers {
                let Some(Some(ecu)) = self.ecus.get(listed.value) else {
                    continue;
                };
                let carried = &draft.stream.carried;
                let heard = carried
                    .iter()
                    .find(|carried| ecu.ports.contains(&carried.bus));
                match heard {
                    Some(carried) => receivers.push(StreamReceiver {
                        ecu: EcuIndex(listed.value),
                        bus: carried.bus,
                    }),
                    None => findings.add(
                        &listed.span,
                        Problem::Unreachable {
                            receiver: ecu.name.value.clone(),
                            stream: draft.stream.name.value.clone(),
                            carried: self.carriers(draft),
                            ports: self.names_of(&ecu.ports),
                        },
                    ),
                }
            }
            if let Some(draft) = &mut self.streams[at] {
                draft.stream.receivers = receivers;
            }
        }
    }

    /// Notes streams that meet with one identifier on one bus.
    fn distinct_ids(&self, findings: &Findings<'_>) {
        let mut holders: HashMap<(BusIndex, Id), &StreamDraft> = HashMap::new();
        for draft in self.streams.iter().flatten() {
            let stream = &draft.stream;
            for carried in &stream.carried {
                let key = (carried.bus, stream.id.value);
                let holder = *holders.entry(key).or_insert(draft);
                if std::ptr::eq(holder, draft) {
                    continue;
                }
                let problem = Problem::DuplicateId {
                    id: format!("0x{}", stream.id.value),
                    bus: self.bus_names.name(carried.bus.0).to_owned(),
                    holder: holder.stream.name.value.clone(),
                    first: findings.place(&holder.stream.id.span),
                };
                findings.add(&stream.id.span, problem);
                break;
            }
        }
    }
}
