//! What paths lead to, found once where nothing is declared any more.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::super::hir::{ModuleId, Path};
use super::{Namespace, Resolved, Target};

/// Nothing is kept as long as items are read.
#[derive(Debug, Default)]
pub struct Known(OnceLock<Mutex<ByPlace>>);

/// By where a path stands and what is asked for: by its names, what was found, behind how many of them.
type ByPlace = FxHashMap<(ModuleId, Namespace, bool), FxHashMap<String, (Resolved, usize)>>;

impl Known {
    /// From here on names mean what they mean.
    pub fn settle(&self) {
        self.0.get_or_init(Mutex::default);
    }

    /// What was found before, or what `work` comes to.
    pub fn target<'p>(
        &self,
        path: &'p Path,
        namespace: Namespace,
        work: impl FnOnce() -> Target<'p>,
    ) -> Target<'p> {
        let Some(known) = self.0.get() else { return work() };
        let (place, names) = ((path.module, namespace, path.global), names(path));
        let found = lock(known).get(&place).and_then(|known| known.get(names.as_ref())).cloned();
        if let Some((found, walked)) = found {
            return Target { found, walked, rest: &path.segments[walked..] };
        }
        let target = work();
        let found = (target.found.clone(), target.walked);
        lock(known).entry(place).or_default().insert(names.into_owned(), found);
        target
    }
}

fn lock(known: &Mutex<ByPlace>) -> MutexGuard<'_, ByPlace> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

fn names(path: &Path) -> Cow<'_, str> {
    match path.segments.as_slice() {
        [only] => Cow::Borrowed(&only.name),
        segments => {
            let names: Vec<&str> = segments.iter().map(|segment| segment.name.as_str()).collect();
            Cow::Owned(names.join("::"))
        }
    }
}
