//! Known answers, agreement, refusals and metering, over every suite.
