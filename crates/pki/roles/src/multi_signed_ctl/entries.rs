//! The hashes in a trust list, and the certificates that have them.

use std::collections::BTreeSet;
use std::sync::Arc;

use waywarden_v2x_security::hash::{Digest, HashFunction, certificate_digest, hash_certificate};
use waywarden_v2x_security::{Refusal, Verified};
use waywarden_v2x_wire::ieee1609dot2::Certificate;
use waywarden_v2x_wire::ieee1609dot2dot1::{FullIeeeTbsCtl, has_form_of_memory};

use super::fault::{CtlFault, EntryList};
use super::report::{CtlReport, ListedCertificate, ListedHash};

/// Notes in the entries how the certificate beside the list stands.
pub(super) fn record(
    report: &mut CtlReport,
    index: usize,
    verified: &Result<Arc<Verified>, Refusal>,
) {
    let outcome = verified.as_ref().map(drop).map_err(|refusal| *refusal);
    for entry in &mut report.entries {
        if let Some(own) = entry
            .certificate
            .as_mut()
            .filter(|own| own.index == Some(index))
        {
            own.verified = Some(outcome);
        }
    }
}

/// Returns the last 32 bytes of a hash, by which lists name roots.
pub(super) fn last_32(digest: &Digest) -> &[u8] {
    let bytes = digest.as_bytes();
    bytes.get(bytes.len().saturating_sub(32)..).unwrap_or(bytes)
}

/// Returns the hash by which lists name electors: HashedId48 asks for 48 bytes, whatever the curve
/// of the key is.
pub(super) fn elector_hash(certificate: &Certificate<'_>) -> Option<Digest> {
    hash_certificate(HashFunction::Sha384, certificate).ok()
}

/// Gives entries with the hash of this certificate the certificate; returns true if there is one.
pub(super) fn name_entries(
    report: &mut CtlReport,
    view: &Certificate<'_>,
    index: Option<usize>,
) -> bool {
    let (Some(elector), Some(digest)) = (elector_hash(view), certificate_digest(view)) else {
        return false;
    };
    let mut is_named = false;
    for entry in &mut report.entries {
        let own = match entry.list.is_of_electors() {
            true => elector.as_bytes(),
            false => last_32(&digest),
        };
        if entry.hash == own {
            is_named = true;
            entry.certificate = ListedCertificate::of(view, index);
        }
    }
    is_named
}

/// The hashes of one list, each once.
pub(super) fn hashes(report: &CtlReport, list: EntryList) -> BTreeSet<Vec<u8>> {
    let own = report.entries.iter().filter(|entry| entry.list == list);
    own.map(|entry| entry.hash.clone()).collect()
}

/// Reads the hashes of a list, with their places.
pub(super) fn entries_of(list: &FullIeeeTbsCtl<'_>, tbs_ctl: &[u8]) -> Vec<ListedHash> {
    let mut entries = Vec::new();
    let electors = [
        (EntryList::ElectorApprove, list.approved_electors),
        (EntryList::ElectorRemove, list.removed_electors),
    ];
    for (of, hashes) in electors {
        let hashes = hashes.iter().flatten().map(|hash| hash.0.to_vec());
        entries.extend(hashes.enumerate().map(|(at, hash)| (of, at, hash)));
    }
    let roots = [
        (EntryList::RootCaApprove, list.approved_roots),
        (EntryList::RootCaRemove, list.removed_roots),
    ];
    for (of, hashes) in roots {
        let hashes = hashes.iter().flatten().map(|hash| hash.0.to_vec());
        entries.extend(hashes.enumerate().map(|(at, hash)| (of, at, hash)));
    }
    let mut from = 0;
    let entry = |(list, index, hash): (EntryList, usize, Vec<u8>)| {
        // The lists follow each other in the encoding: an entry stands behind the one before.
        let rest = tbs_ctl.get(from..).unwrap_or(&[]);
        let ahead = rest.windows(hash.len()).position(|bytes| bytes == hash);
        let offset = from + ahead.unwrap_or(0);
        from = offset + hash.len();
        ListedHash {
            is_memory: has_form_of_memory(&hash),
            list,
            index,
            offset,
            hash,
            certificate: None,
        }
    };
    entries.into_iter().map(entry).collect()
}

/// No certificate is approved and removed by one list.
pub(super) fn check_contradictions(report: &mut CtlReport) {
    for (approve, remove) in [
        (EntryList::ElectorApprove, EntryList::ElectorRemove),
        (EntryList::RootCaApprove, EntryList::RootCaRemove),
    ] {
        let approved = hashes(report, approve);
        let removed = report.entries.iter().filter(|one| one.list == remove);
        let both: Vec<_> = removed
            .filter(|one| approved.contains(&one.hash))
            .map(|one| CtlFault::Contradiction(remove, one.index))
            .collect();
        report.faults.extend(both);
    }
}
