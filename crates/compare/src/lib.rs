//! What changed from run to run, with confidence: matched points, ratios of medians, verdicts.

#![forbid(unsafe_code)]
