// What changes by itself: followed resources that are updated, and tasks that go from state to state.
import type { HostEvent } from "@/ipc/bindings/HostEvent";
import type { SubscriptionView } from "@/ipc/bindings/SubscriptionView";
import type { TaskView } from "@/ipc/bindings/TaskView";

const minute = 60_000;

function task(taskId: string, tool: string, status: string, age: number, rest: Partial<TaskView> = {}): TaskView {
  const now = Date.now();
  return {
    taskId,
    tool,
    status,
    statusMessage: null,
    createdAt: now - age,
    updatedAt: now - Math.min(age, 2_000),
    pollIntervalMs: 2_000,
    ttlMs: 15 * minute,
    ...rest,
  };
}

const steps = ["Reading the sounding data", "Correcting for the tide", "Drawing depth contours", "Writing the chart"];

export class Live {
  private readonly tell: (event: HostEvent) => void;
  private readonly followed = new Map<number, Map<string, SubscriptionView>>();
  private readonly tasks = new Map<number, TaskView[]>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private turns = 0;

  constructor(tell: (event: HostEvent) => void) {
    this.tell = tell;
  }

  /** Begins to move, as a running host does. */
  start(): void {
    this.timer ??= setInterval(() => this.turn(), 1_000);
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Puts tasks of every state there. */
  seed(server: number): void {
    this.tasks.set(server, [
      task("t-1", "draw_chart", "working", 84_000, { statusMessage: steps[0] ?? null }),
      task("t-2", "book_berth", "input_required", 31_000, { statusMessage: "Which of the two free berths do you want?" }),
      task("t-3", "structured", "completed", 12 * minute, { updatedAt: Date.now() - 9 * minute }),
      task("t-4", "draw_chart", "failed", 14 * minute, {
        updatedAt: Date.now() - 13 * minute,
        statusMessage: "sounding data of 3 May is missing",
      }),
      task("t-5", "progress", "cancelled", 20 * minute, { updatedAt: Date.now() - 19 * minute, ttlMs: null }),
      task("t-6", "odd", "dreaming", 5_000, { statusMessage: "A state no revision knows, with \u202Ehidden\u202C text" }),
    ]);
  }

  /** A call that the server takes on as a task. */
  add(server: number, tool: string): void {
    this.tasks.set(server, [
      ...(this.tasks.get(server) ?? []),
      task(`t-${Date.now()}`, tool, "working", 0, { statusMessage: steps[0] ?? null }),
    ]);
    this.tell({ kind: "tasks", id: server });
  }

  tasksOf(server: number): TaskView[] {
    return this.tasks.get(server) ?? [];
  }

  cancel(server: number, taskId: string): void {
    this.change(server, taskId, { status: "cancelled", statusMessage: "given up" });
  }

  change(server: number, taskId: string, part: Partial<TaskView>): void {
    this.tasks.set(
      server,
      this.tasksOf(server).map((item) => (item.taskId === taskId ? { ...item, ...part, updatedAt: Date.now() } : item)),
    );
    this.tell({ kind: "tasks", id: server });
  }

  subscriptionsOf(server: number): SubscriptionView[] {
    return [...(this.followed.get(server)?.values() ?? [])];
  }

  follow(server: number, uri: string): void {
    const list = this.followed.get(server) ?? new Map<string, SubscriptionView>();
    this.followed.set(server, list.set(uri, { uri, since: Date.now(), updates: 0, lastUpdate: null }));
  }

  unfollow(server: number, uri: string): void {
    this.followed.get(server)?.delete(uri);
  }

  /** The server says that a resource changed. */
  update(server: number, uri: string): void {
    const list = this.followed.get(server);
    const now = list?.get(uri);
    if (!list || !now) return;
    list.set(uri, { ...now, updates: now.updates + 1, lastUpdate: Date.now() });
    this.tell({ kind: "resource_updated", id: server, uri });
  }

  private turn(): void {
    this.turns += 1;
    if (this.turns % 3 === 0) for (const [server, list] of this.followed) for (const uri of list.keys()) this.update(server, uri);
    for (const [server, list] of this.tasks) {
      for (const item of list) {
        if (item.status !== "working") continue;
        const step = steps.indexOf(item.statusMessage ?? "");
        if (step >= steps.length - 1) this.change(server, item.taskId, { status: "completed", statusMessage: null });
        else if (this.turns % 4 === 0) this.change(server, item.taskId, { statusMessage: steps[step + 1] ?? null });
      }
    }
  }
}
