//! What servers use of models: what is promised before a request is made, and what it took.

use std::time::Instant;

use mooring_base::server_id::ServerId;
use mooring_models::{
    Budget, Left, Model, Promised, SamplingRequest, Usage, Used, Whose, cost, promise, row, today,
};
use mooring_store::{SamplingUsageRow, StoreError};
use mooring_words::Sentence;

use super::{Models, lock};
use crate::error::ModelsError;

/// What was counted for a request that is under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bill {
    whose: Whose,
    day: i64,
    pub(crate) promised: Promised,
}

/// As it is counted.
fn used(SamplingUsageRow { requests, tokens, cost }: SamplingUsageRow) -> Used {
    Used { requests, tokens, cost }
}

impl Models {
    /// What a server may use. Whoever was never given bounds, such as one that nobody has saved, has those that everybody
    /// begins with.
    fn budget(&self, whose: Whose) -> Budget {
        let policy = whose.map(|server| self.policy(server)).unwrap_or_default();
        let is_set = policy.enabled || policy.budget != Budget::default();
        if is_set { policy.budget } else { Budget::TO_BEGIN_WITH }
    }

    /// Counts a request of a server.
    pub(crate) fn count(&self, whose: Whose) -> Result<(), Sentence> {
        self.meter.count(whose, self.budget(whose), Instant::now())
    }

    /// What is left of a server's budget; none: it has none.
    pub(crate) async fn left(&self, server: ServerId) -> Result<Option<Left>, ModelsError> {
        let budget = self.budget(Some(server));
        if budget == Budget::default() {
            return Ok(None);
        }
        let used = used(self.tables.usage(server.0, today()).await?);
        Ok(Some(self.meter.left(Some(server), budget, used, Instant::now())))
    }

    async fn used(&self, whose: Whose, day: i64) -> Result<Used, StoreError> {
        if let Some(server) = whose {
            return self.tables.usage(server.0, day).await.map(used);
        }
        let (of, used) = *lock(&self.unsaved);
        Ok(if of == day { used } else { Used::default() })
    }

    async fn add(&self, whose: Whose, day: i64, more: Used) -> Result<(), StoreError> {
        let Some(server) = whose else {
            let mut unsaved = lock(&self.unsaved);
            if unsaved.0 < day {
                *unsaved = (day, Used::default());
            }
            if unsaved.0 == day {
                unsaved.1.requests += more.requests;
                unsaved.1.tokens = unsaved.1.tokens.saturating_add(more.tokens);
                unsaved.1.cost = unsaved.1.cost.saturating_add(more.cost);
            }
            return Ok(());
        };
        let Used { requests, tokens, cost } = more;
        self.tables.add_usage(server.0, day, SamplingUsageRow { requests, tokens, cost }).await
    }

    /// Counts what a request may take at most, before it is made: a request that is given up is not free.
    pub(crate) async fn promise(
        &self,
        whose: Whose,
        model: Option<&Model>,
        request: &SamplingRequest,
    ) -> Result<Bill, Sentence> {
        let _turn = self.promising.lock().await;
        let day = today();
        let unread = |error: StoreError| error.sentence();
        let used = self.used(whose, day).await.map_err(unread)?;
        let promised = promise(self.budget(whose), used, model, request.tokens(), request.max_tokens)?;
        self.add(whose, day, promised.usage).await.map_err(unread)?;
        Ok(Bill { whose, day, promised })
    }

    /// Counts what it took instead.
    pub(crate) async fn settle(&self, bill: Bill, model: Option<&Model>, usage: Usage) {
        let took = row(usage, cost(model, usage).unwrap_or_default());
        let promised = bill.promised.usage;
        let difference =
            Used { requests: 0, tokens: took.tokens - promised.tokens, cost: took.cost - promised.cost };
        if let Err(error) = self.add(bill.whose, bill.day, difference).await {
            tracing::warn!(%error, "what a model took could not be counted; what it could have taken is");
        }
        self.changed();
    }
}
