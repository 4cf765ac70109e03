//! A place in a text, drawn: the line, a mark under it and a few words.
//!
//! ariadne draws. It is given the one line that matters, so that neither the size of a file nor a
//! million-character line turns into output; such a line is shown as a window without drawing.

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};

use super::Remark;
use super::paint::{Paint, Tint, wrapped};
use crate::source::{Severity, SourceFile, Span};

/// Text around a drawing.
#[derive(Clone, Debug, Default)]
pub struct Caption {
    /// Under the mark.
    pub label: String,
    /// Below the drawing, each with a head ("note", "help").
    pub notes: Vec<(&'static str, String)>,
}

/// What stands under this head is there to be copied, and stays on one line.
pub const VERBATIM: &str = "call";

const WIDTH: usize = 78;
/// Longer lines are not drawn.
const LONGEST_LINE: usize = 160;
/// How much of such a line is shown.
const WINDOW: usize = 60;
/// What ariadne paints text without a mark in: it cannot be read on a white ground.
const LIGHT_GREY: &str = "\u{1b}[38;5;249m";
/// The terminal's own colour.
const OWN_COLOUR: &str = "\u{1b}[39m";

/// A diagnostic with its place.
pub fn remark(remark: &Remark, paint: Paint) -> String {
    let diagnostic = &remark.diagnostic;
    let (word, tint, color) = match diagnostic.severity {
        Severity::Error => ("error", Tint::Red, Color::Red),
        Severity::Warning => ("warning", Tint::Yellow, Color::Yellow),
        Severity::Note => ("note", Tint::Cyan, Color::Cyan),
    };
    let name = remark.file.as_ref().map_or(String::new(), |file| format!("{}: ", file.name));
    let notes: Vec<_> = diagnostic.help.iter().map(|help| ("help", help.clone())).collect();
    match (&remark.file, diagnostic.span) {
        (Some(file), Some(span)) => {
            let caption = Caption { label: "here".into(), notes };
            let head = headed(&paint.with(tint, word), word.len() + 2, &diagnostic.message);
            format!("{head}{}", place(file, span, &caption, color, paint))
        }
        _ => {
            let text = format!("{name}{}", diagnostic.message);
            headed(&paint.with(tint, word), word.len() + 2, &text) + &below(&notes, paint)
        }
    }
}

/// `head: text`, the text wrapped and indented to its first line.
fn headed(head: &str, indent: usize, text: &str) -> String {
    let lines = wrapped(text, WIDTH - indent);
    format!("{head}: {}\n", lines.join(&format!("\n{:indent$}", "")))
}

pub fn below(notes: &[(&'static str, String)], paint: Paint) -> String {
    notes
        .iter()
        .map(|(word, text)| {
            let head = paint.with(Tint::Cyan, word);
            match *word {
                VERBATIM => format!("  {head}: {text}\n"),
                word => format!("  {}", headed(&head, word.len() + 4, text)),
            }
        })
        .collect()
}

/// The drawing of a place with its caption. A span over several lines is marked on its first.
pub fn place(file: &SourceFile, span: Span, caption: &Caption, color: Color, paint: Paint) -> String {
    let file = file.of(span);
    let (line, column) = file.position(span.start);
    let text = file.line_text(line);
    // ariadne does not wrap: a long label stands above the drawing.
    let marked = (span.end - span.start.min(span.end)).min(text.len() as u32) / 2;
    let fits = caption.label.chars().count() + (column + marked) as usize + 12 <= WIDTH;
    let (above, label) = match fits {
        true => (String::new(), caption.label.as_str()),
        false => (wrapped(&caption.label, WIDTH - 7).join("\n       "), "here"),
    };
    let above = if above.is_empty() { above } else { format!("       {above}\n") };
    let drawn = if text.len() <= LONGEST_LINE {
        drawing(file, span, label, color, paint)
    } else {
        window(file, line, column, label)
    };
    above + &drawn + &below(&caption.notes, paint)
}

/// Empty lines stand for the text before: the numbers come out right at no cost.
fn drawing(file: &SourceFile, span: Span, label: &str, color: Color, paint: Paint) -> String {
    let text = file.line_text(file.line_of(span));
    let before = "\n".repeat(file.line_of(span) as usize - 1);
    let at = file.text.floor_char_boundary(span.start as usize);
    let line_start = file.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let start = (at - line_start).min(text.len());
    let end = text.floor_char_boundary((span.end as usize).saturating_sub(line_start).min(text.len()));
    // A mark needs a character to stand under: at the end of a line there is a blank.
    let excerpt = format!("{before}{text} \n");
    let next = excerpt[before.len() + start..].chars().next().map_or(1, char::len_utf8);
    let range = before.len() + start..before.len() + end.max(start + next);
    let config = Config::new()
        .with_index_type(IndexType::Byte)
        .with_char_set(CharSet::Unicode)
        .with_color(paint == Paint::Colours);
    let report = Report::build(ReportKind::Advice, (file.name.as_str(), range.clone()))
        .with_config(config)
        .with_label(Label::new((file.name.as_str(), range)).with_color(color).with_message(label))
        .finish();
    let mut bytes = Vec::new();
    report
        .write((file.name.as_str(), Source::from(excerpt)), &mut bytes)
        .expect("writing to memory does not fail");
    let text = String::from_utf8_lossy(&bytes).replace(LIGHT_GREY, OWN_COLOUR);
    // The first line is ariadne's own head; ours stands there instead.
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    body.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn window(file: &SourceFile, line: u32, column: u32, label: &str) -> String {
    let skipped = (column as usize - 1).saturating_sub(WINDOW / 2);
    let shown: String = file
        .line_text(line)
        .chars()
        .skip(skipped)
        .take(WINDOW)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let dots = if skipped > 0 { "…" } else { "" };
    let mark = " ".repeat(column as usize - 1 - skipped + dots.chars().count());
    format!("  at {}:{line}:{column}\n    {dots}{shown}…\n    {mark}^ {label}\n", file.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Diagnostic, FileId};

    fn shown(text: &str, start: usize, end: usize) -> String {
        let file = SourceFile::new(FileId(0), "a.cm", text);
        let span = Span::new(FileId(0), start, end);
        super::remark(&Remark::of(&file, Diagnostic::error(span, "no such thing")), Paint::Plain)
    }

    #[test]
    fn marks_the_place() {
        let text = shown("int x;\n\tint yy = z;\n", 17, 18);
        assert!(text.starts_with("error: no such thing\n"), "{text}");
        assert!(text.contains("a.cm:2:11"), "{text}");
        assert!(text.contains("int yy = z;"), "{text}");
        assert!(!text.contains("int x;"), "{text}");
    }

    #[test]
    fn text_without_a_mark_has_the_colour_of_the_terminal() {
        let file = SourceFile::new(FileId(0), "a.cm", "int y = z;\n");
        let span = Span::new(FileId(0), 8, 9);
        let text = super::remark(&Remark::of(&file, Diagnostic::error(span, "no")), Paint::Colours);
        // Letter by letter.
        assert!(text.contains(&format!("{OWN_COLOUR}y")), "{text:?}");
        assert!(!text.contains(LIGHT_GREY), "{text:?}");
    }

    #[test]
    fn any_place_of_any_text_can_be_drawn() {
        for text in ["", "\n", "ä", "ä\nö", "x\r\ny", "\t\t", "\u{0}\u{7f}", "日本\n語"] {
            for start in 0..=text.len() + 1 {
                for end in start..=text.len() + 2 {
                    assert!(shown(text, start, end).contains("a.cm:"), "{text:?} {start} {end}");
                }
            }
        }
    }

    #[test]
    fn a_long_line_is_a_window() {
        let text = shown(&"(".repeat(100_000), 50_000, 50_001);
        assert!(text.contains("a.cm:1:50001"), "{text}");
        assert!(text.len() < 400, "{text}");
    }
}
