//! The analyzer as an engine under test: the one place that knows its interface.

use std::time::Duration;

use kleene::frontend::Language;
use kleene::granularity::Granularity as EngineGranularity;
use kleene::mutation::Mutation;
use kleene::pipeline::{Level, Options, PropertyResult, Verdict, check_text};
use kleene::precision::{Domain, Precision};

use crate::differential::{Answer, Outcome};
use crate::generate::Case;
use crate::model::Granularity;
use crate::print;

/// How the analyzer is asked.
#[derive(Clone, Debug)]
pub struct Settings {
    pub level: Level,
    /// One domain for every precision instead of the usual choice.
    pub domain: Option<Domain>,
    /// Per formula.
    pub timeout: Duration,
    /// These precisions instead of the usual ladder.
    pub ladder: Option<Vec<Precision>>,
    /// A deliberately wrong rule, to show that it is noticed.
    pub mutation: Option<Mutation>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            level: Level::Smt,
            domain: None,
            timeout: Duration::from_secs(10),
            ladder: None,
            mutation: None,
        }
    }
}

pub fn ask(case: &Case, settings: &Settings) -> Vec<Outcome> {
    let options = Options {
        granularity: match case.granularity {
            Granularity::Statement => EngineGranularity::Statement,
            Granularity::Change => EngineGranularity::Change,
            Granularity::Tick => EngineGranularity::Tick,
        },
        watch: case.watch.clone(),
        assume: case.program.assumption().map(|assume| print::cond(&assume)),
        level: settings.level,
        timeout: settings.timeout,
        domain: settings.domain,
        ladder: settings.ladder.clone(),
        mutation: settings.mutation,
        ..Options::default()
    };
    let properties: Vec<String> = case.formulas.iter().map(ToString::to_string).collect();
    let text = print::program(&case.program);
    let report = check_text("case.cm", &text, Language::CMinus, &properties, &options);
    let unread =
        || report.diagnostics.iter().map(|remark| format!("{remark:?}")).collect::<Vec<_>>().join("; ");
    report.results.iter().map(|result| outcome(result, &unread)).collect()
}

fn outcome(result: &PropertyResult, remarks: &dyn Fn() -> String) -> Outcome {
    let answer = match result.verdict {
        Verdict::True => Answer::True,
        Verdict::False => Answer::False,
        Verdict::Maybe => Answer::Maybe,
        Verdict::Error => {
            Answer::Error(format!("{} [{}]", result.message.clone().unwrap_or_default(), remarks()))
        }
    };
    let granularity = Some(match result.granularity {
        EngineGranularity::Statement => Granularity::Statement,
        EngineGranularity::Change => Granularity::Change,
        EngineGranularity::Tick => Granularity::Tick,
    });
    // A level has several precisions; which of them decided is what one wants to know.
    let level = format!("{}/{}", result.level.name(), result.precision);
    Outcome { answer, level, granularity }
}
