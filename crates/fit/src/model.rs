//! All that was found, as a model file.

use panto_machine::Protocol;

use crate::figures::Figures;
use crate::fitted::Parameter;
use crate::known::Known;
use crate::law::Law;
use crate::network::Network;
use crate::observe::Observed;
use crate::rates::Rates;
use crate::shape::{Scale, sayable};
use crate::write::{Document, quoted};

/// Everything that was found of a machine.
pub struct Parts<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is, in a line.
    pub about: &'a str,
    /// What was taken as known.
    pub known: &'a Known,
    /// What messages and work take.
    pub figures: &'a Figures,
    /// What was measured.
    pub observed: &'a Observed,
    /// The lines of `[collectives]`, and where they come from.
    pub collectives: (Vec<String>, String),
    /// What overlapping saves, in words.
    pub overlap: Option<String>,
}

impl Parts<'_> {
    /// The text of the model, and what it says.
    pub fn write(&self) -> (String, Vec<Parameter>) {
        let mut document = Document::default();
        document.line(&format!("name = {}", quoted(self.name)));
        document.line(&format!("about = {}", quoted(self.about)));
        if self.known.cables {
            document.line("traffic = true");
            document.source("traffic", &self.known.source);
        }
        self.network(&mut document);
        self.overhead(&mut document);
        self.ways(&mut document);
        self.send(&mut document);
        self.processor(&mut document);
        let (lines, source) = &self.collectives;
        document.table("collectives");
        for line in lines {
            document.line(line);
        }
        document.source("collectives", source);
        if let Some(overlap) = &self.overlap {
            document.source("overlap", overlap);
        }
        document.finish()
    }

    fn network(&self, document: &mut Document) {
        document.table("network");
        for line in &self.known.lines {
            document.line(line);
        }
        document.source("network.topology", &self.known.source);
        document.source("network.switching", &self.known.source);
        if let Some(hop) = self.figures.network.hop.filter(|hop| hop.value > 0.0) {
            let method = "what each further link adds, median over sizes and distances";
            document.time("network", "hop", hop, method);
            document.source("network.hop", format!("fitted: comet/echo, {method}"));
        }
        let less = if self.figures.software.measured { ", less overheads" } else { "" };
        let method = format!("comet/echo, segments of least absolute relative residuals{less}");
        document.cost("network.link", &self.figures.network.link, &method);
        document.source("network.link", format!("fitted: {method}"));
        if let Some(occupancy) = &self.figures.occupancy {
            let method = "calibrate/gap: what each further message of a row adds";
            document.cost("network.occupancy", &self.said(occupancy), method);
            document.source("network.occupancy", format!("fitted: {method}"));
        }
    }

    fn overhead(&self, document: &mut Document) {
        let asks =
            matches!(self.figures.network.protocol, Protocol::Eager { .. } | Protocol::Handshake { .. });
        let control = Some(self.figures.network.control).filter(|control| asks && control.value > 0.0);
        let immediate = Some(self.figures.software.immediate).filter(|immediate| immediate.value > 0.0);
        let rows = [
            ("immediate", immediate, "calibrate/overhead: a send that is started, less one that blocks"),
            ("gap", self.figures.gap, "calibrate/gap: messages in a row, less one, for each further message"),
            ("control", control, "comet/echo: half of the step at the limit, less an empty message's way"),
        ];
        if rows.iter().any(|(_, estimate, _)| estimate.is_some()) {
            document.table("network.overhead");
        }
        for (name, estimate, method) in rows {
            if let Some(estimate) = estimate {
                document.time("network.overhead", name, estimate, method);
                document.source(&format!("network.overhead.{name}"), format!("fitted: {method}"));
            }
        }
        if !self.figures.software.measured {
            return;
        }
        let laws = [("send", &self.figures.software.send), ("receive", &self.figures.software.receive)];
        for (name, law) in laws.into_iter().map(|(name, law)| (name, self.said(law))) {
            let method = format!("calibrate/overhead, {name}");
            document.cost(&format!("network.overhead.{name}"), &law, &method);
            document.source(&format!("network.overhead.{name}"), format!("fitted: {method}"));
        }
    }

    fn said(&self, law: &Law) -> Law {
        let largest = self.observed.echo.values().flatten().map(|(bytes, _)| *bytes).max().unwrap_or(1);
        let Network { near, noise, .. } = &self.figures.network;
        sayable(law, &Scale { whole: near, largest, noise: *noise })
    }

    fn ways(&self, document: &mut Document) {
        let method = "comet/echo, less overheads";
        if let Some(local) = &self.figures.network.local {
            document.cost("network.local", local, method);
            document.source("network.local", format!("fitted: {method}, a rank and itself"));
        }
        if let (Some(size), Some(inside)) = (self.known.node, &self.figures.network.inside) {
            document.table("network.nodes");
            document.line(&format!("size = {size}"));
            document.cost("network.nodes.inside", inside, method);
            document.source("network.nodes.size", "the most ranks that ran on one host");
            document.source("network.nodes.inside", format!("fitted: {method}, two ranks of a host"));
        }
    }

    fn send(&self, document: &mut Document) {
        document.table("send");
        let (standard, limit) = match self.figures.network.protocol {
            Protocol::Buffered => ("buffered", None),
            Protocol::Synchronous => ("synchronous", None),
            Protocol::Handshake { above } => ("handshake", Some(("above", above))),
            Protocol::Eager { limit } => ("eager", Some(("limit", limit))),
        };
        document.line(&format!("standard = \"{standard}\""));
        if let Some((name, bytes)) = limit {
            document.line(&format!("{name} = \"{bytes}B\""));
        }
        document.source("send", self.send_source());
    }

    fn send_source(&self) -> &'static str {
        match self.figures.network.protocol {
            _ if !self.figures.network.protocol_known => {
                "assumed: no calibrate/eager among the results; protocols show as pieces of the link"
            }
            Protocol::Handshake { .. } => {
                "fitted: above it each hop costs three times as much, and no send waits for its receive"
            }
            _ => {
                "measured: calibrate/eager, the largest immediate send that ends before its receive is posted"
            }
        }
    }

    fn processor(&self, document: &mut Document) {
        let Rates { copy, strided, reduce, daxpy } = self.figures.rates;
        let all = [("copy", copy), ("strided", strided), ("reduce", reduce), ("daxpy", daxpy)]
            .map(|(name, rate)| (name, rate.filter(|rate| rate.value > 0.0)));
        if all.iter().all(|(_, rate)| rate.is_none()) && self.figures.software.copies.is_none() {
            return;
        }
        document.table("processor");
        for (name, rate) in all.into_iter().filter_map(|(name, rate)| Some((name, rate?))) {
            let method = format!("calibrate/rates, {name}");
            if ["copy", "reduce"].contains(&name) {
                document.per_byte("processor", name, rate, &method);
            } else {
                document.time("processor", name, rate, &method);
            }
            document.source(&format!("processor.{name}"), format!("fitted: {method}"));
        }
        if let Some(copies) = self.figures.software.copies {
            document.line(&format!("copies-unexpected = {copies}"));
            let text = "measured: calibrate/overhead, a receive that is posted late against one in time";
            document.source("processor.copies-unexpected", text);
        }
    }
}
