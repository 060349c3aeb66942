import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "@/ipc/bridge";
import { tasks } from "@/ipc/queries";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";

/** Asks a server to give a task up. What becomes of it is seen in its status. */
export function useCancelTask(server: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (taskId: string) => call("cancel_task", { id: server, taskId }),
    onError: (error) => toast({ tone: "bad", text: errorText(error) }),
    onSettled: () => client.invalidateQueries({ queryKey: tasks(server).queryKey }),
  });
}
