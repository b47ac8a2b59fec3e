//! `waywarden pki check-list`: trust lists of electors, chain files and composite revocation lists
//! of IEEE 1609.2.1.

mod input;
mod irregular;
mod lines;
mod print;

use std::path::PathBuf;

use waywarden_v2x_pki::multi_signed_ctl::{ElectorGroup, check_chain_file, check_crls};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Ieee1609Dot2Content, Ieee1609Dot2Data, SignerIdentifier, Time64,
};
use waywarden_v2x_wire::ieee1609dot2dot1::irregular::IrregularManagement;
use waywarden_v2x_wire::ieee1609dot2dot1::{CertManagementPdu, ElectorGroupId, MultiSignedCtl};

use self::input::{group, has_list, is_crl, none, offset, read};
use self::lines::{FileLine, authority_line, crl_line, ctl_line};
pub(crate) use self::print::SCHEMA;
use self::print::{AnswerFormat, print};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_pki_folder::trust::verifier;
use waywarden_v2x_input::certificates::Trust;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::time;

const EXAMPLES: &str = "\
Examples:
  waywarden pki check-list ctl.oer --elector e1.oer --elector e2.oer --elector e3.oer --quorum 2
  waywarden pki check-list ctl-7.oer ctl-8.oer --elector electors.hex --quorum 2   # in order
  waywarden pki check-list ccf.oer --elector electors.hex --quorum 2 --format json
  waywarden pki check-list composite-crl.oer --elector electors.hex --quorum 2
  waywarden pki check-list list.oer --trust my-pki/trust      # a revocation list alone
  waywarden pki check-list ctl.oer                            # fields and faults; never accepted
  waywarden inspect ctl.oer                                   # every field, with its place";

/// Check trust lists that electors signed (CTL), chain files (CCF) and composite revocation lists
/// of IEEE 1609.2.1, and single revocation lists.
///
/// Files are checked in the order in which they are given. A trust list is accepted if as many
/// electors signed it as the quorum says, each counted once, and none that it removes. The electors
/// that an accepted list approves sign the one after it, as many as its `quorum` says; its
/// sequence number must be later, its group the same. The list in a chain file or a composite list
/// counts like one by itself; certificates must then lead to a root that it approves, and
/// revocation lists must be signed below such a root, for their CRACA and series, and not overdue.
///
/// Everything that is wrong is named by its field. Without --elector, lists are checked with the
/// certificates in them: that shows faults, and can accept nothing, for anyone can make those.
///
/// Exit code 0 if all lists were accepted, 1 if one was not, 2 if a file has none.
#[derive(Debug, clap::Args)]
#[command(name = "check-list", after_long_help = EXAMPLES)]
pub(crate) struct CheckList {
    /// Files with lists, bytes or lines of hexadecimal digits: an SPDU, or an ScmsPdu alone.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The certificate of an elector whose signature counts for the first list; a file may have
    /// several. May be given more than once.
    #[arg(long = "elector", value_name = "FILE", requires = "quorum")]
    electors: Vec<PathBuf>,
    /// Number of electors that have to sign the first list.
    #[arg(long, requires = "electors")]
    quorum: Option<usize>,
    /// The ElectorGroupId that the lists have to have: 16 hexadecimal digits [default: that of the
    /// first accepted list].
    #[arg(long, value_name = "HEX", value_parser = group)]
    group: Option<ElectorGroupId>,
    /// Trust the certificates in this folder, too, for revocation lists.
    #[arg(long, value_name = "DIR")]
    trust: Option<PathBuf>,
    /// Judge the lists at this time, such as 2026-03-01T12:00:00Z [default: now].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    at: Option<Time64>,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
}

/// Group and certificates that are known from the lists so far.
struct Receiver {
    /// The electors that were given, or those after the lists so far.
    group: Option<ElectorGroup>,
    /// Certificates of authorities that verified, below the roots of the list in force.
    authorities: Vec<Vec<u8>>,
    trust: Option<PathBuf>,
    id: Option<ElectorGroupId>,
    now: Time64,
}

impl CheckList {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut receiver = Receiver {
            group: self.electors()?,
            authorities: Vec::new(),
            trust: self.trust.clone(),
            id: self.group,
            now: self.at.unwrap_or_else(time::now),
        };
        let mut lists = Vec::new();
        for path in &self.files {
            read(path, &mut lists)?;
        }
        let lines = lists.iter().map(|record| receiver.check(record));
        let lines = lines.collect::<Result<Vec<_>, _>>()?;
        let is_accepted = lines.iter().all(|line| line.accepted);
        print(self.format, lines)?;
        Ok(if is_accepted { Answer::Yes } else { Answer::No })
    }

    /// Reads the electors that were given.
    fn electors(&self) -> Result<Option<ElectorGroup>, Failure> {
        let Some(quorum) = self.quorum else {
            return Ok(None);
        };
        let mut certificates = Vec::new();
        for path in &self.electors {
            read(path, &mut certificates)?;
        }
        let bytes: Vec<&[u8]> = certificates.iter().map(|one| &one.bytes[..]).collect();
        for record in &certificates {
            let wrong = |why| Failure::new(format_args!("--elector {}: {why}", record.place));
            let view = parse::<Certificate<'_>>(&record.bytes);
            view.map_err(|why| wrong(format!("no certificate: {why}")))?;
            let own = ElectorGroup::new(&[&record.bytes], 1);
            own.map_err(|why| wrong(why.to_string()))?;
        }
        let group = ElectorGroup::new(&bytes, quorum);
        let group = group.map_err(|why| Failure::new(format_args!("--quorum: {why}")))?;
        Ok(Some(match self.group {
            Some(id) => group.of_group(id),
            None => group,
        }))
    }
}

impl Receiver {
    fn check(&mut self, record: &InputRecord) -> Result<FileLine, Failure> {
        let found = record.find();
        let bytes = found.as_ref().map_or(&record.bytes[..], |found| found.spdu);
        let mut line = FileLine::of(&record.place);
        if is_crl(bytes) {
            line.kind = "crl";
            let data = parse::<Ieee1609Dot2Data<'_>>(bytes).into_iter();
            line.crls = self.crls(data)?;
            line.accept();
            return Ok(line);
        }
        match CertManagementPdu::read(bytes) {
            Ok(CertManagementPdu::MultiSignedCtl(ctl)) if ctl.certificates().is_ok() => {
                line.kind = "ctl";
                self.ctl(&ctl, bytes, &mut line);
            }
            Ok(CertManagementPdu::CertificateChain(chain)) if has_list(&chain.home_ctl) => {
                line.kind = "certificate-chain";
                self.home(&chain.home_ctl, bytes, &mut line);
                self.chain(chain.others.iter().flatten(), &mut line);
            }
            Ok(CertManagementPdu::CompositeCrl(list)) if has_list(&list.home_ctl) => {
                line.kind = "composite-crl";
                self.home(&list.home_ctl, bytes, &mut line);
                line.crls = self.crls(list.crls.iter().flatten())?;
            }
            Ok(CertManagementPdu::CtlSignature(_) | CertManagementPdu::InfoStatus(_)) => {
                return Err(none(
                    record,
                    "a message of certificate management, and no list",
                ));
            }
            other => match IrregularManagement::read(bytes) {
                Ok(list) => self.irregular(&list, bytes, &mut line)?,
                Err(error) if bytes.starts_with(&[2]) || found.is_ok() => {
                    let error = other.err().unwrap_or(error);
                    line.error_text = Some(error.to_string());
                }
                Err(error) => return Err(none(record, &error.to_string())),
            },
        }
        line.accept();
        Ok(line)
    }

    /// The trust list of a chain file or a composite list.
    fn home(&mut self, home: &Ieee1609Dot2Data<'_>, bytes: &[u8], line: &mut FileLine) {
        if let Ok(CertManagementPdu::MultiSignedCtl(ctl)) = CertManagementPdu::carried_by(home) {
            self.ctl(&ctl, bytes, line);
        }
    }

    /// A list with certificates whose parts do not go together: what is left of it is checked.
    fn irregular(
        &mut self,
        list: &IrregularManagement<'_>,
        bytes: &[u8],
        line: &mut FileLine,
    ) -> Result<(), Failure> {
        line.irregular_text = irregular::faults(list, bytes);
        let ctl = match list {
            IrregularManagement::MultiSignedCtl(ctl) => {
                line.kind = "ctl";
                Some(*ctl)
            }
            IrregularManagement::CertificateChain(chain) => {
                line.kind = "certificate-chain";
                irregular::home(&chain.home_ctl)
            }
            IrregularManagement::CompositeCrl(list) => {
                line.kind = "composite-crl";
                irregular::home(&list.home_ctl)
            }
        };
        let Some(ctl) = ctl else {
            line.error_text = Some("homeCtl: no MultiSignedCtl".to_owned());
            return Ok(());
        };
        let none = ElectorGroup::without_electors();
        let group = self.group.as_ref().unwrap_or(&none);
        let checked = irregular::without_certificates(&ctl, |own| group.check(own, self.now));
        match checked {
            Some(Ok(report)) => {
                let mut own = ctl_line(&report, offset(ctl.tbs_ctl, bytes));
                let names = irregular::names(&ctl).into_iter();
                for (signature, name) in own.signatures.iter_mut().zip(names) {
                    signature.name = name;
                }
                line.ctl = Some(own);
            }
            Some(Err((part, error))) => line.error_text = Some(format!("{part}: {error}")),
            None => {}
        }
        match list {
            IrregularManagement::CertificateChain(chain) => {
                self.chain(irregular::sound(&chain.others), line);
            }
            IrregularManagement::CompositeCrl(list) => {
                let crls = list.crls.iter().flatten().map(irregular::regular);
                line.crls = self.crls(crls)?;
            }
            IrregularManagement::MultiSignedCtl(_) => {}
        }
        Ok(())
    }

    fn ctl(&mut self, ctl: &MultiSignedCtl<'_>, bytes: &[u8], line: &mut FileLine) {
        let own;
        let group = match &self.group {
            Some(group) => group,
            None => {
                let of_the_list = self.of_the_list(ctl);
                own = of_the_list.unwrap_or_else(ElectorGroup::without_electors);
                line.is_self_checked = true;
                &own
            }
        };
        match group.check(ctl, self.now) {
            Err((part, error)) => line.error_text = Some(format!("{part}: {error}")),
            Ok(report) => {
                line.ctl = Some(ctl_line(&report, offset(ctl.tbs_ctl, bytes)));
                let is_known = report.is_known;
                if let Some(group) = &mut self.group
                    && group.take(report)
                    && !is_known
                {
                    // Below roots that may not be approved any more.
                    self.authorities.clear();
                }
            }
        }
    }

    /// The electors that the list itself brings, all of which would have to be trusted first.
    fn of_the_list(&self, ctl: &MultiSignedCtl<'_>) -> Option<ElectorGroup> {
        let mut certificates: Vec<Vec<u8>> = Vec::new();
        for data in ctl.signatures.iter().flatten() {
            if let Ieee1609Dot2Content::Signed(signed) = &data.content
                && let SignerIdentifier::Certificate(chain) = &signed.signer
                && let Some(Ok(own)) = chain.iter().next()
                && let Some(bytes) = own.bytes()
                && ElectorGroup::new(&[bytes], 1).is_ok()
            {
                certificates.push(bytes.to_vec());
            }
        }
        let bytes: Vec<&[u8]> = certificates.iter().map(|one| &one[..]).collect();
        let quorum = ctl.list().ok().and_then(|list| list.quorum);
        let quorum = quorum.and_then(|quorum| usize::try_from(quorum).ok());
        let most = (1..=bytes.len().min(quorum.unwrap_or(bytes.len()))).rev();
        let group = most.map(|quorum| ElectorGroup::new(&bytes, quorum));
        let group = group.into_iter().find_map(Result::ok)?;
        Some(match self.id {
            Some(id) => group.of_group(id),
            None => group,
        })
    }

    fn chain<'a>(&mut self, others: impl Iterator<Item = Certificate<'a>>, line: &mut FileLine) {
        let others: Vec<Certificate<'a>> = others.collect();
        let Some(group) = &self.group else {
            let none = line.error_text.is_none();
            if none {
                line.unchecked_certificates = others.len();
            }
            return;
        };
        let mut known = verifier();
        let reports = check_chain_file(others.iter().copied(), group, &mut known, self.now);
        for (own, report) in others.iter().zip(&reports) {
            if report.outcome.is_ok() && report.issuer.is_some() {
                self.authorities.extend(own.bytes().map(<[u8]>::to_vec));
            }
            line.certificates.push(authority_line(report));
        }
    }

    /// Checks revocation lists against what is trusted by now.
    fn crls<'a>(
        &self,
        crls: impl Iterator<Item = Ieee1609Dot2Data<'a>>,
    ) -> Result<Vec<lines::CrlLine>, Failure> {
        let mut known = verifier();
        if let Some(folder) = &self.trust {
            Trust::load(folder, &mut known)?;
        }
        for root in self.group.iter().flat_map(ElectorGroup::roots) {
            let _ = known.add_trust_anchor(root.bytes());
        }
        self.add_authorities(&mut known);
        let reports = check_crls(crls, &mut known, self.now);
        Ok(reports.iter().map(crl_line).collect())
    }

    /// Adds the authorities of chain files, which verified in some order.
    fn add_authorities(&self, known: &mut Verifier) {
        let mut waiting: Vec<&Vec<u8>> = self.authorities.iter().collect();
        loop {
            let before = waiting.len();
            waiting.retain(|one| known.add_certificate(one).is_err());
            if waiting.is_empty() || waiting.len() == before {
                return;
            }
        }
    }
}
