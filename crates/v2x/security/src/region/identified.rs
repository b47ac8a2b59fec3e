//! Countries, their regions and the parts of these, by number.

use alloc::vec::Vec;

use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{IdentifiedRegion, UnCountryId};

use super::Borders;
use super::fault::RegionFault;
use super::rectangle::Span;

/// Most countries, regions and subregions of a certificate together.
pub(super) const IDENTIFIED_MAX: usize = 1_024;

/// Most look-ups of borders for rectangles of one certificate.
const QUESTIONS_MAX: usize = 256;

type Identified<'a> = SequenceOf<'a, IdentifiedRegion<'a>>;

/// No list is empty, and all together have no more elements than are supported.
pub(super) fn check(regions: &Identified<'_>) -> Result<(), RegionFault> {
    let mut count = 0;
    let mut add = |length: usize| {
        count += length;
        match (length, count) {
            (0, _) => Err(RegionFault::Empty),
            (_, ..=IDENTIFIED_MAX) => Ok(()),
            _ => Err(RegionFault::TooManyIdentified),
        }
    };
    add(regions.len())?;
    for region in regions.iter().flatten() {
        match region {
            IdentifiedRegion::CountryOnly(_) => {}
            IdentifiedRegion::CountryAndRegions(own) => add(own.regions.len())?,
            IdentifiedRegion::CountryAndSubregions(own) => {
                add(own.regions.len())?;
                let mut regions = own.regions.iter().flatten();
                regions.try_for_each(|one| add(one.subregions.len()))?;
            }
        }
    }
    Ok(())
}

/// Returns true if `outer` names each part of `inner`, its region or country, or an area around
/// that. Both lists are sorted, then read once: the cursors only advance. Areas are looked up once
/// for each country.
pub(super) fn is_within(
    inner: &Identified<'_>,
    outer: &Identified<'_>,
    borders: &dyn Borders,
) -> bool {
    if check(inner).is_err() || check(outer).is_err() {
        return false;
    }
    let known = names(outer);
    let mut cursors = [0; 3];
    let mut last = None;
    let mut in_area = |country: UnCountryId| match last {
        Some((known, answer)) if known == country => answer,
        _ => {
            let mut areas = borders.areas_around(country).iter();
            let answer = areas.any(|area| known.binary_search(&name(*area, None, None)).is_ok());
            last = Some((country, answer));
            answer
        }
    };
    names(inner).into_iter().all(|name| {
        let containing = [name & COUNTRY, name & (COUNTRY | REGION), name];
        let is_named = containing.iter().zip(&mut cursors).any(|(name, cursor)| {
            *cursor += known[*cursor..]
                .iter()
                .take_while(|own| *own < name)
                .count();
            known.get(*cursor) == Some(name)
        });
        is_named || in_area(UnCountryId((name >> 48) as u16))
    })
}

/// Returns true if each rectangle is certainly in one of the countries, regions or parts. Bounded:
/// false after `QUESTIONS_MAX` look-ups.
pub(super) fn covers(outer: &Identified<'_>, inner: &[Span], borders: &dyn Borders) -> bool {
    let mut questions = QUESTIONS_MAX;
    let known = names(outer);
    inner.iter().all(|span| {
        let Some(rectangle) = span.rectangle() else {
            return false;
        };
        known.iter().any(|name| {
            let left = questions.checked_sub(1);
            questions = left.unwrap_or(0);
            let (country, region, part) = parts(*name);
            left.is_some() && borders.covers(country, region, part, &rectangle)
        })
    })
}

/// A name is a number: of a country, a region plus one or 0 for all, and a part plus one or 0.
type Name = u64;

const COUNTRY: Name = 0xFFFF << 48;
const REGION: Name = 0xFFFF << 32;

fn name(country: UnCountryId, region: Option<u8>, part: Option<u16>) -> Name {
    let region = region.map_or(0, |region| Name::from(region) + 1);
    let part = part.map_or(0, |part| Name::from(part) + 1);
    Name::from(country.0) << 48 | region << 32 | part
}

/// The parts of a [`name`].
fn parts(name: Name) -> (UnCountryId, Option<u8>, Option<u16>) {
    let region = ((name & REGION & !COUNTRY) >> 32).checked_sub(1);
    let part = (name & 0xFFFF_FFFF).checked_sub(1);
    (
        UnCountryId((name >> 48) as u16),
        region.map(|region| region as u8),
        part.map(|part| part as u16),
    )
}

/// Returns the names, sorted.
fn names(regions: &Identified<'_>) -> Vec<Name> {
    let mut names = Vec::new();
    for region in regions.iter().flatten() {
        match region {
            IdentifiedRegion::CountryOnly(country) => names.push(name(country, None, None)),
            IdentifiedRegion::CountryAndRegions(own) => {
                let regions = own.regions.iter().flatten();
                names.extend(regions.map(|region| name(own.country, Some(region), None)));
            }
            IdentifiedRegion::CountryAndSubregions(own) => {
                for one in own.regions.iter().flatten() {
                    let parts = one.subregions.iter().flatten();
                    let region = Some(one.region);
                    names.extend(parts.map(|part| name(own.country, region, Some(part))));
                }
            }
        }
    }
    names.sort_unstable();
    names
}
