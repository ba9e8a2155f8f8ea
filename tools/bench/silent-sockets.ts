// Opens sockets that request the page and read nothing, in a separate process. Closed sockets are opened again, as an
// attacker would. Usage: silent-sockets.ts PORT COUNT EVERY_MS
import { connect } from "node:net";

const [port = "0", count = "100", everyMs = "50"] = process.argv.slice(2);
const FORMATS = ["text/plain", "application/openmetrics-text; version=1.0.0"];

function open(index: number): void {
  const socket = connect(Number(port), "127.0.0.1").pause();
  const accept = FORMATS[index % FORMATS.length];
  // A client that does not read detects a closed connection only when it writes.
  socket.on("error", () => undefined);
  socket.write(`GET /metrics HTTP/1.1\r\nhost: localhost\r\naccept: ${accept}\r\n\r\n`);
  const probe = setInterval(() => socket.write("\r\n"), 1000);
  socket.on("close", () => {
    clearInterval(probe);
    setTimeout(open, 1000, index);
  });
}

for (let index = 0; index < Number(count); index += 1) setTimeout(open, index * Number(everyMs), index);
process.on("disconnect", () => process.exit());
