//! Suppressions that nothing needs. A file may be looked at several times, as a library and as tests: what one of them
//! needs is needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lints::Usage;
use crate::report::Remark;
use crate::source::SourceFile;

/// By file, place and name.
#[derive(Default)]
pub struct Superfluous(BTreeMap<(String, u32, String), (bool, Remark)>);

impl Superfluous {
    pub fn add(&mut self, source: &Arc<SourceFile>, usages: Vec<Usage>) {
        for usage in usages {
            let file = source.of(usage.at).name.clone();
            let remark = Remark::of(source, usage.superfluous);
            let known = self.0.entry((file, usage.at.start, usage.name)).or_insert((false, remark));
            known.0 |= usage.is_used;
        }
    }

    pub fn remarks(self) -> Vec<Remark> {
        self.0.into_values().filter(|(is_used, _)| !is_used).map(|(_, remark)| remark).collect()
    }
}
