//! Requests of front ends to servers, and the views of lists and results: tools, prompts, resources, tasks.

mod prompts;
mod resources;
mod subscriptions;
mod tasks;
mod tools;
mod usage;

pub use prompts::{Completion, CompletionReference, CompletionRequest, PromptCall, PromptList};
pub use resources::{ResourceList, ResourceRead, SubscriptionView};
pub use subscriptions::{Follower, ResourceChanges, SubscribeOutcome, Subscriptions};
pub use tasks::TaskView;
pub use tools::{
    CallError, CallErrorCode, CallEvent, CallOutcome, CallStatus, OnCallEvent, ToolAccess, ToolCall,
    ToolList, app_call, check_value,
};
pub use usage::{Usage, UseGuard};
