// Files: pictures, sounds and pages that alerts show. Uploaded here, named by their ids in alerts, gone after a day unless
// an alert takes them.

import { MAX_BYTES } from "../../domain/assets.ts";
import { ASSET_KINDS, type AssetKind } from "../../entities/asset.ts";
import { ApiError, invalidRequest } from "../../errors.ts";
import { showAsset } from "../../shapes/asset.ts";
import { html } from "../html.ts";
import { copyable, emptyState, instant, problem, select, table } from "../parts.ts";
import { type MemberVisit, memberPage, type Page } from "../visit.ts";

const KINDS: Record<AssetKind, { label: string; field: string }> = {
  image: { label: "Picture, up to 5 MB", field: "image_asset_id" },
  audio: { label: "Sound, up to 2 MB", field: "audio_asset_id" },
  html: { label: "Page, up to 500 KB", field: "html_asset_id" },
};

const SHOWN = 100;

const size = (bytes: number) =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

async function list(visit: MemberVisit, error?: ApiError): Promise<Response> {
  const { deps, caller, base, token, now, form: sent } = visit;
  const { rows } = await deps.assets.list(caller, { limit: SHOWN });
  const files = rows.map((row) => showAsset(row, deps.assets));
  return visit.page(
    "Files",
    html`<h1>Files</h1>
    <p class="lede">Pictures, sounds and pages for alerts. Give an alert the id of a file; one that no alert takes is gone after a day.</p>
    <section class="card" aria-labelledby="new"><h2 id="new">Upload a file</h2>
      ${problem(error?.message)}
      <form method="post" action="${base}files" enctype="multipart/form-data">${token}
        <div class="columns">
          ${select({
            name: "kind",
            label: "What it is",
            options: ASSET_KINDS.map((value) => ({ value, label: KINDS[value].label })),
            value: sent.get("kind") ?? "image",
          })}
          <div class="field"><label for="file">File</label>
            <input id="file" name="file" type="file" required aria-describedby="file-hint">
            <p class="hint" id="file-hint">PNG, JPEG, GIF, WebP or AVIF; MP3, AAC, M4A, Ogg, WAV or FLAC; .html in UTF-8.</p></div>
        </div>
        <button>Upload</button>
      </form></section>
    ${
      files.length === 0
        ? emptyState("No files", "Upload one above, then name its id in an alert.")
        : table(
            "Files",
            ["File", "Id for alerts", "Size", "Ends", ""],
            files.map((file) => [
              html`<div>${file.kind === "image" && html`<img class="thumb" src="${file.url}" alt="" width="56" height="56" loading="lazy">`}<a href="${file.frame_url ?? file.url}">${file.name}</a><br><span class="muted">${KINDS[file.kind].field}</span></div>`,
              copyable(file.id),
              size(file.bytes),
              file.attached ? "kept by an alert" : instant(file.expires_at, now),
              !file.attached &&
                html`<form method="post" action="${base}files/${file.id}/delete">${token}
                <button class="danger">Delete<span class="unseen"> ${file.name}</span></button></form>`,
            ]),
          )
    }`,
    { section: "files", status: error?.status ?? 200 },
  );
}

const upload: Page = {
  ...memberPage("POST", "/files", "editor", async (visit) => {
    const { deps, caller, form, file, base } = visit;
    try {
      const kind = ASSET_KINDS.find((known) => known === form.get("kind"));
      if (!kind) throw invalidRequest("Say what the file is.", "kind");
      await deps.assets.receive({ caller, kind, name: file!.name, stream: [file!.bytes] });
      return visit.goTo(`${base}files`, "file-uploaded");
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 403) throw error;
      return list(visit, error);
    }
  }),
  maxFile: Math.max(...Object.values(MAX_BYTES)),
};

export const FILE_PAGES: readonly Page[] = [
  memberPage("GET", "/files", "editor", (visit) => list(visit)),
  upload,
  memberPage("POST", "/files/:id/delete", "editor", async (visit) => {
    await visit.deps.assets.remove(visit.caller, visit.params.id ?? "");
    return visit.goTo(`${visit.base}files`, "file-deleted");
  }),
];
