//! One process: how long it took, how much memory it had at most, and how it ended.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often its memory is looked at.
const LOOK: Duration = Duration::from_millis(10);

#[derive(Clone, Debug)]
pub struct Spent {
    pub seconds: f64,
    /// Seconds of all processors, those of its own children included: what a busy machine changes least.
    pub processor: f64,
    /// The most memory it had, in kilobytes, as last seen before it ended; 0 where nobody says.
    pub peak: u64,
    pub end: End,
    /// It ended with status 0.
    pub is_success: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With findings or without; a file that does not parse included.
    Finished,
    /// The analyzer itself failed.
    Panicked,
    /// The thread's stack was too small: the process aborts and says so.
    StackOverflow,
    Killed(i32),
    /// It took longer than it may.
    Hung,
}

impl End {
    pub fn name(self) -> String {
        match self {
            End::Finished => "fine".into(),
            End::Panicked => "PANIC".into(),
            End::StackOverflow => "STACK OVERFLOW".into(),
            End::Killed(signal) => format!("SIGNAL {signal}"),
            End::Hung => "HANG".into(),
        }
    }
}

/// This very program with other arguments: it can be no other version of the analyzer.
pub fn run(arguments: &[String], out: &Path, said: &Path, limit: Duration) -> Result<Spent, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    watched(Command::new(program).args(arguments), out, said, limit)
}

/// Any program, with what it prints in files.
pub fn watched(command: &mut Command, out: &Path, said: &Path, limit: Duration) -> Result<Spent, String> {
    let file = |path: &Path| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
    let (start, before) = (Instant::now(), processor_of_children());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(file(out)?)
        .stderr(file(said)?)
        .spawn()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let mut peak = 0;
    loop {
        peak = peak.max(peak_memory(child.id()));
        match child.try_wait() {
            Ok(Some(status)) => {
                let end = end_of(status, said);
                let seconds = start.elapsed().as_secs_f64();
                let processor = processor_of_children() - before;
                return Ok(Spent { seconds, processor, peak, end, is_success: status.success() });
            }
            Ok(None) if start.elapsed() < limit => std::thread::sleep(LOOK),
            _ => {
                stop(&mut child);
                let seconds = start.elapsed().as_secs_f64();
                let processor = processor_of_children() - before;
                return Ok(Spent { seconds, processor, peak, end: End::Hung, is_success: false });
            }
        }
    }
}

fn stop(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn end_of(status: ExitStatus, said: &Path) -> End {
    if let Some(signal) = status.signal() {
        let said = std::fs::read_to_string(said).unwrap_or_default();
        return match said.contains("overflowed its stack") {
            true => End::StackOverflow,
            false => End::Killed(signal),
        };
    }
    match status.code() {
        Some(0..=2) => End::Finished,
        _ => End::Panicked,
    }
}

/// The seconds that all children took so far, as the kernel counts them; 0 where nobody says.
fn processor_of_children() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may have spaces in it.
    let fields = status.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(13).take(2);
    ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS_PER_SECOND
}

/// The high-water mark of its resident memory.
fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
