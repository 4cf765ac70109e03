//! The recordings of this folder, made by the analyzer's example `record_operations`.

use std::path::Path;

use kleene_domains::recording::Recording;

/// Those of so many dimensions, in order.
pub fn recordings(folder: &Path, dimensions: usize) -> Vec<(String, Recording)> {
    let entries = std::fs::read_dir(folder).expect("the recordings are there");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "ops")).collect();
    paths.sort();
    let named = paths.iter().map(|path| (path.file_stem().expect("a name").to_string_lossy(), path));
    let beginning = format!("{dimensions:02}-");
    let read = named.filter(|(name, _)| name.starts_with(&beginning)).map(|(name, path)| {
        let text = std::fs::read_to_string(path).expect("a recording");
        let recording = text.parse().unwrap_or_else(|error| panic!("{name}: {error:?}"));
        (name.into_owned(), recording)
    });
    read.collect()
}
