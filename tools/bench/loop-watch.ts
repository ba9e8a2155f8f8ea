// Loaded into the measured program: reports delays of its event loop over the channel to its parent.
import { monitorEventLoopDelay } from "node:perf_hooks";

// The histogram records the time between two ticks of a timer of this resolution, which is part of every value.
const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on("message", (message) => {
  if (message === "reset") delay.reset();
  const longestMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
  process.send?.({ longestMs, p999Ms: Math.max(0, delay.percentile(99.9) / 1e6 - RESOLUTION_MS) });
});
process.channel?.unref();
