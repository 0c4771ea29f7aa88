import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { reasonOf } from '../../../client/errors.ts'
import { usage } from '../../exit.ts'
import type { Change } from './plan.ts'

const VERSION = 1
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const planFile = z.strictObject({
  docsearch_sync_plan: z.literal(VERSION),
  created_at: z.iso.datetime(),
  server: z.url(),
  project: z.string().min(1),
  folder: z.string().min(1),
  options: z.strictObject({
    prune: z.boolean(),
    max_delete: z.string(),
    whole_project: z.boolean(),
    exclude: z.array(z.string()),
    max_size: z.number().optional(),
    gitignore: z.boolean(),
    follow_links: z.boolean(),
    tags: z.array(z.string()),
  }),
  /** What the folder and the documents were like when the plan was made. */
  folder_state: sha256,
  documents_state: sha256,
  changes: z.array(
    z.strictObject({
      change: z.enum(['new', 'changed', 'renamed', 'gone']),
      path: z.string(),
      from: z.string().optional(),
      sha256: z.string(),
      size_bytes: z.number().optional(),
      document_id: z.string().optional(),
    }),
  ),
})
export type PlanFile = z.infer<typeof planFile>

/** Returns one hash of the paths and contents of files, or of documents with their IDs. */
export function stateOf(entries: readonly { path: string; sha256: string; id?: string }[]): string {
  const hash = createHash('sha256')
  const lines = entries.map(({ path, sha256: content, id = '' }) => JSON.stringify([path, content, id]))
  for (const line of lines.sort()) hash.update(`${line}\n`)
  return hash.digest('hex')
}

/** Throws a usage error if the file can't be written. */
export async function writePlan(file: string, plan: Omit<PlanFile, 'docsearch_sync_plan' | 'created_at'>): Promise<void> {
  const content = { docsearch_sync_plan: VERSION, created_at: new Date().toISOString(), ...plan }
  try {
    await writeFile(file, JSON.stringify(content, null, 2) + '\n')
  } catch (error) {
    throw usage(`The plan cannot be written to ${file}: ${reasonOf(error)}.`)
  }
}

/** Throws a usage error for a file that is not a plan. */
export async function readPlan(file: string): Promise<PlanFile> {
  let text
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw usage(`The plan ${file} cannot be read: ${reasonOf(error)}.`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw usage(`${file} is not a plan of \`docsearch sync\`: it is not JSON.`)
  }
  const parsed = planFile.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw usage(`${file} is not a plan of this version of docsearch (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}).`)
}

/** Throws a usage error that says what has changed since the plan was made. */
export function refuseOutdated(
  plan: PlanFile,
  now: { folderState: string; documentsState: string; changes: readonly Change[] },
): void {
  const changed = [
    ...(plan.folder_state === now.folderState ? [] : ['the folder']),
    ...(plan.documents_state === now.documentsState ? [] : [`the project ${plan.project}`]),
  ]
  const again = 'Nothing was changed. Make a new plan with --plan.'
  if (changed.length > 0)
    throw usage(`Since the plan was made, ${changed.join(' and ')} ${changed.length > 1 ? 'have' : 'has'} changed. ${again}`)
  if (JSON.stringify(plan.changes) !== JSON.stringify(now.changes))
    throw usage(`The changes in the plan are not those that this folder and project need. ${again}`)
}
