//! Validity of regions, and containment of one in another: "yes" only where that is certain.

use alloc::vec::Vec;

use waywarden_v2x_wire::ieee1609dot2::GeographicRegion;

use super::Borders;
use super::circle::Circle;
use super::fault::RegionFault;
use super::identified;
use super::polygon::{PAIRS_MAX, Polygon};
use super::rectangle::{STEPS_MAX, Span};

/// Most rectangles of a certificate; the standard asks for eight \[1609.2 §6.4\].
const RECTANGLES_MAX: usize = 64;

/// A region that has coordinates.
enum Area {
    Circle(Circle),
    Rectangles(Vec<Span>),
    Polygon(Polygon),
}

impl Area {
    /// None for one that has numbers instead. Counts before it reads.
    fn read(region: &GeographicRegion<'_>) -> Result<Option<Self>, RegionFault> {
        Ok(Some(match region {
            GeographicRegion::Circular(circle) => Self::Circle(Circle::read(circle)?),
            GeographicRegion::Rectangular(all) => match all.len() {
                0 => return Err(RegionFault::Empty),
                1..=RECTANGLES_MAX => {
                    let spans = all.iter().flatten().map(|one| Span::read(&one));
                    Self::Rectangles(spans.collect::<Result<_, _>>()?)
                }
                _ => return Err(RegionFault::TooManyRectangles),
            },
            GeographicRegion::Polygonal(corners) => Self::Polygon(Polygon::read(corners)?),
            GeographicRegion::Identified(_) => return Ok(None),
        }))
    }

    /// Rectangles that cover it.
    fn bounds(&self) -> Option<Vec<Span>> {
        match self {
            Self::Circle(circle) => Some([circle.bounds()].into()),
            Self::Rectangles(all) => Some(all.clone()),
            Self::Polygon(polygon) => Some([polygon.bounds()?].into()),
        }
    }

    fn is_in_circle(&self, outer: &Circle) -> bool {
        let cap = outer.inside();
        match self {
            Self::Circle(circle) => circle.is_in(outer),
            Self::Rectangles(all) => all.iter().all(|one| outer.covers_span(one)),
            // With its corners all that is between them.
            Self::Polygon(polygon) => polygon.corners().iter().all(|corner| cap.contains(*corner)),
        }
    }

    fn is_in_rectangles(&self, outer: &[Span]) -> bool {
        let mut steps = STEPS_MAX;
        let bounds = self.bounds();
        bounds.is_some_and(|own| own.iter().all(|one| one.is_covered(outer, &mut steps)))
    }

    fn is_in_polygon(&self, outer: &Polygon) -> bool {
        let mut pairs = PAIRS_MAX;
        match self {
            Self::Circle(circle) => outer.covers_cap(&circle.around()),
            Self::Rectangles(all) => {
                let mut outlines = all.iter().map(Span::outline);
                outlines.all(|outline| outer.encloses(&outline, &mut pairs))
            }
            Self::Polygon(polygon) => outer.encloses(polygon.corners(), &mut pairs),
        }
    }
}

/// Checks that a region may stand in a certificate: one with another region is invalid
/// \[1609.2 §6.4\]. Bounded: it counts before it compares.
///
/// # Errors
/// The first fault.
pub(crate) fn check_region(region: &GeographicRegion<'_>) -> Result<(), RegionFault> {
    if let GeographicRegion::Identified(regions) = region {
        return identified::check(regions);
    }
    match Area::read(region)? {
        Some(Area::Polygon(polygon)) => polygon.check_simple(),
        _ => Ok(()),
    }
}

/// Returns true if a region is certainly inside another one; both passed [`check_region`].
pub(crate) fn is_within(
    inner: &GeographicRegion<'_>,
    outer: &GeographicRegion<'_>,
    borders: &dyn Borders,
) -> bool {
    if let (GeographicRegion::Identified(inner), GeographicRegion::Identified(outer)) =
        (inner, outer)
    {
        return identified::is_within(inner, outer, borders);
    }
    if let GeographicRegion::Identified(outer) = outer {
        let own = Area::read(inner).ok().flatten();
        let bounds = own.and_then(|own| own.bounds());
        return bounds.is_some_and(|all| identified::covers(outer, &all, borders));
    }
    let (Ok(Some(own)), Ok(Some(other))) = (Area::read(inner), Area::read(outer)) else {
        return false;
    };
    // The same words mean the same.
    inner == outer
        || match &other {
            Area::Circle(circle) => own.is_in_circle(circle),
            Area::Rectangles(all) => own.is_in_rectangles(all),
            Area::Polygon(polygon) => own.is_in_polygon(polygon),
        }
}
