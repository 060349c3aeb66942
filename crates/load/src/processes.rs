//! The processes of the machine.

use std::time::Duration;

use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

/// A process at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) id: ProcessId,
    pub(crate) parent: Option<u32>,
    /// The processor time that it has used.
    pub(crate) cpu: Duration,
    /// Resident memory in bytes.
    pub(crate) memory: u64,
}

/// A process, distinguished from a later one with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProcessId {
    pub(crate) pid: u32,
    /// When it started, in seconds since the Unix epoch.
    pub(crate) started: u64,
}

/// All processes of the machine.
pub(crate) fn list_processes() -> Result<Vec<Process>, sysinfo::Error> {
    let mut system = System::new()?;
    let kind = ProcessRefreshKind::nothing().with_cpu().with_memory().without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::All, false, kind);
    let process = |(pid, process): (&sysinfo::Pid, &sysinfo::Process)| Process {
        id: ProcessId { pid: pid.as_u32(), started: process.start_time() },
        parent: process.parent().map(sysinfo::Pid::as_u32),
        cpu: Duration::from_millis(process.accumulated_cpu_time()),
        memory: process.memory(),
    };
    Ok(system.processes().iter().map(process).collect())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_child_is_listed_with_its_parent_and_its_costs() {
        let start = std::time::Instant::now();
        while start.elapsed().as_millis() < 50 {
            std::hint::spin_loop();
        }
        #[expect(clippy::disallowed_methods, reason = "this child is what is measured")]
        let mut child = Command::new("sleep").arg("60").stdout(Stdio::null()).spawn().unwrap();
        let all = list_processes().unwrap();
        let find = |pid| all.iter().find(|process| process.id.pid == pid).copied().unwrap();
        let (own, of_child) = (find(std::process::id()), find(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();

        assert_eq!(of_child.parent, Some(own.id.pid));
        assert!(own.cpu >= Duration::from_millis(20) && own.memory > 1 << 20, "{own:?}");
        assert!(
            of_child.id.started >= own.id.started && of_child.cpu < Duration::from_secs(1),
            "{of_child:?}"
        );
        assert!(list_processes().unwrap().iter().all(|process| process.id != of_child.id));
    }
}
