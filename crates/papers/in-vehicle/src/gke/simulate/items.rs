//! Items of a measured time that the formula leaves out.
//!
//! The formula is a sum over operations and messages. The chain of causes of a run is one, too. So
//! each operation's item is how much more of it the chain has than the formula; the messages' items
//! are what their exact frames take against T_snd, less the frames that no ECU waited for; driver
//! calls and waiting are the chain's own. What the trace cannot explain would be left as the rest.

use waywarden_group_keys::Step;
use waywarden_work::{Duration, OperationKind};

use super::super::model::{self, Costs, FrameTimes, GkeScheme, GroupTime};
use super::super::quantity::ExchangePart;
use super::path::PathPart;
use super::record::Record;
use super::{beside_of, only};
use waywarden_paper_tables::{Amount, Beside, Measurement};

/// The operations that the formulas know.
const KINDS: [OperationKind; 6] = [
    OperationKind::Verify,
    OperationKind::Share,
    OperationKind::Extract,
    OperationKind::Sign,
    OperationKind::Encrypt,
    OperationKind::Decrypt,
];

/// Below this many nanoseconds an item is not worth a word.
const WORTH_A_WORD: f64 = 500.0;

/// The formula's result, split into its terms.
pub(super) struct Formula {
    whole: GroupTime,
    /// The exchanges' operations, in the order of [`KINDS`].
    kinds: [Duration; 6],
    /// True if administrative messages of the orchestrator are part of it.
    orders: bool,
    /// True if the figures are those of a run of its own instead of the boards'.
    own_figures: bool,
}

/// Measured times of a run beside the formula, in nanoseconds.
pub(super) struct Taken {
    formula: Formula,
    /// On the chain, in the order of [`KINDS`], in nanoseconds.
    kinds: [f64; 6],
    /// Operations that the formula does not know.
    others: f64,
    /// Signatures of orders on the chain, and the frames of orders there.
    order_signatures: f64,
    order_wires: f64,
    exchange_wires: f64,
    driver: f64,
    waiting: f64,
    idle: f64,
    /// Bus time, including frames that no ECU waited for.
    bus_exchanges: f64,
    bus_orders: f64,
}

impl Formula {
    pub(super) fn group(scheme: GkeScheme, n: u32, costs: &Costs, frames: &FrameTimes) -> Self {
        let of = |costs: &Costs| model::group(scheme, n, costs, frames);
        Formula {
            whole: of(costs),
            kinds: KINDS.map(|kind| of(&only(costs, kind)).exchange_computation),
            orders: true,
            own_figures: false,
        }
    }

    pub(super) fn two_party(own: &Costs, peer: &Costs, frames: &FrameTimes) -> Self {
        let of = |own: &Costs, peer: &Costs| {
            let all = model::two_party(own, peer, frames).as_nanos();
            Duration::from_nanos(all - frames.exchange().as_nanos())
        };
        Formula {
            whole: GroupTime {
                exchange_computation: of(own, peer),
                exchange_bus: frames.exchange(),
                orchestration_computation: Duration::ZERO,
                orchestration_bus: Duration::ZERO,
            },
            kinds: KINDS.map(|kind| of(&only(own, kind), &only(peer, kind))),
            orders: false,
            own_figures: false,
        }
    }

    /// T_kex on the figures that a table prints for its own run.
    pub(super) fn run(own: &Costs, peer: &Costs, frames: &FrameTimes) -> Self {
        Formula {
            own_figures: true,
            ..Formula::two_party(own, peer, frames)
        }
    }
}

impl Taken {
    pub(super) fn new(record: &Record, chain: &[(PathPart, u64)], formula: Formula) -> Self {
        let order = |step| step == Step::Orchestration;
        let sum = |counts: &dyn Fn(PathPart) -> bool| {
            let parts = chain.iter().filter(|(what, _)| counts(*what));
            nanos(parts.map(|(_, length)| length).sum())
        };
        let kinds = KINDS.map(|kind| sum(&|what| what == PathPart::Computed(kind, false)));
        let computed = sum(&|what| matches!(what, PathPart::Computed(_, false)));
        let exchange_wires = sum(&|what| matches!(what, PathPart::Wire(step) if !order(step)));
        let bus_exchanges = match formula.orders {
            true => nanos(record.bus_time(|step| !order(step))),
            // Of the run's two exchanges only the first is measured, and each frame is waited for.
            false => nanos(record.first_exchange_time()),
        };
        Taken {
            kinds,
            others: computed - kinds.iter().sum::<f64>(),
            order_signatures: sum(&|what| matches!(what, PathPart::Computed(_, true))),
            order_wires: sum(&|what| matches!(what, PathPart::Wire(step) if order(step))),
            exchange_wires,
            driver: sum(&|what| what == PathPart::Driver),
            waiting: sum(&|what| what == PathPart::Waiting),
            idle: sum(&|what| what == PathPart::Idle),
            bus_exchanges,
            bus_orders: nanos(record.bus_time(order)),
            formula,
        }
    }

    /// Returns T_kex.
    pub(super) fn exchange(&self) -> Measurement {
        self.part(ExchangePart::Exchanges)
    }

    /// Returns a part of the time. The orders' share is what the chain has of their signatures
    /// and frames.
    pub(super) fn part(&self, part: ExchangePart) -> Measurement {
        let whole = &self.formula.whole;
        let computation: f64 = self.kinds.iter().sum::<f64>() + self.others;
        let exchanges = computation + self.exchange_wires + self.driver + self.waiting + self.idle;
        let orders = self.order_signatures + self.order_wires;
        let (value, beside) = match part {
            ExchangePart::Total => {
                let mut items = self.exchange_items();
                items.extend(self.order_items());
                (exchanges + orders, items)
            }
            ExchangePart::Exchanges => (exchanges, self.exchange_items()),
            ExchangePart::Orchestration => (orders, self.order_items()),
            ExchangePart::ExchangeBus => (
                self.bus_exchanges,
                vec![exact(self.bus_exchanges, whole.exchange_bus)],
            ),
            ExchangePart::Bus => {
                let all = self.bus_exchanges + self.bus_orders;
                (all, vec![exact(all, whole.bus())])
            }
            ExchangePart::ExchangeComputation => (computation, self.computed_items()),
            ExchangePart::Computation => {
                let mut items = self.computed_items();
                items.push(self.signature_item());
                (computation + self.order_signatures, items)
            }
        };
        Measurement {
            amount: Amount::Time(Duration::from_nanos(value.round() as u64)),
            beside: worth_a_word(beside),
        }
    }

    /// Returns the share of the time in which a frame is on the bus, in per cent.
    pub(super) fn load(&self) -> Measurement {
        let Amount::Time(total) = self.part(ExchangePart::Total).amount else {
            return Measurement {
                amount: Amount::Number(0.0),
                beside: Vec::new(),
            };
        };
        let total = total.as_nanos() as f64;
        let (bus, formula) = (self.bus_exchanges + self.bus_orders, &self.formula.whole);
        let expected = (
            formula.bus().as_nanos() as f64,
            formula.total().as_nanos() as f64,
        );
        let beside = [
            (
                "of exact frame times in place of T_snd",
                100.0 * (bus - expected.0) / expected.1,
            ),
            (
                "of the time that all takes",
                100.0 * bus * (1.0 / total - 1.0 / expected.1),
            ),
        ];
        Measurement {
            amount: Amount::Number(100.0 * bus / total),
            beside: beside.map(|(what, amount)| beside_of(what, amount)).into(),
        }
    }

    fn computed_items(&self) -> Vec<Beside> {
        let of = |(at, kind): (usize, &OperationKind)| {
            let more = self.kinds[at] - self.formula.kinds[at].as_nanos() as f64;
            let word = match (self.formula.own_figures, more < 0.0) {
                (true, _) => "at the board's figure in place of this run's",
                (_, true) => "that the formula counts and no ECU waited for",
                (_, false) => "that the formula does not count",
            };
            beside_of(&format!("of {kind} {word}"), more)
        };
        let mut items: Vec<Beside> = KINDS.iter().enumerate().map(of).collect();
        items.push(beside_of(
            "of operations that the formula leaves out",
            self.others,
        ));
        items
    }

    fn exchange_items(&self) -> Vec<Beside> {
        let mut items = self.computed_items();
        items.push(exact(self.bus_exchanges, self.formula.whole.exchange_bus));
        items.push(beside_of(
            "of frames that no ECU waited for",
            self.exchange_wires - self.bus_exchanges,
        ));
        items.push(beside_of("of driver calls", self.driver));
        items.push(beside_of(
            "of waiting for the bus, intermissions included",
            self.waiting,
        ));
        items.push(beside_of("of rest", self.idle));
        items
    }

    fn signature_item(&self) -> Beside {
        let expected = self.formula.whole.orchestration_computation.as_nanos() as f64;
        beside_of(
            "of orders signed while exchanges ran",
            self.order_signatures - expected,
        )
    }

    fn order_items(&self) -> Vec<Beside> {
        let expected = self.formula.whole.orchestration_bus.as_nanos() as f64;
        vec![
            self.signature_item(),
            beside_of(
                "of exact frame times of orders in place of T_snd",
                self.bus_orders - expected,
            ),
            beside_of(
                "of orders' frames that no ECU waited for",
                self.order_wires - self.bus_orders,
            ),
        ]
    }
}

fn exact(measured: f64, formula: Duration) -> Beside {
    beside_of(
        "of exact frame times in place of T_snd",
        measured - formula.as_nanos() as f64,
    )
}

fn worth_a_word(items: Vec<Beside>) -> Vec<Beside> {
    let worth = |item: &Beside| item.amount.abs() >= WORTH_A_WORD;
    items.into_iter().filter(worth).collect()
}

/// Picoseconds to nanoseconds.
fn nanos(picos: u64) -> f64 {
    picos as f64 / 1e3
}
