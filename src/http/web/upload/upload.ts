import { type DocsearchError, isDocsearchError } from '../../../core/errors.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { FieldFault } from '../../../contract/validate.ts'
import { PRIVATE_PROJECT } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import { renderUpload, type UploadForm } from '../../../pages/upload/upload.tsx'
import { renderUploaded } from '../../../pages/upload/files.tsx'
import { checkHeaders, isMultipart, readUpload } from '../../api/upload/body.ts'
import { failureOf } from '../../api/upload/present.ts'
import type { Dependencies } from '../../dependencies.ts'
import { requireCredential } from '../../middleware/credential-watch.ts'
import { shownError, statusOf } from '../../problems/problems.ts'
import { listAll } from '../list-all.ts'
import { asksForJson, type Page, type PageCall } from '../routing/page.ts'
import { csrfFailed, hasValidToken } from '../session/csrf.ts'
import { outcomesOf, presentOutcomes } from './outcomes.ts'
import { progressPage } from './progress.ts'

type Parts = Pick<Dependencies, 'uploads' | 'documents' | 'projects' | 'credentials' | 'settings' | 'log'>

const FORM_FIELDS = ['csrf', 'new_project']

export const uploadPages = (parts: Parts): Page[] => {
  const post: Page = {
    method: 'POST',
    path: paths.upload,
    access: 'user',
    hasScript: true,
    hasFiles: true,
    handle: (call) => handle(parts, call, post),
  }
  return [
    {
      method: 'GET',
      path: paths.upload,
      access: 'user',
      hasScript: true,
      handle: (call) => showForm(parts, call, { values: { project: [call.ctx.query['project'] ?? []].flat().at(-1) ?? '' } }),
    },
    post,
    progressPage(parts),
  ]
}

async function handle(parts: Parts, call: PageCall, row: Page): Promise<void> {
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
async function receive(parts: Parts, call: PageCall, row: Page, values: NonNullable<UploadForm['values']>): Promise<void> {
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

async function showForm(parts: Parts, call: PageCall, form: UploadForm, status = 200): Promise<void> {
  const visible = await listAll((page) => parts.projects.list(call.actor, page))
  const writable = visible.filter(({ role }) => role !== 'reader').map(({ id, name }) => ({ id, name }))
  const hasPrivate = writable.some(({ name }) => name === PRIVATE_PROJECT)
  // The first upload to it creates it.
  const projects = hasPrivate ? writable : [{ id: PRIVATE_PROJECT, name: PRIVATE_PROJECT }, ...writable]
  call.show(renderUpload({ ...call.signedIn(), form, projects, limits: parts.settings.limits }), status)
}
