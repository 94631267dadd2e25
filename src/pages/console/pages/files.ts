// Files: pictures, sounds and pages that alerts show. They are uploaded here, named by their ids in alerts, and deleted
// after a day unless they are used. Another form can also bring them, with a control for each file. A script of the
// page uploads a file at once with its progress. Without a script, the form itself carries it. In both cases the form
// then has the outcome of the upload.

import { IncomingFile } from "../../../effects/assets/incoming_file.ts";
import { delete_file, list_files, upload_file } from "../../../identity/session/uploaded_files.ts";
import { formatErrorForUi } from "../../../model/api_and_ui_error_texts.ts";
import { ApiError, notFound } from "../../../model/api_error.ts";
import { MAX_ASSET_BYTES } from "../../../model/domain/asset_rules.ts";
import { formatLimit, LIMITS } from "../../../model/limits.ts";
import type { AssetKind } from "../../../model/tables/asset.ts";
import { MAX_BODY_BYTES } from "../../../operation/define_operation.ts";
import { type Html, type HtmlContent, html } from "../../../ui/html.ts";
import {
  copyableText,
  relativeTime,
  renderCreateDisclosure,
  renderErrorSummary,
  renderFieldErrorAndAttributes,
  renderFirstAndNextLinks,
  renderHtmlTable,
  rowMenu,
} from "../components.ts";
import { emptyState } from "../empty_state.ts";
import { toFormError } from "../form_submission.ts";
import { type ConsolePage, defineMemberForm, defineMemberPage, type MemberPageContext } from "../page_definitions.ts";
import { renderConfirmationPage } from "./confirmation.ts";

/** The description of each kind before the choice. */
export const UPLOAD_KIND_HINTS: Record<AssetKind, string> = {
  image: `PNG, JPEG, GIF, WebP or AVIF, up to ${formatLimit("image_file")}.`,
  audio: `MP3, AAC, M4A, Ogg, WAV or FLAC, up to ${formatLimit("audio_file")}.`,
  html: `An .html file in UTF-8, up to ${formatLimit("html_file")}.`,
};

/** The name of each kind in the choice. */
export const UPLOAD_KIND_LABELS: Record<AssetKind, string> = { image: "picture", audio: "recording", html: "page" };

/** A file field of a form. */
export interface UploadField {
  field: string;
  kind: AssetKind;
  /** The control of the same form with the outcome. */
  into: string;
  /** The property of the file that it contains. */
  holds: "id" | "url";
}

/** Where the script of a form sends its files, for the form's `data-uploads`. */
export const getUploadEndpointPath = ({ base }: MemberPageContext): string => `${base}files/upload`;

/**
 * A file to upload, folded.
 * @param button uploads without a script, where the form has nothing else that would send it
 */
export function renderFileUploadField(
  { field, kind, into, holds }: UploadField,
  { label, hint, button, error }: { label: string; hint: HtmlContent; button?: Html; error?: ApiError },
): Html {
  const wrong = renderFieldErrorAndAttributes(error, field, hint);
  return html`<details class="more"${wrong.line && html` open`}><summary>${label}</summary>
    <div class="field uploading" data-upload="${kind}" data-into="${into}" data-holds="${holds}"><label class="unseen"
      for="${field}">${label}</label>
    <p class="hint" id="${field}-hint">${hint}</p>${wrong.line}
    <input id="${field}" name="${field}" type="file"${wrong.attributes}>${button}</div></details>`;
}

/**
 * Uploads the files of a form. The form then has each file as if it had been chosen. @returns the error of the first
 * wrong one.
 */
export async function uploadFilesIntoForm(
  context: MemberPageContext,
  fields: readonly UploadField[],
): Promise<ApiError | undefined> {
  for (const { field, kind, into, holds } of fields) {
    const file = context.files.get(field);
    if (!file) continue;
    try {
      const made = await context.asMember(upload_file, { kind, file: new IncomingFile([file.bytes], file.name) });
      context.form.set(into, made[holds]);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 403) throw error;
      return toFormError(error, { file: field });
    }
  }
  return undefined;
}

const KIND_LABELS: Record<AssetKind, string> = { image: "Picture", audio: "Sound", html: "Page" };

/** The kind of an uploaded file by its name; the service verifies its content. */
function inferAssetKindFromName(name: string): AssetKind {
  if (/\.html?$/i.test(name)) return "html";
  return /\.(mp3|aac|m4a|og[ag]|opus|wav|flac)$/i.test(name) ? "audio" : "image";
}

const SHOWN = 25;

const MAX_UPLOAD = Math.max(...Object.values(MAX_ASSET_BYTES)) + MAX_BODY_BYTES.usual;

const size = (bytes: number) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

async function list(context: MemberPageContext, error?: ApiError): Promise<Response> {
  const { base, token, now } = context;
  const chosen = renderFieldErrorAndAttributes(error, "file", "said");
  const before = context.url.searchParams.get("before");
  const { data: files, meta } = await context.asMember(list_files, { limit: SHOWN, ...(before && { before }) });
  return context.page(
    "Files",
    html`<div class="titled"><h1>Files</h1>
    <p class="lede">Pictures, sounds and pages for alerts and channels. Unused files are deleted after
      ${LIMITS.waiting_files_hours} hours.</p>
    ${renderCreateDisclosure(
      "Upload a file",
      error !== undefined || (files.length === 0 && !before),
      html`${renderErrorSummary(error)}
      <form method="post" action="${base}files" enctype="multipart/form-data" novalidate>${token}
        <div class="field"><label for="file">File</label>${chosen.line}
          <input id="file" name="file" type="file" required${chosen.attributes}>
          <div id="file-hint">${Object.entries(UPLOAD_KIND_HINTS).map(
            ([kind, hint]) => html`<p class="hint after">${KIND_LABELS[kind as AssetKind]}: ${hint}</p>`,
          )}</div></div>
        <button>Upload</button>
      </form>`,
    )}</div>
    ${renderHtmlTable(
      "Files",
      files,
      {
        File: (file) =>
          html`<div class="named">${
            file.kind === "image" &&
            html`<img class="thumb" src="${file.url}" alt="" width="56" height="56"
            loading="lazy">`
          }<a href="${file.frame_url ?? file.url}">${file.name}</a></div>`,
        Kind: (file) => KIND_LABELS[file.kind],
        "ID for alerts": (file) => copyableText(file.id, `the ID of ${file.name}`),
        Size: (file) => size(file.bytes),
        Uploaded: (file) => relativeTime(file.created_at, now),
        Expires: (file) => (file.attached ? "In use" : relativeTime(file.expires_at, now)),
        "": (file) =>
          !file.attached &&
          rowMenu(file.name, [{ href: `${base}files/${file.id}/delete`, label: "Delete", danger: true }]),
      },
      before && emptyState({ title: "No older files", act: { href: `${base}files`, label: "Newest files" } }),
      { numbers: ["Size"], wide: ["Uploaded"] },
    )}${renderFirstAndNextLinks(`${base}files`, { before, next: meta.next_before })}`,
    { error, scripts: ["copy"] },
  );
}

function take(context: MemberPageContext) {
  const file = context.files.get("file");
  return context.asMember(upload_file, {
    kind: context.form.get("kind") ?? inferAssetKindFromName(file?.name ?? ""),
    file: file ? new IncomingFile([file.bytes], file.name) : null,
  });
}

const upload: ConsolePage = {
  ...defineMemberForm("/files", { again: list, when: ({ status }) => status !== 403 }, async (context) => {
    await take(context);
    return context.goTo(`${context.base}files`, "file-uploaded");
  }),
  maxFiles: MAX_UPLOAD,
  unread: (context, error) => list(context as MemberPageContext, error),
};

/** A file of another page's form, uploaded while that is filled in. @returns JSON for the script (see upload.js). */
const uploadAlone: ConsolePage = {
  ...defineMemberPage("POST", "/files/upload", async (context) => {
    try {
      const { id, name, url } = await take(context);
      return Response.json({ id, name, url }, { status: 201 });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return Response.json({ message: formatErrorForUi(error) }, { status: error.status });
    }
  }),
  maxFiles: MAX_UPLOAD,
};

export const FILE_PAGES: readonly ConsolePage[] = [
  defineMemberPage("GET", "/files", (context) => list(context)),
  upload,
  uploadAlone,

  defineMemberPage("GET", "/files/:id/delete", async (context) => {
    const { params, base } = context;
    const { data } = await context.asMember(list_files, { file_id: params.id ?? "" });
    const [file] = data;
    if (!file || file.attached) throw notFound("file");
    return renderConfirmationPage(context, {
      title: `Delete ${file.name}?`,
      effect: "This file is not in use. Deleting it is permanent.",
      act: "Delete file",
      back: `${base}files`,
    });
  }),

  defineMemberPage("POST", "/files/:id/delete", async (context) => {
    await context.asMember(delete_file, { file_id: context.params.id ?? "" });
    return context.goTo(`${context.base}files`, "file-deleted");
  }),
];
