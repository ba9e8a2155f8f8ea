// A command of the exporter in this process, with its output.
import { CommandError, type Io } from "../../src/commands/io.ts";

/** Runs a command; a CommandError becomes the exit code 1 and its message. */
export async function runCommand(command: (io: Io) => Promise<number>) {
  let [out, err] = ["", ""];
  const io: Io = {
    env: {},
    version: "0.0.0",
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stopped: new Promise(() => undefined),
    onHangUp: () => undefined,
    onWarning: () => undefined,
    startSimulator: () => Promise.reject(new Error("there is no simulator")),
  };
  try {
    return { code: await command(io), out, err };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { code: 1, out, err: `${err}${error.message}` };
  }
}
