//! Settings of all vehicles' stations.

use std::fmt;
use std::sync::Arc;

use waywarden_traffic_lab::radio::RadioSettings;
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_keys::{KeyHandle, KeyStore};
use waywarden_v2x_misbehaviour::Thresholds;
use waywarden_v2x_security::Verifier;
use waywarden_v2x_security::store::Verified;
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::authority::RevocationSettings;
use crate::hostile::HostileSettings;
use crate::scheme::SignatureScheme;

/// Congestion control of all stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionControl {
    /// One of ETSI's \[TS 102 687\], or none.
    Etsi(Algorithm),
    /// Rate and power of basic safety messages \[J2945/1\].
    Sae,
}

/// Messages that carry the certificate of their signer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CertificateInclusion {
    /// Those of the application's rules, and when others ask for it.
    #[default]
    Rules,
    /// Each one.
    Always,
}

/// Settings of the stations.
#[derive(Clone, Debug)]
pub struct StackSettings {
    /// Messages and network.
    pub service: MessageService,
    /// Congestion control.
    pub control: CongestionControl,
    /// Scheme that gives signatures and keys their sizes.
    pub scheme: SignatureScheme,
    /// Messages with the certificate of their signer.
    pub inclusion: CertificateInclusion,
    /// Rules for the change of pseudonyms.
    pub change: ChangeRules,
    /// True if each message is signed and verified with ECDSA, which costs some 0.1 ms for each
    /// receiver; false: signatures are symbols, with the same verdicts.
    pub has_real_signatures: bool,
    /// Vehicles that break the rules.
    pub hostile: HostileSettings,
    /// True if vehicles warn of hard braking by DENM.
    pub has_warnings: bool,
    /// Standard deviation of the position that a vehicle knows, along each axis in metres; it
    /// drifts over half a minute. 0: vehicles know where they are.
    pub position_error_m: f64,
    /// Thresholds of the detectors of honest vehicles; `None`: there are none.
    pub detection: Option<Thresholds>,
    /// Rule of the authority that revokes vehicles by reports of detectors; `None`: there is no
    /// authority.
    pub revocation: Option<RevocationSettings>,
    /// The radio: how long a frame is on the air.
    pub radio: RadioSettings,
    /// Seed of identifiers and keys.
    pub seed: u64,
}

/// Human-readable reason for the lack of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCertificate(pub String);

impl fmt::Display for NoCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoCertificate {}

/// A certificate of a vehicle, and its private key where messages are really signed.
pub struct VehicleIdentity {
    /// The certificate.
    pub certificate: Arc<Verified>,
    /// Handle of the private key, and the store that has it; `None`: messages are signed by
    /// symbols.
    pub key: Option<(KeyHandle, Box<dyn KeyStore + Send>)>,
}

impl fmt::Debug for VehicleIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VehicleIdentity")
            .field("certificate", &self.certificate)
            .finish_non_exhaustive()
    }
}

/// Condition of a certificate, as a vehicle needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateCondition {
    /// It is valid now, and of an authority that all vehicles know.
    Valid,
    /// It was valid until the day before.
    Expired,
    /// It is valid now, and of an authority under a root that no vehicle knows.
    UnknownAuthority,
}

/// Source of certificates of vehicles.
pub trait CertificateSource {
    /// Returns a certificate that no vehicle has yet, in this condition at this time.
    ///
    /// # Errors
    /// [`NoCertificate`].
    fn next(
        &mut self,
        condition: CertificateCondition,
        now: Time64,
    ) -> Result<VehicleIdentity, NoCertificate>;

    /// Has a verifier know the authorities, where messages are really verified.
    ///
    /// # Errors
    /// [`NoCertificate`].
    fn trust(&self, verifier: &mut Verifier) -> Result<(), NoCertificate>;
}
