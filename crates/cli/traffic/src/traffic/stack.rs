//! Messages of a stack in place of beacons, as options of several commands, and their figures.

use waywarden_misbehaviour_authority::Policy;
use waywarden_traffic_lab::CertificateWork;
use waywarden_traffic_lab::radio::RadioSettings;
use waywarden_traffic_stations::{
    CertificateInclusion, CertificateSource, CongestionControl, HostileKind, HostileSettings,
    RevocationSettings, SignatureScheme, StackFigures, StackSettings, VehicleStations,
};
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_misbehaviour::Thresholds;
use waywarden_v2x_neighbourhood::CertificateForm;
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;

use waywarden_command_line::exit::Failure;

use super::stack_certificates::certificates_of;
use super::stack_choices::{
    Awareness, Control, Form, HOSTILE_SHARE, Inclusion, Scheme, hostile_kind, position_error, share,
};
use super::stack_report::StackReport;

/// Messages of vehicles, their certificates, and congestion control.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct StackOptions {
    /// Messages of vehicles: beacons of one length and period, or CAM or BSM by their rules,
    /// encoded and signed, with certificates that may be lost on the air.
    #[arg(long, value_enum, default_value_t)]
    awareness: Awareness,
    /// Congestion control: ETSI's reactive or adaptive one, adaptive with a faster fall, or that of
    /// SAE J2945/1 for BSM [default: off].
    #[arg(long, value_enum, value_name = "ALGORITHM")]
    congestion_control: Option<Control>,
    /// Form of the vehicles' certificates with cam and bsm [default: explicit].
    #[arg(long, value_enum)]
    certificates: Option<Form>,
    /// Scheme that gives signatures and keys their sizes with cam and bsm, in bytes alone: none of
    /// the others is in IEEE 1609.2. Messages above 1,400 bytes are fragments.
    #[arg(long, value_enum, value_name = "SCHEME")]
    signature_scheme: Option<Scheme>,
    /// Messages with the certificate of their signer: those of the application's rules, or each
    /// one [default: rules].
    #[arg(long, value_enum, value_name = "WHEN")]
    certificate_inclusion: Option<Inclusion>,
    /// Sign and verify each message with ECDSA, at each receiver: slow, for small traces. Without
    /// it, signatures are symbols that only the owner of a key makes.
    #[arg(long)]
    real_signatures: bool,
    /// Kinds of hostile vehicles, separated by commas: each hostile vehicle is one of them, by
    /// seed.
    #[arg(long, value_delimiter = ',', value_parser = hostile_kind(), value_name = "KIND")]
    hostile: Vec<HostileKind>,
    /// Share of vehicles that are hostile, above 0 and at most 1 [default: 0.1].
    #[arg(long, value_parser = share, value_name = "SHARE", requires = "hostile")]
    hostile_share: Option<f64>,
    /// Revoke a vehicle that so many others report for misbehaviour, 1 to 16, with two of its
    /// messages at least.
    #[arg(long, value_name = "REPORTERS", requires = "detection",
          value_parser = clap::value_parser!(u8).range(1..=16))]
    revoke_after: Option<u8>,
    /// Seconds from the decision until all vehicles have the revocation list [default: 10].
    #[arg(long, value_name = "SECONDS", requires = "revoke_after")]
    revocation_delay: Option<u32>,
    /// Vehicles that brake with 4 m/s² or more warn the others by DENM, each 100 ms for two
    /// seconds.
    #[arg(long)]
    warnings: bool,
    /// Honest vehicles look for misbehaviour in what they accept.
    #[arg(long)]
    detection: bool,
    /// Standard deviation of the position that each vehicle knows, along each axis in metres, 0 to
    /// 100: it drifts over half a minute [default: 0].
    #[arg(long, value_parser = position_error, value_name = "METRES")]
    position_error: Option<f64>,
}

/// The stack of a run, ready to begin.
#[derive(Clone, Debug)]
pub(super) struct StackPlan {
    settings: StackSettings,
    form: CertificateForm,
    names: (&'static str, &'static str),
}

impl StackOptions {
    /// Returns the stack that the options ask for, if it is not beacons. Options of beacons that
    /// were given are `beacon_options`.
    pub(super) fn plan(
        &self,
        radio: RadioSettings,
        beacon_options: &[&str],
    ) -> Result<Option<StackPlan>, Failure> {
        let (service, name) = match self.awareness {
            Awareness::Cam => (MessageService::CamOverGeoNetworking, "cam"),
            Awareness::Bsm => (MessageService::BsmOverWsmp, "bsm"),
            Awareness::Beacons => {
                return match self.given() {
                    Some(option) => Err(Failure::new(format_args!(
                        "{option} needs messages of a stack; give --awareness cam or bsm, too"
                    ))),
                    None => Ok(None),
                };
            }
        };
        if let Some(option) = beacon_options.first() {
            return Err(Failure::new(format_args!(
                "{option} is for beacons, and --awareness {name} has its own lengths and times; \
                 leave one of them out"
            )));
        }
        let (control, control_name) = match self.congestion_control.unwrap_or(Control::Off) {
            Control::J2945 if self.awareness != Awareness::Bsm => {
                return Err(Failure::new(
                    "--congestion-control j2945 controls basic safety messages; give --awareness \
                     bsm, or reactive, adaptive or dual-alpha",
                ));
            }
            Control::Off => (CongestionControl::Etsi(Algorithm::Off), "off"),
            Control::Reactive => (CongestionControl::Etsi(Algorithm::Reactive), "reactive"),
            Control::Adaptive => (CongestionControl::Etsi(Algorithm::Adaptive), "adaptive"),
            Control::DualAlpha => (CongestionControl::Etsi(Algorithm::DualAlpha), "dual-alpha"),
            Control::J2945 => (CongestionControl::Sae, "j2945"),
        };
        Ok(Some(StackPlan {
            settings: StackSettings {
                service,
                control,
                scheme: self.scheme()?,
                inclusion: match self.certificate_inclusion {
                    Some(Inclusion::Always) => CertificateInclusion::Always,
                    Some(Inclusion::Rules) | None => CertificateInclusion::Rules,
                },
                change: ChangeRules::default(),
                has_real_signatures: self.real_signatures,
                detection: self.detection.then_some(Thresholds::STANDARD),
                revocation: self.revocation(),
                has_warnings: self.warnings,
                position_error_m: self.position_error.unwrap_or(0.0),
                hostile: HostileSettings {
                    kinds: self.hostile.clone(),
                    share: self.hostile_share.unwrap_or(HOSTILE_SHARE),
                },
                radio,
                seed: 0,
            },
            form: match self.certificates {
                Some(Form::Implicit) => CertificateForm::Implicit,
                Some(Form::Explicit) | None => CertificateForm::Explicit,
            },
            names: (name, control_name),
        }))
    }
}

impl StackOptions {
    /// Returns an option that was given and needs a stack.
    fn given(&self) -> Option<&'static str> {
        let given = [
            self.congestion_control.map(|_| "--congestion-control"),
            self.certificates.map(|_| "--certificates"),
            self.signature_scheme.map(|_| "--signature-scheme"),
            self.certificate_inclusion
                .map(|_| "--certificate-inclusion"),
            self.real_signatures.then_some("--real-signatures"),
            (!self.hostile.is_empty()).then_some("--hostile"),
            self.position_error.map(|_| "--position-error"),
            self.warnings.then_some("--warnings"),
            self.detection.then_some("--detection"),
        ];
        given.into_iter().flatten().next()
    }

    fn revocation(&self) -> Option<RevocationSettings> {
        let reporters = self.revoke_after?;
        Some(RevocationSettings {
            policy: Policy {
                reporters,
                ..Policy::default()
            },
            delay_ns: u64::from(self.revocation_delay.unwrap_or(10)) * 1_000_000_000,
        })
    }

    /// Returns the scheme of the sizes. Others than ECDSA have no implicit certificates, and no
    /// message is really signed with them.
    fn scheme(&self) -> Result<SignatureScheme, Failure> {
        let scheme = self
            .signature_scheme
            .map_or_else(Default::default, Scheme::scheme);
        if scheme == SignatureScheme::EcdsaP256 {
            return Ok(scheme);
        }
        let name = scheme.name();
        let other = match (self.certificates, self.real_signatures) {
            (Some(Form::Implicit), _) => "--certificates implicit is for ECDSA alone",
            (_, true) => "--real-signatures are those of ECDSA",
            _ => return Ok(scheme),
        };
        Err(Failure::new(format_args!(
            "{other}, and --signature-scheme {name} changes sizes only; leave one of them out"
        )))
    }
}

impl StackPlan {
    /// Returns the work of a board for the certificate of a signer. Boards have no time for
    /// schemes other than ECDSA.
    pub(super) fn certificate_work(&self) -> Result<CertificateWork, Failure> {
        let scheme = self.settings.scheme;
        if scheme != SignatureScheme::EcdsaP256 {
            return Err(Failure::new(format_args!(
                "--board verifies ECDSA, and --signature-scheme {} changes sizes only; leave one \
                 of them out",
                scheme.name()
            )));
        }
        Ok(match self.form {
            CertificateForm::Explicit => CertificateWork::Verify,
            CertificateForm::Implicit => CertificateWork::Rebuild,
        })
    }

    /// Returns the stations of all vehicles of a run.
    pub(super) fn stations(
        &self,
        seed: u64,
    ) -> Result<VehicleStations<impl CertificateSource>, Failure> {
        let source = certificates_of(seed, 0, self.form)?;
        let settings = StackSettings {
            seed,
            ..self.settings.clone()
        };
        Ok(VehicleStations::new(settings, source))
    }

    /// Returns all that a run depends on.
    pub(super) fn options(&self) -> serde_json::Value {
        let (awareness, control) = self.names;
        let hostile = &self.settings.hostile;
        let kinds = hostile.kinds.iter().map(|kind| kind.name());
        serde_json::json!({
            "awareness": awareness,
            "congestion_control": control,
            "certificates": format!("{:?}", self.form).to_lowercase(),
            "signature_scheme": self.settings.scheme.name(),
            "certificate_inclusion": format!("{:?}", self.settings.inclusion).to_lowercase(),
            "real_signatures": self.settings.has_real_signatures,
            "hostile": kinds.collect::<Vec<_>>(),
            "hostile_share": hostile.share,
            "revocation": self.settings.revocation.map(|one| format!("{one:?}")),
            "detection": self.settings.detection.is_some(),
            "warnings": self.settings.has_warnings,
            "position_error": self.settings.position_error_m,
        })
    }

    /// Returns the figures of a run as they are printed.
    pub(super) fn report(&self, figures: &StackFigures) -> StackReport {
        StackReport::of(self.names, self.settings.scheme, figures)
    }
}
