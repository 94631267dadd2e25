// The parts of the official conformance suite that do not apply here, and why. `scenario` has a failure wherever it
// runs, or it is `scenario/check`. conformance.test.ts checks that nothing else fails, and that none of these passes.

interface Inapplicable {
  why: string;
  what: string[];
}

const of = (scenario: string, ...checks: string[]) => checks.map((check) => `${scenario}/${check}`);

export const CONFORMANCE_EXCEPTIONS: readonly Inapplicable[] = [
  {
    why:
      "It calls a tool or prompt of the suite's own example server by name. The same features of Belfry " +
      "(refusals, progress, a person's input, altered state) are tested with the SDKs' clients.",
    what: [
      ...["simple-text", "image", "audio", "embedded-resource", "mixed-content", "error", "with-progress"].map(
        (kind) => `tools-call-${kind}`,
      ),
      ...["simple", "with-args", "embedded-resource", "with-image"].map((kind) => `prompts-get-${kind}`),
      ...[
        ...["basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multi-round"],
        ...["multiple-input-requests", "missing-input-response", "non-tool-request", "result-type"],
        ...["tampered-state", "capability-check", "ignore-extra-params"],
      ].map((kind) => `input-required-result-${kind}`),
      ...of(
        "server-stateless",
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream",
        "sep-2575-server-no-log-without-loglevel",
      ),
      "json-schema-2020-12",
    ],
  },
  {
    why: "No tool wants an argument in a header of its own: nothing on the way to Belfry decides by one.",
    what: ["http-custom-header-server-validation"],
  },
  {
    why: "No completions, and resources only for chats with cards (decision 0026).",
    what: [
      ...["list", "read-text", "read-binary", "templates-read", "subscribe", "unsubscribe"].map(
        (kind) => `resources-${kind}`,
      ),
      ...of("caching", "sep-2549-resources-list-caching-hints", "sep-2549-resources-templates-list-caching-hints"),
      "completion-complete",
    ],
  },
  {
    why:
      "The server sends clients of 2025 neither requests nor logs: it keeps no stream open to do so over. The " +
      "protocol of 2026 has neither.",
    what: [
      ...["tools-call-sampling", "tools-call-elicitation", "tools-call-with-logging", "logging-set-level"],
      ...["elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
      ...["server-sse-polling"],
    ],
  },
  {
    why: "No tasks: the longest call, wait_for_review, waits for less than a minute and called again.",
    what: [
      ...["lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input"],
      ...["request-headers", "dispatch-and-envelope", "required-task-error", "mrtr-composition"],
    ].map((kind) => `tasks-${kind}`),
  },
];
