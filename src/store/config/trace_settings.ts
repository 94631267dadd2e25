// OpenTelemetry traces of requests: enabled or not, and their destination. The names are the standard's.

import { ConfigError, parseHttpUrl, type SettingTable } from "./setting_types.ts";

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([\x20-\x7e]*)$/;

export const TRACE_SETTINGS = {
  otelEndpoint: {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    shownDefault: "(none)",
    meaning:
      "Collector for OTLP as JSON over HTTP, such as http://127.0.0.1:4318. Spans are sent to /v1/traces. If unset, " +
      "tracing is off.",
    read: (raw, name) => (raw === undefined ? null : parseHttpUrl(raw, name)),
  },
  otelHeaders: {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    secret: true,
    shownDefault: "(none)",
    meaning: "Comma-separated list of percent-encoded name=value headers for the collector, such as an API key.",
    read: (raw, name): Record<string, string> => {
      const items = (raw ?? "")
        .split(",")
        .map((item) => item.trim())
        .filter(Boolean);
      return Object.fromEntries(
        items.map((item) => {
          const [, key = "", value = ""] = HEADER.exec(item) ?? [];
          const plain = URL.canParse(`x:${value}`) && /^(?:[^%]|%[0-9a-fA-F]{2})*$/.test(value);
          if (!key || !plain)
            throw new ConfigError(name, "must be a comma-separated list of percent-encoded name=value headers.");
          return [key, decodeURIComponent(value)];
        }),
      );
    },
  },
  otelServiceName: {
    shownDefault: "belfry",
    meaning: "This service's name in traces.",
    read: (raw = "belfry", name) => {
      if (!/^[\x20-\x7e]{1,255}$/.test(raw)) throw new ConfigError(name, "must be short, printable ASCII text.");
      return raw;
    },
  },
  otelTracesRatio: {
    name: "OTEL_TRACES_SAMPLER_ARG",
    shownDefault: "1",
    meaning: "Share of traces to sample, from 0 to 1. Traces that the client does not sample are not sampled either.",
    read: (raw = "1", name) => {
      if (!/^(0|1|0?\.\d{1,9}|1\.0+|0\.0+)$/.test(raw))
        throw new ConfigError(name, "must be a number from 0 to 1, such as 0.1.");
      return Number(raw);
    },
  },
} satisfies SettingTable;
