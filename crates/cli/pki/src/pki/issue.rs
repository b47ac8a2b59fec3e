//! `waywarden pki issue`: certificates of stations and further authorities.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_pki::{Authority, Region, SspPermission};
use waywarden_v2x_wire::ieee1609dot2::{Duration, EndEntityType, Psid, Time32, Time64};

use super::show;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::progress::ProgressLine;
use waywarden_pki_authorities::issuer::{Subject, Workshop};
use waywarden_pki_authorities::known_key;
use waywarden_pki_authorities::profile::{PermissionText, Profile};
use waywarden_pki_authorities::specification::{Specification, group};
use waywarden_pki_folder::curve::CurveName;
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::{CertificateShape, HolderRole, IndexEntry, KeyForm, name};
use waywarden_pki_folder::key_file::KeyWriter;
use waywarden_pki_folder::key_passphrase::passphrase;
use waywarden_pki_folder::key_store::KeyStoreChoice;
use waywarden_pki_folder::passphrase::{PassphraseSource, Passphrases};
use waywarden_pki_folder::permission::{PsidPermission, Range, default_range, permission, range};
use waywarden_pki_folder::token::{NO_IMPLICIT, TokenSource};
use waywarden_pki_folder::{public, recorded, region, transaction, validity};
use waywarden_v2x_input::time;

/// The most certificates of one command.
const COUNT_MAX: i64 = 10_000;

/// Default validity of a station's certificate: the current week and the next one, so that a week
/// of use is left on any day.
const STATION_VALIDITY: Duration = Duration::Hours(2 * 168);

const EXAMPLES: &str = "\
Examples:
  waywarden pki issue my-pki --name car1                   # CAM and DENM, this week and the next
  waywarden pki issue my-pki --name car1 --count 20 --validity 168h
  waywarden pki issue my-pki --name police --psid CAM:010200 --psid DENM
  waywarden pki issue my-pki --name city --region circle:48.137,11.575,5000
  waywarden pki issue my-pki --name light --profile examples/v2x/pki.toml
  waywarden pki issue my-pki --name aa2 --issuer root --authority --issues CAM --validity 3y
  waywarden pki issue my-pki --name chip --public chip.der  # a key from elsewhere";

/// Issue certificates to stations, or to a further authority.
///
/// Certificates of stations are valid for whole weeks, or cells of `pki init --validity-grid`, from
/// the one in which --start lies: no validity period tells one vehicle from another. Less than
/// --validity may be left: ask for one cell more than you need. Without --validity it is two weeks,
/// of an authority three years.
///
/// What the issuer may not give is refused with the name of the field, and nothing is written. In
/// a PKI made with --us the certificates are implicit unless --explicit is given.
///
/// Exit code 0 if all were issued, 2 if none was.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("signer").args(["key_store", "token"]))]
pub(crate) struct Issue {
    /// The folder of the PKI.
    dir: PathBuf,
    /// Name of the holder in commands; a station's certificate does not have it.
    #[arg(long, value_parser = name)]
    name: String,
    /// A profile whose table `[station]` says what is not given as an option.
    #[arg(long, value_name = "FILE", conflicts_with = "authority")]
    profile: Option<PathBuf>,
    /// The name of the authority that issues [default: the authorization authority, pseudonym CA].
    #[arg(long)]
    issuer: Option<String>,
    /// An application that the holder may send, by name or number, and its permissions as
    /// hexadecimal digits. May be given more than once [default: CAM and DENM, or BSM].
    #[arg(long, value_name = "APPLICATION[:BITMAP]", value_parser = permission)]
    psid: Vec<PsidPermission>,
    /// An implicit certificate (ECQV, IEEE 1609.2).
    #[arg(long, conflicts_with_all = ["explicit", "public", "authority", "curve"])]
    implicit: bool,
    /// An explicit certificate, also in a PKI made with --us.
    #[arg(long)]
    explicit: bool,
    /// Number of certificates, each with a key of its own.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    count: u32,
    #[command(flatten)]
    period: Period,
    /// Region in which the certificate is valid [default: that of the issuer].
    #[arg(long, value_parser = region::parse)]
    region: Option<Region>,
    /// The curve of the key [default: that of the issuer].
    #[arg(long, value_enum)]
    curve: Option<CurveName>,
    /// Give the certificate a key to encrypt to, too.
    #[arg(long)]
    encryption_key: bool,
    /// The holder's public key, from elsewhere: a point or SubjectPublicKeyInfo (DER). That the
    /// holder has the private key is for you to check.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "encryption_key"])]
    public: Option<PathBuf>,
    /// The holder issues certificates to stations.
    #[arg(long, conflicts_with_all = ["psid", "count", "public"])]
    authority: bool,
    /// An application that such an authority may issue, and value and mask of its permissions. May
    /// be given more than once [default: CAM and DENM, or BSM].
    #[arg(long, value_name = "APPLICATION[:VALUE/MASK]", value_parser = range)]
    #[arg(requires = "authority")]
    issues: Vec<Range>,
    #[command(flatten)]
    key_store: KeyStoreChoice,
    #[command(flatten)]
    passphrase: PassphraseSource,
    #[command(flatten)]
    token: TokenSource,
}

/// Validity period of a certificate.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Period {
    /// Start of the validity, such as 2026-03-01T12:00:00Z [default: now; of an authority the
    /// beginning of the current cell of the PKI's grid].
    #[arg(long, value_name = "TIME", value_parser = time::parse_time)]
    pub(crate) start: Option<Time64>,
    /// Longest validity, such as 168h, 7d or 3y.
    #[arg(long, value_name = "DURATION", value_parser = validity::duration)]
    pub(crate) validity: Option<Duration>,
}

/// Certificates that a command issues.
pub(crate) struct Order<'o> {
    pub(crate) issuer: &'o IndexEntry,
    /// Its curve counts only if `curve` is given.
    pub(crate) specification: Specification,
    pub(crate) curve: Option<Curve>,
    pub(crate) start: Option<Time64>,
    pub(crate) is_implicit: bool,
    pub(crate) public: Option<PathBuf>,
    pub(crate) count: u32,
    pub(crate) key_store: KeyStoreChoice,
}

impl Issue {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let directory = PkiDirectory::open_to_change(&self.dir)?;
        let shape = directory.index.shape;
        check_name(&directory, &self.name, self.role())?;
        let profile = self.profile.as_deref().map(Profile::read).transpose()?;
        let station = profile.unwrap_or_default().station;
        let named = station.issuer.as_ref().map(|name| name.0.as_str());
        let named = self.issuer.as_deref().or(named);
        let issuer = directory.issuer(named, HolderRole::Authorization)?;
        let default = match self.authority {
            true => Duration::Years(3),
            false => STATION_VALIDITY,
        };
        let validity = self.period.validity;
        let validity = validity.or(station.validity.map(|validity| validity.0));
        let validity = validity.unwrap_or(default);
        let region = self.region.clone();
        let wants_key = self.encryption_key || station.encryption_key;
        let specification = Specification {
            region: region.or(station.region.map(|region| region.0)),
            encryption_key: self.authority || (wants_key && self.public.is_none()),
            permissions: self.permissions(shape, &station.permissions),
            issues: match self.authority {
                true => vec![group(self.ranges(shape), 1, 0, EndEntityType::APP)],
                false => Vec::new(),
            },
            ..Specification::new(&self.name, self.role(), None, validity)
        };
        let curve = self.curve.or(station.curve);
        // Implicit certificates have their issuer's curve.
        let is_explicit =
            self.explicit || self.public.is_some() || self.authority || curve.is_some();
        let order = Order {
            issuer,
            specification,
            curve: curve.map(Curve::from),
            start: self.period.start,
            is_implicit: self.implicit || (shape == CertificateShape::Us && !is_explicit),
            public: self.public.clone(),
            count: self.count,
            key_store: self.key_store.clone(),
        };
        fill(&directory, &order, &self.passphrase, &self.token)
    }

    fn role(&self) -> HolderRole {
        match self.authority {
            true => HolderRole::Authorization,
            false => HolderRole::Station,
        }
    }

    fn permissions(
        &self,
        shape: CertificateShape,
        of_profile: &[PermissionText],
    ) -> Vec<(Psid, SspPermission)> {
        let texts: &[&str] = match (self.authority, shape) {
            (true, CertificateShape::Etsi) => &["SCR:0132"],
            (true, CertificateShape::Us) => &["SCMS"],
            (false, CertificateShape::Etsi) => &["CAM", "DENM"],
            (false, CertificateShape::Us) => &["BSM"],
        };
        let default = texts.iter().filter_map(|text| permission(text).ok());
        let given = self.psid.iter().cloned();
        let of_profile = of_profile.iter().map(|one| one.0.clone());
        let all: Vec<PsidPermission> = match (self.psid.is_empty(), of_profile.len()) {
            (false, _) => given.collect(),
            (true, 0) => default.collect(),
            (true, _) => of_profile.collect(),
        };
        all.into_iter().map(|one| (one.0, one.1)).collect()
    }

    fn ranges(&self, shape: CertificateShape) -> Vec<(Psid, waywarden_v2x_pki::PermissionRange)> {
        let default: &[u64] = match shape {
            CertificateShape::Etsi => &[36, 37],
            CertificateShape::Us => &[32],
        };
        if self.issues.is_empty() {
            let default = default.iter().map(|psid| Psid(*psid));
            default.map(|psid| (psid, default_range(psid))).collect()
        } else {
            self.issues
                .iter()
                .map(|one| (one.0, one.1.clone()))
                .collect()
        }
    }
}

/// A name is one holder's: its certificates of another role need another name.
pub(super) fn check_name(
    directory: &PkiDirectory,
    name: &str,
    role: HolderRole,
) -> Result<(), Failure> {
    let entries = directory.index.entries.iter();
    let other = entries
        .filter(|one| one.name == name)
        .find(|one| one.role != role);
    match other {
        None => Ok(()),
        Some(other) => Err(Failure::new(format_args!(
            "--name {name}: is the name of {} {}; give another name",
            other.role.show(directory.index.shape),
            other.id
        ))),
    }
}

/// Issues what was asked for, writes it, and shows it.
pub(crate) fn fill(
    directory: &PkiDirectory,
    order: &Order<'_>,
    source: &PassphraseSource,
    token: &TokenSource,
) -> Result<Answer, Failure> {
    if order.is_implicit && order.issuer.token.is_some() {
        return Err(Failure::new(format_args!(
            "{}: type: its key is in a token, and {NO_IMPLICIT}; give --explicit",
            order.issuer.name
        )));
    }
    let mut passphrases = Passphrases::new(source);
    let passphrase = passphrase(directory, order.issuer, &mut passphrases)?;
    let writer = match (&passphrase, directory.index.keys) {
        (Some(passphrase), _) => KeyWriter::Encrypted(passphrase),
        (None, KeyForm::Plain) => KeyWriter::Plain,
        (None, _) => KeyWriter::Unencrypted,
    };
    // Before anything is issued: a database that cannot be changed is found now.
    let mut database = recorded::open(&directory.path, &directory.index)?;
    let mut workshop = Workshop::new(writer)?;
    let select = |curve| order.key_store.select_to_issue(curve, order.is_implicit);
    let authority = workshop.authority(directory, order.issuer, &mut passphrases, select, token)?;
    let start = start(directory, order, &authority)?;
    let mut specification = order.specification.clone();
    specification.curve = order.curve.unwrap_or(authority.credential().curve());
    let public: Option<Point> = match &order.public {
        None => None,
        Some(path) => {
            let public = public::read(path, specification.curve)?;
            known_key::check(directory, path, &public)?;
            Some(public)
        }
    };
    let subject = match (&public, order.is_implicit) {
        (Some(public), _) => Subject::Public(public),
        (None, true) => Subject::Implicit,
        (None, false) => Subject::New,
    };
    let mut index = directory.index.clone();
    let (begun, mut progress) = (
        Instant::now(),
        ProgressLine::new("certificates", order.count as usize),
    );
    for done in 0..order.count as usize {
        if let Some(line) = progress.line(begun.elapsed(), done) {
            messages::status(line);
        }
        let issued = workshop.issue(&mut index, &authority, &specification, start, subject);
        let (key, _) = issued.map_err(|failure| by(directory, order.issuer, &failure))?;
        workshop.retire(key);
    }
    let written = transaction::commit(&directory.path, &workshop.files, &index);
    // The keys of a change that is decided are needed, also where it is not finished.
    if written.is_ok() || transaction::is_interrupted(&directory.path) {
        workshop.store.keep();
    }
    written?;
    let recorded = recorded::record(&mut database, &directory.path, &index);
    recorded.map_err(|failure| recorded::decided(&failure))?;
    let mut out = super::stdout();
    let before = directory.index.entries.len();
    for entry in &index.entries[before..] {
        show::entry(&mut out, directory, entry, 0)?;
    }
    out.flush()?;
    Ok(Answer::Yes)
}

/// Returns the start of the certificates. An authority is valid from the beginning of a cell of the
/// grid on, unless asked otherwise, so that what it issues begins there, too.
fn start(
    directory: &PkiDirectory,
    order: &Order<'_>,
    authority: &Authority,
) -> Result<Time32, Failure> {
    let start = validity::start(order.start.unwrap_or_else(time::now)).map_err(Failure::new)?;
    if order.start.is_some() || !order.specification.role.issues() {
        return Ok(start);
    }
    let (issuer_start, _) = authority.credential().certificate().validity();
    let issuer_start = validity::start(issuer_start).map_err(Failure::new)?;
    Ok(directory.index.grid().cell_start(start).max(issuer_start))
}

/// Names the issuer's certificate in a failure to issue.
fn by(directory: &PkiDirectory, issuer: &IndexEntry, failure: &Failure) -> Failure {
    let file = directory.file(&issuer.certificate);
    let lines = failure.lines().iter();
    Failure::all(lines.map(|line| format!("{} ({}): {line}", file.display(), issuer.name)))
}
