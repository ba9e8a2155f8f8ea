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
};
