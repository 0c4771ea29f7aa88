import { PassThrough, type Readable } from 'node:stream'
import type { z } from 'zod'
import { type Health, health as healthSchema } from '../../../contract/account.ts'
import { backupQuery, MAX_KNOWN_BYTES } from '../../../contract/backup.ts'
import { doctorLine, type DoctorLine, doctorRequest } from '../../../contract/doctor.ts'
import { presentExamination } from '../../../contract/present.ts'
import { type InstanceStatus, type RecentWork, type Status, status as statusSchema } from '../../../contract/status.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import type { Actor } from '../../../services/access.ts'
import type { Doctor, DoctorRequest } from '../../../services/doctor.ts'
import type { HealthReport } from '../../../services/health.ts'
import type { InstanceStatus as InstanceReport, StatusReport } from '../../../services/status.ts'
import { readText } from '../../body.ts'
import type { Dependencies } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import { type Ctx, onceAborted } from '../../routing/context.ts'
import { type Route, routesWith } from '../../routing/route.ts'

const route = routesWith({ tag: 'Instance' })

export const healthRoutes = ({ health, version }: Pick<Dependencies, 'health' | 'version'>): Route[] => [
  route({
    operationId: 'getHealth',
    method: 'GET',
    path: '/api/v1/health',
    summary: 'Show whether the instance works',
    description:
      'Without a credential, the answer has only status and version. The numbers in `checks` are about your own documents; only the owner of the instance gets numbers about the whole instance, and `free_bytes`. A `degraded` instance still answers searches, and accepts uploads if it can.',
    access: 'optional',
    answers: {
      200: { description: 'The instance works (`ok`), or works in part (`degraded`)', schema: healthSchema },
      503: {
        description: 'The instance cannot answer (`unavailable`)',
        schema: healthSchema,
        headers: { 'Retry-After': 'Seconds' },
      },
    },
    async handle({ ctx }) {
      const { actor } = ctx.state
      const report = await (actor === undefined ? health.recent() : health.report(actor))
      if (report.status === 'unavailable') {
        ctx.status = 503
        ctx.set('Retry-After', '10')
      }
      ctx.body = presentHealth(report, version, { isDetailed: actor !== undefined })
    },
  }),
]

/** Callers without a credential see only the status and the version. */
export function presentHealth(report: HealthReport, version: string, { isDetailed }: { isDetailed: boolean }): Health {
  const health: Health = { status: report.status, version }
  return isDetailed ? { ...health, uptime_s: report.uptimeSeconds, checks: presentChecks(report) } : health
}

function presentChecks(report: HealthReport): NonNullable<Health['checks']> {
  const { database, store, index, embedder, reranker, queue, disk, originals, backup } = report
  return {
    database: { status: database.ok ? 'ok' : 'unavailable', message: database.message },
    ...(store !== null && { store: { ...store } }),
    index,
    embedder,
    reranker: { ...reranker },
    queue: { ...queue },
    disk: { status: disk.ok ? 'ok' : 'degraded', message: disk.message, free_bytes: disk.freeBytes },
    originals: {
      status: originals.status,
      message: originals.message,
      damaged: originals.damaged,
      checked_at: originals.checkedAt?.toISOString() ?? null,
    },
    ...(backup !== null && {
      backup: { status: backup.status, message: backup.message, last_success_at: backup.lastSuccessAt?.toISOString() ?? null },
    }),
  }
}

export const statusRoutes = ({ status, version }: Pick<Dependencies, 'status' | 'version'>): Route[] => [
  route({
    operationId: 'getStatus',
    method: 'GET',
    path: '/api/v1/status',
    summary: 'Show what the instance is doing',
    description:
      'The answer of `getHealth` with the number of documents by status. The owner of the instance also gets rates, memory, sizes and the state of the index. A load balancer should ask `getHealth`, which answers 503 when the instance does not work.',
    access: 'read:documents',
    answers: { 200: { description: 'The state of the instance', schema: statusSchema } },
    async handle({ ctx, actor }) {
      ctx.body = presentStatus(await status.report(actor), version)
    },
  }),
]

function presentStatus({ health, documents, instance }: StatusReport, version: string): Status {
  return {
    ...presentHealth(health, version, { isDetailed: true }),
    documents,
    instance: instance && presentInstance(instance),
  }
}

function presentInstance({ queueOldestSeconds, recent, index, parsers, memory, storage, users }: InstanceReport): InstanceStatus {
  return {
    queue_oldest_s: queueOldestSeconds,
    recent: recent && presentRecent(recent),
    index: index && {
      passages: index.passages,
      unindexed: index.unindexed,
      segments: index.segments,
      memory_bytes: index.memoryBytes,
    },
    parsers: parsers && { ...parsers },
    memory: memory && {
      resident_bytes: memory.resident,
      heap_bytes: memory.heap,
      search_limit_bytes: memory.forSearch,
    },
    storage: {
      folder: storage.folder,
      database_bytes: storage.database,
      originals_bytes: storage.originals,
      indexes_bytes: storage.indexes,
      page_images_bytes: storage.pageImages,
      free_bytes: storage.free,
      total_bytes: storage.total,
    },
    users: { active: users.all - users.disabled, disabled: users.disabled },
  }
}

function presentRecent({
  documentsReady,
  documentsFailed,
  searchMs,
  ...recent
}: NonNullable<InstanceReport['recent']>): RecentWork {
  return { ...recent, search_ms: searchMs, documents_ready: documentsReady, documents_failed: documentsFailed }
}

export const metricsRoutes = ({ metrics }: Pick<Dependencies, 'metrics'>): Route[] => [
  route({
    operationId: 'getMetrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Read the metrics',
    description:
      "The metrics of the whole instance in Prometheus' text format. Needs an API key of the owner with the scope `read:metrics`, which is not limited to projects. docs/monitoring.md lists the metrics.",
    access: 'read:metrics',
    role: 'owner',
    answers: { 200: { description: 'The metrics', type: 'text/plain' } },
    async handle({ ctx, actor }) {
      ctx.body = await metrics.text(actor)
      ctx.set('Content-Type', metrics.contentType)
      ctx.set('Cache-Control', 'no-store')
    },
  }),
]

/** A list of a million hashes takes minutes on a slow line. */
const BODY_MS = 10 * 60_000
const HASH = /^[0-9a-f]{64}$/

export const backupRoutes = ({ backups }: Pick<Dependencies, 'backups'>): Route[] => [
  route({
    operationId: 'createBackup',
    method: 'POST',
    path: '/api/v1/backup',
    cost: 'streaming',
    summary: 'Take a backup',
    description: [
      'The answer is a tar of the whole instance: `docsearch.db`, `config.json` without secrets, the originals under `blobs/`, and `manifest.json` with the hash and the size of each file.',
      'The manifest comes last. A tar without it is incomplete.',
      'The backup contains the documents of all users. Only the owner can take it, with a credential that has the scopes `read:documents`, `write:documents` and `manage:keys` and is not limited to projects.',
      'The body can list originals that you already have, as SHA-256 in hex, one per line. The manifest lists these originals, but the tar does not contain them.',
      'The instance makes the backup while you read it. Only one backup can run at a time. Restore the backup with `docsearch restore`.',
    ].join(' '),
    access: 'manage:keys',
    role: 'owner',
    query: backupQuery,
    content: {
      'text/plain': {
        schema: { type: 'string', description: 'SHA-256 in hex of the originals to leave out, one per line', example: '' },
      },
    },
    bodyOptional: true,
    answers: {
      200: {
        description: 'The backup',
        type: 'application/x-tar',
        headers: { 'X-Backup-Bytes': 'Approximate size of the backup in bytes' },
      },
    },
    problems: ['backup_running', 'invalid_request', 'body_too_large', 'unsupported_media_type', 'request_timeout'],
    async handle({ ctx, actor, query, ending }) {
      const known = await readKnown(ctx)
      const backup = await backups.create(actor, { withVectors: isTrue(query), known })
      onceAborted(ending, () => backup.stream.destroy())
      ctx.set('Cache-Control', 'no-store')
      ctx.set('X-Backup-Bytes', String(backup.sizeBytes))
      ctx.attachment('docsearch.tar')
      ctx.body = backup.stream
      ctx.set('Content-Type', 'application/x-tar')
    },
  }),
]

function isTrue({ with_vectors: withVectors }: z.output<typeof backupQuery>): boolean {
  return withVectors === 'true'
}

async function readKnown(ctx: Ctx): Promise<ReadonlySet<string>> {
  const type = ctx.get('Content-Type')
  if (type !== '' && !/^text\/plain\s*(;|$)/i.test(type))
    throw fail(
      'unsupported_media_type',
      `Send the list of originals as \`Content-Type: text/plain\`, not ${JSON.stringify(type.slice(0, 100))}.`,
    )
  const text = await readText(ctx.req, MAX_KNOWN_BYTES, BODY_MS)
  if (text === null)
    throw fail('body_too_large', `The list of originals is longer than the limit of ${MAX_KNOWN_BYTES} bytes.`, {
      limit: MAX_KNOWN_BYTES,
    })
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  const wrong = lines.findIndex((line) => !HASH.test(line))
  if (wrong !== -1) throw fail('invalid_request', `Line ${wrong + 1} of the body is not a SHA-256 in hex.`)
  return new Set(lines)
}

export const doctorRoutes = ({ doctor, log }: Pick<Dependencies, 'doctor' | 'log'>): Route[] => [
  route({
    operationId: 'examineInstance',
    method: 'POST',
    path: '/api/v1/doctor',
    cost: 'streaming',
    summary: 'Check the data of the instance for damage',
    description:
      'Reads the originals and compares them with their hashes, checks the database, the index and everything else that `docs/doctor.md` lists. The answer has one JSON object per line: progress, and at the end the report. Closing the connection ends the examination. One examination runs at a time.',
    access: 'manage:keys',
    role: 'owner',
    body: doctorRequest,
    answers: { 200: { description: 'Progress and the report, line by line', type: 'application/x-ndjson', schema: doctorLine } },
    problems: ['doctor_running'],
    async handle({ ctx, actor, body, ending }) {
      const [part = 1, of = 1] = body.subset.split('/').map(Number)
      ctx.body = await streamExamination({ doctor, log }, actor, {
        request: { subset: { part, of }, wantsFix: body.fix },
        ending,
      })
      ctx.set('Content-Type', 'application/x-ndjson; charset=utf-8')
      // Tells a reverse proxy not to buffer the lines.
      ctx.set('X-Accel-Buffering', 'no')
    },
  }),
]

/** How long to wait for the first line before answering. A refused examination rejects within this time. */
const REFUSAL_MS = 50

/** Answers with lines of JSON. An examination that is refused rejects like any other request; a later failure becomes the last line. */
async function streamExamination(
  { doctor, log }: { doctor: Doctor; log: Logger },
  actor: Actor,
  { request, ending }: { request: DoctorRequest; ending: AbortSignal },
): Promise<Readable> {
  const lines = new PassThrough()
  const gone = new AbortController()
  lines.once('close', () => gone.abort())
  const write = (line: DoctorLine): void => void lines.write(`${JSON.stringify(line)}\n`)
  const examined = doctor.examine(actor, request, {
    onProgress: ({ check, done, total, unit }) => write({ progress: { check, done, total, unit } }),
    signal: AbortSignal.any([ending, gone.signal]),
  })
  const settled = examined.then(
    (examination) => write({ report: presentExamination(examination) }),
    (error: unknown) => {
      if (ending.aborted || gone.signal.aborted) return
      if (!isDocsearchError(error)) log.error({ err: error }, 'the examination failed')
      const { code, message } = isDocsearchError(error)
        ? error
        : { code: 'internal_error', message: 'Internal error. See the server log.' }
      write({ error: { code, message } })
    },
  )
  void settled.finally(() => lines.end())
  // A refusal rejects here.
  await Promise.race([examined, new Promise((resolve) => setTimeout(resolve, REFUSAL_MS))])
  return lines
}
