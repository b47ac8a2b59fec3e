//! Reports on lists, for programs.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_pki::multi_signed_ctl::{
    AuthorityReport, CrlReport, CtlReport, ListedHash, SignatureOutcome, SignatureReport,
};
use waywarden_v2x_wire::ieee1609dot2::{Time32, Time64};

use waywarden_pki_folder::index::show_id;
use waywarden_v2x_input::{records, time};

/// A list, and how it stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileLine {
    /// The file and the place in it.
    pub(super) input: String,
    /// `ctl`, `certificate-chain`, `composite-crl`, `crl`, or `unknown`.
    pub(super) kind: &'static str,
    /// True if the file and all that it carries are without a fault.
    pub(super) accepted: bool,
    /// True if no electors were given: signatures were checked with the list's own certificates,
    /// which anyone can make, and it is not accepted.
    pub(super) is_self_checked: bool,
    /// The trust list: the file itself, or the one in it.
    pub(super) ctl: Option<CtlLine>,
    /// The certificates of a chain file.
    pub(super) certificates: Vec<AuthorityLine>,
    /// Number of certificates that were not checked, since no electors were given.
    pub(super) unchecked_certificates: usize,
    /// Revocation lists.
    pub(super) crls: Vec<CrlLine>,
    /// Certificates whose parts do not go together, and where they are.
    pub(super) irregular_text: Vec<String>,
    /// Reason why the file cannot be read.
    pub(super) error_text: Option<String>,
}

impl FileLine {
    pub(super) fn of(input: &str) -> Self {
        Self {
            input: input.to_owned(),
            kind: "unknown",
            accepted: false,
            is_self_checked: false,
            ctl: None,
            certificates: Vec::new(),
            unchecked_certificates: 0,
            crls: Vec::new(),
            irregular_text: Vec::new(),
            error_text: None,
        }
    }

    /// Notes whether it is accepted, once all parts are there.
    pub(super) fn accept(&mut self) {
        let has_parts = self.ctl.is_some() || !self.crls.is_empty();
        self.accepted = has_parts
            && self.error_text.is_none()
            && self.irregular_text.is_empty()
            && !self.is_self_checked
            && self.unchecked_certificates == 0
            && self.ctl.iter().all(|own| own.faults_text.is_empty())
            && self.certificates.iter().all(|own| own.fault_text.is_none())
            && self.crls.iter().all(|own| own.faults_text.is_empty());
    }
}

/// A trust list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CtlLine {
    /// The group of electors.
    pub(super) elector_group_id: String,
    /// The number of the list.
    pub(super) sequence_number: u16,
    /// Time from which it counts.
    pub(super) effective_date: String,
    /// Number of electors that have to sign the next list, if it says so.
    pub(super) quorum: Option<i64>,
    /// Number of electors that have to sign this list.
    pub(super) signatures_required: usize,
    /// Number of electors that signed it, each counted once.
    pub(super) signatures_counted: usize,
    /// Number of lists that are missing before it.
    pub(super) lists_missed: u16,
    /// True if it is the list that came before.
    pub(super) is_known: bool,
    /// The hashes in it.
    pub(super) entries: Vec<EntryLine>,
    /// Numbers of certificates in `unsigned` that no entry names: they count for nothing.
    pub(super) certificates_without_entry: Vec<usize>,
    /// Signatures of the list.
    pub(super) signatures: Vec<SignatureLine>,
    /// Everything that is wrong.
    pub(super) faults_text: Vec<String>,
}

/// The hash of a certificate in a trust list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntryLine {
    /// The field, such as `electorApprove`.
    pub(super) list: &'static str,
    /// Its number there, from 0.
    pub(super) index: usize,
    /// Offset in the message, in bytes.
    pub(super) offset: usize,
    /// Hash of the certificate, in hexadecimal digits.
    pub(super) hash: String,
    /// The HashedId8 of the certificate.
    pub(super) certificate: Option<String>,
    /// The name in it.
    pub(super) name: Option<String>,
    /// Start of the validity.
    pub(super) valid_from: Option<String>,
    /// End of the validity.
    pub(super) valid_until: Option<String>,
    /// `verified`, `not-verified` (no quorum signed the list), `refused` or `unknown` (no
    /// certificate has this hash).
    pub(super) state: &'static str,
    /// Reason why it is refused, or a peculiarity.
    pub(super) note_text: Option<String>,
}

/// A signature of a trust list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SignatureLine {
    /// The HashedId8 of the signer's certificate.
    pub(super) signer: Option<String>,
    /// The name in it.
    pub(super) name: Option<String>,
    /// `counted`, `repeated`, `unknown-elector`, `removed-elector` or `wrong`.
    pub(super) state: &'static str,
    /// Everything that is wrong with it.
    pub(super) faults_text: Vec<String>,
}

/// A certificate of a chain file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AuthorityLine {
    /// Its HashedId8.
    pub(super) id: Option<String>,
    /// The name in it.
    pub(super) name: Option<String>,
    /// The HashedId8 of its issuer; none if it issues itself.
    pub(super) issuer: Option<String>,
    /// Start of the validity.
    pub(super) valid_from: String,
    /// End of the validity.
    pub(super) valid_until: String,
    /// Fault of the certificate.
    pub(super) fault_text: Option<String>,
}

/// A revocation list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CrlLine {
    /// Its kind, such as `fullHashCrl`.
    pub(super) kind: Option<&'static str>,
    /// The application in its header.
    pub(super) psid: Option<u64>,
    /// The HashedId8 of the signer's certificate.
    pub(super) signer: Option<String>,
    /// The HashedId8 of the authority that revokes.
    pub(super) craca: Option<String>,
    /// Series of the revocation list.
    pub(super) series: Option<u16>,
    /// `crlSerial`, or `indexWithinI` of a list by linkage values.
    pub(super) number: Option<u32>,
    /// The first period of a list by linkage values.
    pub(super) i_rev: Option<u16>,
    /// Time at which it was made.
    pub(super) issue_date: Option<String>,
    /// Time at which the next list is due.
    pub(super) next_crl: Option<String>,
    /// Number of entries.
    pub(super) entries: Option<usize>,
    /// Everything that is wrong.
    pub(super) faults_text: Vec<String>,
}

fn show(time: Time32) -> String {
    time::show(Time64(u64::from(time.0) * 1_000_000))
}

fn texts<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

/// `base`: where `tbsCtl` begins in the message.
pub(super) fn ctl_line(report: &CtlReport, base: usize) -> CtlLine {
    CtlLine {
        elector_group_id: records::show(&report.group.0),
        sequence_number: report.sequence.0,
        effective_date: show(report.effective),
        quorum: report.quorum,
        signatures_required: report.required,
        signatures_counted: report.counted,
        lists_missed: report.missed,
        is_known: report.is_known,
        entries: report
            .entries
            .iter()
            .map(|one| entry_line(one, base))
            .collect(),
        certificates_without_entry: report.unnamed.clone(),
        signatures: report.signatures.iter().map(signature_line).collect(),
        faults_text: texts(&report.faults),
    }
}

fn entry_line(entry: &ListedHash, base: usize) -> EntryLine {
    const MEMORY: &str = "no hash: it has the form of a program's memory, addresses in place of \
                          what stands there";
    let own = entry.certificate.as_ref();
    let verified = own.and_then(|own| own.verified);
    EntryLine {
        list: entry.list.name(),
        index: entry.index,
        offset: base + entry.offset,
        hash: records::show(&entry.hash),
        certificate: own.map(|own| show_id(own.id)),
        name: own.and_then(|own| own.name.clone()),
        valid_from: own.map(|own| time::show(own.validity.0)),
        valid_until: own.map(|own| time::show(own.validity.1)),
        state: match (own, verified) {
            (None, _) => "unknown",
            (Some(own), None) if own.index.is_none() => "verified",
            (_, None) => "not-verified",
            (_, Some(Ok(()))) => "verified",
            (_, Some(Err(_))) => "refused",
        },
        note_text: match verified {
            Some(Err(refusal)) => Some(refusal.to_string()),
            _ if entry.is_memory => Some(MEMORY.to_owned()),
            _ => None,
        },
    }
}

fn signature_line(report: &SignatureReport) -> SignatureLine {
    let (state, faults_text) = match &report.outcome {
        SignatureOutcome::Counted => ("counted", Vec::new()),
        SignatureOutcome::Repeated => ("repeated", Vec::new()),
        SignatureOutcome::UnknownElector => ("unknown-elector", Vec::new()),
        SignatureOutcome::RemovedElector => ("removed-elector", Vec::new()),
        SignatureOutcome::Wrong(faults) => ("wrong", texts(faults)),
    };
    SignatureLine {
        signer: report.signer.map(show_id),
        name: report.name.clone(),
        state,
        faults_text,
    }
}

pub(super) fn authority_line(report: &AuthorityReport) -> AuthorityLine {
    AuthorityLine {
        id: report.id.map(show_id),
        name: report.name.clone(),
        issuer: report.issuer.map(show_id),
        valid_from: time::show(report.validity.0),
        valid_until: time::show(report.validity.1),
        fault_text: report.outcome.err().map(|fault| fault.to_string()),
    }
}

pub(super) fn crl_line(report: &CrlReport) -> CrlLine {
    let own = report.contents;
    CrlLine {
        kind: own.map(|own| own.kind),
        psid: report.psid,
        signer: report.signer.map(show_id),
        craca: own.map(|own| show_id(own.craca)),
        series: own.map(|own| own.series.0),
        number: own.map(|own| own.number),
        i_rev: own.and_then(|own| own.period),
        issue_date: own.map(|own| show(own.issue_date)),
        next_crl: own.map(|own| show(own.next_crl)),
        entries: own.map(|own| own.entries),
        faults_text: texts(&report.faults),
    }
}
