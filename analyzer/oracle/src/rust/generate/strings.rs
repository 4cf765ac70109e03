//! Texts: bytes, characters, and parts that may or may not begin and end between characters.

use super::Maker;

pub(super) const COMMON: &str = "\
fn rest(text: &str, from: usize) -> &str {
    &text[from..]
}
fn digit(text: &str) -> Option<u8> {
    let first = *text.as_bytes().first()?;
    first.checked_sub(b'0')
}
fn initial(text: &str) -> char {
    text.chars().next().unwrap()
}
fn quoted(text: &str) -> String {
    let mut out = String::new();
    out.push('\\'');
    out.push_str(text);
    out.push('\\'');
    out
}
fn inside(text: &str) -> &str {
    &text[1..text.len() - 1]
}
";

impl Maker {
    pub(super) fn string(&mut self) {
        if let Some(string) = self.known.strings.last().cloned().filter(|_| self.rng.percent(50)) {
            return self.grown(&string);
        }
        let Some(text) = self.known.texts.last().cloned().filter(|_| self.rng.percent(85)) else {
            return self.new_text();
        };
        match self.rng.below(8) {
            0 | 1 => self.bytes_of(&text),
            2 | 3 => self.text_part(&text),
            4 => self.letters(&text),
            5 => self.asked_of(&text),
            6 => self.measured_text(&text),
            _ => {
                self.size(&text);
            }
        }
    }

    fn new_text(&mut self) {
        let name = self.fresh();
        match self.rng.below(4) {
            0 => {
                let text = *self.rng.pick(&["", "a", "zero", "h\u{e9}", "\u{20ac}5", "x=1"]);
                self.line(&format!("let {name}: &str = \"{text}\";"));
                self.known.texts.push(name);
            }
            1 => {
                let from = self.known.texts.last().cloned().unwrap_or_else(|| "\"ab\"".into());
                self.line(&format!("let mut {name}: String = quoted({from});"));
                self.known.strings.push(name);
            }
            2 => {
                self.line(&format!("let mut {name} = String::new();"));
                self.known.strings.push(name);
            }
            _ => {
                let from = self.known.texts.last().cloned().unwrap_or_else(|| "\"xyz\"".into());
                self.line(&format!("let mut {name}: String = {from}.to_string();"));
                self.known.strings.push(name);
            }
        }
    }

    fn bytes_of(&mut self, text: &str) {
        let (at, by) = (self.index(text), self.byte());
        match self.rng.below(6) {
            0 => self.let_byte(&format!("{text}.as_bytes()[{at}]")),
            1 => self.let_byte(&format!("digit({text}).unwrap()")),
            2 => {
                let name = self.fresh();
                self.line(&format!("let mut {name}: u8 = 0;"));
                self.line(&format!("for byte in {text}.bytes() {{"));
                self.line(&format!("    {name} = byte - 32;"));
                self.line("}");
                self.know(name, "u8", true);
            }
            3 => {
                let name = self.fresh();
                self.line(&format!("let {name}: u8 = match {text}.as_bytes() {{"));
                self.line("    [b'0'..=b'9', ..] => 1,");
                self.line("    [b'a', rest @ ..] => rest[0],");
                self.line(&format!("    _ => {by},"));
                self.line("};");
                self.know(name, "u8", false);
            }
            4 => {
                self.line(&format!("let bytes = {text}.as_bytes();"));
                self.let_byte("bytes[bytes.len() - 1] - b'0'");
            }
            _ => {
                let name = self.fresh();
                self.line(&format!("let mut {name}: u8 = 0;"));
                self.line(&format!("for byte in {text}.bytes() {{"));
                self.line("    if !byte.is_ascii_digit() { break; }");
                self.line(&format!("    {name} = {name} * 10 + (byte - b'0');"));
                self.line("}");
                self.know(name, "u8", true);
            }
        }
    }

    fn text_part(&mut self, text: &str) {
        let (name, at) = (self.fresh(), self.index(text));
        let value = match self.rng.below(8) {
            0 => format!("rest({text}, {at})"),
            1 => format!("{text}.split_at({at}).{}", self.rng.below(2)),
            2 => format!("inside({text})"),
            3 => format!("if {text}.is_char_boundary({at}) {{ &{text}[..{at}] }} else {{ {text} }}"),
            4 => format!("{text}.get({at}..).unwrap_or(\"\")"),
            5 => format!("&{text}[{text}.len()..]"),
            _ => {
                let part = self.part_of(text);
                format!("&{text}[{part}]")
            }
        };
        self.line(&format!("let {name}: &str = {value};"));
        self.known.texts.push(name);
    }

    fn letters(&mut self, text: &str) {
        let (name, by) = (self.fresh(), self.byte());
        match self.rng.below(6) {
            0 => {
                self.line(&format!("let {name}: char = initial({text});"));
                self.let_byte(&format!("{name} as u8"));
            }
            1 => {
                self.line(&format!("let {name}: u8 = {text}.chars().count() as u8 - 1;"));
                self.know(name, "u8", false);
            }
            2 => {
                self.line(&format!("let mut {name}: usize = 0;"));
                self.line(&format!("for letter in {text}.chars() {{"));
                self.line(&format!("    {name} += letter.len_utf8();"));
                self.line("}");
                self.line(&format!("assert!({name} == {text}.len());"));
            }
            3 => {
                self.line(&format!("for (at, letter) in {text}.char_indices() {{"));
                self.line(&format!("    if letter == 'z' || at > {by} as usize {{"));
                self.line(&format!("        assert!({text}[at..].len() > 1);"));
                self.line("    }");
                self.line("}");
            }
            4 => {
                self.line(&format!("let {name}: u8 = match {text}.chars().next() {{"));
                self.line("    Some('a'..='f') => 1,");
                self.line(&format!("    Some(letter) if letter.is_ascii() => letter as u8 - {by},"));
                self.line("    Some(_) => 2,");
                self.line(&format!("    None => {by},"));
                self.line("};");
                self.know(name, "u8", false);
            }
            _ => {
                self.line(&format!("let mut {name} = {text}.chars();"));
                self.line(&format!("{name}.next();"));
                self.line(&format!("assert!({name}.next() != Some('9'));"));
            }
        }
    }

    fn asked_of(&mut self, text: &str) {
        let by = self.byte();
        match self.rng.below(6) {
            0 => self.line(&format!("assert!(!{text}.is_empty() || {by} < 200);")),
            1 => {
                self.line(&format!("if {text}.starts_with(\"x\") {{"));
                self.line(&format!("    assert!({text}[1..].len() < 3);"));
                self.line("}");
            }
            2 => {
                self.line(&format!("if let Some(at) = {text}.find('=') {{"));
                self.line(&format!("    assert!({text}[at + 1..].len() > 0);"));
                self.line("}");
            }
            3 => {
                self.line(&format!("if {text} == \"zero\" {{"));
                self.line(&format!("    assert!({text}.len() == 4 && {by} > 2);"));
                self.line("}");
            }
            4 => {
                self.line(&format!("if let Some(more) = {text}.strip_prefix('x') {{"));
                self.line("    assert!(more.len() < 3);");
                self.line("}");
            }
            _ => {
                self.line(&format!("let trimmed = {text}.trim();"));
                self.line(&format!("assert!(trimmed.len() <= {text}.len());"));
            }
        }
    }

    fn measured_text(&mut self, text: &str) {
        let name = self.fresh();
        match self.rng.below(3) {
            0 => self.line(&format!("let {name}: usize = {text}.len() - 1;")),
            1 => self.line(&format!("let {name}: usize = 12 / {text}.len();")),
            _ => self.line(&format!("let {name}: usize = {text}.len() * 2 - 3;")),
        }
        self.know(name, "usize", false);
    }

    fn grown(&mut self, string: &str) {
        let (at, by) = (self.index(string), self.byte());
        match self.rng.below(9) {
            0 => self.line(&format!("{string}.push('a');")),
            1 => self.line(&format!("{string}.push('\u{e9}');")),
            2 => {
                let text = self.known.texts.last().cloned().unwrap_or_else(|| "\"more\"".into());
                self.line(&format!("{string}.push_str({text});"));
            }
            3 => {
                let at = self.size(string);
                self.line(&format!("{string}.truncate({at});"));
            }
            4 => self.let_byte(&format!("{string}.as_bytes()[{at}]")),
            5 => self.let_byte(&format!("{string}[{at}..].len() as u8")),
            6 => {
                let name = self.fresh();
                self.line(&format!("let {name} = {string}.pop();"));
                self.line(&format!("assert!({name}.is_some() || {by} > 7);"));
            }
            7 => self.line(&format!("{string}.clear();")),
            _ => self.let_byte(&format!("{string}.as_str().len() as u8 - 1")),
        }
    }
}
