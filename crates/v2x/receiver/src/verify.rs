//! One record judged, and many.

use waywarden_v2x_input::record::InputRecord;

use crate::batch::Batch;
use crate::pipeline::{Pipeline, PipelineSettings, Stopped};
use crate::receiver::Receiver;
use crate::reception::Reception;
use crate::verdict::Verdict;

impl Receiver {
    /// Judges a record; `None` for a frame of other traffic.
    #[must_use]
    pub fn verify(&self, record: &InputRecord, reception: &Reception) -> Option<Verdict> {
        let batch = Batch::ahead(self, std::slice::from_ref(record), reception);
        batch.finish(self).pop().flatten()
    }

    /// Judges records as if one came after the other, on at most `threads` threads. Verdict `i` is
    /// that of record `i`; `None` for a frame of other traffic.
    #[must_use]
    pub fn verify_many(
        &self,
        records: Vec<InputRecord>,
        reception: &Reception,
        threads: usize,
    ) -> Vec<Option<Verdict>> {
        let mut all = Vec::with_capacity(records.len());
        let settings = PipelineSettings {
            threads,
            reception: *reception,
        };
        let pipeline = Pipeline::new(self, settings, Ok, |verdicts: Vec<Option<Verdict>>| {
            all.extend(verdicts);
            Ok(())
        });
        // Neither of both fails.
        let _ = pipeline.run(|feed| {
            let mut records = records.into_iter();
            let feeding: Result<(), Stopped> = records.try_for_each(|one| feed.take(one));
            feeding.map_err(std::io::Error::from)
        });
        all
    }
}
