/** Runs the TypeScript sources as ES modules; swc only strips the types. */
export default {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { target: "es2024", parser: { syntax: "typescript" } }, module: { type: "es6" } },
    ],
  },
  collectCoverageFrom: ["src/**/*.ts"],
  coverageProvider: "babel",
  maxWorkers: 2,
  // Not a promise of speed: a test that hangs is to be told from a machine that is busy.
  testTimeout: 120_000,
};
