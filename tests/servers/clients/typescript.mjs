// A load with the TypeScript SDK's client, used as in its documentation, for the table of `mooring-bench`:
//   node typescript.mjs TOOL ARGUMENTS CALLS IN-FLIGHT (URL | PROGRAM ARGUMENT…)
// Prints the figures of `mooring bench --json`.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** How many calls to make before the measurement, unless the run is shorter. As many as the other clients make. */
const WARM_UP = 200;

const [name, given, count, inFlight, ...server] = process.argv.slice(2);
const [calls, callers] = [Number(count), Number(inFlight)];
const [first, ...rest] = server;
const client = new Client({ name: "bench", version: "1.0.0" });
const byUrl = /^https?:/.test(first);
await client.connect(byUrl ? new StreamableHTTPClientTransport(new URL(first)) : new StdioClientTransport({ command: first, args: rest }));

/** Makes calls one after the other in each of the callers. Returns the milliseconds of the successful ones. */
async function share(total, callers) {
  const times = [];
  let next = 0;
  const caller = async () => {
    while (next++ < total) {
      const began = performance.now();
      try {
        await client.callTool({ name, arguments: JSON.parse(given) });
        times.push(performance.now() - began);
      } catch {
        // It is missing among the times, and so counts as failed.
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return times;
}

await share(1, 1);
await share(1 + Math.min(WARM_UP, Math.floor(calls / 10)), callers);
const [began, cpu] = [performance.now(), process.cpuUsage()];
const times = (await share(calls, callers)).sort((one, other) => one - other);
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(cpu);
const percentile = (percent) => (times[Math.floor((times.length * percent) / 100)] ?? times.at(-1) ?? 0) * 1000;
const figures = {
  calls,
  errors: calls - times.length,
  p50_us: percentile(50),
  p99_us: percentile(99),
  rps: calls / seconds,
  cpu_us_per_call: (user + system) / calls,
  rss_kb: process.resourceUsage().maxRSS,
};
console.log(JSON.stringify(figures));
await client.close();
