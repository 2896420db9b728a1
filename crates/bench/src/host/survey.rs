//! The state of this host: how noisy it is now, and what could be done about it.

use std::time::{Duration, Instant};

use panto_transport::Error;
use serde::Serialize;

use super::detours::{Detours, detours};
use super::load::{HostLoad, HostMeter};
use super::processes::{Busy, busiest, snapshot};

/// What disturbs measurements on this host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survey {
    /// Shares of the cores' time that others take, while no core is in use by this process; `None`
    /// where the system does not tell.
    pub load: Option<HostLoad>,
    /// The processes that take it.
    pub busy: Vec<Busy>,
    /// What is taken from a thread that keeps a core busy, for each core.
    pub detours: Vec<Detours>,
    /// The hypervisor, if the system runs on one and tells its name.
    pub hypervisor: Option<String>,
    /// The governor of the processor's frequency.
    pub governor: Option<String>,
    /// Whether hardware threads share cores; `None` where unknown.
    pub smt: Option<bool>,
}

impl Survey {
    /// Observes the host, half of the time idle and half of it busy.
    pub fn take(duration: Duration) -> Result<Self, Error> {
        let half = duration / 2;
        let (mut meter, before, start) =
            (HostMeter::start(Some(vec![std::process::id()])), snapshot(), Instant::now());
        std::thread::sleep(half);
        let busy = busiest(&before, &snapshot(), start.elapsed());
        let load = meter.lap();
        Ok(Self {
            load,
            busy,
            detours: detours(half)?,
            hypervisor: hypervisor(),
            governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            smt: line("/sys/devices/system/cpu/smt/active").map(|active| active == "1"),
        })
    }

    /// Returns what to do for better figures, most effective first.
    pub fn advice(&self) -> Vec<String> {
        let mut advice = Vec::new();
        let mut when = |condition: bool, text: String| advice.extend(condition.then_some(text));
        let names: Vec<&str> = self.busy.iter().take(3).map(|busy| busy.name.as_str()).collect();
        let (others, steal) = self.load.map_or((0.0, 0.0), |load| (load.others.unwrap_or(0.0), load.steal));
        when(
            others > NOTABLE && !names.is_empty(),
            format!("stop what else runs here ({}), or wait for it: --quiet-wait 60s", names.join(", ")),
        );
        when(
            steal > NOTABLE,
            "the hypervisor gives these cores to other machines: use dedicated cores, or measure at another time".into(),
        );
        when(
            self.governor.as_deref().is_some_and(|governor| governor != "performance"),
            "set the governor `performance`, so that the frequency does not change: cpupower frequency-set -g performance".into(),
        );
        when(
            self.smt == Some(true),
            "hardware threads share cores: leave the second thread of each core idle".into(),
        );
        advice
    }
}

/// Share from which others and steal time are worth advice.
const NOTABLE: f64 = 0.02;

fn line(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the hypervisor as the firmware names it, or that there is one.
fn hypervisor() -> Option<String> {
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let is_virtual = flags
        .lines()
        .find(|line| line.starts_with("flags"))?
        .split_whitespace()
        .any(|flag| flag == "hypervisor");
    let name = line("/sys/hypervisor/type").or_else(|| line("/sys/class/dmi/id/sys_vendor"));
    is_virtual.then(|| name.unwrap_or_else(|| "unknown".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_this_host_is_observed() {
        let survey = Survey::take(Duration::from_millis(500)).unwrap();
        assert!(!survey.detours.is_empty());
        assert!(survey.detours.iter().all(|detours| (0.0..=1.0).contains(&detours.share)));
    }

    #[test]
    fn advice_names_what_disturbs() {
        let busy = vec![Busy { pid: 7, name: "cc1".into(), cores: 0.8 }];
        let load = Some(HostLoad { steal: 0.3, others: Some(0.4) });
        let (governor, smt) = (Some("powersave".into()), Some(true));
        let survey = Survey { load, busy, detours: vec![], hypervisor: None, governor, smt };
        let advice = survey.advice();
        assert_eq!(advice.len(), 4);
        assert!(advice[0].contains("cc1") && advice[0].contains("--quiet-wait"));
    }
}
