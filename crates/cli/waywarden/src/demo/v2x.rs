//! The chapter on V2X: what a receiver makes of honest and of hostile messages.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_security::{ReceptionContext, ResultCode, Verifier};

use super::road::{CARS, Fault, Kind, traffic};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::table::Rows;

/// Messages of one kind.
#[derive(Serialize, JsonSchema)]
struct Row {
    kind: Kind,
    sent: usize,
    accepted: usize,
    /// By the name that IEEE 1609.2 gives the reason.
    refused: BTreeMap<&'static str, usize>,
    /// Reason for which each of them has to be refused; `None` for honest ones.
    expected: Option<&'static str>,
    /// The receiver's report of the first one that it refuses.
    report: Option<String>,
}

/// Outcomes of all messages.
#[derive(Serialize, JsonSchema)]
pub(super) struct V2x {
    messages: Vec<Row>,
}

impl V2x {
    pub(super) fn run() -> Result<Self, Failure> {
        verified().map_err(Failure::new)
    }

    /// Returns true if every honest message was accepted, and every hostile one refused for its
    /// reason.
    pub(super) fn is_secure(&self) -> bool {
        self.messages.iter().all(|row| match row.expected {
            None => row.accepted == row.sent,
            Some(code) => row.accepted == 0 && row.refused.get(code) == Some(&row.sent),
        })
    }

    pub(super) fn tell(&self, out: &mut impl Write) -> io::Result<()> {
        let sum = |of: fn(&Row) -> usize, hostile| {
            let rows = self.messages.iter();
            let rows = rows.filter(move |row| row.expected.is_some() == hostile);
            rows.map(of).sum::<usize>()
        };
        let all: usize = self.messages.iter().map(|row| row.sent).sum();
        writeln!(
            out,
            "4. Messages to other vehicles: a receiver verifies {all} messages of V2X\n"
        )?;
        self.rows().print(out)?;
        writeln!(
            out,
            "{CARS} cars and roadworks have certificates of a PKI made here. Accepted: {} of {} \
             honest messages,\n{} of {} hostile ones. Forged: another key in a car's name. Not \
             permitted: a DENM of a car whose\ncertificate is for CAMs. Displaced: 40 km from the \
             region of the certificate.\n",
            sum(|row| row.accepted, false),
            sum(|row| row.sent, false),
            sum(|row| row.accepted, true),
            sum(|row| row.sent, true),
        )
    }

    fn rows(&self) -> Rows {
        let rows = self.messages.iter().map(|row| {
            let reasons: Vec<&str> = row.refused.keys().copied().collect();
            vec![
                row.kind.label().to_owned(),
                row.sent.to_string(),
                row.accepted.to_string(),
                reasons.join(", "),
            ]
        });
        Rows {
            headers: vec!["message", "sent", "accepted", "refused as (IEEE 1609.2)"],
            rows: rows.collect(),
            numbers: 1..3,
        }
    }

    /// Prints what the receiver reports of each kind.
    pub(super) fn print_all(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "\nWhat the V2X receiver reports\n")?;
        let reports = self.messages.iter().filter_map(|row| {
            let report = row.report.clone()?;
            Some(vec![row.kind.label().to_owned(), report])
        });
        let rows = Rows {
            headers: vec!["message", "the first refusal"],
            rows: reports.collect(),
            numbers: 0..0,
        };
        rows.print(out)
    }
}

fn verified() -> Result<V2x, Fault> {
    let traffic = traffic()?;
    let mut verifier = Verifier::default();
    verifier.add_trust_anchor(&traffic.root)?;
    verifier.add_certificate(&traffic.authority)?;
    let mut rows = Kind::ALL.map(|kind| Row {
        kind,
        sent: 0,
        accepted: 0,
        refused: BTreeMap::new(),
        expected: kind.refusal().map(ResultCode::name),
        report: None,
    });
    for message in &traffic.messages {
        let row = rows.iter_mut().find(|row| row.kind == message.kind);
        let row = row.ok_or("a message of an unknown kind")?;
        row.sent += 1;
        match verifier.verify(&message.bytes, &ReceptionContext::at(message.arrives)) {
            Ok(_) => row.accepted += 1,
            Err(refusal) => {
                *row.refused.entry(refusal.code.name()).or_default() += 1;
                row.report.get_or_insert_with(|| refusal.to_string());
            }
        }
    }
    Ok(V2x {
        messages: rows.into(),
    })
}
