//! Paje, a self-describing text format, read by `ViTE`, `PajeNG` and others.
//!
//! The format: "Paje trace file" by B. de Oliveira Stein, J. Chassin de Kergommeaux and G. Mounié.
//! Every line is an event; the events are defined by number at the beginning. Ranks and helpers are
//! containers below that of the program, with two state types (the call, and the state inside it),
//! links for messages, and a variable of the program: the number of messages in flight.

use std::fmt;
use std::path::Path;

use panto_timeline::{Message, Timeline};
use panto_units::Time;

use crate::ExportSummary;
use crate::error::Result;
use crate::in_flight::InFlight;
use crate::output::Output;
use crate::text::{EARLY, MAX_DECIMALS, Seconds, note, plain, state_name};
use crate::timeline_events::{MAX_EVENTS, MessageInstance, TimelineEvent, Tracks, for_each};

/// Event definitions: name, number, and fields with their types.
const EVENTS: [(&str, u32, &str); 12] = [
    ("PajeDefineContainerType", 0, "Alias string,Type string,Name string"),
    ("PajeDefineStateType", 1, "Alias string,Type string,Name string"),
    (
        "PajeDefineLinkType",
        2,
        "Alias string,Type string,StartContainerType string,EndContainerType string,Name string",
    ),
    ("PajeDefineVariableType", 3, "Alias string,Type string,Name string,Color color"),
    ("PajeDefineEntityValue", 4, "Alias string,Type string,Name string,Color color"),
    ("PajeCreateContainer", 5, "Time date,Alias string,Type string,Container string,Name string"),
    ("PajeDestroyContainer", 6, "Time date,Type string,Name string"),
    ("PajePushState", 7, "Time date,Type string,Container string,Value string"),
    ("PajePopState", 8, "Time date,Type string,Container string"),
    (
        "PajeStartLink",
        9,
        "Time date,Type string,Container string,StartContainer string,Value string,Key string,Bytes string",
    ),
    ("PajeEndLink", 10, "Time date,Type string,Container string,EndContainer string,Value string,Key string"),
    ("PajeSetVariable", 11, "Time date,Type string,Container string,Value double"),
];

/// States with colours that are distinguishable without colour vision (Okabe and Ito, 2008).
const STATES: [(&str, &str); 5] = [
    ("compute", "0.000000 0.447059 0.698039"),
    ("message", "0.901961 0.623529 0.000000"),
    ("combine", "0.000000 0.619608 0.450980"),
    ("access", "0.800000 0.474510 0.654902"),
    ("wait", "0.941176 0.894118 0.258824"),
];

/// Colour of calls.
const GREY: &str = "0.600000 0.600000 0.600000";

/// Writes a timeline in time order. Times are exact.
pub fn write(timeline: &Timeline, target: &Path) -> Result<ExportSummary> {
    let tracks = Tracks::new(timeline.about());
    let message_kinds = timeline.about().message_kinds.iter().map(|kind| plain(kind)).collect();
    let out = Output::create(target)?;
    let mut writer = Writer { out, message_kinds, in_flight: InFlight::default(), events: 0 };
    writer.definitions(timeline)?;
    writer.containers(&tracks)?;
    for_each(timeline, MAX_EVENTS, |at, line, event| writer.event(at, line, event))?;
    let end = timeline.span().map_or(Time::ZERO, |span| *span.end());
    writer.destroy(&tracks, end)?;
    let notes = note(writer.in_flight.early, EARLY).into_iter().collect();
    Output::finish([writer.out])?;
    Ok(ExportSummary { ranks: timeline.ranks(), operations: writer.events, notes })
}

struct Writer {
    out: Output,
    /// Name of each message kind, as Paje text.
    message_kinds: Vec<String>,
    in_flight: InFlight,
    events: u64,
}

impl Writer {
    fn definitions(&mut self, timeline: &Timeline) -> Result<()> {
        for (name, number, fields) in EVENTS {
            self.out.text(format_args!("%EventDef {name} {number}\n"))?;
            for field in fields.split(',') {
                self.out.text(format_args!("%  {field}\n"))?;
            }
            self.out.text(format_args!("%EndEventDef\n"))?;
        }
        self.out.text(format_args!(
            "0 P 0 Program\n0 R P Rank\n1 C R Call\n1 S R State\n2 L P R R Message\n\
             3 U P \"Messages in flight\" \"0.000000 0.000000 0.000000\"\n"
        ))?;
        for (name, colour) in STATES {
            self.out.text(format_args!("4 {name} S {name} \"{colour}\"\n"))?;
        }
        for (number, call) in timeline.about().calls.iter().enumerate() {
            let name = plain(call);
            self.out.text(format_args!("4 c{number} C \"{name}\" \"{GREY}\"\n"))?;
        }
        Ok(())
    }

    fn containers(&mut self, tracks: &Tracks) -> Result<()> {
        let start = Seconds(Time::ZERO, MAX_DECIMALS);
        self.out.text(format_args!("5 {start} p P 0 program\n"))?;
        for line in tracks.order() {
            self.out.text(format_args!("5 {start} r{line} R p \"{}\"\n", tracks.name(line)))?;
        }
        self.out.text(format_args!("11 {start} U p 0\n"))
    }

    fn destroy(&mut self, tracks: &Tracks, end: Time) -> Result<()> {
        let end = Seconds(end, MAX_DECIMALS);
        for line in tracks.order() {
            self.out.text(format_args!("6 {end} R r{line}\n"))?;
        }
        self.out.text(format_args!("6 {end} P p\n"))
    }

    fn event(&mut self, at: Time, line: u32, event: TimelineEvent<'_>) -> Result<()> {
        self.events += 1;
        let time = Seconds(at, MAX_DECIMALS);
        match event {
            TimelineEvent::Enter(call) => self.out.text(format_args!("7 {time} C r{line} c{call}\n")),
            TimelineEvent::Leave(_) => self.out.text(format_args!("8 {time} C r{line}\n")),
            TimelineEvent::Begin(state) => {
                self.out.text(format_args!("7 {time} S r{line} {}\n", state_name(state.kind)))
            }
            TimelineEvent::End(_) => self.out.text(format_args!("8 {time} S r{line}\n")),
            TimelineEvent::Sent(instance) => self.sent(at, instance),
            TimelineEvent::Received(instance) => self.received(at, instance),
        }
    }

    fn sent(&mut self, at: Time, instance: &MessageInstance) -> Result<()> {
        self.in_flight.sent(&instance.message);
        let (time, Message { from, kind, bytes, .. }) = (Seconds(at, MAX_DECIMALS), instance.message);
        let kind = &self.message_kinds[usize::from(kind)];
        self.out.text(format_args!("9 {time} L p r{from} \"{kind}\" {} {bytes}\n", Key(instance)))?;
        self.out.text(format_args!("11 {time} U p {}\n", self.in_flight.messages))
    }

    fn received(&mut self, at: Time, instance: &MessageInstance) -> Result<()> {
        self.in_flight.received(&instance.message);
        let (time, Message { to, kind, .. }) = (Seconds(at, MAX_DECIMALS), instance.message);
        let kind = &self.message_kinds[usize::from(kind)];
        self.out.text(format_args!("10 {time} L p r{to} \"{kind}\" {}\n", Key(instance)))?;
        self.out.text(format_args!("11 {time} U p {}\n", self.in_flight.messages))
    }
}

/// Key that ties the two ends of a message together, unique among all messages.
struct Key<'a>(&'a MessageInstance);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { from, to, bytes, class, sent, arrived, received, .. } = self.0.message;
        let [sent, arrived, received] = [sent, arrived, received].map(Time::as_picos);
        write!(f, "{from}_{to}_{class}_{bytes}_{sent:x}_{arrived:x}_{received:x}_{}", self.0.ordinal)
    }
}
