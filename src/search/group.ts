import type { Candidate } from './fuse.ts'

/** One result: a passage with its neighbours, or a document shown by its best passage. */
export interface Group {
  best: Candidate
  /** 0 to 1, falling from group to group. */
  score: number
  /** The passages shown, `best` among them, in the order of the text; each follows the one before. */
  joined: Candidate[]
  /** The same text in other documents, best first. */
  twins: Candidate[]
  matchingPassages: number
}

/** As far as this apart in the order, two results may stand on one page of ten. */
const REACH = 10
/** A neighbour that is this much less good is another result, if any: it would only bury the passage that was found. */
const AS_GOOD = 0.6
/** About 750 words: what is longer is no passage any more. */
const MOST_JOINED = 3
/** What the next best passages of a document add to its best one, by the square of their scores: one that is half as good says a quarter. */
const NEXT_BEST = [0.1, 0.05]

/**
 * Results in the order of the candidates, best first; `settled`: so many of them were found by the first look. Only those are joined and weighed
 * together, so that a deeper look for a later page leaves the pages before it as they were.
 */
export function group(candidates: readonly Candidate[], by: 'chunk' | 'document', settled: number = candidates.length): Group[] {
  const [first, deeper] = [candidates.slice(0, settled), candidates.slice(settled)]
  if (by === 'chunk') return [...joinNeighbours(first), ...deeper.map(alone)]
  return withDeeper(byDocument(first), deeper)
}

function alone(best: Candidate): Group {
  return { best, score: best.score, joined: [best], twins: [], matchingPassages: 1 }
}

/** A text that stands in several documents is one result, and so are passages that follow one another. */
function joinNeighbours(candidates: readonly Candidate[]): Group[] {
  const groups: Group[] = []
  const byText = new Map<string, Group>()
  const join = (target: Group, candidates: readonly Candidate[]) => {
    target.joined = [...target.joined, ...candidates].toSorted((a, b) => a.index - b.index)
    target.matchingPassages = target.joined.length
    for (const { textHash } of candidates) byText.set(textHash, target)
  }
  for (const candidate of candidates) {
    const same = byText.get(candidate.textHash)
    if (same !== undefined && same.best.documentId !== candidate.documentId) {
      same.twins.push(candidate)
      continue
    }
    const near = groups.slice(-REACH).filter((one) => isNeighbour(one, candidate))
    const [before, after] = [near[0], near[1]]
    const target = before !== undefined && before.joined.length < MOST_JOINED ? before : after
    if (target === undefined || target.joined.length >= MOST_JOINED) {
      const own = alone(candidate)
      groups.push(own)
      if (same === undefined) byText.set(candidate.textHash, own)
      continue
    }
    join(target, [candidate])
    // It may have been what lay between two results.
    if (target === before && after !== undefined && before.joined.length + after.joined.length <= MOST_JOINED) {
      join(before, after.joined)
      before.twins.push(...after.twins)
      groups.splice(groups.indexOf(after), 1)
    }
  }
  return groups
}

/** On the same page only: a result says where to look. */
function isNeighbour({ joined, best }: Group, candidate: Candidate): boolean {
  const [first, last] = [joined[0]!, joined.at(-1)!]
  return (
    first.documentId === candidate.documentId &&
    first.version === candidate.version &&
    first.pageStart === candidate.pageStart &&
    last.pageEnd === candidate.pageEnd &&
    candidate.score >= AS_GOOD * best.score &&
    (candidate.index === first.index - 1 || candidate.index === last.index + 1)
  )
}

/** A document ranks by its best passage, and by the next two where they are nearly as good: not by how many it has. */
function byDocument(candidates: readonly Candidate[]): Group[] {
  const passages = Map.groupBy(candidates, (candidate) => candidate.documentId)
  const top = candidates[0]?.score ?? 0
  const share = (candidate: Candidate | undefined) => (candidate === undefined || top === 0 ? 0 : candidate.score / top)
  const weighed = [...passages.values()].map((found) => ({
    group: { ...alone(found[0]!), matchingPassages: found.length },
    value: NEXT_BEST.reduce((sum, weight, i) => sum + weight * share(found[i + 1]) ** 2, share(found[0])),
  }))
  weighed.sort((a, b) => b.value - a.value)
  const most = weighed[0]?.value ?? 0
  return weighed.map(({ group: one, value }) => ({ ...one, score: most === 0 ? 0 : (top * value) / most }))
}

function withDeeper(groups: Group[], deeper: readonly Candidate[]): Group[] {
  const known = new Map(groups.map((one) => [one.best.documentId, one]))
  for (const candidate of deeper) {
    const one = known.get(candidate.documentId)
    if (one !== undefined) {
      one.matchingPassages++
      continue
    }
    const added = { ...alone(candidate), score: Math.min(candidate.score, groups.at(-1)?.score ?? 1) }
    known.set(candidate.documentId, added)
    groups.push(added)
  }
  return groups
}
