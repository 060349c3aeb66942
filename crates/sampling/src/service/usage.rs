//! The usage of models by servers. It is reserved before a request and settled afterwards.

use std::time::Instant;

use mooring_base::server_id::ServerId;
use mooring_disk::StoreError;
use mooring_models::{
    Budget, BudgetOwner, DailyUsage, Model, RemainingBudget, RequestLimit, SamplingRequest, Usage, cost,
    daily_usage, limit_request, today,
};
use mooring_store::SamplingUsageRow;
use mooring_words::Sentence;

use super::{SamplingService, lock};
use crate::error::SamplingError;

/// Usage that was reserved for a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reservation {
    whose: BudgetOwner,
    day: i64,
    pub(crate) limit: RequestLimit,
}

/// Converts a row to usage.
fn usage_from_row(SamplingUsageRow { requests, tokens, cost }: SamplingUsageRow) -> DailyUsage {
    DailyUsage { requests, tokens, cost }
}

impl SamplingService {
    /// The limits of a server. If it has none, for example because it is not saved, the default limits apply.
    fn budget_of(&self, whose: BudgetOwner) -> Budget {
        let policy = whose.map(|server| self.policy(server)).unwrap_or_default();
        let is_set = policy.enabled || policy.budget != Budget::default();
        if is_set { policy.budget } else { Budget::DEFAULT_LIMITS }
    }

    /// Counts a request of a server.
    pub(crate) fn count_request(&self, whose: BudgetOwner) -> Result<(), Sentence> {
        self.meter.count(whose, self.budget_of(whose), Instant::now())
    }

    /// The remaining budget of a server. `None` if it has no limits.
    pub(crate) async fn remaining_budget(
        &self,
        server: ServerId,
    ) -> Result<Option<RemainingBudget>, SamplingError> {
        let budget = self.budget_of(Some(server));
        if budget == Budget::default() {
            return Ok(None);
        }
        let used = usage_from_row(self.tables.usage(server.0, today()).await?);
        Ok(Some(self.meter.remaining(Some(server), budget, used, Instant::now())))
    }

    async fn usage_on(&self, whose: BudgetOwner, day: i64) -> Result<DailyUsage, StoreError> {
        if let Some(server) = whose {
            return self.tables.usage(server.0, day).await.map(usage_from_row);
        }
        let (of, used) = *lock(&self.unsaved_usage);
        Ok(if of == day { used } else { DailyUsage::default() })
    }

    async fn add_usage(&self, whose: BudgetOwner, day: i64, more: DailyUsage) -> Result<(), StoreError> {
        let Some(server) = whose else {
            let mut unsaved = lock(&self.unsaved_usage);
            if unsaved.0 < day {
                *unsaved = (day, DailyUsage::default());
            }
            if unsaved.0 == day {
                unsaved.1.requests += more.requests;
                unsaved.1.tokens = unsaved.1.tokens.saturating_add(more.tokens);
                unsaved.1.cost = unsaved.1.cost.saturating_add(more.cost);
            }
            return Ok(());
        };
        let DailyUsage { requests, tokens, cost } = more;
        self.tables.add_usage(server.0, day, SamplingUsageRow { requests, tokens, cost }).await
    }

    /// Reserves the highest possible usage before a request is made, so that a cancelled request is not free.
    pub(crate) async fn reserve_usage(
        &self,
        whose: BudgetOwner,
        model: Option<&Model>,
        request: &SamplingRequest,
    ) -> Result<Reservation, Sentence> {
        let _turn = self.reserve_lock.lock().await;
        let day = today();
        let unread = |error: StoreError| error.sentence();
        let used = self.usage_on(whose, day).await.map_err(unread)?;
        let promised = limit_request(
            self.budget_of(whose),
            used,
            model,
            request.estimated_tokens(),
            request.max_tokens,
        )?;
        self.add_usage(whose, day, promised.usage).await.map_err(unread)?;
        Ok(Reservation { whose, day, limit: promised })
    }

    /// Replaces the reserved usage by the actual usage.
    pub(crate) async fn settle_usage(&self, bill: Reservation, model: Option<&Model>, usage: Usage) {
        let took = daily_usage(usage, cost(model, usage).unwrap_or_default());
        let promised = bill.limit.usage;
        let difference = DailyUsage {
            requests: 0,
            tokens: took.tokens - promised.tokens,
            cost: took.cost - promised.cost,
        };
        if let Err(error) = self.add_usage(bill.whose, bill.day, difference).await {
            tracing::warn!(%error, "what a model took could not be counted; what it could have taken is");
        }
        self.notify_changed();
    }
}
