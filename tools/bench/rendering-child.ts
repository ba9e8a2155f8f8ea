import { measureRendering } from "./rendering.ts";

process.send?.(await measureRendering(Number(process.argv[2])));
process.disconnect();
