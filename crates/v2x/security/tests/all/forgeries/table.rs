//! Rows of forgeries: what is expected of each, and what a verifier did.

use waywarden_testkit_v2x::world::now;
use waywarden_v2x_security::{ReceptionContext, Refusal, ResultCode, Verifier};

/// Expected verdict on a message.
#[derive(Clone, Copy)]
pub(crate) struct Expected {
    code: ResultCode,
    /// The field that the refusal names; `None`: any.
    field: Option<&'static str>,
}

impl From<ResultCode> for Expected {
    fn from(code: ResultCode) -> Self {
        Self { code, field: None }
    }
}

impl From<(ResultCode, &'static str)> for Expected {
    fn from((code, field): (ResultCode, &'static str)) -> Self {
        let field = Some(field);
        Self { code, field }
    }
}

impl Expected {
    fn text(&self) -> String {
        match self.field {
            Some(field) => format!("{}: {field}", self.code),
            None => self.code.to_string(),
        }
    }

    fn holds(&self, got: &Result<(), Refusal>) -> bool {
        match got {
            Ok(()) => self.code == ResultCode::Success,
            Err(refusal) => {
                refusal.code == self.code && self.field.is_none_or(|field| field == refusal.field)
            }
        }
    }
}

/// A forgery, and what became of it.
pub(crate) struct Row {
    pub(crate) name: String,
    expected: String,
    got: String,
    pub(crate) holds: bool,
    pub(crate) is_forgery: bool,
    pub(crate) has_counterpart: bool,
}

/// Forgeries of one kind.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<Row>,
}

/// Verifies a message. What the first phase refuses the second never sees, and a refused message
/// changes nothing that is known.
///
/// # Panics
/// Where either does not hold.
fn verdict(
    verifier: &mut Verifier,
    message: &[u8],
    at: &ReceptionContext<'_>,
) -> Result<(), Refusal> {
    let known = |verifier: &Verifier| {
        let (store, replays) = (verifier.store(), verifier.replays());
        (
            store.held(),
            store.memory(),
            replays.len(),
            verifier.revocations().len(),
        )
    };
    let before = known(verifier);
    let prepared = verifier.prepare(message, at).map(drop);
    let verdict = verifier.verify(message, at).map(drop);
    if prepared.is_err() {
        assert_eq!(prepared, verdict, "the first phase tells something else");
    }
    if verdict.is_err() {
        assert_eq!(
            before,
            known(verifier),
            "a refused message changed something"
        );
    }
    verdict
}

fn text(got: &Result<(), Refusal>) -> String {
    match got {
        Ok(()) => ResultCode::Success.to_string(),
        Err(refusal) if refusal.field.is_empty() => refusal.code.to_string(),
        Err(refusal) => format!("{}: {}", refusal.code, refusal.field),
    }
}

impl Family {
    pub(crate) fn new(name: &'static str) -> Self {
        let rows = Vec::new();
        Self { name, rows }
    }

    /// A forgery and its honest counterpart, for one verifier, with all that a receiver knows.
    pub(crate) fn row(
        &mut self,
        name: &str,
        expected: impl Into<Expected>,
        verifier: &mut Verifier,
        (forged, then): (&[u8], &ReceptionContext<'_>),
        honest: Option<(&[u8], &ReceptionContext<'_>)>,
    ) {
        let expected = expected.into();
        let verdict_on_forged = verdict(verifier, forged, then);
        let mut got = text(&verdict_on_forged);
        let mut holds = expected.holds(&verdict_on_forged);
        if let Some((honest, at)) = honest
            && let Err(refusal) = verdict(verifier, honest, at)
        {
            holds = false;
            got.push_str(&format!("; honest counterpart: {refusal}"));
        }
        self.rows.push(Row {
            name: format!("{}/{name}", self.name),
            expected: expected.text(),
            got,
            holds,
            is_forgery: expected.code != ResultCode::Success,
            has_counterpart: honest.is_some(),
        });
    }

    /// A forgery and its honest counterpart, both received now.
    pub(crate) fn pair(
        &mut self,
        name: &str,
        expected: impl Into<Expected>,
        verifier: &mut Verifier,
        forged: &[u8],
        honest: &[u8],
    ) {
        let at = ReceptionContext::at(now());
        self.row(name, expected, verifier, (forged, &at), Some((honest, &at)));
    }

    /// A forgery without a counterpart.
    pub(crate) fn lone(
        &mut self,
        name: &str,
        expected: impl Into<Expected>,
        verifier: &mut Verifier,
        forged: &[u8],
    ) {
        let at = ReceptionContext::at(now());
        self.row(name, expected, verifier, (forged, &at), None);
    }

    /// A message that is honest although it looks like one of the forgeries.
    pub(crate) fn honest(&mut self, name: &str, verifier: &mut Verifier, message: &[u8]) {
        self.lone(name, ResultCode::Success, verifier, message);
    }

    /// Another form of an honest message: refused, or accepted once and then a replay, whichever of
    /// the two comes first.
    pub(crate) fn same(
        &mut self,
        name: &str,
        verifier: impl Fn() -> Verifier,
        honest: &[u8],
        other: &[u8],
    ) {
        assert_ne!(honest, other, "{name}");
        let at = ReceptionContext::at(now());
        let both = |first: &[u8], second: &[u8]| {
            let mut verifier = verifier();
            let first = verdict(&mut verifier, first, &at);
            (first, verdict(&mut verifier, second, &at))
        };
        let (before, after) = (both(honest, other), both(other, honest));
        let replayed = Expected::from(ResultCode::RelevanceReplayedSpdu);
        let holds = match (&before, &after) {
            // Another form that is accepted is the same message.
            ((Ok(()), second), (Ok(()), again)) => replayed.holds(second) && replayed.holds(again),
            // One that is refused leaves the honest message acceptable.
            ((Ok(()), Err(_)), (Err(_), Ok(()))) => true,
            _ => false,
        };
        self.rows.push(Row {
            name: format!("{}/{name}", self.name),
            expected: "refused, or a replay in both orders".to_owned(),
            got: format!(
                "honest first: {}, {}; then: {}, {}",
                text(&before.0),
                text(&before.1),
                text(&after.0),
                text(&after.1)
            ),
            holds,
            is_forgery: true,
            has_counterpart: true,
        });
    }

    /// Prints the table.
    ///
    /// # Panics
    /// Where a result is another one than the one expected.
    pub(crate) fn check(&self) {
        let mut failed = Vec::new();
        for row in &self.rows {
            let mark = if row.holds { "  " } else { "! " };
            let line = format!(
                "{mark}{:<64} expected {}, got {}",
                row.name, row.expected, row.got
            );
            println!("{line}");
            if !row.holds {
                failed.push(line);
            }
        }
        let count = failed.len();
        assert!(failed.is_empty(), "{count} fail:\n{}", failed.join("\n"));
    }
}
