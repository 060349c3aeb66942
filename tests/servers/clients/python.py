"""A load with the client of the Python SDK, used the way its documentation shows, for the table of `mooring-bench`:

python python.py TOOL ARGUMENTS CALLS IN-FLIGHT (URL | PROGRAM ARGUMENT…)

Prints the figures of `mooring bench --json`.
"""

import asyncio
import json
import resource
import sys
import time

from mcp import Client, MCPError, StdioServerParameters

# Calls that are made first and not counted, unless the run is shorter: as many as the other clients make.
WARM_UP = 200


async def share(client, name, arguments, total, callers):
    """Makes calls one after the other in each of the callers; seconds of those that succeeded."""
    times, numbers = [], iter(range(total))

    async def caller():
        for _ in numbers:
            began = time.perf_counter()
            try:
                await client.call_tool(name, arguments)
            except MCPError:
                continue  # It is missing among the times, and so counted.
            times.append(time.perf_counter() - began)

    await asyncio.gather(*(caller() for _ in range(callers)))
    return times


async def main():
    name, arguments, calls, callers, first, *rest = sys.argv[1:]
    arguments, calls, callers = json.loads(arguments), int(calls), int(callers)
    server = first if first.startswith("http") else StdioServerParameters(command=first, args=rest)
    async with Client(server) as client:
        await share(client, name, arguments, 1, 1)
        await share(client, name, arguments, 1 + min(WARM_UP, calls // 10), callers)
        began, cpu = time.perf_counter(), time.process_time()
        times = sorted(await share(client, name, arguments, calls, callers))
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu

    def percentile(percent):
        return times[min(len(times) * percent // 100, len(times) - 1)] * 1e6 if times else 0.0

    figures = {
        "calls": calls,
        "errors": calls - len(times),
        "p50_us": percentile(50),
        "p99_us": percentile(99),
        "rps": calls / seconds,
        "cpu_us_per_call": cpu / calls * 1e6,
        "rss_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }
    print(json.dumps(figures))


asyncio.run(main())
