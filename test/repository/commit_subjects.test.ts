// The subjects of commits that CI accepts.

import { expect, test } from "vitest";
import { findCommitSubjectError } from "../../scripts/commit_subjects.ts";

test.each([
  "Say once what several tools have in common",
  "Pass the caller's key on",
  "Feed the queue before it is queried",
  "Bring the list of tools under its limit",
  "Embed the font's licence",
  "Do not count an attempt to sign in that ends in a fault",
  `Add ${"é".repeat(68)}`,
])("taken: %s", (subject) => expect(findCommitSubjectError(subject)).toBeNull());

test.each([
  ["The number of a rule is stored in one table", /"The" is not/],
  ["A start follows noted imports", /"A" is not/],
  ["Adds a test", /"Adds" is not/],
  ["Added a test", /"Added" is not/],
  ["Adding a test", /"Adding" is not/],
  ["Settings state their types once", /"Settings" is not/],
  ["MikroORM's own command line finds its options", /is not/],
  ["add a test", /capital/],
  ["", /capital/],
  ["Add a test.", /full stop/],
  [`Add ${"x".repeat(69)}`, /73 characters, 72 at most/],
])("refused: %s", (subject, fault) => expect(findCommitSubjectError(subject)).toMatch(fault));
