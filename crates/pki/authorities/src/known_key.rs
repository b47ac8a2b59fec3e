//! A public key from elsewhere that the PKI knows already.

use std::path::Path;

use waywarden_ecverify::Point;
use waywarden_v2x_pki::add_chain;
use waywarden_v2x_security::{Capacity, Verifier, verification_point};
use waywarden_v2x_signing::Recipient;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, VerificationKeyIndicator};

use crate::note::{Note, Notes};
use waywarden_command_line::exit::Failure;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{HolderRole, IndexEntry};

/// Refuses a public key of the PKI's own authorities, and warns of one that is certified already.
/// Reads each certificate of the index once.
pub(crate) fn check(
    directory: &PkiDirectory,
    path: &Path,
    public: &Point,
    notes: Notes<'_>,
) -> Result<(), Failure> {
    for entry in &directory.index.entries {
        if !keys(directory, entry)?.contains(public) {
            continue;
        }
        let (path, name, id) = (path.display(), &entry.name, &entry.id);
        let role = entry.role.show(directory.index.shape);
        if entry.role.is_authority() || entry.role == HolderRole::CrlSigner {
            return Err(Failure::new(format_args!(
                "--public {path}: is a key of the PKI itself, of {role} {name} ({id}): its holder \
                 would send messages as an authority; give a key of the station, such as of \
                 `waywarden pki keygen`"
            )));
        }
        notes(Note::Warning(format!(
            "--public {path}: is certified already, for {role} {name} ({id}): receivers see that \
             one holder has both certificates; `waywarden pki keygen` makes another key"
        )));
    }
    Ok(())
}

/// Returns the public keys of a certificate; that of an implicit one is computed from its chain.
fn keys(directory: &PkiDirectory, entry: &IndexEntry) -> Result<Vec<Point>, Failure> {
    let chain = directory.chain(entry)?;
    let own = chain.first().map_or(&[][..], Vec::as_slice);
    let view: Certificate<'_> = parse(own).map_err(Failure::new)?;
    let own_contents = &view.to_be_signed;
    let encryption = own_contents.encryption_key.as_ref();
    let encryption = encryption.and_then(|key| Recipient::response_key(key).ok());
    let signing = match &own_contents.verify_key_indicator {
        VerificationKeyIndicator::VerificationKey(key) => verification_point(key),
        VerificationKeyIndicator::ReconstructionValue(_) => {
            let above = chain.iter().skip(1).map(Vec::as_slice);
            let mut verifier = Verifier::new(Capacity::MINIMAL);
            // One that does not verify has no key that counts.
            let verified = add_chain(&mut verifier, own, above).ok();
            verified.and_then(|verified| verified.public_key())
        }
    };
    let encryption = encryption.map(|recipient| *recipient.public_key());
    Ok(signing.into_iter().chain(encryption).collect())
}
