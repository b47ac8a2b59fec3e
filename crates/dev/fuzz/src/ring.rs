//! The last things of a kind, for laws about everything that happened before.

/// Up to `N` different things, in place of which later ones come.
pub(crate) struct Ring<T, const N: usize> {
    places: [Option<T>; N],
    count: usize,
}

impl<T: Copy + PartialEq, const N: usize> Ring<T, N> {
    pub(crate) const fn new() -> Self {
        Ring {
            places: [None; N],
            count: 0,
        }
    }

    pub(crate) fn note(&mut self, thing: T) {
        if !self.places.contains(&Some(thing)) {
            self.places[self.count % N] = Some(thing);
            self.count += 1;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.places.iter().flatten()
    }

    pub(crate) fn has_forgotten(&self) -> bool {
        self.count > N
    }
}
