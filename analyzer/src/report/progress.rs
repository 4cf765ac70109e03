//! A line on the terminal while something takes long. It never ends up in a file or a pipe.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::paint::clipped;

/// Shorter waits stay silent.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

pub struct Progress {
    shown: Option<Shown>,
}

struct Shown {
    bar: ProgressBar,
    current: Arc<Mutex<(String, Instant)>>,
    stop: Sender<()>,
    ticker: JoinHandle<()>,
}

impl Progress {
    /// Shows something only if the standard error is a terminal.
    pub fn new() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::silent();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})").expect("a fixed template");
        bar.set_style(style);
        let current = Arc::new(Mutex::new((String::new(), Instant::now())));
        let (stop, stopped) = mpsc::channel();
        let ticker = {
            let (bar, current) = (bar.clone(), current.clone());
            std::thread::spawn(move || {
                while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    tick(&bar, &current);
                }
            })
        };
        Self { shown: Some(Shown { bar, current, stop, ticker }) }
    }

    /// Shows nothing, whatever the standard error is.
    pub fn silent() -> Self {
        Self { shown: None }
    }

    /// What is being worked on from now.
    pub fn begin(&self, file: &str, property: &str) {
        if let Some(shown) = &self.shown {
            let message = clipped(&format!("{file}: {property}"), 60);
            *lock(&shown.current) = (message, Instant::now());
        }
    }

    /// Runs `write` while the line is out of the way.
    pub fn suspended(&self, write: impl FnOnce()) {
        match &self.shown {
            Some(shown) => shown.bar.suspend(write),
            None => write(),
        }
    }

    /// Clears the line for good.
    pub fn finish(self) {
        if let Some(Shown { bar, stop, ticker, .. }) = self.shown {
            drop(stop);
            let _ = ticker.join();
            bar.finish_and_clear();
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

fn tick(bar: &ProgressBar, current: &Mutex<(String, Instant)>) {
    let (message, since) = lock(current).clone();
    if bar.is_hidden() {
        if message.is_empty() || since.elapsed() < PATIENCE {
            return;
        }
        bar.reset_elapsed();
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
    bar.set_message(message);
    bar.tick();
}

/// A panic elsewhere while holding the lock leaves a message that is still good to show.
fn lock(current: &Mutex<(String, Instant)>) -> std::sync::MutexGuard<'_, (String, Instant)> {
    current.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
