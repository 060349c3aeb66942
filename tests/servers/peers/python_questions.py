"""What the peers in Python ask, and what they complete."""

from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ListRootsRequest,
    PromptReference,
    SamplingMessage,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
WORDS = [SamplingMessage(role="user", content=TextContent(type="text", text="Say something."))]


async def answers(context) -> str | InputRequiredResult:
    """Asks a person, a model and for folders: with requests in a session, with a result where there is none."""
    session = context.session
    if context.request_context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        here = context.request_id
        form = await session.elicit_form("Who are you?", FORM, related_request_id=here)
        sample = await session.create_message(WORDS, max_tokens=10, related_request_id=here)
        folders = await session.list_roots()
        return told(form, sample, folders)
    given = context.input_responses
    if given is None:
        form = ElicitRequestFormParams(message="Who are you?", requested_schema=FORM)
        sample = CreateMessageRequestParams(messages=WORDS, max_tokens=10)
        return InputRequiredResult(
            input_requests={
                "form": ElicitRequest(params=form),
                "sample": CreateMessageRequest(params=sample),
                "folders": ListRootsRequest(),
            },
            request_state="asked",
        )
    if context.request_state != "asked":
        raise ValueError("the state did not come back")
    return told(given["form"], given["sample"], given["folders"])


def told(form, sample, folders) -> str:
    return f"{form.content['name']}; {sample.content.text}; {folders.roots[0].uri}"


def names(reference, argument) -> list[str]:
    """The names that begin like the value, for the prompt and the template that take one."""
    prompt = isinstance(reference, PromptReference)
    known = reference.name == "greet" if prompt else reference.uri == "peer://notes/{name}"
    if not known or argument.name != "name":
        return []
    return [name for name in ("Ana", "Anselm", "Bo") if name.startswith(argument.value)]
