import type { DegradedReason, MeasuredSearch, SearchShape, SearchStage, Telemetry } from '../core/telemetry.ts'
import { queryWords } from '../text/analyse.ts'
import type { ParsedQuery } from './parse.ts'
import type { SearchOutcome, SearchQuery } from './search.ts'

/** Measures the stages of one search, and notes what made its answer worse. */
export class Measurement {
  readonly #telemetry: Telemetry
  readonly #started = performance.now()
  readonly #stages: Partial<Record<SearchStage, number>> = {}
  readonly #degraded = new Set<DegradedReason>()

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry
  }

  /** Runs a stage. The times of a stage that runs several times are added up. */
  async stage<T>(stage: SearchStage, work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      return await this.#telemetry.trace({ name: `search.${stage}` }, work)
    } finally {
      this.#stages[stage] = (this.#stages[stage] ?? 0) + (performance.now() - started) / 1000
    }
  }

  degraded(reason: DegradedReason | null): void {
    if (reason !== null) this.#degraded.add(reason)
  }

  get milliseconds(): number {
    return performance.now() - this.#started
  }

  /** Reports the search. */
  end(mode: SearchOutcome['mode'], shape: () => SearchShape): void {
    const search: MeasuredSearch = {
      mode,
      seconds: this.milliseconds / 1000,
      stages: this.#stages,
      degraded: [...this.#degraded],
      shape,
    }
    this.#telemetry.note({ type: 'search', search })
  }
}

/** Describes a search without its words. */
export function shapeOf(
  query: SearchQuery,
  parsed: ParsedQuery,
  outcome: Pick<SearchOutcome, 'hits' | 'rerank' | 'correctedQuery'>,
): SearchShape {
  const { phrases = [], withoutPhrases = [] } = parsed.filter
  return {
    words: queryWords(parsed.text).filter(({ role }) => role === 'word').length,
    chars: query.query.length,
    phrases: phrases.length,
    excluded: withoutPhrases.length,
    filters: Object.keys({
      ...definedIn(query.filter),
      ...definedIn(parsed.filter),
      ...definedIn(query.messages ?? {}),
      ...parsed.messages,
    }),
    projects: query.projectIds.length,
    limit: query.limit,
    offset: query.offset,
    groupBy: query.groupBy,
    sort: query.sort,
    facets: query.facets?.length ?? 0,
    isCorrected: outcome.correctedQuery !== null,
    isReranked: outcome.rerank.applied,
    results: outcome.hits.length,
  }
}

function definedIn(filter: object): object {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}
