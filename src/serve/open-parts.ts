import type { Logger } from '../core/logger.ts'

/** Every part gets at least this much time to close, also when the parts before it took all there was. */
const MIN_GRACE_MS = 500

/** The parts of the daemon that are open, to be closed in reverse order. */
export class OpenParts {
  readonly #parts: { name: string; close: (graceMs: number) => Promise<void> }[] = []
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  add(name: string, close: (graceMs: number) => Promise<void>): void {
    this.#parts.push({ name, close })
  }

  /** Closes the part that was opened last first, so that no part loses one it depends on. A part that fails to close is logged. */
  async closeAll(graceMs: number): Promise<void> {
    const end = performance.now() + graceMs
    for (const { name, close } of this.#parts.splice(0).toReversed()) {
      await close(Math.max(end - performance.now(), MIN_GRACE_MS)).catch((error: unknown) =>
        this.#log.error({ err: error, part: name }, 'could not be closed'),
      )
    }
  }
}
