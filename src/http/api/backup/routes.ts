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
    tag: 'Instance',
    summary: 'Take a backup',
    description: [
      'The answer is a tar of the whole instance: `docsearch.db`, `config.json` without secrets, the originals under `blobs/`, and `manifest.json` with the hash and the size of each file.',
      'The manifest comes last. A tar without it is incomplete.',
      'The documents of all users are in it, so it needs the scopes `read:documents`, `write:documents` and `manage:keys` and a credential that is not limited to projects.',
      'The body can name originals that you have already, as SHA-256 in hex, one per line. These originals are in the manifest, but not in the tar.',
      'The instance makes the backup while you read it. One backup can run at a time. `docsearch restore` restores it.',
    ].join(' '),
    access: 'manage:keys',
    role: 'owner',
    query: backupQuery,
    content: {
      'text/plain': {
        schema: { type: 'string', description: 'SHA-256 of the originals that need not be sent, one per line', example: '' },
      },
    },
    bodyOptional: true,
    answers: {
      200: {
        description: 'The backup',
        type: 'application/x-tar',
        headers: { 'X-Backup-Bytes': 'About how many bytes the backup has' },
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
