import { type DocsearchError, isDocsearchError } from '../../core/errors.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import type { FieldFault } from '../../contract/validate.ts'
import { PRIVATE_PROJECT, type DocumentRecord } from '../../core/model.ts'
import { paths } from '../../pages/paths.ts'
import {
  renderUpload,
  type UploadForm,
  renderUploaded,
  type FileOutcome,
  renderUploadProgress,
} from '../../pages/upload/upload.tsx'
import { checkHeaders, isMultipart, readUpload } from '../api/upload/read-upload.ts'
import { failureOf } from '../api/upload/routes.ts'
import type { Dependencies } from '../dependencies.ts'
import { requireCredential } from '../middleware/credential-watch.ts'
import { shownError, statusOf } from '../problems/problems.ts'
import { listAll } from './forms.ts'
import { asksForJson, type View, type ViewCall } from './routing/page.ts'
import { csrfFailed, hasValidToken } from './session/csrf.ts'
import { presentDocument } from '../../contract/present.ts'
import type { AcceptedUpload, UploadedFile } from '../../services/uploads.ts'

type Parts = Pick<Dependencies, 'uploads' | 'documents' | 'projects' | 'credentials' | 'settings' | 'log'>

const FORM_FIELDS = ['csrf', 'new_project']

export const uploadPages = (parts: Parts): View[] => {
  const post: View = {
    method: 'POST',
    path: paths.upload,
    cost: 'streaming',
    hasScript: true,
    hasFiles: true,
    handle: (call) => handle(parts, call, post),
  }
  return [
    {
      method: 'GET',
      path: paths.upload,
      hasScript: true,
      handle: (call) => showForm(parts, call, { values: { project: [call.ctx.query['project'] ?? []].flat().at(-1) ?? '' } }),
    },
    post,
    progressPage(parts),
  ]
}

async function handle(parts: Parts, call: ViewCall, row: View): Promise<void> {
  const values: NonNullable<UploadForm['values']> = {}
  // A form without a file field is not multipart.
  if (!isMultipart(call.ctx)) return showForm(parts, call, { values, errors: { files: NO_FILES } }, 422)
  try {
    await receive(parts, call, row, values)
  } catch (error) {
    if (asksForJson(call.ctx) || !isDocsearchError(error) || !isAboutForm(error)) throw error
    const field = fieldOf(error, values)
    await showForm(parts, call, { values, errors: { [field]: wordsFor(error, parts.settings.limits) } }, statusOf(error))
  }
}

const NO_FILES = 'Choose files or a folder.'
const PROJECT_ERRORS: ReadonlySet<string> = new Set(['project_not_found', 'ambiguous_name'])

/** Returns the field that the error is about. */
function fieldOf({ code, details }: DocsearchError, values: NonNullable<UploadForm['values']>): keyof typeof values {
  const project = values.new_project?.trim() ? 'new_project' : 'project'
  if (PROJECT_ERRORS.has(code)) return project
  const [fault] = (details['errors'] ?? []) as FieldFault[]
  return fault?.path === 'project' ? project : fault?.path === 'tags' ? 'tags' : 'files'
}

/** The API's words speak of requests, which a user does not see. */
function wordsFor(error: DocsearchError, { requestFiles, requestBytes }: Dependencies['settings']['limits']): string {
  if (error.code === 'too_many_files') return `Choose at most ${requestFiles} files at a time, and upload the others afterwards.`
  if (error.code === 'body_too_large')
    return `Choose files that have at most ${formatBytes(requestBytes)} together, and upload the others afterwards.`
  return shownError(error).detail
}

/** Returns true if the user can do something about the error in the form. */
function isAboutForm(error: DocsearchError): boolean {
  const status = statusOf(error)
  return status < 500 && status !== 403 && status !== 429
}

/** Stores the files like `POST /api/v1/upload`. `values` gets what the user chose, to show the form again. */
async function receive(parts: Parts, call: ViewCall, row: View, values: NonNullable<UploadForm['values']>): Promise<void> {
  const { uploads, credentials, settings, log } = parts
  const { ctx, actor } = call
  checkHeaders(ctx, settings.limits)
  const incoming = await uploads.begin(actor, ctx.request.length ?? 0)
  let outcomes: ReturnType<typeof outcomesOf>
  try {
    const upload = await readUpload(ctx, incoming, settings.limits, {
      fields: FORM_FIELDS,
      newProject: 'new_project',
      check(field) {
        ctx.state.form = { csrf: field('csrf'), fields: Object.create(null) }
        if (!hasValidToken(ctx, settings, row)) throw csrfFailed()
      },
      read(field) {
        for (const name of ['project', 'new_project', 'tags'] as const) values[name] = field(name)
      },
    })
    if (upload.files.length === 0) return await showForm(parts, call, { values, errors: { files: NO_FILES } }, 422)
    // The session may have ended, because the body can take minutes to arrive.
    await requireCredential(ctx, credentials)
    const accepted = await uploads.accept(actor, upload)
    const failure = failureOf(accepted)
    if (failure !== undefined)
      log.error({ request_id: ctx.state.requestId, err: failure }, 'files of an upload could not be stored')
    outcomes = outcomesOf(upload.files, accepted)
  } finally {
    await incoming.clean()
  }
  if (asksForJson(ctx)) {
    ctx.body = presentOutcomes(outcomes, ctx.state.basePath)
    return
  }
  const ids = outcomes.flatMap((outcome) => ('document' in outcome ? [outcome.document.id] : []))
  if (ids.length === outcomes.length) return call.goTo(paths.uploadProgressOf(ids))
  call.show(renderUploaded({ ...call.signedIn(), outcomes, next: ids.length === 0 ? null : paths.uploadProgressOf(ids) }))
}

async function showForm(parts: Parts, call: ViewCall, form: UploadForm, status = 200): Promise<void> {
  const visible = await listAll((page) => parts.projects.list(call.actor, page))
  const writable = visible.filter(({ role }) => role !== 'reader').map(({ id, name }) => ({ id, name }))
  const hasPrivate = writable.some(({ name }) => name === PRIVATE_PROJECT)
  // The first upload to it creates it.
  const projects = hasPrivate ? writable : [{ id: PRIVATE_PROJECT, name: PRIVATE_PROJECT }, ...writable]
  call.show(renderUpload({ ...call.signedIn(), form, projects, limits: parts.settings.limits }), status)
}

/** Returns what happened to each file of an upload, in the order of the files. */
function outcomesOf(files: readonly UploadedFile[], { documents, rejected }: AcceptedUpload): FileOutcome[] {
  const refusals = new Map(rejected.map(({ at, error }) => [at, error]))
  const accepted = documents.values()
  return files.map(({ path }, at) => {
    if (refusals.has(at)) return { path, refusal: shownError(refusals.get(at)).detail }
    const { document, outcome } = accepted.next().value!
    return { path, document: presentDocument(document), isUnchanged: outcome === 'unchanged' }
  })
}

/** The same for the script of the view. */
function presentOutcomes(outcomes: readonly FileOutcome[], basePath: string): object {
  return {
    files: outcomes.map((outcome) =>
      'document' in outcome
        ? { id: outcome.document.id, url: basePath + paths.document(outcome.document.id) }
        : { refusal: outcome.refusal },
    ),
  }
}

const DOCUMENT_ID = /^doc_[0-9a-z]{26}$/
/** The script asks for fewer at a time. A form without the script has no more files, unless the limit was raised. */
const MAX_DOCUMENTS = 100

/** What became of the documents of an upload. IDs that the user may not see are left out. */
const progressPage = ({ documents }: Pick<Dependencies, 'documents'>): View => ({
  method: 'GET',
  path: paths.uploadProgress,
  hasScript: true,
  async handle({ ctx, actor, show, signedIn, goTo }) {
    const sent = [ctx.query['ids'] ?? []].flat().at(-1) ?? ''
    const ids = [...new Set(sent.split(','))].filter((id) => DOCUMENT_ID.test(id)).slice(0, MAX_DOCUMENTS)
    if (ids.length === 0) return goTo(paths.upload)
    const found: DocumentRecord[] = []
    for (const id of ids) {
      try {
        found.push(await documents.get(actor, id))
      } catch (error) {
        if (!isDocsearchError(error, 'document_not_found')) throw error
      }
    }
    const missing = ids.length - found.length
    const shown = found.map(presentDocument)
    show(renderUploadProgress({ ...signedIn(), documents: shown, missing, address: paths.uploadProgressOf(ids) }))
  },
})
