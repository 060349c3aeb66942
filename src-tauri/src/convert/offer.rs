//! What servers offer beside tools.

use std::sync::Arc;

use mooring_host as host;

use super::tool::text;
use super::whole;
use crate::dto::{
    Completion, CompletionReference, PromptArgument, PromptList, PromptView, ResourceList, ResourceView,
    SkillView, SubscriptionView, TaskView, TemplateView,
};

impl From<host::Resource> for ResourceView {
    fn from(resource: host::Resource) -> Self {
        Self {
            name: resource.name.unwrap_or_else(|| resource.uri.clone()),
            uri: resource.uri,
            title: resource.title,
            description: resource.description,
            mime_type: resource.mime_type,
            size: resource.size.map(whole),
            annotations: host::annotations(&resource.raw).map(text),
            raw: text(resource.raw),
            diagnostics: resource.diagnostics,
        }
    }
}

impl From<host::ResourceTemplate> for TemplateView {
    fn from(template: host::ResourceTemplate) -> Self {
        Self {
            variables: host::template_variables(&template.uri_template),
            name: template.name.unwrap_or_else(|| template.uri_template.clone()),
            uri_template: template.uri_template,
            title: template.title,
            description: template.description,
            mime_type: template.mime_type,
            annotations: host::annotations(&template.raw).map(text),
            raw: text(template.raw),
            diagnostics: template.diagnostics,
        }
    }
}

impl From<host::Skill> for SkillView {
    fn from(skill: host::Skill) -> Self {
        Self {
            uri: skill.uri,
            name: skill.name,
            description: skill.description,
            files: match skill.files {
                host::SkillFiles::Listed(files) => Some(u32::try_from(files.len()).unwrap_or(u32::MAX)),
                host::SkillFiles::Dynamic => None,
            },
            diagnostics: skill.diagnostics,
        }
    }
}

impl From<Arc<host::ResourceList>> for ResourceList {
    fn from(list: Arc<host::ResourceList>) -> Self {
        let list = Arc::unwrap_or_clone(list);
        Self {
            resources: list.resources.into_iter().map(Into::into).collect(),
            templates: list.templates.into_iter().map(Into::into).collect(),
            skills: list.skills.into_iter().map(Into::into).collect(),
            diagnostics: list.diagnostics,
        }
    }
}

impl From<host::PromptArgument> for PromptArgument {
    fn from(argument: host::PromptArgument) -> Self {
        let host::PromptArgument { name, title, description, required } = argument;
        Self { name, title, description, required }
    }
}

impl From<host::Prompt> for PromptView {
    fn from(prompt: host::Prompt) -> Self {
        Self {
            name: prompt.name,
            title: prompt.title,
            description: prompt.description,
            arguments: prompt.arguments.into_iter().map(Into::into).collect(),
            raw: text(prompt.raw),
            diagnostics: prompt.diagnostics,
        }
    }
}

impl From<Arc<host::PromptList>> for PromptList {
    fn from(list: Arc<host::PromptList>) -> Self {
        let list = Arc::unwrap_or_clone(list);
        Self { prompts: list.prompts.into_iter().map(Into::into).collect(), diagnostics: list.diagnostics }
    }
}

impl From<CompletionReference> for host::CompletionReference {
    fn from(reference: CompletionReference) -> Self {
        match reference {
            CompletionReference::Prompt { name } => Self::Prompt(name),
            CompletionReference::Template { uri_template } => Self::Template(uri_template),
        }
    }
}

impl From<host::Completion> for Completion {
    fn from(completion: host::Completion) -> Self {
        let host::Completion { values, total, has_more } = completion;
        Self { values, total: total.map(whole), has_more }
    }
}

impl From<host::SubscriptionView> for SubscriptionView {
    fn from(subscription: host::SubscriptionView) -> Self {
        Self {
            uri: subscription.uri,
            since: subscription.since_ms,
            updates: whole(subscription.updates),
            last_update: subscription.last_update_ms,
        }
    }
}

impl From<host::TaskView> for TaskView {
    fn from(task: host::TaskView) -> Self {
        Self {
            task_id: task.task_id,
            tool: task.tool,
            status: task.status.to_owned(),
            status_message: task.status_message,
            created_at: task.created_ms,
            updated_at: task.updated_ms,
            poll_interval_ms: task.poll_interval_ms.map(whole),
            ttl_ms: task.ttl_ms.map(whole),
        }
    }
}
