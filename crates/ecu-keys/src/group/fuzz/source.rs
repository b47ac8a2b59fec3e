//! The bytes of a run, and what is chosen by them.

/// The bytes, one after the other, and zeros after the last.
pub(super) struct Source<'a>(pub(super) &'a [u8]);

impl Source<'_> {
    pub(super) fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    pub(super) fn fill(&mut self, place: &mut [u8]) {
        place.fill_with(|| self.next());
    }

    /// Returns one of these, each as likely.
    pub(super) fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.next()) % from.len()]
    }
}
