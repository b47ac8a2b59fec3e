//! Reasons why a row of TRC, BUSMASTER, CRTD or CSV cannot be read.

use super::Quote;

/// Reason why a row of a text log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowCause {
    /// A line of another form than its format has.
    #[error("{quote}; right would be {right}")]
    Line {
        /// The line.
        quote: Quote,
        /// Form that the format has there.
        right: &'static str,
    },
    /// A field of the wrong form.
    #[error("{field} {quote}; right would be {right}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// Text in the field.
        quote: Quote,
        /// Form that the format has there.
        right: &'static str,
    },
    /// A field that is not there.
    #[error("{field} is missing; right would be {right}")]
    Missing {
        /// Name of the field.
        field: &'static str,
        /// Form that the format has there.
        right: &'static str,
    },
    /// A time before the one that counts as zero.
    #[error(
        "the time {0} lies before the second of the first record, from which a log with negative \
         times counts; sort the rows by time"
    )]
    BeforeZero(Quote),
}

impl RowCause {
    pub(crate) fn line(text: &[u8], right: &'static str) -> Self {
        let quote = Quote::new(text);
        RowCause::Line { quote, right }
    }

    pub(crate) fn field(field: &'static str, text: &[u8], right: &'static str) -> Self {
        let quote = Quote::new(text);
        RowCause::Field {
            field,
            quote,
            right,
        }
    }
}
