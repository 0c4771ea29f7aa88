import type { z } from 'zod'
import { backupQuery, MAX_KNOWN_BYTES } from '../../../contract/backup.ts'
import { readText } from '../../body/read-text.ts'
import type { Dependencies } from '../../dependencies.ts'
import { fail } from '../../problems/problems.ts'
import { onceAborted, type Ctx } from '../../routing/context.ts'
import { route, type Route } from '../../routing/route.ts'

/** A list of a million hashes takes minutes on a slow line. */
const BODY_MS = 10 * 60_000
const HASH = /^[0-9a-f]{64}$/

export const backupRoutes = ({ backups }: Pick<Dependencies, 'backups'>): Route[] => [
  route({
    operationId: 'createBackup',
    method: 'POST',
    path: '/api/v1/backup',
    cost: 'streaming',
    tag: 'Instance',
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
