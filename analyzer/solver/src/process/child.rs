//! A solver process that cannot hang us: writing and reading happen on threads, every wait has a
//! deadline, and whatever becomes of it, the process and its children are killed and reaped.

use std::io::{Read, Write};
use std::process::{Child as System, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::budget::Limit;
use crate::solver::Reason;

/// More than any answer needs.
const MAX_OUTPUT: usize = 16 << 20;

const CHUNK: usize = 1 << 16;

pub struct Child {
    system: System,
    input: Sender<String>,
    output: Receiver<Vec<u8>>,
    /// What was read beyond the last marker.
    rest: Vec<u8>,
    exchanges: u64,
}

impl Child {
    pub fn start(command: &[String]) -> Result<Child, Reason> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| Reason::NotStarted("no command was given".to_string()))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        own_group(&mut command);
        let mut system =
            command.spawn().map_err(|error| Reason::NotStarted(format!("{program}: {error}")))?;
        let mut stdin = system.stdin.take().expect("standard input is piped");
        let mut stdout = system.stdout.take().expect("standard output is piped");
        let (input, lines) = channel::<String>();
        thread::spawn(move || {
            for text in lines {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        // Bounded, so that a solver that writes without end waits for us.
        let (chunks, output) = sync_channel(8);
        thread::spawn(move || {
            let mut buffer = vec![0; CHUNK];
            while let Ok(length @ 1..) = stdout.read(&mut buffer) {
                if chunks.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Child { system, input, output, rest: Vec::new(), exchanges: 0 })
    }

    pub fn id(&self) -> u32 {
        self.system.id()
    }

    /// Sends commands and answers what the solver writes until it has done them all.
    pub fn exchange(&mut self, commands: &str, deadline: Instant) -> Result<String, Reason> {
        self.exchanges += 1;
        let marker = format!("kleene-{}", self.exchanges);
        // If the process is gone, reading says so.
        let _ = self.input.send(format!("{commands}(echo \"{marker}\")\n"));
        let mut searched = 0;
        loop {
            while let Some(length) = self.rest[searched..].iter().position(|byte| *byte == b'\n') {
                let line = &self.rest[searched..searched + length];
                let end = searched + length + 1;
                // Some solvers print the quotes, some do not.
                if line.trim_ascii() == marker.as_bytes()
                    || line.trim_ascii() == format!("\"{marker}\"").as_bytes()
                {
                    let answer = String::from_utf8_lossy(&self.rest[..searched]).into_owned();
                    self.rest.drain(..end);
                    return Ok(answer);
                }
                searched = end;
            }
            if self.rest.len() > MAX_OUTPUT {
                return Err(Reason::TooMuchOutput);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(chunk) => self.rest.extend(chunk),
                Err(RecvTimeoutError::Timeout) => return Err(Reason::Limit(Limit::Time)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    /// All it writes, if it ends in time.
    pub fn transcript(mut self, deadline: Instant) -> Option<String> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(chunk) if self.rest.len() < MAX_OUTPUT => self.rest.extend(chunk),
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(String::from_utf8_lossy(&self.rest).into_owned());
                }
                _ => return None,
            }
        }
    }

    /// The output is closed: the process has ended or is about to.
    fn ended(&mut self) -> Reason {
        let said: String = String::from_utf8_lossy(&self.rest).trim().chars().take(200).collect();
        let answered = ["sat", "unsat", "unknown"].iter().any(|word| said.lines().next() == Some(word));
        if !said.is_empty() && !answered {
            return Reason::Garbage(said);
        }
        for _ in 0..50 {
            if let Ok(Some(status)) = self.system.try_wait() {
                return Reason::Exited(status.to_string());
            }
            thread::sleep(Duration::from_millis(2));
        }
        Reason::Exited("it closed its output".to_string())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        kill_group(self.system.id());
        let _ = self.system.kill();
        let _ = self.system.wait();
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// A solver may be a script: its children are in its group.
#[cfg(unix)]
fn kill_group(id: u32) {
    if let Some(group) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}
