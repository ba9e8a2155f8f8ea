// The bytes of a file from bare node:http, in a separate process. Usage: bare.ts FILE
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const body = readFileSync(process.argv[2] as string);
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/plain; version=0.0.4", "content-length": body.length });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.on("disconnect", () => process.exit());
