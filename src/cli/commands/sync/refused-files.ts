import type { Refusal } from '../../files/found.ts'
import type { HashedFile } from '../../files/hash.ts'
import type { Result } from '../upload/result.ts'
import type { SyncPlan } from './plan.ts'

/** Refusals that the same bytes get again, unless the instance changes. */
const LASTING_CODES: ReadonlySet<string> = new Set(['encrypted', 'too_large', 'unsupported_type'])
/** The operator may raise a limit, or an update may read another format. */
const TRY_AGAIN_MS = 24 * 3600_000

interface Known {
  sha256: string
  at: number
  /** Null if the file was only skipped, which is no failure. */
  refusal: Refusal | null
}

/** The files that the instance has refused during a watch, so that they are not sent again with every look at the folder. */
export class RefusedFiles {
  readonly #byPath = new Map<string, Known>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Remembers which files of a plan were refused or skipped because of what they contain. */
  remember(plan: SyncPlan, { refused, skipped }: Pick<Result, 'refused' | 'skipped'>): void {
    const sent = new Map([...plan.new, ...plan.changed].map((file) => [file.path, file]))
    const add = (one: Refusal, refusal: Refusal | null) => {
      const file = sent.get(one.path)
      if (file !== undefined && LASTING_CODES.has(one.code))
        this.#byPath.set(one.path, { sha256: file.sha256, at: this.#now(), refusal })
    }
    for (const one of refused) add(one, one)
    for (const one of skipped) add(one, null)
  }

  /** Removes the files that were refused or skipped within the last day, and have not changed since, from a plan. Returns the refusals. */
  takeFrom(plan: SyncPlan): Refusal[] {
    const refusals: Refusal[] = []
    const stays = ({ path, sha256 }: HashedFile) => {
      const known = this.#byPath.get(path)
      if (known === undefined) return true
      if (known.sha256 !== sha256 || this.#now() - known.at >= TRY_AGAIN_MS) {
        this.#byPath.delete(path)
        return true
      }
      if (known.refusal !== null) refusals.push(known.refusal)
      return false
    }
    plan.new = plan.new.filter(stays)
    plan.changed = plan.changed.filter(stays)
    return refusals
  }
}
