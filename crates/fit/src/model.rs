//! The fitted parameters as a model file.

use panto_machine::{Protocol, Sharing};

use crate::fitted::Parameter;
use crate::known_network::KnownNetwork;
use crate::machine_parameters::MachineParameters;
use crate::network::Network;
use crate::observations::Observations;
use crate::piecewise::PiecewiseLinear;
use crate::quality::ModelQuality;
use crate::rates::Rates;
use crate::representable::{Tolerance, representable};
use crate::write::Document;

/// Everything that goes into a model file.
pub struct FittedMachine<'a> {
    /// Name of the machine.
    pub name: &'a str,
    /// Description of the machine, one line.
    pub about: &'a str,
    /// Topology and switching.
    pub known: &'a KnownNetwork,
    /// The fitted parameters.
    pub parameters: &'a MachineParameters,
    /// The points that they were fitted to.
    pub observed: &'a Observations,
    /// Lines of `[collectives]`, and their source.
    pub collectives: (Vec<String>, String),
    /// Measured overlap of computation and communication, for `[sources]`.
    pub overlap: Option<String>,
    /// How far the model can be believed.
    pub quality: Option<&'a ModelQuality>,
}

impl FittedMachine<'_> {
    /// Returns the text of the model file, and the parameters in it.
    pub fn write(&self) -> (String, Vec<Parameter>) {
        let mut document = Document::default();
        document.string("name", self.name);
        document.string("about", self.about);
        if let Some(quality) = self.quality {
            document.string("quality", &quality.grade.to_string());
            document.source("quality", quality.reasons.join("; "));
        }
        if self.known.shared_links {
            document.string("sharing", Sharing::Links.name());
            document.source("sharing", &self.known.source);
        }
        self.network(&mut document);
        self.overhead(&mut document);
        self.other_paths(&mut document);
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
        if let Some(hop) = self.parameters.network.hop.filter(|hop| hop.value > 0.0) {
            let method = "time of each further link, median over sizes and distances";
            document.time("network", "hop", hop, method);
            document.source("network.hop", format!("fitted: comet/echo, {method}"));
        }
        let less = if self.parameters.software.measured { ", less overheads" } else { "" };
        let method = format!("comet/echo, segments of least absolute relative residuals{less}");
        document.cost("network.link", &self.parameters.network.link, &method);
        document.source("network.link", format!("fitted: {method}"));
        if let Some(occupancy) = &self.parameters.occupancy {
            let method = "calibrate/gap: time of each further message in a row";
            document.cost("network.occupancy", &self.simplified(occupancy), method);
            document.source("network.occupancy", format!("fitted: {method}"));
        }
    }

    fn overhead(&self, document: &mut Document) {
        let has_rendezvous =
            matches!(self.parameters.network.protocol, Protocol::Eager { .. } | Protocol::Handshake { .. });
        let control =
            Some(self.parameters.network.control).filter(|control| has_rendezvous && control.value > 0.0);
        let immediate = Some(self.parameters.software.immediate).filter(|immediate| immediate.value > 0.0);
        let rows = [
            ("immediate", immediate, "calibrate/overhead: an immediate send, less a blocking one"),
            (
                "gap",
                self.parameters.gap,
                "calibrate/gap: messages in a row less one message, per further message",
            ),
            (
                "control",
                control,
                "comet/echo: half of the step at the eager limit, less the time of an empty message",
            ),
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
        if !self.parameters.software.measured {
            return;
        }
        let curves =
            [("send", &self.parameters.software.send), ("receive", &self.parameters.software.receive)];
        for (name, curve) in curves.into_iter().map(|(name, curve)| (name, self.simplified(curve))) {
            let method = format!("calibrate/overhead, {name}");
            document.cost(&format!("network.overhead.{name}"), &curve, &method);
            document.source(&format!("network.overhead.{name}"), format!("fitted: {method}"));
        }
    }

    fn simplified(&self, curve: &PiecewiseLinear) -> PiecewiseLinear {
        let largest = self.observed.echo.values().flatten().map(|(bytes, _)| *bytes).max().unwrap_or(1);
        let Network { near, noise, .. } = &self.parameters.network;
        representable(curve, &Tolerance { whole: near, largest, noise: *noise })
    }

    fn other_paths(&self, document: &mut Document) {
        let method = "comet/echo, less overheads";
        if let Some(local) = &self.parameters.network.local {
            document.cost("network.local", local, method);
            document.source("network.local", format!("fitted: {method}, a rank to itself"));
        }
        if let (Some(size), Some(inside)) = (self.known.node_size, &self.parameters.network.inside) {
            document.table("network.nodes");
            document.value("size", size);
            document.cost("network.nodes.inside", inside, method);
            document.source("network.nodes.size", "most ranks on one host");
            document.source("network.nodes.inside", format!("fitted: {method}, two ranks on one host"));
        }
    }

    fn send(&self, document: &mut Document) {
        document.table("send");
        let (standard, limit) = match self.parameters.network.protocol {
            Protocol::Buffered => ("buffered", None),
            Protocol::Synchronous => ("synchronous", None),
            Protocol::Handshake { above } => ("handshake", Some(("above", above))),
            Protocol::Eager { limit } => ("eager", Some(("limit", limit))),
        };
        document.string("standard", standard);
        if let Some((name, bytes)) = limit {
            document.bytes(name, bytes);
        }
        document.source("send", self.send_source());
    }

    fn send_source(&self) -> &'static str {
        match self.parameters.network.protocol {
            _ if !self.parameters.network.protocol_known => {
                "assumed: no calibrate/eager among the results; protocol changes appear as pieces of the link"
            }
            Protocol::Handshake { .. } => {
                "fitted: above it each hop costs three times as much, and no send waits for its receive"
            }
            _ => {
                "measured: calibrate/eager, the largest immediate send that completes before its receive is posted"
            }
        }
    }

    fn processor(&self, document: &mut Document) {
        let Rates { copy, strided, reduce, daxpy } = self.parameters.rates;
        let all = [("copy", copy), ("strided", strided), ("reduce", reduce), ("daxpy", daxpy)]
            .map(|(name, rate)| (name, rate.filter(|rate| rate.value > 0.0)));
        if all.iter().all(|(_, rate)| rate.is_none()) && self.parameters.software.copies_unexpected.is_none()
        {
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
        if let Some(copies) = self.parameters.software.copies_unexpected {
            document.value("copies-unexpected", copies);
            let text =
                "measured: calibrate/overhead, a receive of an unexpected message against a posted one";
            document.source("processor.copies-unexpected", text);
        }
    }
}
