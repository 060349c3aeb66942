export type LoggedCallStatus = "ok" | "tool_error" | "rpc_error" | "timed_out" | "cancelled" | "failed" | "unknown";
