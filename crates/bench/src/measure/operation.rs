//! What is measured, and how it is timed.

use panto_transport::{Result, Time, Transport};

use super::empty::timed_region;
use super::samples::Metric;

/// Is the data right? The error says what is wrong with it.
pub type Checked = std::result::Result<(), String>;

/// What a kernel repeats.
pub trait Operation {
    /// Fills buffers so that [`verify`](Self::verify) can tell whether the next run moved the right bytes.
    /// Outside the timed region. `round` differs from call to call, so stale data is noticed.
    fn prepare(&mut self, round: u64) {
        let _ = round;
    }

    /// Right before the clock is read for a run of repetitions, after the ranks have started together. An
    /// operation that waits here gives the common start up.
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    /// The operation. This is what is timed.
    fn run(&mut self) -> Result<()>;

    /// Right after the clock was read at the end of a run of repetitions.
    fn end(&mut self) -> Result<()> {
        Ok(())
    }

    /// A run of repetitions, from before the common start to the last reading of the clock. `together` returns when all ranks start,
    /// and says whether this one is late. Only an operation that must have something pending by then, such as a receive that is
    /// posted before the clock starts (T3), does this itself.
    fn pass<T: Transport>(
        &mut self,
        transport: &T,
        repetitions: u64,
        together: impl FnOnce() -> Result<bool>,
    ) -> Result<Passage> {
        let late = together()?;
        self.begin()?;
        let (start, end) = timed_region(transport, repetitions, || self.run())?;
        self.end()?;
        Ok(Passage { late, span: Some((start, end)) })
    }

    /// Checks the data after one run. Outside the timed region. The error says what is wrong.
    fn verify(&mut self) -> Checked {
        Ok(())
    }
}

/// What one rank did in a run of repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Did it start late?
    pub late: bool,
    /// From when to when; nothing on a rank that takes no part, whose clock says nothing of those that do.
    pub span: Option<(Time, Time)>,
}

/// How an operation is timed.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Which time is meant.
    pub metric: Metric,
    /// What a sample consists of.
    pub sample: Sample,
}

/// What a sample consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// As many runs as the clock needs; the first and the last run of all are checked.
    Batch,
    /// A batch that lasts much longer, so that what goes on beside it goes on many times meanwhile.
    LongBatch,
    /// A batch of several runs also where the clock needs only one: after a pause the first is not like the others. A slow network may still
    /// carry acknowledgements of what went before, and ranks and processors are no longer awake.
    Train,
    /// One run: repetitions would overlap and hide what one takes. Checked like a batch.
    Single,
    /// One run, prepared and checked each time (C16).
    Checked,
    /// So many repetitions, as the operation understands them, prepared each time; the first and the last run of all are checked.
    Prepared(u64),
}

impl Timing {
    /// Repetitions in batches, checked at the beginning and at the end.
    pub fn batched(metric: Metric) -> Self {
        Self { metric, sample: Sample::Batch }
    }

    /// The same, one after the other, as programs do it.
    pub fn train(metric: Metric) -> Self {
        Self { metric, sample: Sample::Train }
    }

    /// The same in long batches, for operations under a load.
    pub fn long(metric: Metric) -> Self {
        Self { metric, sample: Sample::LongBatch }
    }

    /// One run a sample, checked at the beginning and at the end.
    pub fn single(metric: Metric) -> Self {
        Self { metric, sample: Sample::Single }
    }

    /// So many repetitions a sample, each sample prepared, the first and the last run of all checked.
    pub fn prepared(metric: Metric, repetitions: u64) -> Self {
        Self { metric, sample: Sample::Prepared(repetitions) }
    }

    /// One run a sample, each prepared and checked.
    pub fn checked(metric: Metric) -> Self {
        Self { metric, sample: Sample::Checked }
    }
}
