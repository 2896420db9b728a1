//! Paraver, by the Barcelona Supercomputing Center: the trace (`.prv`), the meaning of its numbers
//! (`.pcf`), and the names of rows (`.row`).
//!
//! The format: "Paraver: Tracefile Description" (<https://tools.bsc.es/doc/1370.pdf>). A rank is a
//! task of one thread, its helpers are further threads of it. Times are nanoseconds, rounded down.

mod labels;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use panto_timeline::{Message, State, Timeline};
use panto_units::Time;

use crate::ExportSummary;
use crate::error::Result;
use crate::output::Output;
use crate::text::{EARLY, nanos, note};
use crate::timeline_events::{MAX_EVENTS, TimelineEvent, Tracks, for_each};

/// Returns the three files written for `target`: `run.prv` comes with `run.pcf` and `run.row`.
pub fn files(target: &Path) -> [PathBuf; 3] {
    ["prv", "pcf", "row"].map(|extension| target.with_extension(extension))
}

/// Writes a timeline as a trace, in time order.
pub fn write(timeline: &Timeline, target: &Path) -> Result<ExportSummary> {
    let [trace, labels, rows] = files(target);
    let tracks = Tracks::new(timeline.about());
    let mut outputs = [Output::create(&trace)?, Output::create(&labels)?, Output::create(&rows)?];
    outputs[1].text(format_args!("{}", labels::config(&timeline.about().calls)))?;
    labels::rows(&tracks, &mut outputs[2])?;
    let mut writer = Writer::new(timeline, &tracks, &mut outputs[0]);
    writer.header(timeline)?;
    for_each(timeline, MAX_EVENTS, |at, line, event| writer.event(at, line, event))?;
    let notes = [note(writer.short, "states shorter than a nanosecond omitted"), note(writer.early, EARLY)];
    let operations = writer.records;
    Output::finish(outputs)?;
    Ok(ExportSummary { ranks: timeline.ranks(), operations, notes: notes.into_iter().flatten().collect() })
}

struct Writer<'a> {
    out: &'a mut Output,
    /// Columns `cpu:appl:task:thread` of each line.
    objects: Vec<String>,
    /// Event type of each call.
    types: Vec<u32>,
    /// Number of threads of each rank.
    threads: Vec<u32>,
    records: u64,
    short: u64,
    early: u64,
}

impl<'a> Writer<'a> {
    fn new(timeline: &Timeline, tracks: &Tracks, out: &'a mut Output) -> Self {
        let order = tracks.order();
        let mut objects = vec![String::new(); order.len()];
        let mut threads = vec![0; timeline.ranks() as usize];
        for (cpu, line) in (1..).zip(order) {
            let (rank, helper) = tracks.rank_and_helper(line);
            objects[line as usize] = format!("{cpu}:1:{}:{}", rank + 1, helper + 1);
            threads[rank as usize] = helper + 1;
        }
        let types = timeline.about().calls.iter().map(|call| labels::kind(call)).collect();
        Self { out, objects, types, threads, records: 0, short: 0, early: 0 }
    }

    /// Writes the header: all CPUs in one node. A timeline has no date and the header requires one,
    /// hence a constant.
    fn header(&mut self, timeline: &Timeline) -> Result<()> {
        let end = timeline.span().map_or(0, |span| nanos(*span.end()));
        let mut tasks = String::new();
        for (rank, threads) in self.threads.iter().enumerate() {
            let comma = if rank == 0 { "" } else { "," };
            let _ = write!(tasks, "{comma}{threads}:1");
        }
        let (cpus, ranks) = (self.objects.len(), self.threads.len());
        self.out.text(format_args!("#Paraver (01/01/2000 at 00:00):{end}_ns:1({cpus}):1:{ranks}({tasks})\n"))
    }

    fn event(&mut self, at: Time, line: u32, event: TimelineEvent<'_>) -> Result<()> {
        match event {
            TimelineEvent::Begin(state) => self.state(line, state),
            TimelineEvent::Sent(instance) => self.message(&instance.message),
            TimelineEvent::Enter(call) => self.event_record(at, line, call, call + 1),
            TimelineEvent::Leave(call) => self.event_record(at, line, call, 0),
            TimelineEvent::End(_) | TimelineEvent::Received(_) => Ok(()),
        }
    }

    fn state(&mut self, line: u32, state: &State) -> Result<()> {
        let (from, to) = (nanos(state.from), nanos(state.to));
        if from == to {
            self.short += 1;
            return Ok(());
        }
        self.records += 1;
        let (object, number) = (&self.objects[line as usize], labels::number(state.kind));
        self.out.text(format_args!("1:{object}:{from}:{to}:{number}\n"))
    }

    /// Writes an event record; the end of a call is an event of its type with the value 0.
    fn event_record(&mut self, at: Time, line: u32, call: u32, value: u32) -> Result<()> {
        self.records += 1;
        let (object, kind, at) = (&self.objects[line as usize], self.types[call as usize], nanos(at));
        self.out.text(format_args!("2:{object}:{at}:{kind}:{value}\n"))
    }

    /// Writes a message record: logical times are those of the program, physical ones those of the
    /// network.
    fn message(&mut self, message: &Message) -> Result<()> {
        self.records += 1;
        self.early += u64::from(message.received < message.sent);
        let [from, to] = [message.from, message.to].map(|line| &self.objects[line as usize]);
        let [sent, arrived, received] = [message.sent, message.arrived, message.received].map(nanos);
        let Message { bytes, class, .. } = message;
        self.out.text(format_args!("3:{from}:{sent}:{sent}:{to}:{received}:{arrived}:{bytes}:{class}\n"))
    }
}
