// Hosts of this machine.

// Host names as the URL parser returns them. The last is an IPv4 address in IPv6.
const LOOPBACK = /^((.+\.)?localhost\.?|127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/;

/** Whether the host of a URL is this machine. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/** Whether others can read what is sent to a URL. */
export const isExposed = (url: URL): boolean => url.protocol === "http:" && !isLoopback(url);
