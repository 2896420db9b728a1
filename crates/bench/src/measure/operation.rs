//! The operation that is measured, and how it is timed.

use panto_results::Metric;
use panto_transport::{Result, Time, Transport};

use super::empty::timed_region;

/// The outcome of verifying data; the error describes the difference.
pub type Checked = std::result::Result<(), String>;

/// The operation that a kernel repeats.
pub trait Operation {
    /// Fills buffers so that [`verify`](Self::verify) can check the next run. Called outside the
    /// timed region. `round` differs from call to call, so that stale data is detected.
    fn prepare(&mut self, round: u64) {
        let _ = round;
    }

    /// Called after the common start, right before the clock is read. An operation that blocks here
    /// loses the common start.
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    /// Executes the operation once. This is what is timed.
    fn run(&mut self) -> Result<()>;

    /// Called right after the clock was read at the end of a batch.
    fn end(&mut self) -> Result<()> {
        Ok(())
    }

    /// Executes a batch, from before the common start to the last reading of the clock. `together`
    /// returns when all ranks start, with whether this rank is late. Only operations that need
    /// something pending by then, such as a receive posted before the clock starts (T3), override
    /// this.
    fn run_batch<T: Transport>(
        &mut self,
        transport: &T,
        repetitions: u64,
        together: impl FnOnce() -> Result<bool>,
    ) -> Result<BatchOutcome> {
        let late = together()?;
        self.begin()?;
        let (start, end) = timed_region(transport, repetitions, || self.run())?;
        self.end()?;
        Ok(BatchOutcome { late, span: Some((start, end)) })
    }

    /// Verifies the data after one run, outside the timed region.
    fn verify(&mut self) -> Checked {
        Ok(())
    }
}

/// The outcome of a batch on one rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchOutcome {
    /// Whether the rank started late.
    pub late: bool,
    /// Start and end; `None` on a rank that does not take part.
    pub span: Option<(Time, Time)>,
}

/// How an operation is timed.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// The metric.
    pub metric: Metric,
    /// What a sample consists of.
    pub sample: Sample,
}

/// What a sample consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// As many repetitions as the clock needs; the first and the last run of the point are
    /// verified.
    Batch,
    /// A much longer batch, during which a background load repeats many times.
    LongBatch,
    /// A batch of several repetitions even where the clock needs only one, because the first after
    /// a pause is slower: a slow network may still carry acknowledgements, and ranks and processors
    /// have gone idle.
    Train,
    /// One run, where repetitions would overlap and hide the time of one. Verified like a batch.
    Single,
    /// One run, prepared and verified each time (C16).
    Checked,
    /// A fixed number of repetitions, prepared each time; the first and the last run of the point
    /// are verified.
    Prepared(u64),
}

impl Timing {
    /// Times batches, verified at the beginning and at the end.
    pub fn batched(metric: Metric) -> Self {
        Self { metric, sample: Sample::Batch }
    }

    /// Times batches of several repetitions back to back, as programs run them ([`Sample::Train`]).
    pub fn train(metric: Metric) -> Self {
        Self { metric, sample: Sample::Train }
    }

    /// Times long batches, for operations under a background load.
    pub fn long(metric: Metric) -> Self {
        Self { metric, sample: Sample::LongBatch }
    }

    /// Times single runs, verified at the beginning and at the end.
    pub fn single(metric: Metric) -> Self {
        Self { metric, sample: Sample::Single }
    }

    /// Times batches of `repetitions`, each prepared, the first and the last verified.
    pub fn prepared(metric: Metric, repetitions: u64) -> Self {
        Self { metric, sample: Sample::Prepared(repetitions) }
    }

    /// Times single runs, each prepared and verified.
    pub fn checked(metric: Metric) -> Self {
        Self { metric, sample: Sample::Checked }
    }
}
