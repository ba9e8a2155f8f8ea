// Certificates of a test's own CA, made with openssl.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** The certificates of a folder: each is `NAME.crt`, and its key `NAME.key`. */
export class Certificates {
  readonly #folder: string;

  /** Makes the CA, `ca.crt`. */
  constructor(folder: string) {
    this.#folder = folder;
    this.selfSigned("ca");
  }

  /** The path of a file. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  /** Makes a certificate that no CA has signed. */
  selfSigned(name: string): void {
    this.#openssl("req", "-x509", ...EC, "-days", "30", ...this.#out(name), "-subj", `/CN=${name}`);
  }

  /** Makes a certificate of the CA; `names` are its subject alternative names. */
  signed(name: string, names: string): void {
    writeFileSync(this.path(`${name}.ext`), `subjectAltName=${names}\n`);
    const request = this.path(`${name}.csr`);
    this.#openssl("req", ...EC, "-keyout", this.path(`${name}.key`), "-out", request, "-subj", `/CN=${name}`);
    const ca = ["-CA", this.path("ca.crt"), "-CAkey", this.path("ca.key"), "-CAcreateserial"];
    const out = ["-extfile", this.path(`${name}.ext`), "-out", this.path(`${name}.crt`)];
    this.#openssl("x509", "-req", "-in", request, ...ca, "-days", "30", ...out);
  }

  #out(name: string): string[] {
    return ["-keyout", this.path(`${name}.key`), "-out", this.path(`${name}.crt`)];
  }

  #openssl(...args: readonly string[]): void {
    execFileSync("openssl", args, { stdio: "pipe" });
  }
}
