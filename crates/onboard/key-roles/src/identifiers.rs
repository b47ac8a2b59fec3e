//! Identifier plans: the identifiers of a key protocol's frames, and the places of its fields in
//! them.
//!
//! A plan fixes some bits of all identifiers, as an acceptance filter does: a base, and a mask with
//! ones where identifiers have the bits of the base. The fields take the other bits. The highest of
//! these is the priority; the fields stand at the lower end, and what is left between is zero.

#[cfg(test)]
mod tests;

use core::fmt;

use waywarden_can::{ExtendedId, Id};

use crate::Address;

/// The bits of a 29-bit and of an 11-bit identifier.
const EXTENDED: u32 = ExtendedId::MAX;
const STANDARD: u32 = 0x7FF;

/// Bits of an address.
const ADDRESS_BITS: u32 = u8::BITS;

/// The identifiers of a key protocol: fixed bits, and bits for its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IdentifierPlan {
    is_extended: bool,
    base: u32,
    mask: u32,
}

/// The bits that all identifiers of a plan have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedBits {
    /// Their values; zero elsewhere.
    pub base: u32,
    /// The mask: ones for the bits that are fixed.
    pub mask: u32,
}

impl FixedBits {
    /// No bit is fixed.
    pub const NONE: Self = FixedBits { base: 0, mask: 0 };
}

/// An error of making an identifier plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentifierPlanError {
    /// The base or the mask has more bits than identifiers of the format.
    TooWide(u32),
    /// The base has ones where the mask leaves the bits to the fields.
    Unmasked {
        /// The base.
        base: u32,
        /// The mask.
        mask: u32,
    },
}

/// The fields of an identifier: a code of `BITS` bits and `N` addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields<const BITS: u32, const N: usize> {
    /// The priority bit: the frame gives way to application traffic.
    pub gives_way: bool,
    /// The kind of content that the frame carries.
    pub code: u8,
    /// The addresses of the frame, the highest bits first.
    pub addresses: [Address; N],
}

/// Identifiers of one format that have the bits of a value where a mask has ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdPattern {
    /// True for 29 bits, false for 11.
    pub is_extended: bool,
    /// The bits that count; zero elsewhere.
    pub value: u32,
    /// The mask: ones for the bits that count.
    pub mask: u32,
}

impl IdentifierPlan {
    /// Makes a plan of 29-bit identifiers.
    ///
    /// # Errors
    /// [`IdentifierPlanError`] by cause.
    pub const fn extended(fixed: FixedBits) -> Result<Self, IdentifierPlanError> {
        Self::new(true, fixed)
    }

    /// Makes a plan of 11-bit identifiers.
    ///
    /// # Errors
    /// [`IdentifierPlanError`] by cause.
    pub const fn standard(fixed: FixedBits) -> Result<Self, IdentifierPlanError> {
        Self::new(false, fixed)
    }

    const fn new(is_extended: bool, fixed: FixedBits) -> Result<Self, IdentifierPlanError> {
        let FixedBits { base, mask } = fixed;
        let all = if is_extended { EXTENDED } else { STANDARD };
        if base & !all != 0 {
            return Err(IdentifierPlanError::TooWide(base));
        }
        if mask & !all != 0 {
            return Err(IdentifierPlanError::TooWide(mask));
        }
        if base & !mask != 0 {
            return Err(IdentifierPlanError::Unmasked { base, mask });
        }
        Ok(IdentifierPlan {
            is_extended,
            base,
            mask,
        })
    }

    /// Returns true for 29-bit identifiers.
    #[must_use]
    pub const fn is_extended(&self) -> bool {
        self.is_extended
    }

    /// Returns the fixed bits.
    #[must_use]
    pub const fn base(&self) -> u32 {
        self.base
    }

    /// Returns which bits are fixed.
    #[must_use]
    pub const fn mask(&self) -> u32 {
        self.mask
    }

    /// Returns how many bits are left to the fields.
    #[must_use]
    pub const fn free_bits(&self) -> u32 {
        self.free().count_ones()
    }

    /// Returns how many bits the fields take with addresses up to `highest`: the priority, the
    /// code, and the addresses.
    #[must_use]
    pub const fn needed_bits<const BITS: u32, const N: usize>(highest: Address) -> u32 {
        1 + BITS + N as u32 * (u8::BITS - highest.0.leading_zeros())
    }

    /// Returns the pattern of all its identifiers.
    #[must_use]
    pub const fn pattern(&self) -> IdPattern {
        IdPattern {
            is_extended: self.is_extended,
            value: self.base,
            mask: self.mask,
        }
    }

    /// Returns the identifier with these fields; none if the plan leaves too few bits for them.
    #[must_use]
    pub fn identifier<const BITS: u32, const N: usize>(
        &self,
        fields: &Fields<BITS, N>,
    ) -> Option<Id> {
        let width = self.address_bits::<BITS, N>()?;
        let mut low = u32::from(fields.code);
        if low >> BITS != 0 {
            return None;
        }
        for address in fields.addresses {
            let address = u32::from(address.0);
            if address >> width != 0 {
                return None;
            }
            low = low << width | address;
        }
        let top = u32::from(fields.gives_way) << (self.free_bits() - 1);
        let raw = self.base | self.deposit(top | low);
        match self.is_extended {
            true => Id::extended(raw).ok(),
            false => Id::standard(u16::try_from(raw).ok()?).ok(),
        }
    }

    /// Returns the fields of an identifier; none if it is not one of the plan.
    #[must_use]
    pub fn fields<const BITS: u32, const N: usize>(&self, id: Id) -> Option<Fields<BITS, N>> {
        if !self.pattern().covers(id) {
            return None;
        }
        let width = self.address_bits::<BITS, N>()?;
        let all = self.extract(id.raw());
        let top = 1 << (self.free_bits() - 1);
        let mut low = all & !top;
        let mut addresses = [Address::NONE; N];
        for address in addresses.iter_mut().rev() {
            // At most eight bits.
            *address = Address((low & ((1 << width) - 1)) as u8);
            low >>= width;
        }
        if low >> BITS != 0 {
            return None;
        }
        let code = u8::try_from(low).ok()?;
        Some(Fields {
            gives_way: all & top != 0,
            code,
            addresses,
        })
    }

    /// Returns the pattern of the identifiers with a code and, where they are given, addresses;
    /// none if the plan leaves too few bits for them.
    #[must_use]
    pub fn pattern_of<const BITS: u32, const N: usize>(
        &self,
        code: Option<u8>,
        addresses: [Option<Address>; N],
    ) -> Option<IdPattern> {
        let fields = |code: u8, addresses: [Address; N]| Fields::<BITS, N> {
            gives_way: false,
            code,
            addresses,
        };
        let known = addresses.map(Option::unwrap_or_default);
        let value = self.identifier(&fields(code.unwrap_or(0), known))?.raw();
        let width = self.address_bits::<BITS, N>()?;
        // Ones where any value may stand: the priority, and the fields that are not given.
        let mut open = match code {
            None => (1 << BITS) - 1,
            Some(_) => 0,
        };
        for address in addresses {
            let bits = match address {
                None => (1 << width) - 1,
                Some(_) => 0,
            };
            open = open << width | bits;
        }
        open |= 1 << (self.free_bits() - 1);
        let pattern = self.pattern();
        Some(IdPattern {
            value,
            mask: (pattern.mask | self.free()) & !self.deposit(open),
            ..pattern
        })
    }

    const fn free(&self) -> u32 {
        let all = if self.is_extended { EXTENDED } else { STANDARD };
        all & !self.mask
    }

    /// Returns how many bits an address has: as many as there is room for, up to eight.
    fn address_bits<const BITS: u32, const N: usize>(&self) -> Option<u32> {
        let left = self.free_bits().checked_sub(1 + BITS)?;
        let width = (left / N as u32).min(ADDRESS_BITS);
        (width > 0).then_some(width)
    }

    /// Puts the low bits of a number where the mask leaves bits free.
    fn deposit(&self, low: u32) -> u32 {
        let runs = self.runs();
        runs.fold(0, |raw, (shift, at, ones)| {
            raw | (low >> at & ones) << shift
        })
    }

    /// Takes them from there again.
    fn extract(&self, raw: u32) -> u32 {
        let runs = self.runs();
        runs.fold(0, |low, (shift, at, ones)| {
            low | (raw >> shift & ones) << at
        })
    }

    /// Returns the runs of free bits, the lowest first: where each begins in the identifier and
    /// among the free bits, and as many ones as it has bits.
    fn runs(&self) -> impl Iterator<Item = (u32, u32, u32)> + use<> {
        let (mut free, mut at) = (self.free(), 0);
        core::iter::from_fn(move || {
            let shift = free.trailing_zeros();
            let width = free.checked_shr(shift)?.trailing_ones();
            // Identifiers have 29 bits, so a run is shorter than the number.
            let ones = (1 << width) - 1;
            free &= !(ones << shift);
            at += width;
            Some((shift, at - width, ones))
        })
    }
}

impl IdPattern {
    /// Returns true for an identifier that has the bits.
    #[must_use]
    pub const fn covers(&self, id: Id) -> bool {
        id.is_extended() == self.is_extended && (id.raw() ^ self.value) & self.mask == 0
    }

    /// Returns true if an identifier has the bits of both patterns.
    #[must_use]
    pub const fn meets(&self, other: &IdPattern) -> bool {
        let both = self.mask & other.mask;
        self.is_extended == other.is_extended && (self.value ^ other.value) & both == 0
    }
}

impl fmt::Display for IdentifierPlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdentifierPlanError::TooWide(bits) => {
                write!(
                    f,
                    "0x{bits:X} has more bits than the identifiers of the plan"
                )
            }
            IdentifierPlanError::Unmasked { base, mask } => write!(
                f,
                "base 0x{base:X} has ones where mask 0x{mask:X} leaves the bits to the fields"
            ),
        }
    }
}

impl core::error::Error for IdentifierPlanError {}
