//! The budgets of servers: requests per minute, and tokens and dollars per day.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Datelike as _, Local, TimeZone};
use mooring_base::server_id::ServerId;
use mooring_words::{Sentence, say};

use crate::dollars::Dollars;
use crate::provider::Model;
use crate::reply::Usage;

/// The interval for requests per minute.
const MINUTE: Duration = Duration::from_mins(1);
/// The most requests of a minute that are remembered. This is also the highest effective limit.
pub(crate) const MOST_PER_MINUTE: u32 = 10_000;

/// The cost of `usage`, rounded up to a millionth of a dollar. `None` if a price is not known.
pub fn cost(model: Option<&Model>, usage: Usage) -> Option<Dollars> {
    // The practice model costs nothing.
    let Some(model) = model else { return Some(Dollars::default()) };
    let (input, output) = (model.input_price?, model.output_price?);
    let all = u128::from(usage.input) * u128::from(input.0) + u128::from(usage.output) * u128::from(output.0);
    let micros = all.div_ceil(1_000_000).min(u128::from(u64::MAX >> 1));
    u64::try_from(micros).ok().map(Dollars)
}

/// Limits on what a server may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// The most requests per minute.
    pub requests_per_minute: Option<u32>,
    /// The most tokens per day, read and written.
    pub tokens_per_day: Option<u32>,
    /// The most dollars per day.
    pub cost_per_day: Option<Dollars>,
}

impl Budget {
    /// The limits of a server that is enabled without limits, so that remembered decisions can't spend
    /// without end. The user can remove them.
    pub const DEFAULT_LIMITS: Self =
        Self { requests_per_minute: Some(10), tokens_per_day: Some(200_000), cost_per_day: None };
}

/// The usage of one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DailyUsage {
    /// The number of requests.
    pub requests: i64,
    /// The number of tokens, read and written.
    pub tokens: i64,
    /// The cost in millionths of a dollar.
    pub cost: i64,
}

/// What remains of a budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemainingBudget {
    /// The remaining requests of this minute.
    pub requests: Option<u32>,
    /// The remaining tokens of today.
    pub tokens: Option<u64>,
    /// The remaining dollars of today.
    pub cost: Option<Dollars>,
}

/// Today's day number in the user's time zone, from 1970-01-01.
pub fn today() -> i64 {
    day_number(&Local::now())
}

/// The number of days from 1970-01-01 to a date, in the date's time zone.
fn day_number<Zone: TimeZone>(time: &DateTime<Zone>) -> i64 {
    const UNIX_EPOCH_DAY: i32 = 719_163;
    i64::from(time.date_naive().num_days_from_ce() - UNIX_EPOCH_DAY).max(0)
}

/// The server whose budget is used. `None` for all servers that are not saved.
pub type BudgetOwner = Option<ServerId>;

/// The times of each server's requests in the last minute.
#[derive(Debug, Default)]
pub struct RequestMeter {
    servers: Mutex<BTreeMap<BudgetOwner, VecDeque<Instant>>>,
}

impl RequestMeter {
    fn lock_servers(&self) -> MutexGuard<'_, BTreeMap<BudgetOwner, VecDeque<Instant>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request of a server. The error says why the request exceeds the budget (SAMP-15).
    pub fn count(&self, whose: BudgetOwner, budget: Budget, now: Instant) -> Result<(), Sentence> {
        let mut servers = self.lock_servers();
        let times = servers.entry(whose).or_default();
        drop_older(times, now);
        let asked = u32::try_from(times.len()).unwrap_or(u32::MAX);
        if let Some(most) = budget.requests_per_minute.map(|most| most.min(MOST_PER_MINUTE))
            && asked >= most
        {
            return Err(say!("the server asked {most} times within a minute, which is the limit", most));
        }
        if asked >= MOST_PER_MINUTE {
            times.pop_front();
        }
        times.push_back(now);
        Ok(())
    }

    /// What remains of a budget.
    pub fn remaining(
        &self,
        whose: BudgetOwner,
        budget: Budget,
        used: DailyUsage,
        now: Instant,
    ) -> RemainingBudget {
        let mut servers = self.lock_servers();
        let times = servers.entry(whose).or_default();
        drop_older(times, now);
        let asked = u32::try_from(times.len()).unwrap_or(u32::MAX);
        RemainingBudget {
            requests: budget.requests_per_minute.map(|most| most.min(MOST_PER_MINUTE).saturating_sub(asked)),
            ..remaining_today(budget, used)
        }
    }
}

fn drop_older(times: &mut VecDeque<Instant>, now: Instant) {
    while times.front().is_some_and(|time| now.saturating_duration_since(*time) >= MINUTE) {
        times.pop_front();
    }
}

fn remaining_today(budget: Budget, used: DailyUsage) -> RemainingBudget {
    let used_of = |used: i64| u64::try_from(used).unwrap_or_default();
    RemainingBudget {
        requests: None,
        tokens: budget.tokens_per_day.map(|most| u64::from(most).saturating_sub(used_of(used.tokens))),
        cost: budget.cost_per_day.map(|most| Dollars(most.0.saturating_sub(used_of(used.cost)))),
    }
}

/// The limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimit {
    /// The most tokens of the answer.
    pub max_tokens: u32,
    /// The usage that is counted until the real usage is known.
    pub usage: DailyUsage,
}

/// Limits a request with about `input` tokens to the remaining budget. Fails if nothing is left. The answer's
/// `max_tokens` may become smaller.
pub fn limit_request(
    budget: Budget,
    used: DailyUsage,
    model: Option<&Model>,
    input: u32,
    max_tokens: u32,
) -> Result<RequestLimit, Sentence> {
    let left = remaining_today(budget, used);
    let input = u64::from(input);
    let mut output = u64::from(max_tokens);
    if let Some(tokens) = left.tokens {
        output = output.min(tokens.saturating_sub(input));
        if output == 0 {
            return Err(say!(
                "the server’s budget of {limit} tokens a day is used up",
                limit = budget.tokens_per_day.unwrap_or_default()
            ));
        }
    }
    let of = |output| cost(model, Usage { input, output });
    let mut price = of(output).unwrap_or_default();
    if let (Some(dollars), Some(model)) = (left.cost, model) {
        let (Some(of_input), Some(per_token)) = (of(0), model.output_price) else {
            return Err(say!(
                "{model} has no prices, so a budget in dollars can’t be applied",
                model = &model.id
            ));
        };
        if price > dollars {
            let rest = u128::from(dollars.0.saturating_sub(of_input.0)) * 1_000_000;
            let affordable = rest.checked_div(u128::from(per_token.0)).unwrap_or_default();
            output = output.min(u64::try_from(affordable).unwrap_or(u64::MAX));
            price = of(output).unwrap_or_default();
        }
        if output == 0 || price > dollars {
            return Err(say!(
                "the server’s budget of {limit} dollars a day is used up",
                limit = budget.cost_per_day.unwrap_or_default().to_string()
            ));
        }
    }
    let usage = daily_usage(Usage { input, output }, price);
    Ok(RequestLimit { max_tokens: u32::try_from(output).unwrap_or(max_tokens), usage })
}

/// Converts usage for counting in a budget.
pub fn daily_usage(usage: Usage, cost: Dollars) -> DailyUsage {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let tokens = usage.input.saturating_add(usage.output);
    DailyUsage { requests: 1, tokens: whole(tokens), cost: whole(cost.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: BudgetOwner = Some(ServerId(1));

    fn used(tokens: i64, cost: i64) -> DailyUsage {
        DailyUsage { requests: 0, tokens, cost }
    }

    #[test]
    fn dollars_are_read_exactly() {
        for (text, micros) in [
            ("0", 0),
            ("3", 3_000_000),
            ("0.000001", 1),
            (".5", 500_000),
            ("1.", 1_000_000),
            (" 2.50 ", 2_500_000),
        ] {
            assert_eq!(Dollars::parse(text), Some(Dollars(micros)), "{text}");
        }
        for text in ["", ".", "-1", "1e3", "0.0000001", "1,5", "1.2.3", "NaN", "99999999999999999999"] {
            assert_eq!(Dollars::parse(text), None, "{text}");
        }
        assert_eq!(Dollars(1_500_000).to_string(), "1.5");
        assert_eq!(Dollars(3_000_000).to_string(), "3");
        assert_eq!(Dollars(1).to_string(), "0.000001");
    }

    #[test]
    fn day_ends_exactly_at_local_midnight() {
        let check = |time: &str, expected: &str| {
            let time = DateTime::parse_from_rfc3339(time).unwrap();
            let expected = DateTime::parse_from_rfc3339(&format!("{expected}T00:00:00Z")).unwrap();
            assert_eq!(day_number(&time), expected.timestamp() / 86_400, "{time}");
        };
        for zone in ["Z", "+09:00", "-09:30", "+14:00", "-12:00"] {
            check(&format!("2026-03-01T23:59:59.999999999{zone}"), "2026-03-01");
            check(&format!("2026-03-02T00:00:00{zone}"), "2026-03-02");
            check(&format!("2028-02-29T12:00:00{zone}"), "2028-02-29");
        }
        // The clock was never set.
        check("1969-12-31T23:59:59Z", "1970-01-01");
        let now = Local::now().date_naive().and_time(chrono::NaiveTime::MIN).and_utc().timestamp() / 86_400;
        assert!((now..=now + 1).contains(&today()));
    }

    // Requirements: SAMP-15.
    #[test]
    fn the_last_request_of_a_minute_is_taken_and_the_next_is_not() {
        let meter = RequestMeter::default();
        let budget = Budget { requests_per_minute: Some(3), ..Budget::default() };
        let start = Instant::now();
        for second in 0..3 {
            meter.count(SERVER, budget, start + Duration::from_secs(second)).unwrap();
        }
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(meter.count(SERVER, budget, at(59)).is_err());
        assert!(meter.count(Some(ServerId(2)), budget, at(59)).is_ok());
        assert_eq!(meter.remaining(SERVER, budget, used(0, 0), at(59)).requests, Some(0));
        meter.count(SERVER, budget, at(60)).unwrap();
        assert!(meter.count(SERVER, budget, at(60)).is_err());
        let none = Budget { requests_per_minute: Some(0), ..Budget::default() };
        assert!(meter.count(None, none, start).is_err());
    }

    // Requirements: SAMP-15.
    #[test]
    fn a_limit_above_what_is_remembered_still_is_one() {
        let meter = RequestMeter::default();
        let budget = Budget { requests_per_minute: Some(999_999), ..Budget::default() };
        let start = Instant::now();
        for _ in 0..MOST_PER_MINUTE {
            meter.count(SERVER, budget, start).unwrap();
        }
        let refused = meter.count(SERVER, budget, start).unwrap_err();
        let said = "the server asked 10000 times within a minute, which is the limit";
        assert_eq!(refused.to_string(), said);
        assert_eq!(meter.remaining(SERVER, budget, used(0, 0), start).requests, Some(0));
        // Without a limit, only a limited number of times is remembered.
        meter.count(SERVER, Budget::default(), start).unwrap();
    }

    #[test]
    fn the_last_token_of_a_day_is_given_and_no_more() {
        let budget = Budget { tokens_per_day: Some(100), ..Budget::default() };
        let most = |used| limit_request(budget, used, None, 10, 500).map(|promised| promised.max_tokens).ok();
        assert_eq!(most(used(0, 0)), Some(90));
        assert_eq!(most(used(89, 0)), Some(1));
        assert_eq!(most(used(90, 0)), None);
        assert_eq!(limit_request(budget, used(0, 0), None, 10, 500).unwrap().usage.tokens, 100);
        assert_eq!(limit_request(Budget::default(), used(0, 0), None, 10, 500).unwrap().max_tokens, 500);
    }

    #[test]
    fn the_last_millionth_of_a_day_is_spent_and_no_more() {
        let budget = Budget { cost_per_day: Some(Dollars(100)), ..Budget::default() };
        // A token that is read costs one millionth, and a token that is written costs two.
        let model = Model {
            input_price: Dollars::parse("1"),
            output_price: Dollars::parse("2"),
            ..Model::with_id("m")
        };
        let most = |used| {
            limit_request(budget, used, Some(&model), 10, 500).map(|promised| promised.max_tokens).ok()
        };
        assert_eq!(most(used(0, 0)), Some(45));
        assert_eq!(most(used(0, 88)), Some(1));
        assert_eq!(most(used(0, 89)), None);
        assert_eq!(cost(Some(&model), Usage { input: 3, output: 4 }), Some(Dollars(11)));
        let unknown = Model::with_id("u");
        assert!(limit_request(budget, used(0, 0), Some(&unknown), 1, 1).is_err());
        let free = Model { input_price: Some(Dollars(0)), output_price: Some(Dollars(0)), ..unknown };
        assert!(limit_request(budget, used(0, 100), Some(&free), 1, 1).is_ok());
        // Without a price, the cost doesn't limit the answer.
        assert!(limit_request(budget, used(0, 100), None, 1, 1).is_ok());
    }
}
