//! Verification of eight requests in each of K vectors.
//!
//! All requests of a run take the same path: with a table of the key, with the key, with the
//! parts of an implicit key and a table of the issuer's, or without it. Integers modulo the order
//! are reckoned one by one, with one inversion; everything in the field is done in all lanes.

use super::decode::{Alleged, decode};
use super::each::each;
use super::generators::{GENERATOR, LaneTabulated};
use super::points::{AffinePoints, Field, Points};
use super::tables::OwnTables;
use super::terms::{Row, Term, odd_digits, sum};
use super::{Elements, Lanes};
use crate::curves::{Scalar, Weierstrass};
use crate::encoding::{Coordinates, Ordinate, PointError};
use crate::job::{SignatureRefusal, Verdict};
use crate::limbs::{add, less};
use crate::multiply::{FixedBase, Form, Shape};
use crate::request::{Answer, Known, Request, RequestKey};
use crate::residue::{Prime, Residue};

/// Path of a request through a kernel, by the form of its key and the tables that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    KnownKey,
    Explicit,
    KnownIssuer,
    Implicit,
}

impl Path {
    pub(crate) const ALL: [Self; 4] = [
        Self::KnownKey,
        Self::Explicit,
        Self::KnownIssuer,
        Self::Implicit,
    ];

    pub(crate) fn of<const N: usize>(request: &Request<N>, known: &Known<'_>) -> Self {
        let usable =
            |table: &Option<FixedBase<'_>>| table.is_some_and(|table| table.form == Form::Lanes);
        match &request.key {
            _ if usable(&known.key) => Self::KnownKey,
            RequestKey::Explicit(_) => Self::Explicit,
            RequestKey::Implicit { .. } if usable(&known.issuer) => Self::KnownIssuer,
            RequestKey::Implicit { .. } => Self::Implicit,
        }
    }

    /// The path of a request that does not take this one's table.
    pub(crate) fn without_table<const N: usize>(
        self,
        request: &Request<N>,
        known: &Known<'_>,
    ) -> Self {
        let issuer = known.issuer.filter(|_| self != Self::KnownIssuer);
        Self::of(request, &Known { key: None, issuer })
    }
}

/// A request and what is known of its keys.
pub(crate) type Item<'a> = (&'a Request<4>, &'a Known<'a>);

/// The rows of a table in the form of the lanes.
fn rows<'a>(table: Option<FixedBase<'a>>) -> &'a [Row] {
    table.map_or(&[], |table| table.words.as_chunks().0)
}

/// 8 K requests on one path, and what has been found of them.
struct Run<'a, V: Lanes, C: Weierstrass<4>, const K: usize> {
    items: &'a [[Item<'a>; 8]; K],
    /// u1 = z/s and u2 = r/s.
    scalars: [[[Scalar<C, 4>; 2]; 8]; K],
    /// Lanes that are refused, the first reason of each.
    refused: [[Option<SignatureRefusal>; 8]; K],
    vector: core::marker::PhantomData<V>,
}

/// Verifies requests that take the same path. Unless `CHECKED`, lanes in which a special case was
/// met are undecided.
#[inline(always)]
pub(super) fn verify<V, C, const K: usize, const CHECKED: bool>(
    path: Path,
    items: &[[Item<'_>; 8]; K],
) -> [[Answer; 8]; K]
where
    V: Lanes,
    C: LaneTabulated,
{
    let mut run = Run::<V, C, K> {
        items,
        scalars: scalars::<C, K>(items),
        refused: [[None; 8]; K],
        vector: core::marker::PhantomData,
    };
    let point = run.point::<CHECKED>(path);
    run.judge::<CHECKED>(&Points::from_model(point))
}

/// u1 and u2 of each request, by one inversion.
fn scalars<C: Weierstrass<4>, const K: usize>(
    items: &[[Item<'_>; 8]; K],
) -> [[[Scalar<C, 4>; 2]; 8]; K] {
    let mut inverses = [[Scalar::<C, 4>::ONE; 8]; K];
    let mut room = [[Residue::ONE; 8]; K];
    let requests = items.as_flattened();
    for (inverse, (request, _)) in inverses.as_flattened_mut().iter_mut().zip(requests) {
        *inverse = Residue::from_integer(&request.s);
    }
    Residue::invert_all(inverses.as_flattened_mut(), room.as_flattened_mut());
    let mut scalars = [[[Residue::ONE; 2]; 8]; K];
    let inverses = inverses.as_flattened().iter();
    for ((scalars, inverse), (request, _)) in scalars
        .as_flattened_mut()
        .iter_mut()
        .zip(inverses)
        .zip(requests)
    {
        *scalars = [request.z, request.r].map(|word| inverse.mul(&Residue::from_integer(&word)));
    }
    scalars
}

impl<'a, V: Lanes, C: LaneTabulated, const K: usize> Run<'a, V, C, K> {
    /// u1 G, with the rows of the generator.
    fn generator(&self) -> Term<'static, K> {
        Term::new(
            self.digits(|run, g, lane| run.scalars[g][lane][0]),
            [[C::ROWS; 8]; K],
            GENERATOR,
        )
    }

    /// The digits of a scalar of each lane.
    fn digits(&self, scalar: impl Fn(&Self, usize, usize) -> Scalar<C, 4>) -> [[[u64; 4]; 8]; K] {
        let mut digits = [[[0; 4]; 8]; K];
        for (g, digits) in digits.iter_mut().enumerate() {
            for (lane, digits) in digits.iter_mut().enumerate() {
                *digits = odd_digits::<C::Order>(&scalar(self, g, lane).to_integer());
            }
        }
        digits
    }

    /// The digits of u2.
    fn second(&self) -> [[[u64; 4]; 8]; K] {
        self.digits(|run, g, lane| run.scalars[g][lane][1])
    }

    fn kept(&self, table: impl Fn(&Known<'a>) -> Option<FixedBase<'a>>) -> [[&'a [Row]; 8]; K] {
        self.items
            .map(|items| items.map(|(_, known)| rows(table(known))))
    }

    /// u1 G + u2 Q. Each path has its own room on the stack: one frame for all had half as much
    /// again.
    #[inline(always)]
    fn point<const CHECKED: bool>(&mut self, path: Path) -> Points<V, C::Model, K> {
        match path {
            Path::KnownKey => V::outline(
                #[inline(always)]
                || self.known_key::<CHECKED>(),
            ),
            Path::Explicit => V::outline(
                #[inline(always)]
                || self.explicit::<CHECKED>(),
            ),
            Path::KnownIssuer => V::outline(
                #[inline(always)]
                || self.known_issuer::<CHECKED>(),
            ),
            Path::Implicit => V::outline(
                #[inline(always)]
                || self.implicit::<CHECKED>(),
            ),
        }
    }

    #[inline(always)]
    fn known_key<const CHECKED: bool>(&mut self) -> Points<V, C::Model, K> {
        let key = Term::new(self.second(), self.kept(|known| known.key), Shape::SENDER);
        sum::<V, C::Model, K, CHECKED>(&[key, self.generator()])
    }

    #[inline(always)]
    fn explicit<const CHECKED: bool>(&mut self) -> Points<V, C::Model, K> {
        let keys = self.points(
            SignatureRefusal::Key(PointError::NotOnCurve),
            |key| match key {
                RequestKey::Explicit(key) => Some(key),
                RequestKey::Implicit { .. } => None,
            },
        );
        let mut tables = OwnTables::ROOM;
        let key = tables.term(&keys, self.second());
        sum::<V, C::Model, K, CHECKED>(&[key, self.generator()])
    }

    #[inline(always)]
    fn known_issuer<const CHECKED: bool>(&mut self) -> Points<V, C::Model, K> {
        let mut tables = OwnTables::ROOM;
        let reconstruction = self.reconstruction(&mut tables);
        let rows = self.kept(|known| known.issuer);
        let issuer = Term::new(self.second(), rows, Shape::ISSUER);
        self.rebuilt::<CHECKED>(&[reconstruction, issuer])
    }

    #[inline(always)]
    fn implicit<const CHECKED: bool>(&mut self) -> Points<V, C::Model, K> {
        let mut tables = OwnTables::ROOM;
        let reconstruction = self.reconstruction(&mut tables);
        let issuers = self.points(
            SignatureRefusal::Ca(PointError::NotOnCurve),
            |key| match key {
                RequestKey::Implicit { ca, .. } => Some(ca),
                RequestKey::Explicit(_) => None,
            },
        );
        let mut of_issuers = OwnTables::ROOM;
        let issuer = of_issuers.term(&issuers, self.second());
        self.rebuilt::<CHECKED>(&[reconstruction, issuer])
    }

    /// (u2 e) P.
    #[inline(always)]
    fn reconstruction<'t>(&mut self, tables: &'t mut OwnTables<K>) -> Term<'t, K> {
        let points = self.points(
            SignatureRefusal::Reconstruction(PointError::NotOnCurve),
            |key| match key {
                RequestKey::Implicit { reconstruction, .. } => Some(reconstruction),
                RequestKey::Explicit(_) => None,
            },
        );
        let factors = self.digits(|run, g, lane| match &run.items[g][lane].0.key {
            RequestKey::Implicit { e, .. } => {
                run.scalars[g][lane][1].mul(&Residue::from_integer(e))
            }
            RequestKey::Explicit(_) => Residue::ONE,
        });
        tables.term(&points, factors)
    }

    /// The sum of (u2 e) P and u2 C, seen not to be infinity where special cases count, and u1 G.
    #[inline(always)]
    fn rebuilt<const CHECKED: bool>(&mut self, key: &[Term<'_, K>; 2]) -> Points<V, C::Model, K> {
        let multiple = sum::<V, C::Model, K, CHECKED>(key);
        // u2 Q with u2 not zero, in a group of prime order: infinity only if Q is.
        for (g, refused) in self.refused.iter_mut().enumerate() {
            for (lane, refused) in refused.iter_mut().enumerate() {
                if multiple.infinity[g] >> lane & 1 == 1 {
                    refused.get_or_insert(SignatureRefusal::KeyAtInfinity);
                }
            }
        }
        let mut point = sum::<V, C::Model, K, CHECKED>(&[self.generator()]);
        point.add::<CHECKED>(&multiple);
        point
    }

    /// The points with these coordinates, on the curve's model. Lanes without such a point are
    /// refused, and have the generator.
    #[inline(always)]
    fn points(
        &mut self,
        refusal: SignatureRefusal,
        of: impl Fn(&'a RequestKey<4>) -> Option<&'a Coordinates<4>>,
    ) -> AffinePoints<V, C::Model, K> {
        let coordinates = self
            .items
            .map(|items| items.map(|(request, _)| of(&request.key)));
        let (points, found) = decode::<V, C, K>(&Alleged::new(&coordinates));
        for (found, refused) in found.iter().zip(&mut self.refused) {
            for (lane, refused) in refused.iter_mut().enumerate() {
                if found >> lane & 1 == 0 {
                    refused.get_or_insert(refusal);
                }
            }
        }
        points
    }
}

impl<V: Lanes, C: LaneTabulated, const K: usize> Run<'_, V, C, K> {
    /// Compares R with what was signed.
    #[inline(always)]
    fn judge<const CHECKED: bool>(&self, point: &Points<V, C, K>) -> [[Answer; 8]; K] {
        let mut answers = [[Answer::Undecided; 8]; K];
        let zz = each!(g, point.z[g].square());
        let nonces = V::outline(
            #[inline(always)]
            || self.nonces(point, &zz),
        );
        for (g, answers) in answers.iter_mut().enumerate() {
            let holds = self.remainders(g, &point.x[g], &zz[g]) & !point.infinity[g];
            let special = if CHECKED { 0 } else { point.z[g].zero_mask() };
            for (lane, answer) in answers.iter_mut().enumerate() {
                let is = |mask: u8| mask >> lane & 1 == 1;
                let refusal = match self.refused[g][lane] {
                    Some(refusal) => Some(refusal),
                    None if is(special) => continue,
                    None if !is(holds) => Some(SignatureRefusal::Equation),
                    None if !is(nonces[g]) => Some(SignatureRefusal::NoncePoint),
                    None => None,
                };
                let verdict = refusal.map_or(Verdict::Valid, Verdict::Refused);
                *answer = Answer::Decided(verdict);
            }
        }
        answers
    }

    /// Lanes in which the abscissa modulo the order is r: x = r, or x = r + n where that is below
    /// p; as X = x Z^2.
    #[inline(always)]
    fn remainders(&self, g: usize, x: &Field<V, C>, zz: &Field<V, C>) -> u8 {
        let r = self.items[g].map(|(request, _)| request.r);
        let mut holds = abscissa_mask::<V, C>(&r, x, zz);
        let wraps = r.map(|r| less(&r, &C::FIELD_ABOVE_ORDER));
        if wraps.contains(&true) {
            let second = r.map(|r| {
                if less(&r, &C::FIELD_ABOVE_ORDER) {
                    add(&r, &C::Order::MODULUS).0
                } else {
                    r
                }
            });
            holds |= abscissa_mask::<V, C>(&second, x, zz);
        }
        holds
    }

    /// Lanes in which R is the point that was sent, or none was sent.
    #[inline(always)]
    fn nonces(&self, point: &Points<V, C, K>, zz: &[Field<V, C>; K]) -> [u8; K] {
        let sent = |g: usize| self.items[g].map(|(request, _)| request.nonce);
        if (0..K).all(|g| sent(g).iter().all(Option::is_none)) {
            return [u8::MAX; K];
        }
        let mut inverses = point.z;
        let mut room = point.z;
        Elements::invert_all(&mut inverses, &mut room);
        let mut same = [0; K];
        for g in 0..K {
            let nonces = sent(g);
            let integers = |of: fn(&Coordinates<4>) -> [u64; 4]| {
                nonces.map(|nonce| nonce.map_or([0; 4], |nonce| of(&nonce)))
            };
            let x = integers(|nonce| nonce.x);
            let y = integers(|nonce| match nonce.y {
                Ordinate::Whole(y) => y,
                Ordinate::Odd(_) => [0; 4],
            });
            let y: Field<V, C> = Elements::from_integers(&y);
            let abscissa = abscissa_mask::<V, C>(&x, &point.x[g], &zz[g]);
            let cubed = inverses[g].square().multiply(&inverses[g]);
            let own_y = point.y[g].multiply(&cubed);
            let (whole, odd) = (own_y.equal_mask(&y), own_y.odd_mask());
            for (lane, nonce) in nonces.iter().enumerate() {
                let is = |mask: u8| mask >> lane & 1 == 1;
                let fits = match nonce.map(|nonce| nonce.y) {
                    None => true,
                    Some(Ordinate::Whole(_)) => is(abscissa) && is(whole),
                    Some(Ordinate::Odd(wanted)) => is(abscissa) && is(odd) == wanted,
                };
                same[g] |= u8::from(fits) << lane;
            }
        }
        same
    }
}

/// Lanes in which these integers are the abscissa X/Z^2.
#[inline(always)]
fn abscissa_mask<V: Lanes, C: LaneTabulated>(
    integers: &[[u64; 4]; 8],
    x: &Field<V, C>,
    zz: &Field<V, C>,
) -> u8 {
    let abscissa: Field<V, C> = Elements::from_integers(integers);
    abscissa.multiply(zz).equal_mask(x)
}
