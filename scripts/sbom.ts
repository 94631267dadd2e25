// The packages of an installation without those for development, as npm itself lists them (CycloneDX).

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** CycloneDX, as far as it is read. */
interface Sbom {
  metadata: { component: { "bom-ref": string; name: string } };
  components: {
    "bom-ref": string;
    name: string;
    licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[];
  }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/**
 * Calls `use` with a folder whose package.json and package-lock.json have no packages for development. npm's
 * `--omit=dev` cannot do this. It also omits packages that a test needs (npm 11: zod), and keeps optional peers of
 * other packages (vitest). @throws where npm fails
 */
export function withProductionLock<T>(root: string, use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "belfry-lock-"));
  try {
    const { devDependencies, workspaces, ...production } = readManifest(root);
    writeFileSync(join(folder, "package.json"), JSON.stringify(production));
    cpSync(join(root, "package-lock.json"), join(folder, "package-lock.json"));
    const args = ["install", "--package-lock-only", "--offline", "--ignore-scripts", "--loglevel=error"];
    execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const readManifest = (root: string) => JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/**
 * The SBOM of the tree at `root`.
 * @throws where npm fails
 */
export function createSbom(root: string): Sbom {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"];
  const sbom: Sbom = withProductionLock(root, (cwd) =>
    JSON.parse(execFileSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 64 << 20 })),
  );
  // npm calls it by the folder's name.
  sbom.metadata.component.name = readManifest(root).name;
  return sbom;
}
