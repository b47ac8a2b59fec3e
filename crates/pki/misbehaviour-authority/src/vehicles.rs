//! The vehicles behind pseudonyms, by the seeds of both linkage authorities.

use std::collections::HashMap;

use waywarden_v2x_security::linkage::{PreLinkageValues, linkage_value};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, IValue, LaId, LinkageSeed, LinkageValue,
};

/// Number of a vehicle, as its registration has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VehicleId(
    /// The number.
    pub u32,
);

/// Resolves pseudonyms: the only one who can is a registration with both linkage authorities.
pub trait VehicleResolver {
    /// Reason why nothing can be resolved.
    type Error;

    /// Returns the vehicle of a verified certificate; `None` for a certificate of no vehicle.
    ///
    /// # Errors
    /// Reason for which the authority cannot say it.
    fn vehicle(&mut self, certificate: &Certificate<'_>) -> Result<Option<VehicleId>, Self::Error>;
}

/// Linkage values of vehicles, one by one: 13 bytes a pseudonym, and a look-up for each question.
#[derive(Clone, Debug, Default)]
pub struct LinkageIndex {
    values: HashMap<(IValue, LinkageValue), VehicleId>,
}

impl LinkageIndex {
    /// Has no vehicle.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the pseudonyms of a vehicle in a period: those with an index up to `j_max`. The seeds
    /// are those of this period.
    pub fn add(
        &mut self,
        vehicle: VehicleId,
        period: IValue,
        [(one, one_seed), (other, other_seed)]: &[(LaId, LinkageSeed); 2],
        j_max: u8,
    ) {
        let first = PreLinkageValues::new(*one, one_seed);
        let second = PreLinkageValues::new(*other, other_seed);
        for j in 0..=u32::from(j_max) {
            let value = linkage_value(first.at(j), second.at(j));
            self.values.insert((period, value), vehicle);
        }
    }

    /// Returns the vehicle of a certificate; `None` for one without a linkage value, and for one
    /// that no vehicle has.
    #[must_use]
    pub fn find(&self, certificate: &Certificate<'_>) -> Option<VehicleId> {
        match &certificate.to_be_signed.id {
            CertificateId::LinkageData(linkage) => {
                let key = (linkage.period, linkage.value);
                self.values.get(&key).copied()
            }
            _ => None,
        }
    }

    /// Returns the number of pseudonyms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there is no pseudonym.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl VehicleResolver for LinkageIndex {
    type Error = core::convert::Infallible;

    fn vehicle(&mut self, certificate: &Certificate<'_>) -> Result<Option<VehicleId>, Self::Error> {
        Ok(self.find(certificate))
    }
}
