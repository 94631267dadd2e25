// What an installation is made of: npm's own list (CycloneDX), without what only tests need.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** CycloneDX, as far as it is touched. */
export interface Sbom {
  metadata: { component: { "bom-ref": string; name: string } };
  components: {
    "bom-ref": string;
    name: string;
    licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[];
  }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/** An entry of package-lock.json, as far as it is looked at. */
interface Locked {
  version: string;
  /** Of the tests; or of the tests, and of a package that would use it if it were there. */
  dev?: true;
  devOptional?: true;
  /** Only for a package that would use it if it were there. */
  peer?: true;
  /** A folder of this tree. */
  link?: true;
}

/** The places in node_modules that an installation on some machine has, with what the lock file says of each. */
export function installed(root: string): Map<string, Locked> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return new Map(
    Object.entries<Locked>(packages).filter(
      ([at, { dev, devOptional, peer, link }]) =>
        at.startsWith("node_modules/") && !dev && !devOptional && !peer && !link,
    ),
  );
}

/**
 * The SBOM of the tree at `root`. Not by `--omit=dev`, which leaves out whatever a test needs as well (npm 11: zod): the lock file says it.
 * @throws where npm fails
 */
export function whatItRunsOn(root: string): Sbom {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"];
  const sbom: Sbom = JSON.parse(
    execFileSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 }),
  );
  const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const own = new Set(
    [...installed(root)].map(([at, { version }]) => `${at.replace(/^(.*\/)?node_modules\//, "")}@${version}`),
  );
  const ships = (ref: string) => own.has(ref.replace(/\|.*$/, ""));
  const self = sbom.metadata.component["bom-ref"];
  return {
    ...sbom,
    // npm calls it by the folder's name.
    metadata: { ...sbom.metadata, component: { ...sbom.metadata.component, name } },
    components: sbom.components.filter((one) => ships(one["bom-ref"])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => ref === self || ships(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(ships) })),
  };
}
