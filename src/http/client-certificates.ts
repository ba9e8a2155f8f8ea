// Whether the certificate of a client is good enough. Checked after the handshake, so that each type can change while
// the server runs, and resumed sessions are checked too.
import { SocketAddress } from "node:net";
import type { TLSSocket } from "node:tls";
import type { TlsConfig } from "../config/web-config.ts";

/** Whether a client may use a connection. */
export function mayConnect(socket: TLSSocket, { clientAuth, allowedSans }: TlsConfig): boolean {
  if (clientAuth === "NoClientCert" || clientAuth === "RequestClientCert") return true;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return clientAuth === "VerifyClientCertIfGiven";
  const isVerified = clientAuth !== "RequireClientCert" && clientAuth !== "RequireAnyClientCert";
  if (isVerified && !socket.authorized) return false;
  if (allowedSans === undefined) return true;
  const names = namesIn(certificate.subjectAltName ?? "");
  return allowedSans.some((name) => names.includes(name));
}

/** The subject alternative names of a certificate, as `subjectAltName` of Node.js writes them. */
export function namesIn(text: string): readonly string[] {
  const entries = text.matchAll(/(?:^|, )(DNS|email|URI|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...entries].map(([, kind, value = ""]) => {
    const name = value.startsWith('"') ? (JSON.parse(value) as string) : value;
    // OpenSSL writes IPv6 addresses in full.
    return kind === "IP Address" && name.includes(":")
      ? new SocketAddress({ address: name, family: "ipv6" }).address
      : name;
  });
}
