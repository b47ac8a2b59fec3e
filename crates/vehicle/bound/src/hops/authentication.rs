//! Additions of message authentication: tags, questions and answers, announcements, warnings, and
//! the computing of codes.

use waywarden_can::{ExtendedId, Id, StandardId};
use waywarden_can_auth::paired::{ANSWER_PACE, ASK_FIRST, CANDIDATES, QUESTIONS, WireForm};
use waywarden_response_time::Priority;
use waywarden_vehicle_file::{
    Authentication, AuthenticationProtocol, BusIndex, EcuIndex, FrameFormat, KeyStoreKind,
    StreamIndex, TagCheck,
};

use super::{Form, Hop, Hops, Load, Role, Source, Trigger, priority};
use crate::cpu::{self, Cost, Task};
use crate::timing::{FrameTimes, at_least};

/// The commands of 29-bit identifiers: of messages, tags, questions and answers, tags of answers.
const DATA: u32 = 0;
const TAG: u32 = 1;
const EPOCH: u32 = 2;
const EPOCH_TAG: u32 = 3;

/// A code is over the payload and at most so many bytes of identifier and freshness.
const BESIDES_PAYLOAD: u32 = 32;

type FormTimes = (Form, Priority, FrameTimes);

impl Hops<'_> {
    /// Returns the form of a stream's own frames on a bus.
    pub(super) fn data_form(
        &self,
        index: StreamIndex,
        bus: BusIndex,
        is_clear: bool,
        bytes: u8,
    ) -> FormTimes {
        let stream = self.file.stream(index);
        let id = stream.id.value;
        if let (
            waywarden_vehicle_file::Protection::Paired(WireForm::Leia),
            false,
            Id::Standard(own),
        ) = (stream.protection, is_clear, id)
        {
            return self.counted(id, (own.raw(), DATA), bus, bytes);
        }
        self.plain(id, stream.format, bus, bytes)
    }

    /// Returns the form of the tag frames of a stream.
    pub(super) fn tag_form(&self, id: Id, wire: WireForm, bus: BusIndex) -> FormTimes {
        let base = base(id) | 1;
        match (wire, StandardId::new(base)) {
            (WireForm::Vatican, Ok(id)) => {
                self.plain(Id::Standard(id), FrameFormat::Classic, bus, 8)
            }
            _ => self.counted(id, (base, TAG), bus, 8),
        }
    }

    /// Returns the form of the cryptographic PDUs of a stream.
    pub(super) fn cryptographic_form(
        &self,
        (id, bytes): (Id, u8),
        format: FrameFormat,
        bus: BusIndex,
    ) -> FormTimes {
        let mut lengths = waywarden_can::frame::FD_LENGTHS.into_iter();
        let filled = match format {
            FrameFormat::Classic => bytes,
            FrameFormat::Fd { .. } => lengths.find(|one| *one >= bytes).unwrap_or(bytes),
        };
        self.plain(id, format, bus, filled)
    }

    fn plain(&self, id: Id, format: FrameFormat, bus: BusIndex, bytes: u8) -> FormTimes {
        let frame = self.buses[bus.0].frame(id, format, bytes);
        (Form { id, format, bytes }, priority(id), frame)
    }

    /// Frames whose 29-bit identifier ends in a counter.
    fn counted(&self, own: Id, (base, command): (u16, u32), bus: BusIndex, bytes: u8) -> FormTimes {
        let raw = u32::from(base) << 18 | command << 16;
        let id = |raw| ExtendedId::new(raw).map_or(own, Id::Extended);
        let (first, last) = (id(raw), id(raw | 0xFFFF));
        let priority = Priority {
            first: priority(first).first,
            last: priority(last).last,
        };
        let form = Form {
            id: first,
            format: FrameFormat::Classic,
            bytes,
        };
        (form, priority, self.buses[bus.0].extended(bytes))
    }

    /// Adds what all authentications bring.
    pub(super) fn add_authentication(&mut self) {
        let file = self.file;
        for table in &file.authentications {
            for &stream in &table.streams {
                self.add_protecting(table, stream);
            }
            let checks: Vec<TagCheck> = file.checks(table).collect();
            for check in &checks {
                self.add_check(table, check);
            }
            match &table.protocol {
                AuthenticationProtocol::Paired { .. } => {
                    for check in &checks {
                        self.add_questions(table, check);
                    }
                }
                AuthenticationProtocol::Secoc(secoc) => {
                    if let Some(master) = &secoc.master {
                        self.add_announcements(table, master);
                    }
                }
                AuthenticationProtocol::Published { .. } => {}
            }
        }
        self.add_warnings();
    }

    /// The sender computes one code for each message.
    fn add_protecting(&mut self, table: &Authentication, stream: StreamIndex) {
        let own = self.file.stream(stream);
        let cost = self.code(table, own.sender, own.length);
        if let Some(&first) = self.parts(stream, own.bus).first() {
            self.compute(own.sender, Trigger::Release(first), cost);
        }
    }

    /// A receiver computes a code for each value that it tries.
    fn add_check(&mut self, table: &Authentication, check: &TagCheck) {
        let stream = self.file.stream(check.stream);
        let tries = self.tries.of(table, check.stream);
        let cost = self.code(table, check.ecu, stream.length).times(tries);
        // The tag stands behind its data; data alone cost nothing.
        if let Some(&part) = self.parts(check.stream, check.bus).last() {
            self.compute(check.ecu, Trigger::Receipt(part), cost);
        }
    }

    /// A receiver asks where a stream stands; the sender answers in two frames.
    fn add_questions(&mut self, table: &Authentication, check: &TagCheck) {
        let Some(under) = table.asks_under(check.ecu) else {
            return;
        };
        let stream = self.file.stream(check.stream);
        let (sender, own_bus, id) = (stream.sender, stream.bus, stream.id.value);
        let period = at_least(ASK_FIRST, self.file.ecu(check.ecu).clock_ppm);
        let form = (Id::Standard(under), 0, EPOCH);
        let asked = self.other(form, check.bus, check.ecu, period, Source::Release);
        let mut there = vec![(check.bus, asked)];
        let mut at = 0;
        while at < there.len() {
            let (bus, asked) = there[at];
            at += 1;
            for (gateway, from) in self.ways_back(table, bus) {
                if there.iter().all(|(known, _)| *known != from) {
                    let source = Source::Received(vec![asked]);
                    there.push((from, self.other(form, from, gateway, period, source)));
                }
            }
        }
        let Some(&(_, heard)) = there.iter().find(|(bus, _)| *bus == own_bus) else {
            return;
        };
        let pause = ANSWER_PACE.as_nanos() * 1_000 * (QUESTIONS as u64 + 1);
        let cost = self.code(table, sender, 8);
        self.compute(sender, Trigger::Receipt(heard), cost);
        let bases = [(id, 0, EPOCH), (id, 1, EPOCH_TAG)];
        let carried = stream.carried.clone();
        for form in bases {
            let mut known: Vec<(BusIndex, usize)> = Vec::new();
            for carried in &carried {
                let route = carried.by.map(|by| &self.file.routes[by.0]);
                let (ecu, source) = match route {
                    None => (sender, Source::Checked(vec![heard], pause)),
                    Some(route) => {
                        let before = known.iter().find(|(bus, _)| *bus == route.from);
                        let Some(&(_, before)) = before else { continue };
                        (route.gateway, Source::Received(vec![before]))
                    }
                };
                let hop = self.other(form, carried.bus, ecu, period, source);
                known.push((carried.bus, hop));
                let cost = self.code(table, check.ecu, 8).times(CANDIDATES as u64);
                if carried.bus == check.bus {
                    self.compute(check.ecu, Trigger::Receipt(hop), cost);
                }
            }
        }
    }

    /// Returns the gateways that take questions from a bus back, and to which.
    fn ways_back(&self, table: &Authentication, bus: BusIndex) -> Vec<(EcuIndex, BusIndex)> {
        let routes = self.file.routes.iter();
        let routes = routes.filter(|route| {
            let mut streams = route.streams.iter();
            route.to == bus
                && route.verify.is_none()
                && streams.any(|stream| table.streams.contains(stream))
        });
        routes.map(|route| (route.gateway, route.from)).collect()
    }

    /// The freshness master announces on its buses.
    fn add_announcements(
        &mut self,
        table: &Authentication,
        master: &waywarden_vehicle_file::FreshnessMasterPlace,
    ) {
        let period = at_least(master.period, self.file.ecu(master.ecu).clock_ppm);
        for (at, &bus) in master.buses.iter().enumerate() {
            let id = Id::Standard(master.id);
            let mut longest = self.plain(id, FrameFormat::Classic, bus, 8);
            if self.file.bus(bus).fd.is_some() {
                let format = FrameFormat::Fd {
                    bit_rate_switch: false,
                };
                longest.2.longest = self.plain(id, format, bus, 16).2.longest;
                longest.0.format = format;
            }
            let hop = self.add(longest, bus, master.ecu, period, Source::Tagged);
            if at == 0 {
                let cost = self.code(table, master.ecu, 16);
                self.compute(master.ecu, Trigger::Release(hop), cost);
            }
            for ecu in 0..self.file.ecus.len() {
                let ecu = EcuIndex(ecu);
                if ecu != master.ecu && self.file.ecu(ecu).ports.contains(&bus) {
                    let cost = self.code(table, ecu, 16).times(2);
                    self.compute(ecu, Trigger::Receipt(hop), cost);
                }
            }
        }
    }

    /// Gateways warn of messages that they refused, no more often than their pace.
    fn add_warnings(&mut self) {
        let file = self.file;
        for route in &file.routes {
            let warning = route
                .verify
                .as_ref()
                .and_then(|verify| verify.warning.as_ref());
            let Some(warning) = warning else { continue };
            let period = at_least(warning.pace, file.ecu(route.gateway).clock_ppm);
            let bytes = warning.data.len() as u8;
            let form = self.plain(warning.id, FrameFormat::Classic, route.to, bytes);
            self.add(form, route.to, route.gateway, period, Source::Tagged);
        }
    }

    fn other(
        &mut self,
        form: (Id, u16, u32),
        bus: BusIndex,
        ecu: EcuIndex,
        period: u64,
        source: Source,
    ) -> usize {
        let (own, above, command) = form;
        let form = self.counted(own, (base(own) | above, command), bus, 8);
        self.add(form, bus, ecu, period, source)
    }

    fn add(
        &mut self,
        (form, priority, frame): FormTimes,
        bus: BusIndex,
        ecu: EcuIndex,
        period: u64,
        source: Source,
    ) -> usize {
        self.hops.push(Hop {
            stream: None,
            role: Role::Other,
            bus,
            ecu,
            priority,
            frame,
            period,
            jitter: 0,
            source,
            form,
        });
        self.hops.len() - 1
    }

    fn compute(&mut self, ecu: EcuIndex, trigger: Trigger, cost: Cost) {
        let task = Task::Mac;
        self.loads.push(Load {
            ecu,
            task,
            trigger,
            cost,
        });
    }

    fn code(&self, table: &Authentication, ecu: EcuIndex, bytes: u8) -> Cost {
        let is_module = table.key_store == KeyStoreKind::Module;
        let bytes = u32::from(bytes) + BESIDES_PAYLOAD;
        cpu::code(self.board(ecu), table.mac(), bytes, is_module)
    }
}

fn base(id: Id) -> u16 {
    match id {
        Id::Standard(id) => id.raw(),
        Id::Extended(id) => id.base(),
    }
}
