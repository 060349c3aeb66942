// Data that changes automatically: subscribed resources, and tasks that change state. Tests trigger the changes.
import type { SubscriptionView } from "@/ipc/bindings/SubscriptionView";
import type { TaskView } from "@/ipc/bindings/TaskView";
import type { Args } from "./handlers";
import { Part, wait } from "./part";

const minute = 60_000;

const task = (taskId: string, tool: string, status: string, age: number, statusMessage: string | null, part: Partial<TaskView> = {}) => ({
  taskId,
  tool,
  status,
  statusMessage,
  createdAt: Date.now() - age,
  updatedAt: Date.now() - Math.min(age, 2_000),
  pollIntervalMs: 2_000,
  ttlMs: 15 * minute,
  ...part,
});
const chart = (id: string, age: number) => task(id, "draw_chart", "working", age, "Reading the sounding data");
const ended = (age: number) => ({ updatedAt: Date.now() - age });

/** Tasks of every state. */
const everyTask = () => [
  chart("t-1", 84_000),
  // Rounds to 31 seconds for almost a second.
  task("t-2", "book_berth", "input_required", 30_600, "Which of the two free berths do you want?"),
  task("t-3", "structured", "completed", 12 * minute, null, ended(9 * minute)),
  task("t-4", "draw_chart", "failed", 14 * minute, "sounding data of 3 May is missing", ended(13 * minute)),
  task("t-5", "progress", "cancelled", 20 * minute, null, { ...ended(19 * minute), ttlMs: null }),
  task("t-6", "odd", "dreaming", 5_000, "A state no revision knows, with \u202Ehidden\u202C text"),
];

export class Live extends Part {
  private readonly followed = new Map<string, SubscriptionView & { server: number }>();
  private readonly tasks = new Map<number, TaskView[]>(this.scene === "offers" ? [[10, everyTask()]] : []);

  tasksOf(server: number): TaskView[] {
    return this.tasks.get(server) ?? [];
  }

  private set(server: number, tasks: TaskView[]): null {
    this.tasks.set(server, tasks);
    this.host.tell({ kind: "tasks", id: server });
    return null;
  }

  /** Turns a call into a task. */
  add(server: number): void {
    this.set(server, [...this.tasksOf(server), chart(`t-${Date.now()}`, 0)]);
  }

  change(server: number, taskId: string, part: Partial<TaskView>): null {
    const changed = { ...part, updatedAt: Date.now() };
    return this.set(
      server,
      this.tasksOf(server).map((item) => (item.taskId === taskId ? { ...item, ...changed } : item)),
    );
  }

  subscriptionsOf(server: number): SubscriptionView[] {
    return [...this.followed.values()].filter((one) => one.server === server).map(({ server: _, ...view }) => view);
  }

  /** The server says that a resource changed. */
  update(server: number, uri: string): void {
    const now = this.followed.get(`${server} ${uri}`);
    if (!now) return;
    this.followed.set(`${server} ${uri}`, { ...now, updates: now.updates + 1, lastUpdate: Date.now() });
    this.host.tell({ kind: "resource_updated", id: server, uri });
  }

  subscribe_resource = async ({ id, uri }: Args<"subscribe_resource">) => {
    await wait(40);
    this.followed.set(`${id} ${uri}`, { server: id, uri, since: Date.now(), updates: 0, lastUpdate: null });
    return null;
  };
  unsubscribe_resource = async ({ id, uri }: Args<"unsubscribe_resource">) => {
    this.followed.delete(`${id} ${uri}`);
    return null;
  };
  list_subscriptions = async ({ id }: Args<"list_subscriptions">) => this.subscriptionsOf(id);
  list_tasks = async ({ id }: Args<"list_tasks">) => this.tasksOf(id);
  cancel_task = async ({ id, taskId }: Args<"cancel_task">) => {
    await wait(60);
    return this.change(id, taskId, { status: "cancelled", statusMessage: "given up" });
  };
}
