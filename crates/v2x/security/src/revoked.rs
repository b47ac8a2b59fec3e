//! A chain is not revoked, and the lists that say so are not overdue \[1609.2 §5.1.3\].

use waywarden_v2x_wire::ieee1609dot2::{Certificate, CertificateId, HashedId8, Time64};

use crate::chain::Chain;
use crate::counterpart::counterpart_digest;
use crate::hash::Digest;
use crate::profile::SecurityProfile;
use crate::result::{Reason, Refusal, ResultCode};
use crate::revocation::LinkageStatus;
use crate::state::ReceiverState;

/// Handling of a certificate for whose period lists are not expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unexpanded {
    /// It passes: its signature has not verified, and what it claims must not ask for work.
    Passed,
    /// It is refused, and the refusal names the period.
    Refused,
}

impl ReceiverState {
    /// No certificate of a chain is revoked, as far as is known, and no list is overdue that the
    /// profile demands.
    pub(crate) fn check_revocation(
        &self,
        chain: &Chain<'_>,
        profile: &SecurityProfile,
        (now, unexpanded): (Time64, Unexpanded),
    ) -> Result<(), Refusal> {
        self.check_revoked(chain, unexpanded)?;
        // A certificate without a CRACA has no list.
        let Some(tolerance) = profile.crl_tolerance else {
            return Ok(());
        };
        for one in chain.certificates() {
            let (digest, certificate) = one?;
            let own = &certificate.to_be_signed;
            if own.craca_id.0 == [0; 3] {
                continue;
            }
            let refuse = |why| {
                let code = ResultCode::ChainOverdueCrl;
                Err(Refusal::certificate(code, digest.id_8(), "cracaId", why))
            };
            match self.revocations.next_due(own.craca_id, own.crl_series) {
                Some(due) if now.0 <= due.0.saturating_add(tolerance) => {}
                Some(_) => return refuse("the next list is overdue"),
                None => return refuse("no list came yet"),
            }
        }
        Ok(())
    }

    /// No certificate of a chain is revoked, as far as is known. A known certificate is looked up
    /// again only if what is revoked has changed since it was accepted.
    pub(crate) fn check_revoked(
        &self,
        chain: &Chain<'_>,
        unexpanded: Unexpanded,
    ) -> Result<(), Refusal> {
        if self.revocations.is_empty() {
            return Ok(());
        }
        let is_cleared = self
            .store
            .is_cleared(&chain.top, self.revocations.changes());
        let looked_up = if is_cleared {
            chain.links.len()
        } else {
            usize::MAX
        };
        let root = chain.root();
        for one in chain.certificates().take(looked_up) {
            let (digest, certificate) = one?;
            self.check_certificate_revoked(root, &digest, &certificate, unexpanded)?;
        }
        Ok(())
    }

    /// One certificate of a chain that ends at `root` is not revoked, by hash or by linkage values.
    fn check_certificate_revoked(
        &self,
        root: HashedId8,
        digest: &Digest,
        certificate: &Certificate<'_>,
        unexpanded: Unexpanded,
    ) -> Result<(), Refusal> {
        let own = &certificate.to_be_signed;
        let (craca, series) = (own.craca_id, own.crl_series);
        let refuse = |code, field, reason| {
            Err(Refusal {
                code,
                certificate: Some(digest.id_8()),
                field,
                reason,
            })
        };
        let revoked = Reason::Words("revoked");
        let is_revoked = |digest: Digest| {
            self.revocations.has(craca, series, digest.id_10())
                || self.revocations.has_authority(root, digest.id_8())
        };
        // Only where something is revoked by hash is the malleable counterpart looked for.
        if !self.revocations.has_no_hashes()
            && (is_revoked(*digest) || counterpart_digest(certificate).is_some_and(is_revoked))
        {
            return refuse(ResultCode::ChainCertificateRevoked, "cracaId", revoked);
        }
        let CertificateId::LinkageData(linkage) = &own.id else {
            return Ok(());
        };
        match self.revocations.linked(craca, series, linkage) {
            LinkageStatus::Revoked => {
                refuse(ResultCode::ChainCertificateRevoked, "linkageData", revoked)
            }
            LinkageStatus::NotExpanded if unexpanded == Unexpanded::Refused => refuse(
                ResultCode::ChainOverdueCrl,
                "iCert",
                Reason::NotExpanded(linkage.period),
            ),
            LinkageStatus::NotExpanded | LinkageStatus::NotRevoked => Ok(()),
        }
    }
}
