//! Where runs begin: the functions that are looked at with any arguments.

use crate::ir::slice::callees;
use crate::ir::{FunctionId, Program};

/// The entries to look from, or the names there are none for.
pub type Entries = Result<Vec<FunctionId>, Vec<String>>;

/// Those that are named; if none is, `main`, or else every function nobody calls (the first one of those that only
/// call each other).
pub fn entries(program: &Program, named: &[String]) -> Entries {
    if !named.is_empty() {
        let found: Vec<_> = named.iter().map(|name| (name, program.function_named(name))).collect();
        let missing: Vec<String> =
            found.iter().filter(|(_, id)| id.is_none()).map(|(name, _)| (*name).clone()).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let mut entries: Vec<FunctionId> = found.into_iter().filter_map(|(_, id)| id).collect();
        entries.sort_unstable();
        entries.dedup();
        return Ok(entries);
    }
    match program.function_named("main") {
        Some(main) => Ok(vec![main]),
        None => Ok(uncalled(program)),
    }
}

fn uncalled(program: &Program) -> Vec<FunctionId> {
    let ids = || (0..program.functions.len() as u32).map(FunctionId);
    let mut called = vec![false; program.functions.len()];
    for id in ids() {
        for callee in callees(program.function(id)).filter(|callee| *callee != id) {
            called[callee.0 as usize] = true;
        }
    }
    let mut entries: Vec<FunctionId> = ids().filter(|id| !called[id.0 as usize]).collect();
    let mut covered = vec![false; program.functions.len()];
    let mut pending = entries.clone();
    let mut next = ids();
    loop {
        while let Some(id) = pending.pop() {
            if !std::mem::replace(&mut covered[id.0 as usize], true) {
                pending.extend(callees(program.function(id)));
            }
        }
        match next.find(|id| !covered[id.0 as usize]) {
            Some(id) => {
                entries.push(id);
                pending.push(id);
            }
            None => break,
        }
    }
    entries.sort_unstable();
    entries
}
