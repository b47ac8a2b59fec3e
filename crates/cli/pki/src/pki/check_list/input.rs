//! Files with lists, and their kinds, recognized by their bytes.

use std::path::Path;

use waywarden_v2x_pki::multi_signed_ctl::CrlSummary;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::Ieee1609Dot2Data;
use waywarden_v2x_wire::ieee1609dot2dot1::{CertManagementPdu, ElectorGroupId};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::records;
use waywarden_v2x_input::unread::{StopReason, UnreadFile};

/// The most lists, and the most certificates of electors, of one command.
const RECORDS_MAX: usize = 1_000;

/// Reads an ElectorGroupId.
pub(super) fn group(text: &str) -> Result<ElectorGroupId, String> {
    let bytes = records::hex(text).and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
    bytes.map(ElectorGroupId).ok_or_else(|| {
        format!("{text:?}: an ElectorGroupId has 16 hexadecimal digits, such as ffffffffffffff00")
    })
}

/// Reads the records of a file. A line that cannot be read may be a list, so it is a failure.
pub(super) fn read(path: &Path, all: &mut Vec<InputRecord>) -> Result<(), Failure> {
    let read = records::each(path, |record| {
        if all.len() == RECORDS_MAX {
            return Err(StopReason::Failed(Failure::new(format_args!(
                "{}: with it there are more than {RECORDS_MAX} records",
                plain(&path.display().to_string())
            ))));
        }
        all.push(record);
        Ok(())
    });
    match read {
        Ok(file) => {
            file.note.into_iter().for_each(messages::status);
            Failure::if_any(
                file.wrong
                    .into_iter()
                    .map(UnreadFile::into_failure)
                    .collect(),
            )
        }
        Err(stop) => Err(stop.into_failure()),
    }
}

/// Returns where a part stands in a message.
pub(super) fn offset(part: &[u8], message: &[u8]) -> usize {
    (part.as_ptr() as usize).wrapping_sub(message.as_ptr() as usize)
}

/// Returns true for signed data around a revocation list, whatever application it is of.
pub(super) fn is_crl(bytes: &[u8]) -> bool {
    let data = parse::<Ieee1609Dot2Data<'_>>(bytes);
    data.is_ok_and(|data| CrlSummary::of(&data).is_some())
}

/// The failure for a record without a list.
pub(super) fn none(record: &InputRecord, why: &str) -> Failure {
    Failure::new(format_args!(
        "{}: no trust list, chain file or revocation list of IEEE 1609.2.1: {why}; `waywarden \
         inspect` shows what it is",
        plain(&record.place)
    ))
}

/// Returns true if the trust list of a chain file or a composite list is one, with certificates
/// whose parts go together.
pub(super) fn has_list(home: &Ieee1609Dot2Data<'_>) -> bool {
    match CertManagementPdu::carried_by(home) {
        Ok(CertManagementPdu::MultiSignedCtl(ctl)) => ctl.certificates().is_ok(),
        _ => false,
    }
}
