//! A trace kept in memory, in a form that can be searched.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can::Frame;

use crate::bitwise::BitPlace;
use crate::clock::Time;
use crate::cpu::TimeSlice;
use crate::trace::{EcuIndex, EventSink, Serial, TraceEvent};

/// The record of one transmission.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    pub(super) bus: usize,
    pub(super) ecu: usize,
    pub(super) frame: Frame,
    pub(super) queued: Option<Time>,
    pub(super) started: Vec<Time>,
    pub(super) sent: Vec<(Time, Time)>,
    pub(super) received: BTreeMap<usize, u32>,
    pub(super) delivered: BTreeMap<usize, u32>,
    pub(super) overrun: BTreeSet<usize>,
    pub(super) withdrawn: Option<Time>,
}

impl Delivery {
    fn new(bus: usize, ecu: usize, frame: Frame) -> Self {
        Self {
            bus,
            ecu,
            frame,
            queued: None,
            started: Vec::new(),
            sent: Vec::new(),
            received: BTreeMap::new(),
            delivered: BTreeMap::new(),
            overrun: BTreeSet::new(),
            withdrawn: None,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Recording {
    pub(super) deliveries: BTreeMap<u64, Delivery>,
    pub(super) slices: Vec<(usize, TimeSlice)>,
    pub(super) waiting_most: BTreeMap<(usize, usize), usize>,
    pub(super) starts: Vec<(Time, usize, u64, usize)>,
    pub(super) losses: Vec<(Time, usize, u64)>,
    pub(super) errors: Vec<(Time, usize)>,
    pub(super) strikes: u64,
    pub(super) struck: Vec<(Time, BitPlace)>,
    pub(super) resets: u64,
    pub(super) states: Vec<(Time, usize, &'static str)>,
    pub(super) last: Time,
}

impl Recording {
    pub(super) fn delivery(&self, serial: u64) -> &Delivery {
        &self.deliveries[&serial]
    }

    fn delivery_mut(&mut self, serial: Serial) -> &mut Delivery {
        self.deliveries
            .get_mut(&serial.0)
            .expect("an event names a transmission nobody requested")
    }
}

impl EventSink for Recording {
    fn record(&mut self, at: Time, event: &TraceEvent<'_>) {
        assert!(
            at >= self.last,
            "the trace goes back in time: {at:?} after {:?}",
            self.last
        );
        self.last = at;
        match *event {
            TraceEvent::Requested {
                ecu,
                bus,
                serial,
                frame,
                ..
            } => {
                let delivery = Delivery::new(bus.0, ecu.0, *frame);
                let earlier = self.deliveries.insert(serial.0, delivery);
                assert!(earlier.is_none(), "{serial:?} twice");
            }
            TraceEvent::Queued {
                ecu,
                bus,
                serial,
                waiting,
            } => {
                self.delivery_mut(serial).queued = Some(at);
                let most = self.waiting_most.entry((ecu.0, bus.0)).or_default();
                *most = waiting.max(*most);
            }
            TraceEvent::Started {
                bus,
                serial,
                contenders,
                ..
            } => {
                self.delivery_mut(serial).started.push(at);
                self.starts.push((at, bus.0, serial.0, contenders));
            }
            TraceEvent::ArbitrationLost { bus, serial, .. } => {
                self.losses.push((at, bus.0, serial.0));
            }
            TraceEvent::Sent {
                serial, started, ..
            } => self.delivery_mut(serial).sent.push((started, at)),
            TraceEvent::Received { ecu, serial, .. } => {
                *self.delivery_mut(serial).received.entry(ecu.0).or_default() += 1;
            }
            TraceEvent::Delivered { ecu, serial, .. } => {
                let delivered = &mut self.delivery_mut(serial).delivered;
                *delivered.entry(ecu.0).or_default() += 1;
            }
            TraceEvent::Overrun { ecu, serial, .. } => {
                self.delivery_mut(serial).overrun.insert(ecu.0);
            }
            TraceEvent::Withdrawn { serial, .. } => self.delivery_mut(serial).withdrawn = Some(at),
            TraceEvent::Worked {
                ecu: EcuIndex(ecu),
                slice,
            } => self.slices.push((ecu, slice)),
            TraceEvent::Error { ecu, .. } => self.errors.push((at, ecu.0)),
            TraceEvent::Interfered { place, .. } => {
                self.strikes += 1;
                self.struck.push((at, place));
            }
            TraceEvent::Reset { .. } => self.resets += 1,
            TraceEvent::State { ecu, state, .. } => {
                self.states
                    .push((at, ecu.0, crate::json::state_name(state)));
            }
            _ => {}
        }
    }
}
