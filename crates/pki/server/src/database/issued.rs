//! Issued certificates, and their holders.

use rusqlite::{Row, Transaction, params};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, HashedId10, IssuerIdentifier, Time32, Time64,
};

use super::{Database, DatabaseError, Fault};

/// The purpose of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificatePurpose {
    /// An authority's.
    Authority,
    /// A station's, to ask for tickets with.
    EnrolmentCredential,
    /// A station's, for messages.
    AuthorizationTicket,
}

const KINDS: [(CertificatePurpose, &str); 3] = [
    (CertificatePurpose::Authority, "authority"),
    (
        CertificatePurpose::EnrolmentCredential,
        "enrolment-credential",
    ),
    (
        CertificatePurpose::AuthorizationTicket,
        "authorization-ticket",
    ),
];

impl CertificatePurpose {
    fn name(self) -> &'static str {
        let known = KINDS.iter().find(|(kind, _)| *kind == self);
        known.map_or("", |(_, name)| name)
    }
}

/// A certificate that was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedCertificate {
    /// The hash that names the certificate in messages.
    pub hashed_id_8: HashedId8,
    /// The hash that names the certificate in revocation lists.
    pub hashed_id_10: HashedId10,
    /// The issuer's certificate; none for a root.
    pub issuer: Option<HashedId8>,
    /// Purpose of the certificate.
    pub kind: CertificatePurpose,
    /// Name of the holder in commands; empty where the issuer does not know it.
    pub holder: String,
    /// The canonical identifier of the registered station; none where the issuer does not know.
    pub station: Option<Vec<u8>>,
    /// Start of validity.
    pub start: Time32,
    /// End of validity.
    pub end: Time32,
    /// The certificate, encoded.
    pub certificate: Vec<u8>,
}

impl IssuedCertificate {
    /// Reads a certificate, whose holder and station the caller knows. Returns `None` for one that
    /// cannot be read.
    #[must_use]
    pub fn of(kind: CertificatePurpose, bytes: &[u8]) -> Option<Self> {
        let view: Certificate<'_> = parse(bytes).ok()?;
        let digest = certificate_digest(&view)?;
        let period = view.to_be_signed.validity_period;
        Some(Self {
            hashed_id_8: digest.id_8(),
            hashed_id_10: digest.id_10(),
            issuer: match view.issuer {
                IssuerIdentifier::SelfIssued(_) => None,
                IssuerIdentifier::Sha256AndDigest(id)
                | IssuerIdentifier::Sha384AndDigest(id)
                | IssuerIdentifier::Sm3AndDigest(id) => Some(id),
            },
            kind,
            holder: String::new(),
            station: None,
            start: whole_seconds(period.start()),
            end: whole_seconds(period.end()),
            certificate: bytes.to_vec(),
        })
    }
}

/// Returns the second in which a time lies; a time after 2140 is the last one.
#[must_use]
pub fn whole_seconds(time: Time64) -> Time32 {
    Time32(u32::try_from(time.0 / 1_000_000).unwrap_or(u32::MAX))
}

/// Numbers of SQLite have a sign. What does not fit is 290,000 years from now.
pub(super) fn number(time: Time64) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}

const SELECT: &str = "SELECT hashed_id_8, hashed_id_10, issuer, kind, holder, canonical_id, start, \
    end, certificate FROM issued LEFT JOIN station ON station.id = issued.station";

impl Database {
    /// Records certificates, all or none.
    ///
    /// # Errors
    /// [`DatabaseError::AlreadyIssued`], [`DatabaseError::UnknownStation`].
    pub fn record(&mut self, issued: &[IssuedCertificate]) -> Result<(), DatabaseError> {
        self.change(|transaction| issued.iter().try_for_each(|one| record(transaction, one)))
    }

    /// Records those certificates that are not recorded. Returns their number.
    ///
    /// # Errors
    /// [`DatabaseError::UnknownStation`].
    pub fn record_missing(&mut self, issued: &[IssuedCertificate]) -> Result<usize, DatabaseError> {
        self.change(|transaction| {
            let mut added = 0;
            for one in issued {
                match record(transaction, one) {
                    Ok(()) => added += 1,
                    Err(Fault::Database(DatabaseError::AlreadyIssued(_))) => {}
                    Err(fault) => return Err(fault),
                }
            }
            Ok(added)
        })
    }

    /// Returns a certificate by its hash.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn issued(&self, id: HashedId8) -> Result<Option<IssuedCertificate>, DatabaseError> {
        self.row(&format!("{SELECT} WHERE hashed_id_8 = ?1"), [id.0], read)
    }

    /// Returns the certificates of a registered station, in the order of their issuing.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn issued_to(&self, canonical_id: &[u8]) -> Result<Vec<IssuedCertificate>, DatabaseError> {
        let query = format!("{SELECT} WHERE canonical_id = ?1 ORDER BY issued.rowid");
        self.rows(&query, [canonical_id], read)
    }

    /// Returns the hashes of all certificates, in the order of their issuing.
    ///
    /// # Errors
    /// [`DatabaseError`].
    pub fn issued_ids(&self) -> Result<Vec<HashedId8>, DatabaseError> {
        let query = "SELECT hashed_id_8 FROM issued ORDER BY rowid";
        self.rows(query, [], |row| row.get(0).map(HashedId8))
    }
}

/// Records a certificate in a change.
pub(super) fn record(
    transaction: &Transaction<'_>,
    issued: &IssuedCertificate,
) -> Result<(), Fault> {
    let station = match &issued.station {
        None => None,
        Some(id) => Some(station(transaction, id)?),
    };
    let mut insert = transaction.prepare_cached(
        "INSERT INTO issued (hashed_id_8, hashed_id_10, issuer, kind, holder, station, start, end,
         certificate) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING",
    )?;
    let inserted = insert.execute(params![
        issued.hashed_id_8.0,
        issued.hashed_id_10.0,
        issued.issuer.map(|id| id.0),
        issued.kind.name(),
        issued.holder,
        station,
        issued.start.0,
        issued.end.0,
        issued.certificate
    ])?;
    match inserted {
        0 => Err(DatabaseError::AlreadyIssued(issued.hashed_id_8).into()),
        _ => Ok(()),
    }
}

/// Finds the row of a registered station.
pub(super) fn station(transaction: &Transaction<'_>, canonical_id: &[u8]) -> Result<i64, Fault> {
    let mut select =
        transaction.prepare_cached("SELECT id FROM station WHERE canonical_id = ?1")?;
    match select.query_row([canonical_id], |row| row.get(0)) {
        Err(rusqlite::Error::QueryReturnedNoRows) => {
            Err(DatabaseError::UnknownStation(canonical_id.to_vec()).into())
        }
        other => Ok(other?),
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<IssuedCertificate> {
    let kind: String = row.get(3)?;
    let known = KINDS.iter().find(|(_, name)| *name == kind);
    let issuer: Option<[u8; 8]> = row.get(2)?;
    Ok(IssuedCertificate {
        hashed_id_8: HashedId8(row.get(0)?),
        hashed_id_10: HashedId10(row.get(1)?),
        issuer: issuer.map(HashedId8),
        kind: known.map(|(kind, _)| *kind).ok_or_else(|| {
            let why = format!("{kind:?} is no kind of certificate").into();
            rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, why)
        })?,
        holder: row.get(4)?,
        station: row.get(5)?,
        start: Time32(row.get(6)?),
        end: Time32(row.get(7)?),
        certificate: row.get(8)?,
    })
}
