// The commit of the program, which the bundle has instead of this name.
declare const BUNDLED_REVISION: string | undefined;

/** The commit from which the program was built; unknown in a checkout. */
export const revision: string = typeof BUNDLED_REVISION === "undefined" ? "unknown" : BUNDLED_REVISION;
