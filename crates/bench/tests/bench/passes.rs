//! Points that are measured in several passes.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::{Effort, Kernel, Observer, Settings, run};
use panto_results::{Point, Record};
use panto_transport::threads::Threads;

use crate::support::tiny;

/// Counts first passes and complete points.
#[derive(Default)]
struct Passed {
    first: Vec<Point>,
    complete: usize,
}

impl Observer for Passed {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn provisional(&mut self, record: &Record) -> panto_bench::Result<()> {
        assert!(record.provisional);
        self.first.push(record.point.clone());
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        assert!(self.first.contains(&record.point) && !record.provisional, "{record:?}");
        self.complete += 1;
        Ok(())
    }
}

#[test]
fn a_point_is_passed_on_after_its_first_pass_and_when_it_is_complete() {
    // Time enough for several passes on a busy machine.
    let effort = Effort { budget: Duration::from_secs(20), ..tiny(2).effort };
    let settings = Settings { sizes: Some(vec![8, 64, 1024]), hops: Some(vec![1]), effort, ..tiny(2) };
    let mut observer = Passed::default();
    run(&Threads::default(), &[Kernel::Echo], &settings, &AtomicBool::new(false), &mut observer).unwrap();
    assert_eq!((observer.first.len(), observer.complete), (3, 3));
}
