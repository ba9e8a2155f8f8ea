// `npm test` leaves out what takes long, most of it with other programs; TESTS=long (`npm run test:long`) runs only that.
const long = ["**/test/end-to-end/**/*.test.ts", "**/*.long.test.ts"];

/** Runs the TypeScript sources as ES modules; swc only strips the types. */
export default {
  testEnvironment: "<rootDir>/test/support/environment.ts",
  roots: ["<rootDir>/test"],
  testMatch: process.env.TESTS === "long" ? long : ["**/*.test.ts", ...long.map((path) => `!${path}`)],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { target: "es2024", parser: { syntax: "typescript" } }, module: { type: "es6" } },
    ],
  },
  collectCoverageFrom: ["src/**/*.ts"],
  coverageProvider: "babel",
  // The long tests wait for other processes most of the time.
  maxWorkers: process.env.TESTS === "long" ? 3 : 2,
  // Ends a test that hangs: far above what any test takes on a busy machine. `npm run stories` sets their number.
  testTimeout: 400_000 + 5_000 * Number(process.env.STORIES ?? 0),
};
