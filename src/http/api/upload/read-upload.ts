import { rawUploadQuery, uploadFields } from '../../../contract/documents.ts'
import { examine, type FieldFault, invalid, validate } from '../../../contract/validate.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { fileTooLarge, type IncomingFile, type IncomingFiles, type Upload } from '../../../services/uploads.ts'
import type { Ctx } from '../../routing/context.ts'
import type { HttpSettings } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import { readMultipart } from './multipart.ts'

type Limits = HttpSettings['limits']

const FORM = /^multipart\/form-data\s*(;|$)/i
/** docsearch drops an upload whose body brings less than this within `limits.upload_stall_ms`. */
const MIN_STALL_BYTES = 64_000
const MAX_FIELD_BYTES = 16_384
const MAX_TAGS = 100
const MAX_TAG_CHARACTERS = 200
/** Room for project, tags and on_conflict, and for a few unknown fields, so that the answer can name them. */
const OTHER_PARTS = 12
const FIELDS = ['project', 'tags', 'path', 'on_conflict']

/** How the form of a browser differs from the API's request: it has more fields, and its files keep the folders in their names. */
export interface BrowserForm {
  fields: readonly string[]
  /** The field for the name of a new project, which counts instead of the chosen one. */
  newProject: string
  /** Throws if the fields before the first file don't allow to send files. */
  check(field: (name: string) => string): void
  /** Gets all fields when the body has arrived. A field that was not sent, or more than once, is empty. */
  read(field: (name: string) => string): void
}

/** Returns true for a form with files. */
export function isMultipart(ctx: Ctx): boolean {
  return FORM.test(ctx.get('Content-Type'))
}

/** Refuses a request by its headers, before anything asks the disk or reads the body. */
export function checkHeaders(ctx: Ctx, limits: Limits): void {
  const type = ctx.get('Content-Type')
  const encoding = ctx.get('Content-Encoding')
  if (encoding !== '' && encoding.toLowerCase() !== 'identity')
    throw fail('unsupported_media_type', 'Send files as they are, without a Content-Encoding.')
  const isForm = FORM.test(type)
  if (/^multipart\//i.test(type) && !isForm)
    throw fail('unsupported_media_type', 'Send `multipart/form-data`, or one file as the body with ?name=.')
  const limit = isForm ? limits.requestBytes : Math.min(limits.fileBytes, limits.requestBytes)
  const length = Number(ctx.get('Content-Length') || 0)
  if (length > limit) throw tooLong(limit, isForm, length)
}

/**
 * Reads a multipart or a raw body to its end and checks it. Call `checkHeaders` first. If this throws, nothing was accepted. The
 * caller always cleans up `incoming`.
 */
export async function readUpload(ctx: Ctx, incoming: IncomingFiles, limits: Limits, browserForm?: BrowserForm): Promise<Upload> {
  const type = ctx.get('Content-Type')
  try {
    return FORM.test(type) ? await readForm(ctx, type, incoming, limits, browserForm) : await readRaw(ctx, incoming, limits)
  } catch (error) {
    if (error instanceof DocsearchError || ctx.req.complete || !ctx.req.destroyed) throw error
    // The client has gone and won't read this. As a user's fault, it is not logged as an error of the instance.
    throw fail('invalid_multipart', 'The body was cut off; nothing was stored. Send it again.')
  }
}

function tooSlow(stallMs: number): Error {
  return fail(
    'request_timeout',
    `The body arrived too slowly: less than ${MIN_STALL_BYTES} bytes within ${stallMs / 1000} s (limits.upload_stall_ms). Nothing was stored. Send it again.`,
    { limit: stallMs },
  )
}

function tooLong(limit: number, isForm: boolean, length?: number): Error {
  if (!isForm) return fileTooLarge(limit, length)
  const has = length === undefined ? 'is longer than' : `has ${length} bytes, more than`
  return fail('body_too_large', `The request ${has} the limit of ${limit} bytes. Send fewer files at a time.`, { limit })
}

/**
 * Throws `request_timeout` if the body stalls, so that nobody can keep files in the incoming folder for long. Throws the signal's
 * reason if the credential ends before the body has arrived.
 */
async function* chunksOf(
  { req, state }: Ctx,
  limit: number,
  { isForm, stallMs }: { isForm: boolean; stallMs: number },
): AsyncGenerator<Buffer> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => {
    // The promise may reject while nothing awaits it.
  })
  state.ended?.addEventListener('abort', () => reject(state.ended?.reason))
  // The request stays open when reading stops early, so that the client can read the answer.
  const chunks = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let bytes = 0
  let isWaiting = false
  let bytesBefore = 0
  const stalled = setInterval(() => {
    // While docsearch writes a chunk to the disk, the delay is not the client's fault.
    if (isWaiting && bytes - bytesBefore < MIN_STALL_BYTES) reject(tooSlow(stallMs))
    bytesBefore = bytes
  }, stallMs)
  try {
    for (;;) {
      isWaiting = true
      const next = await Promise.race([chunks.next(), ended])
      isWaiting = false
      if (next.done === true) return
      bytes += next.value.length
      if (bytes > limit) throw tooLong(limit, isForm)
      yield next.value
    }
  } finally {
    clearInterval(stalled)
    // An iterator that waits for a chunk would return only after that chunk.
    if (!isWaiting) await chunks.return?.()
  }
}

async function readRaw(ctx: Ctx, incoming: IncomingFiles, limits: Limits): Promise<Upload> {
  if (ctx.query['name'] === undefined)
    throw invalid([
      { path: 'name', message: 'is required if the body is the file itself: ?name=report.pdf; or send multipart/form-data' },
    ])
  const query = validate(rawUploadQuery, { ...ctx.query })
  const name = baseName(query.name)
  const faults: FieldFault[] = []
  const checked = check({ project: query.project, tags: query.tags, paths: query.path === undefined ? [] : [query.path] }, faults)
  if (faults.length > 0) throw invalid(faults)
  const sink = await incoming.receive()
  for await (const chunk of chunksOf(ctx, Math.min(limits.fileBytes, limits.requestBytes), {
    isForm: false,
    stallMs: limits.uploadStallMs,
  }))
    await sink.write(chunk)
  const received = await sink.end()
  return { ...checked, onConflict: query.on_conflict, files: [{ name, path: query.path ?? name, received }] }
}

async function readForm(
  ctx: Ctx,
  type: string,
  incoming: IncomingFiles,
  limits: Limits,
  browserForm?: BrowserForm,
): Promise<Upload> {
  const extra = Object.keys(ctx.query)
  if (extra.length > 0)
    throw invalid(
      extra.map((path) => ({ path, message: 'is not a parameter of this request; with multipart it is a form field' })),
    )
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))\s*(?:;|$)/i.exec(type)
  if (boundary === null) throw fail('invalid_multipart', 'The Content-Type has no boundary. Let your HTTP library set it.')

  const files: { sent: string; received: IncomingFile }[] = []
  const fields = new Map<string, string[]>()
  const faults: FieldFault[] = []
  let begun = 0
  const only = (name: string) => (fields.get(name)?.length === 1 ? (fields.get(name)?.[0] ?? '') : '')
  await readMultipart({
    chunks: chunksOf(ctx, limits.requestBytes, { isForm: true, stallMs: limits.uploadStallMs }),
    boundary: boundary[1] ?? boundary[2] ?? '',
    maxParts: 2 * limits.requestFiles + OTHER_PARTS,
    async open({ name, fileName }) {
      if (fileName === null) return fieldSink(name, (value) => fields.set(name, [...(fields.get(name) ?? []), value]))
      if (name !== 'file') faults.push({ path: name, message: 'is not a field for files; send files in `file`' })
      if (begun === 0) browserForm?.check(only)
      if (++begun > limits.requestFiles) {
        throw fail(
          'too_many_files',
          `The request has ${begun} files or more; the limit is ${limits.requestFiles}. Send them in several requests.`,
          { limit: limits.requestFiles },
        )
      }
      const sink = await incoming.receive()
      return {
        write: (chunk) => sink.write(chunk),
        async end() {
          const received = await sink.end()
          // A browser sends an empty file field as a file without name and bytes.
          const sent = browserForm === undefined ? fileName : unescapeName(fileName)
          if (fileName !== '' || received.sizeBytes > 0) files.push({ sent, received })
        },
      }
    },
  })
  if (begun === 0) browserForm?.check(only)
  browserForm?.read(only)
  return toUpload(fields, files, faults, browserForm)
}

/** Browsers escape line breaks and quotes in names (HTML section 4.10.21.8). A name with a line break would be refused. */
function unescapeName(sent: string): string {
  return sent.replaceAll('%22', '"').replaceAll(/%0D|%0A|\p{Cc}/gu, ' ')
}

function fieldSink(name: string, done: (value: string) => void) {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    async write(chunk: Buffer) {
      bytes += chunk.length
      if (bytes > MAX_FIELD_BYTES) {
        throw fail(
          'body_too_large',
          `The field ${JSON.stringify(name.slice(0, 100))} is over the limit of ${MAX_FIELD_BYTES} bytes.`,
          { limit: MAX_FIELD_BYTES },
        )
      }
      chunks.push(chunk)
    },
    async end() {
      done(Buffer.concat(chunks).toString('utf8'))
    },
  }
}

function toUpload(
  fields: Map<string, string[]>,
  files: { sent: string; received: IncomingFile }[],
  faults: FieldFault[],
  browserForm?: BrowserForm,
): Upload {
  for (const [name, values] of fields) {
    if (name === 'file') faults.push({ path: 'file', message: 'has no file name; send it as a file' })
    else if (![...FIELDS, ...(browserForm?.fields ?? [])].includes(name))
      faults.push({ path: name, message: 'is not a field of this request' })
    else if (name !== 'path' && values.length > 1) faults.push({ path: name, message: 'was sent more than once' })
  }
  // An empty form field counts as not sent.
  const given = (name: string) => fields.get(name)?.find((value) => value !== '')
  const folders = browserForm === undefined ? [] : files.map(({ sent }) => sent)
  const input: Record<string, unknown> = { path: fields.get('path') ?? folders }
  for (const name of ['project', 'tags', 'on_conflict']) {
    if (given(name) !== undefined) input[name] = given(name)
  }
  const newProject = browserForm === undefined ? undefined : given(browserForm.newProject)?.trim()
  if (newProject !== undefined && newProject !== '') input['project'] = newProject
  const paths = input['path'] as string[]
  // A browser's form says this itself.
  if (files.length === 0 && !fields.has('file') && browserForm === undefined)
    faults.push({ path: 'file', message: 'is required: at least one file' })
  if (paths.length > 0 && paths.length !== files.length) {
    faults.push({
      path: 'path',
      message: `was sent ${paths.length} times for ${files.length} files; send one for each file, in order, or none`,
    })
  }
  const parsed = examine(uploadFields, input)
  faults.push(...parsed.faults)
  const checked = check({ project: parsed.data?.project ?? 'default', tags: parsed.data?.tags ?? '', paths }, faults)
  if (faults.length > 0 || parsed.data === undefined) throw invalid(faults)
  return {
    ...checked,
    onConflict: parsed.data.on_conflict,
    files: files.map(({ sent, received }, i) => ({ name: baseName(sent), path: paths[i] ?? baseName(sent), received })),
  }
}

/** Checks what both kinds of body have in common. Adds every fault to `faults`. */
function check(
  input: { project: string; tags: string; paths: readonly string[] },
  faults: FieldFault[],
): { project: string; tags: string[] | null } {
  if (hasControlCharacters(input.project)) faults.push({ path: 'project', message: 'must not contain control characters' })
  const tags = [...new Set(input.tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
  if (tags.length > MAX_TAGS) faults.push({ path: 'tags', message: `has ${tags.length} tags; the limit is ${MAX_TAGS}` })
  const long = tags.find((tag) => tag.length > MAX_TAG_CHARACTERS)
  if (long !== undefined)
    faults.push({ path: 'tags', message: `has a tag of ${long.length} characters; the limit is ${MAX_TAG_CHARACTERS}` })
  if (hasControlCharacters(input.tags)) faults.push({ path: 'tags', message: 'must not contain control characters' })
  input.paths.forEach((path, i) => {
    if (hasControlCharacters(path)) faults.push({ path: `path.${i}`, message: 'must not contain control characters' })
  })
  return { project: input.project, tags: input.tags === '' ? null : tags }
}

const CONTROL = /\p{Cc}/u

/** Returns the last part of the path that a client sent as a file name. The name is only data: it never becomes a path here. */
function baseName(sent: string): string {
  return sent.split(/[/\\]/).at(-1) ?? ''
}

function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text)
}
