// The URLs that may be registered and called: by their text alone, and by the results of a scripted DNS server for
// their hosts.

import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  parseTargetRules,
  resolveTarget,
  resolveTargetAtRegistration,
  type TargetRules,
} from "../../src/effects/webhooks/target_check.ts";
import { type DnsAnswer, startDnsServer } from "../support/dns_server.ts";

const publicA = { a: ["93.184.215.14"] };
const NAMES: Record<string, DnsAnswer> = {
  "hooks.belfry-peer.net": { ...publicA, aaaa: ["2606:4700:4700::1111"] },
  "v4.belfry-peer.net": publicA,
  "v6.belfry-peer.net": { aaaa: ["2606:4700:4700::1111"] },
  "xn--bcher-kva.belfry-peer.net": publicA,
  "chain.belfry-peer.net": { ...publicA, cname: "elsewhere.belfry-peer.net" },
  "served.test": publicA,
  "hooks.example": publicA,
  "served.local": publicA,
  "served.invalid": publicA,
  "private.belfry-peer.net": { a: ["10.0.0.7"] },
  "loopback.belfry-peer.net": { a: ["127.0.0.1"] },
  "metadata.belfry-peer.net": { a: ["169.254.169.254"] },
  "mixed.belfry-peer.net": { a: ["93.184.215.14", "192.168.1.1"] },
  "mixed6.belfry-peer.net": { ...publicA, aaaa: ["fd00::1"] },
  "loopback6.belfry-peer.net": { aaaa: ["::1"] },
  "mapped.belfry-peer.net": { aaaa: ["::ffff:5db8:d70e"] },
  "nat64.belfry-peer.net": { ...publicA, aaaa: ["64:ff9b::5db8:d70e"] },
  "chain-in.belfry-peer.net": { a: ["172.16.0.1"], cname: "inside.belfry-peer.net" },
  "empty.belfry-peer.net": {},
  "dangling.belfry-peer.net": { cname: "nowhere.belfry-peer.net" },
  "servfail.belfry-peer.net": { rcode: 2 },
  "silent.belfry-peer.net": { silent: true },
};

let dns: Awaited<ReturnType<typeof startDnsServer>>;
let rules: TargetRules;
beforeAll(async () => {
  dns = await startDnsServer(({ name, type }) => {
    if (name === "half.belfry-peer.net") return type === "A" ? publicA : { rcode: 2 };
    if (name === "half-in.belfry-peer.net") return type === "A" ? { a: ["10.0.0.1"] } : { rcode: 2 };
    if (name === "half-silent.belfry-peer.net") return type === "A" ? publicA : { silent: true };
    if (name === "slow.belfry-peer.net") return { ...publicA, delayMs: 400 };
    return NAMES[name] ?? { rcode: 3 };
  });
  rules = parseTargetRules({ dnsServers: [dns.server] });
});
afterAll(() => dns.close());

/** Never given. */
const { signal } = new AbortController();

describe("accepted", () => {
  test.each([
    "https://hooks.belfry-peer.net/in",
    "HTTPS://HOOKS.Belfry-Peer.NET",
    "https://hooks.belfry-peer.net./in",
    "https://v4.belfry-peer.net:8443/in?a=b%20c#d",
    "https://v4.belfry-peer.net:1",
    "https://v4.belfry-peer.net:65535/",
    "https://v6.belfry-peer.net/",
    "https://bücher.belfry-peer.net/",
    "https://chain.belfry-peer.net/",
    "https://half.belfry-peer.net/",
    "https://slow.belfry-peer.net/",
    "https://93.184.215.14/",
    "https://93.184.215.14:8443/",
    "https://[2606:4700:4700::1111]/",
    "https://0x5db8d70e/",
    // The operator's own name servers may serve these.
    "https://served.test/",
    "https://hooks.example/",
  ])("%s", async (url) => {
    const result = await resolveTargetAtRegistration(url, rules);
    expect(result.ok && result.addresses.length > 0).toBe(true);
  });

  test("with every address of both families", async () => {
    const result = await resolveTarget("https://hooks.belfry-peer.net/", rules, { signal });
    expect(result).toMatchObject({ ok: true, addresses: ["93.184.215.14", "2606:4700:4700::1111"] });
  });

  test("at exactly 2,048 characters", async () => {
    const url = "https://v4.belfry-peer.net/";
    expect(await resolveTargetAtRegistration(url + "a".repeat(2048 - url.length), rules)).toMatchObject({ ok: true });
    expect(await resolveTargetAtRegistration(url + "a".repeat(2049 - url.length), rules)).toMatchObject({
      ok: false,
      refusal: "url",
    });
  });
});

// rules#webhook-public-addresses
test.each([
  "http://192.168.1.9:8065/x",
  "http://mattermost:8065/x",
  "http://[fd00::9]/x",
  "http://10.0.0.7/",
  "https://192.168.1.9:8065/x",
  "https://nas.lan/x",
])("the refusal of %s names the setting that allows it", async (url) => {
  expect(await resolveTargetAtRegistration(url, rules)).toMatchObject({
    ok: false,
    reason: expect.stringContaining("WEBHOOK_ALLOW_HOSTS"),
  });
});

describe("refused by the text alone, without a question to DNS", () => {
  test.each([
    ...(
      "http://hooks.belfry-peer.net/ ftp://hooks.belfry-peer.net/ file:///etc/passwd javascript:alert(1) " +
      "data:text/plain,x"
    ).split(" "),
    ...(
      "hooks.belfry-peer.net //hooks.belfry-peer.net/ /in https: https:/ https:// https:/// https:///in " +
      "wss://v4.belfry-peer.net/"
    ).split(" "),
    ...(
      "https:hooks.belfry-peer.net https:/v4.belfry-peer.net https:///v4.belfry-peer.net " +
      "https:\\\\v4.belfry-peer.net"
    ).split(" "),
    ...(
      "https://u:p@v4.belfry-peer.net/ https://u@v4.belfry-peer.net/ https://@v4.belfry-peer.net/ " +
      "https://:@v4.belfry-peer.net/"
    ).split(" "),
    "https://v4.belfry-peer.net\\@10.0.0.1/",
    "https://v4.belfry-peer.net:0/",
    "https://v4.belfry-peer.net:65536/",
    "https://v4.belfry-peer.net:port/",
    "https://v4.belfry-peer.net:-1/",
    " https://v4.belfry-peer.net/",
    "https://v4.belfry-peer.net/ ",
    "https://v4.belfry\t-peer.net/",
    "ht\ntps://v4.belfry-peer.net/",
    "https://v4.belfry-peer.net/\u0000",
    "https://v4 .belfry-peer.net/",
    // Names that are not of public DNS.
    ..."https://localhost/ https://LOCALHOST./ https://a.localhost/ https://a.localdomain/ https://served.local/".split(
      " ",
    ),
    ...(
      "https://metadata.google.internal/ https://router.home.arpa/ https://x.onion/ https://served.invalid/ " +
      "https://nas.lan/"
    ).split(" "),
    ...(
      "https://intranet/ https://kubernetes/ https://com/ https://x.svc.cluster.local/ https://x.corp/ " +
      "https://x.alt/"
    ).split(" "),
    ..."https://v4..belfry-peer.net/ https://.belfry-peer.net/ https://v4.belfry-peer.net../ https://./".split(" "),
    `https://${"a".repeat(64)}.belfry-peer.net/`,
    `https://${"a.".repeat(130)}net/`,
    // One loopback address, written in every way.
    ...(
      "https://127.0.0.1/ https://127.0.0.1./ https://127.1/ https://127.0.1/ https://2130706433/ " +
      "https://0x7f000001/"
    ).split(" "),
    ..."https://0x7f.0.0.1/ https://0177.0.0.1/ https://017700000001/ https://0x7f.1/ https://127.0.0.1:443/".split(
      " ",
    ),
    ..."https://①②⑦.⓪.⓪.① https://127。0。0。1/ https://%31%32%37.0.0.1/ https://１２７.0.0.1/".split(" "),
    ...(
      "https://[::1]/ https://[0:0:0:0:0:0:0:1]/ https://[::127.0.0.1]/ https://[::ffff:127.0.0.1]/ " +
      "https://[::ffff:7f00:1]/"
    ).split(" "),
    ...(
      "https://0/ https://0.0.0.0/ https://10.0.0.1/ https://169.254.169.254/latest https://192.168.0.1/ " +
      "https://100.64.0.1/"
    ).split(" "),
    ...(
      "https://[::]/ https://[fe80::1]/ https://[fe80::1%25eth0]/ https://[fd00::1]/ " +
      "https://[::ffff:93.184.215.14]/"
    ).split(" "),
    ...(
      "https://[64:ff9b::93.184.215.14]/ https://[2002:5db8:d70e::1]/ https://[2001::1]/ " + "https://[100:0:0:1::1]/"
    ).split(" "),
    ..."https://256.1.1.1/ https://1.2.3.4.5/ https://[::1/ https://::1/ https://[v1.x]/".split(" "),
    "",
  ])("%s", async (url) => {
    const before = dns.questions.length;
    const result = await resolveTargetAtRegistration(url, rules);
    expect(result.ok).toBe(false);
    if (!result.ok) {
      expect(result.refusal).toMatch(/^(url|address)$/);
      expect(result.reason).toMatch(/^(Enter|Remove) .+\.$/);
    }
    expect(dns.questions.length).toBe(before);
  });

  test("test and example, when the name servers are not the operator's own", async () => {
    for (const url of ["https://served.test/", "https://hooks.example/"]) {
      expect(await resolveTargetAtRegistration(url, parseTargetRules())).toMatchObject({ ok: false, refusal: "url" });
    }
  });
});

// rules#create-webhook
describe("refused by the result of DNS", () => {
  test.each([
    ["private.belfry-peer.net", "address"],
    ["loopback.belfry-peer.net", "address"],
    ["metadata.belfry-peer.net", "address"],
    ["mixed.belfry-peer.net", "address"],
    ["mixed6.belfry-peer.net", "address"],
    ["loopback6.belfry-peer.net", "address"],
    ["mapped.belfry-peer.net", "address"],
    ["nat64.belfry-peer.net", "address"],
    ["chain-in.belfry-peer.net", "address"],
    ["half-in.belfry-peer.net", "address"],
    ["nowhere.belfry-peer.net", "missing"],
    ["foo.constructor", "missing"],
    ["empty.belfry-peer.net", "missing"],
    ["dangling.belfry-peer.net", "missing"],
  ])("%s: %s", async (host, refusal) => {
    const registered = await resolveTargetAtRegistration(`https://${host}/`, rules);
    expect(registered).toMatchObject({ ok: false, refusal });
    expect(await resolveTarget(`https://${host}/`, rules, { signal })).toEqual(registered);
    // Nothing of the question in the answer, and an inner name reads as one that does not exist.
    expect(registered).toHaveProperty("reason", expect.stringMatching(/^Enter a host whose public DNS addresses/));
  });
});

describe("a resolver without a result", () => {
  /** Ends when a resolver gives up by itself, some ten seconds on. Queried before ours, it would end before ours. */
  const unanswered = (host: string) => {
    const resolver = new Resolver({ timeout: 1500, tries: 3 });
    resolver.setServers([dns.server]);
    return resolver.resolve6(host).then(
      () => "answered",
      () => "given up",
    );
  };

  test.each(["servfail", "silent"])("%s: registered, but not called", async (kind) => {
    const url = `https://${kind}.belfry-peer.net/`;
    expect(await resolveTargetAtRegistration(url, rules, { timeoutMs: 300 })).toMatchObject({
      ok: true,
      addresses: [],
    });
    const atDelivery = await resolveTarget(url, rules, { signal: AbortSignal.timeout(300) });
    expect(atDelivery).toMatchObject({ ok: false, refusal: "resolver" });
  });

  test("an available address is not delayed by the other family's silence", async () => {
    const silence = unanswered("half-silent.belfry-peer.net");
    const result = resolveTarget("https://half-silent.belfry-peer.net/", rules, { signal });
    expect(await Promise.race([silence, result.then(() => "ours")])).toBe("ours");
    expect(await result).toMatchObject({ ok: true, addresses: ["93.184.215.14"] });
  });

  test("registration waits two seconds, not longer", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    const silence = unanswered("silent.belfry-peer.net");
    const started = performance.now();
    const result = resolveTargetAtRegistration("https://silent.belfry-peer.net/", rules);
    expect(await Promise.race([silence, result.then(() => "ours")])).toBe("ours");
    expect(await result).toMatchObject({ ok: true });
    expect(performance.now() - started).toBeGreaterThan(1900);
    expect(timeout.mock.calls).toEqual([[2000]]);
    timeout.mockRestore();
  });

  test("no name server listens", async () => {
    const none = parseTargetRules({ dnsServers: ["127.0.0.1:1"] });
    expect(await resolveTargetAtRegistration("https://v4.belfry-peer.net/", none, { timeoutMs: 500 })).toMatchObject({
      ok: true,
    });
  });
});

test("one question per family", async () => {
  const before = dns.questions.length;
  await resolveTarget("https://v4.belfry-peer.net/", rules, { signal });
  expect(
    dns.questions
      .slice(before)
      // Unanswered lookups of an earlier test still send queries for their own names.
      .filter(({ name }) => name === "v4.belfry-peer.net")
      .map((question) => question.type)
      .sort(),
  ).toEqual(["A", "AAAA"]);
});

describe("WEBHOOK_ALLOW_HOSTS", () => {
  const allow = (...allowHosts: string[]) => parseTargetRules({ allowHosts, dnsServers: [dns.server] });

  test.each([
    ["127.0.0.1", "http://127.0.0.1:9000/"],
    ["127.0.0.1", "https://127.1/"],
    ["127.0.0.1:9000", "http://127.0.0.1:9000/"],
    ["localhost:9000", "http://localhost:9000/"],
    ["LOCALHOST", "https://localhost./"],
    ["[::1]:9000", "http://[::1]:9000/"],
    ["::1", "http://[0:0:0:0:0:0:0:1]/"],
    ["private.belfry-peer.net", "https://private.belfry-peer.net/"],
    ["mixed.belfry-peer.net:443", "https://mixed.belfry-peer.net/"],
    ["mixed.belfry-peer.net:80", "http://mixed.belfry-peer.net/"],
    ["bücher.belfry-peer.net", "http://xn--bcher-kva.belfry-peer.net/"],
  ])("%s allows %s", async (entry, url) => {
    expect(await resolveTargetAtRegistration(url, allow("192.168.9.9", entry))).toMatchObject({ ok: true });
  });

  test.each([
    ["127.0.0.1:9000", "http://127.0.0.1:9001/"],
    ["127.0.0.1:9000", "http://127.0.0.1/"],
    ["127.0.0.1", "http://127.0.0.2/"],
    ["localhost", "http://a.localhost/"],
    ["belfry-peer.net", "https://private.belfry-peer.net/"],
    ["v4.belfry-peer.net:443", "http://v4.belfry-peer.net/"],
    ["127.0.0.1", "ftp://127.0.0.1/"],
    ["127.0.0.1", "http://u:p@127.0.0.1/"],
    ["nowhere.belfry-peer.net", "https://nowhere.belfry-peer.net/"],
  ])("%s does not allow %s", async (entry, url) => {
    expect(await resolveTargetAtRegistration(url, allow(entry))).toMatchObject({ ok: false });
  });

  test("an entry without a port wins over one with", async () => {
    expect(await resolveTargetAtRegistration("http://127.0.0.1:5/", allow("127.0.0.1", "127.0.0.1:9"))).toMatchObject({
      ok: true,
    });
    expect(await resolveTargetAtRegistration("http://127.0.0.1:7/", allow("127.0.0.1:7", "127.0.0.1:9"))).toMatchObject(
      { ok: true },
    );
  });

  test.each(["", "http://h", "h:0", "h:70000", "h:x", "u@h", "h/p", "a b", "[::1", "h:1:2", "256.1.1.1", "*"])(
    "%j is refused at start",
    (entry) => {
      const make = () => parseTargetRules({ allowHosts: [entry] });
      if (entry === "*")
        expect(make().allowed.has("*")).toBe(true); // a name like any other: it allows no host but itself
      else expect(make).toThrow(/^WEBHOOK_ALLOW_HOSTS must be/);
    },
  );

  test.each(["", "dns.example.net", "1.1.1.1:0", "1.1.1", "[::1]:x", "1.1.1.1/32", "::1:53:"])(
    "name server %j is refused at start",
    (entry) => {
      expect(() => parseTargetRules({ dnsServers: [entry] })).toThrow(/^WEBHOOK_DNS_SERVERS must be/);
    },
  );
  test("name servers in every form", () => {
    const dnsServers = ["1.1.1.1", "1.1.1.1:5353", "2606:4700::1", "[2606:4700::1]:5353"];
    expect(parseTargetRules({ dnsServers }).dnsServers).toEqual(dnsServers);
  });
});
