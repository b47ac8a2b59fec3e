//! Parts of multiplexed symbols, put together.

use std::collections::HashMap;

use super::Symbol;

/// Puts the parts of a multiplexed symbol, which have its name each and one identifier in all,
/// together.
///
/// Each part may have times of its own. The description of the format does not say how the tool
/// lines them up, so that the shortest ones count, and the message says so.
pub(super) fn merged(symbols: Vec<Symbol>) -> Vec<Symbol> {
    let mut whole: Vec<Symbol> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for mut symbol in symbols {
        symbol.select();
        let first = known.get(&symbol.name).copied();
        match first.and_then(|at| whole.get_mut(at)) {
            Some(first) if symbol.ids.is_none() && first.section == symbol.section => {
                first.add(symbol);
            }
            _ => {
                known.insert(symbol.name.clone(), whole.len());
                whole.push(symbol);
            }
        }
    }
    for symbol in &mut whole {
        if let (2.., Some(shortest)) = (symbol.cycles, symbol.cycle_ms) {
            symbol.remarks.push(format!(
                "has {} multiplexers with a CycleTime each; the shortest one, {shortest} ms, \
                 counts: if each is sent for itself, the message comes more often",
                symbol.cycles
            ));
        }
    }
    whole
}

/// Returns the shorter one of two times; zero is none.
fn shorter(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    let is_time = |ms: &f64| *ms > 0.0;
    let (one, other) = (one.filter(is_time), other.filter(is_time));
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}

impl Symbol {
    /// Lets the multiplexer of a part of a symbol select its signals.
    fn select(&mut self) {
        if self.is_unselected && !self.signals.is_empty() {
            self.remarks.push(format!(
                "line {}: {} signals before a multiplexer that cannot be read are left out",
                self.line,
                self.signals.len()
            ));
            self.signals.clear();
        }
        if let Some((name, value)) = &self.selected_by {
            let signals = self.signals.iter_mut();
            for signal in signals.filter(|signal| !signal.is_multiplexer) {
                signal.select(name, *value);
            }
        }
        self.cycles = usize::from(self.cycle_ms.is_some_and(|ms| ms > 0.0));
    }

    /// Adds another part of the symbol.
    fn add(&mut self, part: Symbol) {
        self.signals.extend(part.signals);
        self.remarks.extend(part.remarks);
        self.length = self.length.max(part.length);
        self.cycle_ms = shorter(self.cycle_ms, part.cycle_ms);
        self.interval_ms = shorter(self.interval_ms, part.interval_ms);
        self.cycles += part.cycles;
    }
}
