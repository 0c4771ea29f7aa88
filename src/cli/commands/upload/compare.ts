import type { Client, UploadOptions } from '../../../client/client.ts'
import { ClientError } from '../../../client/errors.ts'
import type { UploadPlan } from '../../../contract/upload-plan.ts'
import type { Context } from '../../context.ts'
import type { HashedFile } from '../../files/hash.ts'
import { patiently } from './patience.ts'
import type { FoundFile, Refusal } from '../../files/found.ts'
import type { Uploaded } from './send.ts'

type Comparison = UploadPlan['files'][number]
export type State = Comparison['state']

/** Which of the files the project has, and what remains to be done. */
export interface Differences {
  counts: Record<State, number>
  /** Files to send, with their states. Unchanged files are among them if the upload would change their documents. */
  needed: Map<FoundFile, State>
  /** Documents of the files that are not sent. */
  unchanged: Uploaded[]
  /** Files that the instance would refuse. */
  refused: Refusal[]
  /** Files whose bytes the project has at the path that version 0.1.0 gave them, if all files are new. */
  atEarlierPaths: FoundFile[]
}

type Settings = Pick<UploadOptions, 'project' | 'tags' | 'onConflict'>

// The limits of the endpoint: 1,000 files, and 1 MB of JSON, of which the tags can take some.
const MAX_FILES = 1000
const MAX_JSON_BYTES = 900_000
const MAX_PATH_CHARACTERS = 4000

/**
 * Asks the instance which of the files it has. One request answers for 1,000 files. Returns null for an instance of an earlier
 * version, which can't be asked.
 */
export async function compareFiles(
  context: Context,
  client: Client,
  files: readonly HashedFile[],
  settings: Settings,
): Promise<Differences | null> {
  const differences: Differences = {
    counts: { new: 0, changed: 0, unchanged: 0 },
    needed: new Map(),
    unchanged: [],
    refused: [],
    atEarlierPaths: [],
  }
  const { counts, needed, unchanged, refused } = differences
  const answers = await askAbout(context, client, files, settings)
  if (answers === null) return null
  for (const file of files) {
    const { state, is_needed, error, document } = answers.get(file.path) ?? UNKNOWN
    counts[state]++
    if (is_needed) needed.set(file, state)
    else if (error !== null) refused.push({ path: file.path, name: file.name, ...error })
    else if (document !== null) unchanged.push({ ...document, outcome: 'unchanged' })
  }
  if (files.length > 0 && counts.new === files.length)
    differences.atEarlierPaths = await findAtEarlierPaths(context, client, files, settings)
  return differences
}

/** A file that the instance was not asked about. The upload finds out. */
const UNKNOWN: Omit<Comparison, 'path'> = { state: 'new', is_needed: true, error: null, document: null }

async function findAtEarlierPaths(
  context: Context,
  client: Client,
  files: readonly HashedFile[],
  { project }: Settings,
): Promise<HashedFile[]> {
  const moved = files.filter(({ path, earlierPath }) => path !== earlierPath)
  // Version 0.1.0 stored only the last of the files with the same path.
  const byPath = new Map(moved.map((file) => [file.earlierPath, file]))
  const earlier = [...byPath.values()].map((file) => ({ ...file, path: file.earlierPath }))
  const answers = await askAbout(context, client, earlier, project === undefined ? {} : { project })
  return [...byPath.values()].filter((file) => answers?.get(file.earlierPath)?.state === 'unchanged')
}

/** Returns the answers by path; null if the instance has no such endpoint. */
async function askAbout(
  context: Context,
  client: Client,
  files: readonly HashedFile[],
  { project, tags = [], onConflict }: Settings,
): Promise<Map<string, Comparison> | null> {
  const answers = new Map<string, Comparison>()
  const onWait = (seconds: number, reason: string) => context.notice(`Waiting ${seconds} s: ${reason}`)
  for (const entries of requestsOf(files)) {
    const request = {
      ...(project !== undefined && { project }),
      ...(tags.length > 0 && { tags: [...tags] }),
      ...(onConflict !== undefined && { on_conflict: onConflict }),
      files: entries,
    }
    try {
      const answer = await patiently(() => client.planUpload(request), context.io.signal, onWait)
      for (const one of answer.files) answers.set(one.path, one)
    } catch (error) {
      if (error instanceof ClientError && error.code === 'not_found') return null
      throw error
    }
  }
  return answers
}

type Entry = { path: string; sha256: string; size_bytes: number }

/** Groups files into requests within the limits of the endpoint. A path that no request can contain is left out. */
function requestsOf(files: readonly HashedFile[]): Entry[][] {
  const requests: Entry[][] = []
  let bytes = 0
  for (const { path, sha256, size } of files) {
    if (path.length > MAX_PATH_CHARACTERS || !path.isWellFormed()) continue
    const entry = { path, sha256, size_bytes: size }
    const entryBytes = Buffer.byteLength(JSON.stringify(entry)) + 1
    const last = requests.at(-1)
    if (last === undefined || last.length >= MAX_FILES || bytes + entryBytes > MAX_JSON_BYTES) {
      requests.push([entry])
      bytes = entryBytes
    } else {
      last.push(entry)
      bytes += entryBytes
    }
  }
  return requests
}
