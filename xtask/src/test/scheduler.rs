//! Tracks the progress of the steps that run in parallel.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Error, Result, bail};

use super::steps::Step;

/// How one step ended.
pub(super) enum Outcome {
    Passed,
    Failed(Error),
    /// Skipped because of a failed dependency, or after a failure because of `--fail-fast`.
    NotRun(&'static str),
}

/// A step that has ended.
pub(super) struct StepResult {
    pub(super) step: &'static Step,
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
}

/// The selected steps in order, with their results.
pub(super) struct Scheduler {
    steps: Vec<&'static Step>,
    fail_fast: bool,
    ended: Mutex<Vec<StepResult>>,
    changed: Condvar,
}

impl Scheduler {
    pub(super) fn new(steps: Vec<&'static Step>, fail_fast: bool) -> Self {
        Self { steps, fail_fast, ended: Mutex::default(), changed: Condvar::new() }
    }

    /// No code panics while it has this lock, so a poisoned lock is still valid.
    fn ended(&self) -> MutexGuard<'_, Vec<StepResult>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the step may run, runs its work unless a failure prevents it, and saves the result. Each
    /// caller must run its steps in order, so that at least one of the waiting callers can continue.
    pub(super) fn run(&self, step: &'static Step, work: impl FnOnce() -> Result<()>) {
        let (outcome, took) = if let Some(by) = self.blocker(step) {
            (Outcome::NotRun(by), Duration::ZERO)
        } else {
            let began = Instant::now();
            // A panic counts as a failure, because other steps may wait for this one.
            let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| bail!("it panicked"));
            (result.map_or_else(Outcome::Failed, |()| Outcome::Passed), began.elapsed())
        };
        self.ended().push(StepResult { step, outcome, took });
        self.changed.notify_all();
    }

    /// Waits for the step's dependencies. Returns the failed one, or `--fail-fast`, if the step must not run.
    fn blocker(&self, step: &Step) -> Option<&'static str> {
        let waits_for = |name: &&str| step.needs.contains(name) || step.beside == Some(name);
        let awaited: Vec<&str> =
            self.steps.iter().map(|step| step.name).filter(|name| waits_for(name)).collect();
        let early = |ended: &mut Vec<StepResult>| {
            awaited.iter().any(|name| !ended.iter().any(|ended| ended.step.name == *name))
        };
        let ended = self.changed.wait_while(self.ended(), early).unwrap_or_else(PoisonError::into_inner);
        let failed = |name: &&str| {
            ended.iter().any(|ended| ended.step.name == *name && !matches!(ended.outcome, Outcome::Passed))
        };
        let stopped = self.fail_fast && ended.iter().any(|ended| matches!(ended.outcome, Outcome::Failed(_)));
        step.needs.iter().copied().find(failed).or(stopped.then_some("--fail-fast"))
    }

    /// The results in the order of the steps.
    pub(super) fn results(self) -> Vec<StepResult> {
        let mut ended = self.ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        ended.sort_by_key(|ended| self.steps.iter().position(|step| step.name == ended.step.name));
        ended
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::super::steps::STEPS;
    use super::*;

    const fn step(name: &'static str, needs: &'static [&'static str]) -> Step {
        Step::new(name, "", needs, |_| Ok(()))
    }

    static FIRST: Step = step("first", &[]);
    static LAST: Step = step("last", &["first", "aside"]);
    static ASIDE: Step = step("aside", &[]).beside("first");
    static LATE: Step = step("late", &["aside"]).beside("first");

    /// Runs four steps in two lanes with the given `work`. Returns what each lane noted and the results.
    fn run(fail_fast: bool, work: impl Fn(&str) -> Result<()> + Sync) -> (Vec<&'static str>, Vec<String>) {
        let board = Scheduler::new(vec![&FIRST, &ASIDE, &LATE, &LAST], fail_fast);
        let noted = Mutex::new(Vec::new());
        let lane = |steps: [&'static Step; 2]| {
            for step in steps {
                board.run(step, || {
                    noted.lock().unwrap().push(step.name);
                    work(step.name)
                });
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| lane([&ASIDE, &LATE]));
            // The other lane starts first.
            thread::sleep(Duration::from_millis(20));
            lane([&FIRST, &LAST]);
        });
        let said = |ended: &StepResult| match &ended.outcome {
            Outcome::Passed => format!("{} passed", ended.step.name),
            Outcome::Failed(error) => format!("{} failed: {error}", ended.step.name),
            Outcome::NotRun(by) => format!("{} not run: {by}", ended.step.name),
        };
        let ends = board.results().iter().map(said).collect();
        (noted.into_inner().unwrap(), ends)
    }

    #[test]
    fn parallel_step_starts_in_order_and_dependents_wait() {
        let (noted, ends) = run(false, |name| {
            thread::sleep(Duration::from_millis(if name == "aside" { 60 } else { 0 }));
            Ok(())
        });
        assert_eq!(noted[..2], ["first", "aside"]);
        assert_eq!(ends, ["first passed", "aside passed", "late passed", "last passed"]);
    }

    #[test]
    fn failed_or_panicked_step_skips_only_its_dependents() {
        let (noted, ends) = run(false, |name| if name == "aside" { bail!("no") } else { Ok(()) });
        assert_eq!(noted, ["first", "aside"]);
        assert_eq!(ends, ["first passed", "aside failed: no", "late not run: aside", "last not run: aside"]);
        let (_, ends) = run(false, |name| if name == "aside" { panic!("on purpose") } else { Ok(()) });
        assert_eq!(ends[1..3], ["aside failed: it panicked", "late not run: aside"]);
        let (_, ends) = run(true, |name| if name == "first" { bail!("no") } else { Ok(()) });
        assert_eq!(ends[1..3], ["aside not run: --fail-fast", "late not run: aside"]);
    }

    /// Otherwise two lanes could wait for each other.
    #[test]
    fn what_a_step_waits_for_stands_before_it() {
        for (place, step) in STEPS.iter().enumerate() {
            for name in step.needs.iter().copied().chain(step.beside) {
                let before = STEPS.iter().position(|step| step.name == name);
                assert!(before.is_some_and(|before| before < place), "{} waits for {name}", step.name);
            }
        }
    }
}
