//! Panics become one line each; the rest of the call goes on.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

/// Where panics happened, by message: the thread that catches one is not always the one it began in.
static PLACES: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// From now on panics are collected instead of printed, unless a backtrace is asked for.
pub fn silence_panics() {
    let loud = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if loud {
            usual(info);
        }
        let place = info.location().map_or(String::new(), |at| format!(" ({}:{})", at.file(), at.line()));
        let mut places = PLACES.lock().unwrap_or_else(|poison| poison.into_inner());
        places.push((message(info.payload()), place));
    }));
}

/// Runs `work`; a panic becomes its one-line description.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // Whatever `work` was changing is dropped with it.
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let message = message(payload.as_ref());
        let places = PLACES.lock().unwrap_or_else(|poison| poison.into_inner());
        let place = places.iter().find(|(known, _)| *known == message).map_or("", |(_, place)| place);
        format!("internal error: {message}{place}")
    })
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().map(str::to_string);
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".into()).lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_one_line() {
        assert_eq!(caught(|| 3), Ok(3));
        let caught: Result<(), String> = caught(|| panic!("left\nright"));
        let text = caught.expect_err("it panicked");
        assert!(text.starts_with("internal error: left right"), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }
}
