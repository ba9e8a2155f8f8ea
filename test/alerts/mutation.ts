// How good the tests of the rules are: every number, comparator, clause and duration is changed, one at a time, and promtool
// has to notice. Takes about two minutes: "npm run mutate".
