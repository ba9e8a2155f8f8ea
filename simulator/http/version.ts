// Which server is imitated.

/** Version as the server spells it: `v<version> (<branch>:<commit>)`. */
export const SERVER_VERSION = "v9.0.2 (main:759c4a5)";
