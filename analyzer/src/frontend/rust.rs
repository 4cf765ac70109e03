//! A thin slice of Rust.

use std::sync::Arc;

use super::{FrontendOptions, Lowered};
use crate::source::{Diagnostic, SourceFile, Span};

pub fn lower(file: &Arc<SourceFile>, _options: &FrontendOptions) -> Result<Lowered, Vec<Diagnostic>> {
    Err(vec![Diagnostic::error(Span::new(file.id, 0, 0), "not supported yet: Rust")])
}
