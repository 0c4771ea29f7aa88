import type { DocumentRecord } from '../core/model.ts'
import { MAX_JOINED_CHARS } from '../core/text-limits.ts'
import type { Passage } from '../core/passage.ts'
import type { Documents } from '../records/records.ts'
import type { FoundGroup, FoundPassage } from './find-request.ts'
import type { MorePassage, SearchHit } from './search.ts'

/** A group with its document and the documents of its twins. */
export interface Result {
  group: FoundGroup
  document: DocumentRecord
  twins: { passage: FoundPassage; document: DocumentRecord }[]
}

/** A result names at most this many other documents with the same text. */
const MAX_TWINS = 20

/**
 * Returns the first `count` groups whose documents still exist. The index may hold passages of a document that was deleted a moment ago
 * or whose replacement failed. Such a group does not count, not even for the offset, unless another document has the same text and
 * takes its place. Reads only as many documents as it needs.
 */
export async function takeExisting(
  groups: readonly FoundGroup[],
  count: number,
  getMany: (ids: readonly string[]) => ReturnType<Documents['getMany']>,
): Promise<Result[]> {
  const found: Result[] = []
  const documents = new Map<string, DocumentRecord>()
  const asked = new Set<string>()
  for (let at = 0; at < groups.length && found.length < count;) {
    const next = groups.slice(at, at + count - found.length)
    at += next.length
    const wanted = next.flatMap(({ best, twins }) => [best, ...twins].map((passage) => passage.documentId))
    const unknown = [...new Set(wanted)].filter((id) => !asked.has(id))
    if (unknown.length > 0) for (const [id, document] of await getMany(unknown)) documents.set(id, document)
    for (const id of unknown) asked.add(id)
    for (const group of next) {
      const there = [group.best, ...group.twins].flatMap((passage) => {
        const document = documents.get(passage.documentId)
        return document === undefined || document.status === 'failed' ? [] : [{ passage, document }]
      })
      const [first, ...twins] = there
      if (first === undefined) continue
      const { passage, document } = first
      const shown = passage === group.best ? group : { ...group, best: passage, rows: [passage.row] }
      found.push({ group: shown, document, twins: onceEach(twins, document).slice(0, MAX_TWINS) })
    }
  }
  return found
}

/** Names each document once, because a document may have the same text twice. */
function onceEach(twins: Result['twins'], shown: DocumentRecord): Result['twins'] {
  const seen = new Set([shown.id])
  return twins.filter(({ document }) => !seen.has(document.id) && seen.add(document.id))
}

/** Returns the rows of the passages that `present` needs for a result. */
export function neededRows({ group }: Result): readonly bigint[] {
  return [...group.rows, ...group.nextRows]
}

/** A result before its words are marked. */
export type Unmarked = Omit<SearchHit, 'highlights' | 'more'> & { more: Omit<MorePassage, 'highlights'>[] }

/** Returns a result for the caller, without highlights. Returns null when its passage has been removed meanwhile. */
export function present(
  { group, document, twins }: Result,
  passages: ReadonlyMap<bigint, Passage>,
  rank: number,
): Unmarked | null {
  const best = passages.get(group.best.row)
  if (best === undefined || best.id !== group.best.id) return null
  const members = contiguous(
    group.rows.flatMap((row) => {
      const passage = passages.get(row)
      // A row can be of another document when the files of the table were replaced.
      return passage?.documentId === best.documentId && passage.version === best.version ? passage : []
    }),
    best,
  )
  const [first, last] = [members[0]!, members.at(-1)!]
  const text = members.map((passage, i) => (i === 0 ? passage.text : passage.gap + passage.text)).join('')
  return {
    rank,
    score: group.score,
    document,
    passage: {
      ...placeOf(best),
      pageStart: first.pageStart,
      pageEnd: last.pageEnd,
      context: first.context,
      charStart: first.charStart,
      charEnd: last.charEnd,
    },
    text,
    more: group.nextRows.flatMap((row) => {
      const passage = passages.get(row)
      return passage?.documentId === best.documentId && passage.version === best.version
        ? { passage: placeOf(passage), text: passage.text }
        : []
    }),
    joinedPassages: members.length,
    matchingPassages: group.matchingPassages,
    alsoIn: twins.map(({ passage, document: { id, name } }) => ({ id, name, pageStart: passage.pageStart })),
    stages: group.best.stages,
  }
}

function placeOf(passage: Passage): SearchHit['passage'] {
  const { id, index, pageStart, pageEnd, heading, context, charStart, charEnd } = passage
  return { id, index, pageStart, pageEnd, heading, context, charStart, charEnd }
}

/**
 * Joins the best passage with the neighbours that form one slice of the document with it. The text stays within the limit of a
 * joined result.
 */
function contiguous(members: readonly Passage[], best: Passage): readonly Passage[] {
  const whole = members.every((passage, i) => i === 0 || passage.charStart === members[i - 1]!.charEnd + passage.gap.length)
  if (!whole || !members.includes(best)) return [best]
  let [first, last] = [0, members.length - 1]
  while (members[last]!.charEnd - members[first]!.charStart > MAX_JOINED_CHARS) {
    if (members[last] === best) first++
    else last--
  }
  return members.slice(first, last + 1)
}
